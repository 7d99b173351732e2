//! A service that can be replaced while it serves, so that settings change and connections stay.

use std::fmt;
use std::sync::Arc;
use std::task::{Context, Poll};

use arc_swap::ArcSwap;
use tower::util::Oneshot;
use tower::{Service, ServiceExt as _};

/// A service that passes each request to a clone of the current inner service.
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
pub struct Replaceable<S>(Arc<ArcSwap<S>>);

/// Replaces the service of a [`Replaceable`] and its clones.
pub struct Replace<S>(Arc<ArcSwap<S>>);

/// Wraps `service`, and returns a handle to replace it. See the example of [`Replaceable`].
pub fn replaceable<S>(service: S) -> (Replaceable<S>, Replace<S>) {
    let current = Arc::new(ArcSwap::from_pointee(service));
    (Replaceable(current.clone()), Replace(current))
}

// === impl Replaceable ===

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

impl<S> fmt::Debug for Replaceable<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Replaceable").finish_non_exhaustive()
    }
}

// === impl Replace ===

impl<S> Replace<S> {
    /// Passes every request to `service` from now on.
    pub fn with(&self, service: S) {
        self.0.store(Arc::new(service));
    }
}

impl<S> fmt::Debug for Replace<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Replace").finish_non_exhaustive()
    }
}
