//! Leads what is asked about a credential itself past the provisioning check.
//!
//! Who wants to store a password has none yet. Such inputs go to a service of their own; all
//! others go on down the stack.

use std::task::{Context, Poll, ready};

use futures_util::future::Either;
use tower::{Layer, Service};

use crate::gateway::Error;
use crate::gateway::layer::decode::{ByKind, CredentialInput, Decoded, GroupwareInput};

/// Makes [`Split`] services.
#[derive(Clone, Debug)]
pub struct SplitLayer<C> {
    credentials: C,
}

impl<C> SplitLayer<C> {
    /// What is asked about credentials goes to `credentials`.
    pub fn new(credentials: C) -> Self {
        Self { credentials }
    }
}

impl<S, C: Clone> Layer<S> for SplitLayer<C> {
    type Service = Split<S, C>;

    fn layer(&self, inner: S) -> Self::Service {
        Split {
            inner,
            credentials: self.credentials.clone(),
        }
    }
}

/// See the [module documentation](self).
#[derive(Clone, Debug)]
pub struct Split<S, C> {
    inner: S,
    credentials: C,
}

impl<S, C> Service<Decoded> for Split<S, C>
where
    S: Service<Decoded<GroupwareInput>, Error = Error>,
    C: Service<Decoded<CredentialInput>, Response = S::Response, Error = Error>,
{
    type Response = S::Response;
    type Error = Error;
    type Future = Either<S::Future, C::Future>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Error>> {
        ready!(self.credentials.poll_ready(cx))?;
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, decoded: Decoded) -> Self::Future {
        match decoded.by_kind() {
            ByKind::Groupware(decoded) => Either::Left(self.inner.call(decoded)),
            ByKind::Credential(decoded) => Either::Right(self.credentials.call(decoded)),
        }
    }
}
