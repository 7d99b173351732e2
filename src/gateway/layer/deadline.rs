//! Answers requests that take too long, except what is forwarded: a body may flow for hours there, and
//! [has limits of its own](crate::gateway::forward) for how long it stands still.

use std::task::{Context, Poll};

use futures_util::future::{Either, ErrInto, TryFutureExt as _};
use http::Request;
use tower::timeout::Timeout;
use tower::{BoxError, Service};

use crate::gateway::Endpoint;
use crate::groupware::notes;

/// A service whose requests have `Timeout`'s time, unless they are forwarded.
#[derive(Clone, Debug)]
pub(crate) struct Deadline<S> {
    pub(crate) timed: Timeout<S>,
    /// Whether anything is forwarded.
    pub(crate) forwards: bool,
}

impl<S: Service<Request<B>, Error: Into<BoxError>>, B> Service<Request<B>> for Deadline<S> {
    type Response = S::Response;
    type Error = BoxError;
    type Future = Either<<Timeout<S> as Service<Request<B>>>::Future, ErrInto<S::Future, BoxError>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        self.timed.poll_ready(cx)
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        if self.forwards && Endpoint::from_request(&request).is_forwarded() {
            Either::Right(self.timed.get_mut().call(request).err_into())
        } else {
            notes::record_change(false);
            Either::Left(self.timed.call(request))
        }
    }
}
