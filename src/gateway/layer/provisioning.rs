//! Opens the caller's stored app password (specification, section 5 rules 2 and 3).
//!
//! What comes out is a [`Provisioned`] input, which nothing else can make: an endpoint that calls
//! the groupware server takes no other. Who has stored nothing gets 428.

use std::net::IpAddr;
use std::pin::Pin;
use std::task::{Context, Poll};

use tower::{Layer, Service};

use crate::gateway::Error;
use crate::gateway::layer::decode::{Decoded, Input};
use crate::groupware::{Account, Groupware};
use crate::identity::Caller;
use crate::vault::{Store, Vault};

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
    input: Input,
}

impl Provisioned {
    /// The way to the groupware server, and what is wanted of it.
    pub fn into_parts(self) -> (Access, Input) {
        (self.access, self.input)
    }
}

/// Makes [`Provision`] services.
#[derive(Debug)]
pub struct ProvisioningLayer<St: Store> {
    groupware: Option<Groupware>,
    vault: Vault<St>,
}

impl<St: Store> ProvisioningLayer<St> {
    /// Credentials come from `vault`. Without a `groupware` server every call ends in the 500
    /// case (section 4.1 rule 6).
    pub fn new(groupware: Option<Groupware>, vault: Vault<St>) -> Self {
        Self { groupware, vault }
    }
}

impl<S, St: Store> Layer<S> for ProvisioningLayer<St> {
    type Service = Provision<S, St>;

    fn layer(&self, inner: S) -> Self::Service {
        Provision {
            inner,
            groupware: self.groupware.clone(),
            vault: self.vault.clone(),
        }
    }
}

/// See the [module documentation](self).
#[derive(Debug)]
pub struct Provision<S, St: Store> {
    inner: S,
    groupware: Option<Groupware>,
    vault: Vault<St>,
}

impl<S: Clone, St: Store> Clone for Provision<S, St> {
    fn clone(&self) -> Self {
        Self {
            inner: self.inner.clone(),
            groupware: self.groupware.clone(),
            vault: self.vault.clone(),
        }
    }
}

impl<S, St> Service<Decoded> for Provision<S, St>
where
    S: Service<Provisioned, Error = Error, Future: Send> + Clone + Send + 'static,
    St: Store,
{
    type Response = S::Response;
    type Error = Error;
    /// The stack's one boxed future: from here on a request waits for others, and the name of
    /// what it waits for is of no use to anybody.
    type Future = Pin<Box<dyn Future<Output = Result<S::Response, Error>> + Send>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Error>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, decoded: Decoded) -> Self::Future {
        // The service that was polled ready is the one that is called.
        let clone = self.inner.clone();
        let mut inner = std::mem::replace(&mut self.inner, clone);
        let groupware = self.groupware.clone();
        let vault = self.vault.clone();
        Box::pin(async move {
            let groupware = groupware.ok_or(Error::NotConfigured)?;
            let account = open(&vault, decoded.caller()).await?;
            let access = Access {
                groupware,
                account,
                client_address: decoded.client_address(),
            };
            inner
                .call(Provisioned {
                    access,
                    input: decoded.into_input(),
                })
                .await
        })
    }
}

async fn open<St: Store>(vault: &Vault<St>, caller: &Caller) -> Result<Account, Error> {
    let credential = vault
        .credential(caller.user_id())
        .await?
        .ok_or(Error::NotProvisioned)?;
    Account::new(
        credential.user_id(),
        credential.login_name(),
        &secrecy::SecretString::from(credential.password().expose()),
    )
    .map_err(|error| Error::Credential(error.into()))
}
