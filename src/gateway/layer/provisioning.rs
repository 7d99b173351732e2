//! Opens the caller's stored app password (specification, section 5 rules 2 and 3).
//!
//! What comes out is a [`Provisioned`] input, which nothing else can make: an endpoint that calls
//! the groupware server takes no other. Who has stored nothing gets 428. What the answer says
//! about the password is drawn from it here, on its way up: see [`Logins`].

use std::net::IpAddr;
use std::pin::Pin;
use std::task::{Context, Poll};

use tower::{Layer, Service};

use crate::gateway::layer::decode::{Decoded, GroupwareInput};
use crate::gateway::{Error, Logins, Tried};
use crate::groupware::{Account, Groupware};
use crate::vault::Store;

/// The way to the groupware server as one of its users.
#[derive(Debug)]
pub struct Access {
    /// The server.
    pub groupware: Groupware,
    /// The user there, with the opened app password.
    pub account: Account,
    /// The address to name as `X-Forwarded-For`.
    pub client_address: Option<IpAddr>,
}

/// An input together with the credential it needs.
///
/// Only [`Provision`] makes one.
#[derive(Debug)]
pub struct Provisioned {
    access: Access,
    input: GroupwareInput,
}

impl Provisioned {
    /// The way to the groupware server, and what is wanted of it.
    pub fn into_parts(self) -> (Access, GroupwareInput) {
        (self.access, self.input)
    }
}

/// Makes [`Provision`] services.
#[derive(Debug)]
pub struct ProvisioningLayer<St: Store> {
    groupware: Option<Groupware>,
    logins: Logins<St>,
}

impl<St: Store> ProvisioningLayer<St> {
    /// Credentials come from `logins`. Without a `groupware` server every call ends in the 500
    /// case (section 4.1 rule 6).
    pub fn new(groupware: Option<Groupware>, logins: Logins<St>) -> Self {
        Self { groupware, logins }
    }
}

impl<S, St: Store> Layer<S> for ProvisioningLayer<St> {
    type Service = Provision<S, St>;

    fn layer(&self, inner: S) -> Self::Service {
        Provision {
            inner,
            groupware: self.groupware.clone(),
            logins: self.logins.clone(),
        }
    }
}

/// See the [module documentation](self).
#[derive(Debug)]
pub struct Provision<S, St: Store> {
    inner: S,
    groupware: Option<Groupware>,
    logins: Logins<St>,
}

impl<S: Clone, St: Store> Clone for Provision<S, St> {
    fn clone(&self) -> Self {
        Self {
            inner: self.inner.clone(),
            groupware: self.groupware.clone(),
            logins: self.logins.clone(),
        }
    }
}

impl<S, St, R> Service<Decoded<GroupwareInput>> for Provision<S, St>
where
    S: Service<Provisioned, Response = Tried<R>, Error = Error> + Clone + Send + 'static,
    S::Future: Send + 'static,
    St: Store,
    R: Send + 'static,
{
    type Response = R;
    type Error = Error;
    /// The stack's one boxed future: from here on a request waits for others, and the name of
    /// what it waits for is of no use to anybody.
    type Future = Pin<Box<dyn Future<Output = Result<R, Error>> + Send>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Error>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, decoded: Decoded<GroupwareInput>) -> Self::Future {
        // The service that was polled ready is the one that is called.
        let clone = self.inner.clone();
        let mut inner = std::mem::replace(&mut self.inner, clone);
        let groupware = self.groupware.clone();
        let logins = self.logins.clone();
        Box::pin(async move {
            let groupware = groupware.ok_or(Error::NotConfigured)?;
            let caller = decoded.caller().clone();
            let call = move |account| {
                let access = Access {
                    groupware,
                    account,
                    client_address: decoded.client_address(),
                };
                inner.call(Provisioned {
                    access,
                    input: decoded.into_input(),
                })
            };
            logins.with_account(caller.user_id(), call).await
        })
    }
}
