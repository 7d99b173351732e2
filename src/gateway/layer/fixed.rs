//! Answers some requests itself, without the service below: those whose answers are the same for everybody.
//!
//! What a layer answers is an [`Answers`], the layer itself; [`Fixed`] is the service that asks it.

use std::task::{Context, Poll};

use bytes::Bytes;
use futures_util::FutureExt as _;
use futures_util::future::{BoxFuture, Either, Map, ready};
use http::{Request, Response};
use tower::Service;

pub trait Answers {
    /// The answer to `request`; `None` if the service below answers it.
    fn answer<B>(&self, request: &mut Request<B>) -> Option<Answer>;
}

impl<A: Answers> Answers for Option<A> {
    fn answer<B>(&self, request: &mut Request<B>) -> Option<Answer> {
        self.as_ref()?.answer(request)
    }
}

/// An answer that may take a while.
pub(crate) type Answer = BoxFuture<'static, Response<Bytes>>;

/// The service of layers that answer some requests themselves: it gets only those that its layer `A` does not answer.
#[derive(Clone, Debug)]
pub struct Fixed<S, A> {
    pub(crate) inner: S,
    pub(crate) answers: A,
}

impl<S, A, B, R> Service<Request<B>> for Fixed<S, A>
where
    S: Service<Request<B>, Response = Response<R>>,
    A: Answers,
    R: From<Bytes>,
{
    type Response = S::Response;
    type Error = S::Error;
    type Future =
        Either<S::Future, Map<Answer, fn(Response<Bytes>) -> Result<S::Response, S::Error>>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, mut request: Request<B>) -> Self::Future {
        match self.answers.answer(&mut request) {
            Some(answer) => Either::Right(answer.map(|answer| Ok(answer.map(R::from)))),
            None => Either::Left(self.inner.call(request)),
        }
    }
}

pub(super) fn now(answer: Response<Bytes>) -> Option<Answer> {
    Some(ready(answer).boxed())
}
