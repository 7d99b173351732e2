//! Keeps one caller from using up the in-flight limit (docs/API.md, section 7).
//!
//! The in-flight limit above counts all requests; this layer counts those of each caller. It
//! remembers only callers with a request in flight, so the in-flight limit bounds its memory.
//!
//! ```
//! use http::Response;
//! use portreeve::gateway::{Error, User};
//! use portreeve::gateway::layer::account::Authenticated;
//! use portreeve::gateway::layer::fairness::FairnessLayer;
//! use tower::{Service as _, ServiceBuilder, service_fn};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() {
//! let mut service = ServiceBuilder::new()
//!     .layer(FairnessLayer::new(1))
//!     .service(service_fn(async |_: Authenticated<()>| Ok::<_, Error>(Response::new(()))));
//! let request = || Authenticated::vouch(User::new("alice"), ());
//!
//! let first = service.call(request());
//! assert!(matches!(service.call(request()).await, Err(Error::TooManyOfCaller)));
//! first.await.unwrap();
//! assert!(service.call(request()).await.is_ok());
//! # }
//! ```

use std::collections::HashMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};

use pin_project_lite::pin_project;
use tower::{Layer, Service};

use super::account::Authenticated;
use super::refusable;
use crate::gateway::Error;

/// A request on behalf of a user.
pub trait OfUser {
    /// The account id of the user.
    fn user_id(&self) -> &str;
}

/// Makes [`LimitCaller`] services, which all count together.
#[derive(Clone, Debug)]
pub struct FairnessLayer {
    counts: Arc<Counts>,
}

// === impl FairnessLayer ===

impl FairnessLayer {
    /// Counts a request of somebody who has no account and is called `key` instead; `None` if they
    /// have too many in flight. Ends when the permit is dropped.
    pub(super) fn acquire(&self, key: &str) -> Option<Permit> {
        Permit::acquire(&self.counts, key)
    }

    /// One caller may have `limit` requests in flight.
    pub fn new(limit: usize) -> Self {
        Self {
            counts: Arc::new(Counts {
                limit,
                in_flight: Mutex::default(),
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

// === impl LimitCaller ===

impl<S, R> Service<R> for LimitCaller<S>
where
    S: Service<R>,
    R: OfUser,
    S::Error: From<Error>,
{
    type Response = S::Response;
    type Error = S::Error;
    type Future = ResponseFuture<S::Future>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, request: R) -> Self::Future {
        match Permit::acquire(&self.counts, request.user_id()) {
            Some(permit) => ResponseFuture {
                inner: refusable::ResponseFuture::called(self.inner.call(request)),
                permit: Some(permit),
            },
            None => ResponseFuture {
                inner: refusable::ResponseFuture::refused(Error::TooManyOfCaller),
                permit: None,
            },
        }
    }
}

pin_project! {
    /// The future of [`LimitCaller`]: holds the caller's permit until it is done or dropped.
    #[derive(Debug)]
    pub struct ResponseFuture<F> {
        #[pin]
        inner: refusable::ResponseFuture<F>,
        permit: Option<Permit>,
    }
}

// === impl ResponseFuture ===

impl<F, R, E> Future for ResponseFuture<F>
where
    F: Future<Output = Result<R, E>>,
    E: From<Error>,
{
    type Output = F::Output;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<F::Output> {
        self.project().inner.poll(cx)
    }
}

impl<R> OfUser for Authenticated<R> {
    fn user_id(&self) -> &str {
        self.caller().user_id()
    }
}

#[derive(Debug)]
struct Counts {
    limit: usize,
    in_flight: Mutex<HashMap<Box<str>, usize>>,
}

/// One request in flight of one caller.
#[derive(Debug)]
pub(super) struct Permit {
    counts: Arc<Counts>,
    user_id: Box<str>,
}

// === impl Permit ===

impl Permit {
    fn acquire(counts: &Arc<Counts>, user_id: &str) -> Option<Self> {
        let mut in_flight = counts
            .in_flight
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        match in_flight.get_mut(user_id) {
            Some(count) if *count >= counts.limit => return None,
            Some(count) => *count += 1,
            None if counts.limit == 0 => return None,
            None => {
                in_flight.insert(user_id.into(), 1);
            }
        }
        Some(Self {
            counts: counts.clone(),
            user_id: user_id.into(),
        })
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        let mut in_flight = self
            .counts
            .in_flight
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = in_flight.get_mut(&*self.user_id) {
            *count -= 1;
            if *count == 0 {
                in_flight.remove(&*self.user_id);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn api_7_fairness_counts_by_caller_and_forgets() {
        let counts = Arc::new(Counts {
            limit: 2,
            in_flight: Mutex::default(),
        });
        let first = Permit::acquire(&counts, "alice").unwrap();
        let second = Permit::acquire(&counts, "alice").unwrap();
        assert!(Permit::acquire(&counts, "alice").is_none());
        let other = Permit::acquire(&counts, "bob").unwrap();
        drop(first);
        let third = Permit::acquire(&counts, "alice").unwrap();
        drop((second, third, other));
        assert!(counts.in_flight.lock().unwrap().is_empty());
    }

    #[test]
    fn api_7_fairness_of_zero_admits_nothing() {
        let counts = Arc::new(Counts {
            limit: 0,
            in_flight: Mutex::default(),
        });
        assert!(Permit::acquire(&counts, "alice").is_none());
        assert!(counts.in_flight.lock().unwrap().is_empty());
    }
}
