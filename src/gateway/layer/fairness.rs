//! Keeps one caller from holding all places of the gateway.
//!
//! The in-flight limit above counts requests, this layer counts them by caller. It remembers only
//! callers with a request under way, so its memory is bounded by the in-flight limit.

use std::collections::HashMap;
use std::future::{Future, Ready, ready};
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};

use futures_util::future::Either;
use pin_project_lite::pin_project;
use tower::{Layer, Service};

use crate::gateway::Error;
use crate::gateway::layer::bearer::Authenticated;

/// Makes [`LimitCaller`] services, which all count together.
#[derive(Clone, Debug)]
pub struct FairnessLayer {
    counts: Arc<Counts>,
}

impl FairnessLayer {
    /// One caller may have `limit` requests under way.
    pub fn new(limit: usize) -> Self {
        Self {
            counts: Arc::new(Counts {
                limit,
                under_way: Mutex::default(),
            }),
        }
    }
}

impl<S> Layer<S> for FairnessLayer {
    type Service = LimitCaller<S>;

    fn layer(&self, inner: S) -> Self::Service {
        LimitCaller {
            inner,
            counts: self.counts.clone(),
        }
    }
}

/// See the [module documentation](self).
#[derive(Clone, Debug)]
pub struct LimitCaller<S> {
    inner: S,
    counts: Arc<Counts>,
}

impl<S, R> Service<Authenticated<R>> for LimitCaller<S>
where
    S: Service<Authenticated<R>, Error = Error>,
{
    type Response = S::Response;
    type Error = Error;
    type Future = Either<ResponseFuture<S::Future>, Ready<Result<S::Response, Error>>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Error>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, request: Authenticated<R>) -> Self::Future {
        match Place::take(&self.counts, request.caller().user_id()) {
            Some(place) => Either::Left(ResponseFuture {
                inner: self.inner.call(request),
                place,
            }),
            None => Either::Right(ready(Err(Error::TooManyOfCaller))),
        }
    }
}

pin_project! {
    /// The future of [`LimitCaller`]: holds the caller's place until it is done or dropped.
    #[derive(Debug)]
    pub struct ResponseFuture<F> {
        #[pin]
        inner: F,
        place: Place,
    }
}

impl<F: Future> Future for ResponseFuture<F> {
    type Output = F::Output;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<F::Output> {
        self.project().inner.poll(cx)
    }
}

#[derive(Debug)]
struct Counts {
    limit: usize,
    under_way: Mutex<HashMap<Box<str>, usize>>,
}

#[derive(Debug)]
struct Place {
    counts: Arc<Counts>,
    user_id: Box<str>,
}

impl Place {
    fn take(counts: &Arc<Counts>, user_id: &str) -> Option<Self> {
        let mut under_way = counts
            .under_way
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        match under_way.get_mut(user_id) {
            Some(count) if *count >= counts.limit => return None,
            Some(count) => *count += 1,
            None => {
                under_way.insert(user_id.into(), 1);
            }
        }
        Some(Self {
            counts: counts.clone(),
            user_id: user_id.into(),
        })
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut under_way = self
            .counts
            .under_way
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = under_way.get_mut(&*self.user_id) {
            *count -= 1;
            if *count == 0 {
                under_way.remove(&*self.user_id);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn design_fairness_counts_by_caller_and_forgets() {
        let counts = Arc::new(Counts {
            limit: 2,
            under_way: Mutex::default(),
        });
        let first = Place::take(&counts, "alice").unwrap();
        let second = Place::take(&counts, "alice").unwrap();
        assert!(Place::take(&counts, "alice").is_none());
        let other = Place::take(&counts, "bob").unwrap();
        drop(first);
        let third = Place::take(&counts, "alice").unwrap();
        drop((second, third, other));
        assert!(counts.under_way.lock().unwrap().is_empty());
    }
}
