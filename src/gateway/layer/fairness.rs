//! Keeps one caller from using up the in-flight limit (docs/API.md, section 7).
//!
//! The in-flight limit above counts all requests, and this layer those of each caller. It has entries for callers with
//! a request in flight, and a bounded number for others.

use std::future::{Ready, ready};
use std::pin::Pin;
use std::task::{Context, Poll};

use futures_util::future::Either;
use pin_project_lite::pin_project;
use tower::{Layer, Service};

use super::account::Authenticated;
use crate::gateway::Error;
use crate::gateway::users::{InFlight, Users};

/// A request of which it is known who makes it.
pub trait HasCaller {
    /// The account id of the caller, or what stands for it.
    fn caller_key(&self) -> &str;
}

/// Makes [`LimitCaller`] services, which share their counts.
#[derive(Clone, Debug)]
pub struct PerCallerLimitLayer {
    users: Users,
    limit: usize,
}

// === impl PerCallerLimitLayer ===

impl PerCallerLimitLayer {
    /// Allows each caller `limit` requests in flight.
    pub fn new(limit: usize) -> Self {
        Self::with_users(Users::new(), limit)
    }

    pub(crate) fn with_users(users: Users, limit: usize) -> Self {
        Self { users, limit }
    }

    /// The place of one more request of `caller`, if there is one.
    pub(crate) fn enter(&self, caller: &str) -> Option<InFlight> {
        self.users.request(caller, self.limit)
    }
}

impl<S> Layer<S> for PerCallerLimitLayer {
    type Service = LimitCaller<S>;

    fn layer(&self, inner: S) -> Self::Service {
        LimitCaller { inner, limit: self.clone() }
    }
}

/// See the [module documentation](self).
#[derive(Clone, Debug)]
pub struct LimitCaller<S> {
    inner: S,
    limit: PerCallerLimitLayer,
}

// === impl LimitCaller ===

impl<S, R> Service<R> for LimitCaller<S>
where
    S: Service<R>,
    R: HasCaller,
    S::Error: From<Error>,
{
    type Response = S::Response;
    type Error = S::Error;
    type Future = ResponseFuture<S::Future, Ready<Result<S::Response, S::Error>>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, request: R) -> Self::Future {
        let in_flight = self.limit.enter(request.caller_key());
        let future = match in_flight {
            Some(_) => Either::Left(self.inner.call(request)),
            None => Either::Right(ready(Err(Error::TooManyOfCaller.into()))),
        };
        ResponseFuture { future, _in_flight: in_flight }
    }
}

pin_project! {
    /// The future of [`LimitCaller`]: the request is in flight until this is dropped.
    #[derive(Debug)]
    pub struct ResponseFuture<F, R> {
        #[pin]
        future: Either<F, R>,
        _in_flight: Option<InFlight>,
    }
}

// === impl ResponseFuture ===

impl<F: Future, R: Future<Output = F::Output>> Future for ResponseFuture<F, R> {
    type Output = F::Output;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<F::Output> {
        self.project().future.poll(cx)
    }
}

impl<R> HasCaller for Authenticated<R> {
    fn caller_key(&self) -> &str {
        self.principal().key()
    }
}
