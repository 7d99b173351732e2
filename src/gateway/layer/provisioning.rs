//! Opens the caller's stored app password (docs/API.md, sections 2.2 and 2.3).
//!
//! It makes a [`WithCredential`] of each input that needs one, and an endpoint that calls the groupware server
//! accepts no other. A caller who has stored nothing gets 428. The service below answers with a [`Reply`], and what
//! that shows about the login is acted on here: see [`Logins`].
//!
//! All other inputs are passed on as they are: a caller who wants to store a password has none yet, and a preset of
//! webhooks takes several calls, each of which opens the password for itself.

use std::task::{Context, Poll};

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use tower::{Layer, Service, ServiceExt as _};

use super::admit::take_ready;
use super::decode::Decoded;
use crate::gateway::input::{GroupwareInput, Input, LocalInput};
use crate::gateway::{Error, Logins};
use crate::groupware::{Access, Groupware, Reply};

/// A parsed request, with what its endpoint needs.
#[derive(Debug)]
pub enum Provisioned {
    /// A call of the groupware server.
    Groupware(WithCredential),
    /// Any other request.
    Local(Decoded<LocalInput>),
}

/// An input together with the access to the groupware server that it needs.
///
/// Only [`Provision`] makes one.
#[derive(Debug)]
pub struct WithCredential {
    access: Access,
    input: GroupwareInput,
}

// === impl WithCredential ===

impl WithCredential {
    /// The access to the groupware server, and the request to it.
    pub fn into_parts(self) -> (Access, GroupwareInput) {
        (self.access, self.input)
    }
}

/// Makes [`Provision`] services.
#[derive(Clone, Debug)]
pub struct ProvisioningLayer {
    groupware: Option<Groupware>,
    logins: Logins,
}

// === impl ProvisioningLayer ===

impl ProvisioningLayer {
    /// Takes credentials from `logins`. Without a `groupware` server each call of it is answered 500
    /// (docs/API.md, section 6.2).
    pub fn new(groupware: Option<Groupware>, logins: Logins) -> Self {
        Self { groupware, logins }
    }
}

impl<S> Layer<S> for ProvisioningLayer {
    type Service = Provision<S>;

    fn layer(&self, inner: S) -> Self::Service {
        let layer = self.clone();
        Provision { inner, layer }
    }
}

/// See the [module documentation](self).
#[derive(Clone, Debug)]
pub struct Provision<S> {
    inner: S,
    layer: ProvisioningLayer,
}

// === impl Provision ===

impl<S, R> Service<Decoded> for Provision<S>
where
    S: Service<Provisioned, Response = Reply<R, Error>> + Clone + Send + 'static,
    S::Error: From<Error> + Send + 'static,
    S::Future: Send + 'static,
    R: Send + 'static,
{
    type Response = R;
    type Error = S::Error;
    /// Boxed, since the type of its futures (the vault, a permit, the call) cannot be named.
    type Future = BoxFuture<'static, Result<R, S::Error>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, decoded: Decoded) -> Self::Future {
        let (context, input) = decoded.into_parts();
        let input = match input {
            Input::Groupware(input) => input,
            Input::Local(input) => {
                let local = Provisioned::Local(Decoded::new(context, input));
                let answered = self.inner.call(local);
                return Box::pin(async { Ok(answered.await?.result?) });
            }
        };
        let mut inner = take_ready(&mut self.inner);
        let ProvisioningLayer { groupware, logins } = self.layer.clone();
        let mut call = move |access| {
            let input = input.clone();
            let provisioned = Provisioned::Groupware(WithCredential { access, input });
            // Boxed: what logs in passes it on by value, and the future of each would have its space twice.
            take_ready(&mut inner).oneshot(provisioned).boxed()
        };
        Box::pin(async move {
            let user_id = context.principal().require_user()?.user_id();
            let groupware = groupware.as_ref().ok_or(Error::NotConfigured)?;
            let called = logins.use_stored(user_id, groupware, context.client_address(), &mut call);
            called.await
        })
    }
}
