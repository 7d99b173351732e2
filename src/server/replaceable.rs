//! A service that can be replaced while it serves, so that settings change and connections stay.

use std::fmt;
use std::sync::Arc;
use std::task::{Context, Poll};

use arc_swap::ArcSwap;
use tower::Service;

/// A service that passes each request to the current inner service.
///
/// A request stays with the service that it was passed to. Clones follow the same [`Replace`].
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// use std::convert::Infallible;
/// use std::future::{Ready, ready};
///
/// use portreeve::server::replaceable;
/// use tower::{Service as _, ServiceExt as _, service_fn};
///
/// fn greeting(text: &'static str) -> impl Fn(()) -> Ready<Result<&'static str, Infallible>> + Clone {
///     move |()| ready(Ok(text))
/// }
///
/// let (mut service, replace) = replaceable(service_fn(greeting("Hello!")));
/// assert_eq!(service.ready().await.unwrap().call(()).await, Ok("Hello!"));
///
/// replace.with(service_fn(greeting("Ahoy!")));
/// assert_eq!(service.ready().await.unwrap().call(()).await, Ok("Ahoy!"));
/// # }
/// ```
pub struct Replaceable<S> {
    current: Arc<ArcSwap<S>>,
    /// The original that `service` is a clone of.
    origin: Arc<S>,
    service: S,
}

/// Replaces the service of a [`Replaceable`] and its clones.
pub struct Replace<S> {
    current: Arc<ArcSwap<S>>,
}

/// Wraps `service`, and returns a handle to replace it. See the example of [`Replaceable`].
pub fn replaceable<S: Clone>(service: S) -> (Replaceable<S>, Replace<S>) {
    let origin = Arc::new(service.clone());
    let current = Arc::new(ArcSwap::new(origin.clone()));
    let replace = Replace {
        current: current.clone(),
    };
    let replaceable = Replaceable {
        current,
        origin,
        service,
    };
    (replaceable, replace)
}

// === impl Replaceable ===

impl<S: Service<R> + Clone, R> Service<R> for Replaceable<S> {
    type Response = S::Response;
    type Error = S::Error;
    type Future = S::Future;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        let current = self.current.load();
        if !Arc::ptr_eq(&current, &self.origin) {
            self.origin = Arc::clone(&current);
            self.service = S::clone(&current);
        }
        self.service.poll_ready(cx)
    }

    fn call(&mut self, request: R) -> S::Future {
        // The service that `poll_ready` polled, even if it has been replaced since.
        self.service.call(request)
    }
}

impl<S: Clone> Clone for Replaceable<S> {
    fn clone(&self) -> Self {
        Self {
            current: self.current.clone(),
            origin: self.origin.clone(),
            service: self.service.clone(),
        }
    }
}

impl<S> fmt::Debug for Replaceable<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Replaceable").finish_non_exhaustive()
    }
}

// === impl Replace ===

impl<S> Replace<S> {
    /// Passes every request to `service` from now on.
    pub fn with(&self, service: S) {
        self.current.store(Arc::new(service));
    }
}

impl<S> fmt::Debug for Replace<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Replace").finish_non_exhaustive()
    }
}
