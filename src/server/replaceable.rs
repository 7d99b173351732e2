//! A service that can be replaced while it serves, so that settings change and connections stay.

use std::sync::Arc;
use std::task::{Context, Poll};

use arc_swap::ArcSwap;
use tower::util::Oneshot;
use tower::{Service, ServiceExt as _};

use crate::opaque::opaque_debug;

/// A service that passes each request to a clone of the current inner service.
///
/// A request stays with the service that it was passed to. Clones are replaced together.
pub struct Replaceable<S>(Arc<ArcSwap<S>>);

/// Wraps `service`; the function passes all further requests to another: docs/EMBEDDING.md, "Settings that change".
pub fn replaceable<S>(service: S) -> (Replaceable<S>, impl Fn(S)) {
    let current = Arc::new(ArcSwap::from_pointee(service));
    let replaced = current.clone();
    let replace = move |service| replaced.store(Arc::new(service));
    (Replaceable(current), replace)
}

impl<S: Service<R> + Clone, R> Service<R> for Replaceable<S> {
    type Response = S::Response;
    type Error = S::Error;
    type Future = Oneshot<S, R>;

    /// Always ready: each request waits for the service that it is passed to.
    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: R) -> Self::Future {
        S::clone(&self.0.load()).oneshot(request)
    }
}

impl<S> Clone for Replaceable<S> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

opaque_debug!(Replaceable<S>);
