//! `GET /healthz` and `GET /readyz`, for the supervisor of the process (docs/API.md, section 9).
//!
//! They need neither token nor shared key, do not count against the in-flight limit, and say
//! nothing but yes or no. Their lines in the log are at `DEBUG`. [`Gateway::into_service`](crate::gateway::Gateway::into_service) does
//! not include them, since an embedding server has probes of its own; a server of its own puts
//! this layer around it:
//!
//! ```
//! use portreeve::gateway::Gateway;
//! use portreeve::gateway::layer::probes::ProbeLayer;
//! # use portreeve::{identity::TokenVerifier, vault::{MemoryStore, Vault}};
//! use tower::ServiceBuilder;
//!
//! # fn example(verifier: impl TokenVerifier, vault: Vault<MemoryStore>) {
//! let service = ServiceBuilder::new()
//!     .layer(ProbeLayer::new(vault.clone()))
//!     .service(Gateway::new(verifier, vault).into_service());
//! # fn is_service(_: impl tower::Service<http::Request<http_body_util::Empty<bytes::Bytes>>>) {}
//! # is_service(service);
//! # }
//! ```

use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use http::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderValue};
use http::{Method, Request, Response, StatusCode};
use pin_project_lite::pin_project;
use tower::{Layer, Service};

use super::record::Recording;
use crate::vault::{Store, Vault, VaultError};

/// Makes [`Probes`] services.
#[derive(Debug)]
pub struct ProbeLayer<St: Store> {
    vault: Vault<St>,
}

// === impl ProbeLayer ===

impl<St: Store> ProbeLayer<St> {
    /// Ready while `vault` can be read.
    pub fn new(vault: Vault<St>) -> Self {
        Self { vault }
    }
}

impl<St: Store> Clone for ProbeLayer<St> {
    fn clone(&self) -> Self {
        Self {
            vault: self.vault.clone(),
        }
    }
}

impl<S, St: Store> Layer<S> for ProbeLayer<St> {
    type Service = Probes<S, St>;

    fn layer(&self, inner: S) -> Self::Service {
        Probes {
            inner,
            vault: self.vault.clone(),
        }
    }
}

/// See the [module documentation](self).
#[derive(Debug)]
pub struct Probes<S, St: Store> {
    inner: S,
    vault: Vault<St>,
}

// === impl Probes ===

impl<S: Clone, St: Store> Clone for Probes<S, St> {
    fn clone(&self) -> Self {
        Self {
            inner: self.inner.clone(),
            vault: self.vault.clone(),
        }
    }
}

impl<S, St, B, R> Service<Request<B>> for Probes<S, St>
where
    S: Service<Request<B>, Response = Response<R>>,
    St: Store,
    R: From<Bytes>,
{
    type Response = S::Response;
    type Error = S::Error;
    type Future = ResponseFuture<S::Future>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let reads = matches!(*request.method(), Method::GET | Method::HEAD);
        let kind = match request.uri().path() {
            "/healthz" if reads => Kind::Alive {
                recording: Recording::of(&request),
            },
            "/readyz" if reads => {
                let vault = self.vault.clone();
                Kind::Ready {
                    check: Box::pin(async move { vault.ready().await }),
                    recording: Recording::of(&request),
                }
            }
            _ => Kind::Called {
                future: self.inner.call(request),
            },
        };
        ResponseFuture { kind }
    }
}

type Check = Pin<Box<dyn Future<Output = Result<(), VaultError>> + Send>>;

pin_project! {
    /// The future of [`Probes`].
    pub struct ResponseFuture<F> {
        #[pin]
        kind: Kind<F>,
    }
}

pin_project! {
    #[project = KindProj]
    enum Kind<F> {
        Called { #[pin] future: F },
        Alive { recording: Recording },
        Ready { check: Check, recording: Recording },
    }
}

// === impl ResponseFuture ===

impl<F, R, E> Future for ResponseFuture<F>
where
    F: Future<Output = Result<Response<R>, E>>,
    R: From<Bytes>,
{
    type Output = F::Output;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<F::Output> {
        let response = match self.project().kind.project() {
            KindProj::Called { future } => return future.poll(cx),
            KindProj::Alive { recording } => answer(recording, StatusCode::OK, "ok\n"),
            KindProj::Ready { check, recording } => match ready!(check.as_mut().poll(cx)) {
                Ok(()) => answer(recording, StatusCode::OK, "ready\n"),
                Err(error) => {
                    // The target that operators know, wherever this file lies.
                    tracing::error!(target: "portreeve::gateway::probes", %error, "not ready");
                    answer(recording, StatusCode::SERVICE_UNAVAILABLE, "not ready\n")
                }
            },
        };
        Poll::Ready(Ok(response))
    }
}

fn answer<R: From<Bytes>>(
    recording: &mut Recording,
    status: StatusCode,
    text: &'static str,
) -> Response<R> {
    recording.answered(status.as_u16(), false);
    let mut response = Response::new(R::from(Bytes::from_static(text.as_bytes())));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/plain"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}
