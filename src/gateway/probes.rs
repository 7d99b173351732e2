//! `GET /healthz` and `GET /readyz`, for whoever watches the process.
//!
//! They need neither token nor shared key, take no place of the in-flight limit, and say nothing
//! but yes or no. The layer goes around the gateway where it has a listener of its own; an
//! embedding server has probes already.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use futures_util::future::Either;
use http::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderValue};
use http::{Method, Request, Response, StatusCode};
use http_body_util::Full;
use tower::{Layer, Service};

use crate::vault::{Store, Vault};

/// Makes [`Probes`] services.
#[derive(Debug)]
pub struct ProbeLayer<St: Store> {
    vault: Vault<St>,
}

impl<St: Store> ProbeLayer<St> {
    /// Ready while `vault` can be read.
    pub fn new(vault: Vault<St>) -> Self {
        Self { vault }
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

/// See [`ProbeLayer`].
#[derive(Debug)]
pub struct Probes<S, St: Store> {
    inner: S,
    vault: Vault<St>,
}

impl<S: Clone, St: Store> Clone for Probes<S, St> {
    fn clone(&self) -> Self {
        Self {
            inner: self.inner.clone(),
            vault: self.vault.clone(),
        }
    }
}

type Answer = Pin<Box<dyn Future<Output = Result<Response<Full<Bytes>>, Infallible>> + Send>>;

impl<S, St, B> Service<Request<B>> for Probes<S, St>
where
    S: Service<Request<B>, Response = Response<Full<Bytes>>, Error = Infallible>,
    St: Store,
{
    type Response = S::Response;
    type Error = Infallible;
    type Future = Either<S::Future, Answer>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let reads = matches!(*request.method(), Method::GET | Method::HEAD);
        match request.uri().path() {
            "/healthz" if reads => {
                Either::Right(Box::pin(async { Ok(answer(StatusCode::OK, "ok\n")) }))
            }
            "/readyz" if reads => {
                let vault = self.vault.clone();
                Either::Right(Box::pin(async move {
                    Ok(match vault.ready().await {
                        Ok(()) => answer(StatusCode::OK, "ready\n"),
                        Err(error) => {
                            tracing::error!(%error, "not ready");
                            answer(StatusCode::SERVICE_UNAVAILABLE, "not ready\n")
                        }
                    })
                }))
            }
            _ => Either::Left(self.inner.call(request)),
        }
    }
}

fn answer(status: StatusCode, text: &'static str) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::from(text));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/plain"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}
