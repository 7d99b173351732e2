//! Routes requests about a credential itself past the provisioning check.
//!
//! A caller who wants to store a password has none yet. Such requests go to a service of their
//! own; all others go on down the stack.

use std::task::{Context, Poll, ready};

use futures_util::future::Either;
use tower::{Layer, Service};

use super::decode::Decoded;
use crate::gateway::input::{CredentialInput, GroupwareInput, Input};

/// Makes [`Split`] services.
#[derive(Clone, Debug)]
pub struct SplitLayer<C> {
    credentials: C,
}

/// See the [module documentation](self).
#[derive(Clone, Debug)]
pub struct Split<S, C> {
    inner: S,
    credentials: C,
}

// === impl SplitLayer ===

impl<C> SplitLayer<C> {
    /// Requests about credentials go to `credentials`.
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

// === impl Split ===

impl<S, C> Service<Decoded> for Split<S, C>
where
    S: Service<Decoded<GroupwareInput>>,
    C: Service<Decoded<CredentialInput>, Response = S::Response, Error = S::Error>,
{
    type Response = S::Response;
    type Error = S::Error;
    type Future = Either<S::Future, C::Future>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        ready!(self.credentials.poll_ready(cx))?;
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, decoded: Decoded) -> Self::Future {
        let (context, input) = decoded.into_parts();
        match input {
            Input::Groupware(input) => Either::Left(self.inner.call(Decoded::new(context, input))),
            Input::Credential(input) => {
                Either::Right(self.credentials.call(Decoded::new(context, input)))
            }
        }
    }
}
