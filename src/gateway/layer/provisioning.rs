//! Opens the caller's stored app password (docs/API.md, sections 2.2 and 2.3).
//!
//! It makes a [`WithCredential`] of each input that needs one, and an endpoint that calls the groupware server
//! accepts no other. A caller who has stored nothing gets 428. The endpoints answer with a `Reply`, and what that shows
//! about the login is acted on here: see [`Logins`].
//!
//! All other inputs are passed on as they are: a caller who wants to store a password has none yet, and a preset of
//! webhooks takes several calls, each of which opens the password for itself.

use std::task::{Context, Poll};

use futures_util::future::BoxFuture;
use tower::Service;

use super::decode::Decoded;
use crate::gateway::endpoint::answer::Answer;
use crate::gateway::input::{GroupwareInput, Input, LocalInput};
use crate::gateway::{Endpoints, Error, Logins};
use crate::groupware::{Access, Groupware};

/// A parsed request, with what its endpoint needs.
#[derive(Debug)]
pub(crate) enum Provisioned {
    /// A call of the groupware server.
    Groupware(WithCredential),
    /// Any other request.
    Local(Decoded<LocalInput>),
}

/// An input together with the access to the groupware server that it needs.
///
/// Only [`Provision`] makes one.
#[derive(Debug)]
pub(crate) struct WithCredential {
    access: Access,
    input: GroupwareInput,
}

// === impl WithCredential ===

impl WithCredential {
    /// The access to the groupware server, and the request to it.
    pub(crate) fn into_parts(self) -> (Access, GroupwareInput) {
        (self.access, self.input)
    }
}

/// See the [module documentation](self).
#[derive(Clone, Debug)]
pub struct Provision {
    pub(crate) inner: Endpoints,
    /// Without it, each call of the server is answered 500 (docs/API.md, section 6.2).
    pub(crate) groupware: Option<Groupware>,
    pub(crate) logins: Logins,
}

// === impl Provision ===

impl Service<Decoded> for Provision {
    type Response = Answer;
    type Error = Error;
    /// Boxed, since the type of its futures (the vault, a permit, the call) cannot be named.
    type Future = BoxFuture<'static, Result<Answer, Error>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Error>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, decoded: Decoded) -> Self::Future {
        let (context, input) = decoded.into_parts();
        let input = match input {
            Input::Groupware(input) => input,
            Input::Local(input) => {
                let local = Provisioned::Local(Decoded::new(context, input));
                let answered = self.inner.call(local);
                return Box::pin(async { answered.await?.result });
            }
        };
        let mut inner = self.inner.clone();
        let (groupware, logins) = (self.groupware.clone(), self.logins.clone());
        let mut call = move |access| {
            let input = input.clone();
            // The endpoints are always ready.
            inner.call(Provisioned::Groupware(WithCredential { access, input }))
        };
        Box::pin(async move {
            let user_id = context.principal().require_user()?.user_id();
            let groupware = groupware.as_ref().ok_or(Error::NotConfigured)?;
            let called = logins.use_stored(
                user_id,
                groupware,
                context.client_address(),
                |_| Ok(()),
                &mut call,
            );
            called.await
        })
    }
}
