//! Answers what the front end asks without a token: `GET /api/v1/status`, `GET
//! /api/v1/vector-sync/status` and `POST /api/v1/vector-viz/search` (docs/API.md, sections 10.1 and 10.5).
//!
//! It stands above the bearer layer, and says nothing that depends on who asks or on what is
//! stored.
//!
//! ```
//! use bytes::Bytes;
//! use http::{Request, Response};
//! use http_body_util::Full;
//! use portreeve::gateway::Error;
//! use portreeve::gateway::layer::public::{PublicLayer, Status};
//! use tower::{ServiceBuilder, ServiceExt as _, service_fn};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() {
//! let service = ServiceBuilder::new()
//!     .layer(PublicLayer::new(Some(Status::new())))
//!     .service(service_fn(async |_: Request<()>| {
//!         Err::<Response<Full<Bytes>>, _>(Error::MissingToken)
//!     }));
//! let get = |path| service.clone().oneshot(Request::get(path).body(()).unwrap());
//! assert_eq!(get("/api/v1/status").await.unwrap().status(), 200);
//! assert!(matches!(get("/api/v1/apps").await, Err(Error::MissingToken)));
//! # }
//! ```

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Instant;

use bytes::Bytes;
use http::{Method, Request, Response, StatusCode};
use pin_project_lite::pin_project;
use serde_json::json;
use tower::{Layer, Service};

use super::refusable;
use crate::gateway::Error;
use crate::gateway::endpoint::answer;

/// The front end names this version of its interface in what it expects.
const MANAGEMENT_API_VERSION: &str = "1.0";

/// What is told to anybody about this gateway.
#[derive(Clone, Debug)]
pub struct Status {
    started: Instant,
    webhooks: bool,
    issuer: Option<Box<str>>,
}

/// Makes [`Public`] services.
#[derive(Clone, Debug)]
pub struct PublicLayer {
    status: Option<Arc<Status>>,
}

/// See the [module documentation](self).
#[derive(Clone, Debug)]
pub struct Public<S> {
    inner: S,
    status: Option<Arc<Status>>,
}

// === impl Status ===

impl Status {
    /// A gateway that starts now, has no groupware server and names no issuer.
    pub fn new() -> Self {
        Self::since(Instant::now())
    }

    /// A gateway that started at `started`.
    pub fn since(started: Instant) -> Self {
        Self {
            started,
            webhooks: false,
            issuer: None,
        }
    }

    /// Whether a groupware server is configured, so that webhooks can be managed.
    #[must_use]
    pub fn webhooks(mut self, configured: bool) -> Self {
        self.webhooks = configured;
        self
    }

    /// The OpenID provider whose tokens are accepted.
    #[must_use]
    pub fn issuer(mut self, issuer: impl Into<Option<Box<str>>>) -> Self {
        self.issuer = issuer.into();
        self
    }

    fn to_json(&self) -> String {
        let mut status = json!({
            "version": env!("CARGO_PKG_VERSION"),
            "auth_mode": "multi_user_basic",
            "supports_app_passwords": true,
            "vector_sync_enabled": false,
            "webhooks_enabled": self.webhooks,
            "uptime_seconds": self.started.elapsed().as_secs(),
            "management_api_version": MANAGEMENT_API_VERSION,
            "supported_search_types": [],
            "rerank_available": false,
            "sar_available": false,
        });
        if let Some(issuer) = &self.issuer {
            let base = issuer.strip_suffix('/').unwrap_or(issuer);
            status["oidc"] = json!({
                "discovery_url": format!("{base}/.well-known/openid-configuration"),
                "issuer": issuer,
            });
        }
        status.to_string()
    }
}

impl Default for Status {
    fn default() -> Self {
        Self::new()
    }
}

// === impl PublicLayer ===

impl PublicLayer {
    /// Answers with `status`; `None` makes its path an unknown one.
    pub fn new(status: Option<Status>) -> Self {
        Self {
            status: status.map(Arc::new),
        }
    }
}

impl<S> Layer<S> for PublicLayer {
    type Service = Public<S>;

    fn layer(&self, inner: S) -> Self::Service {
        Public {
            inner,
            status: self.status.clone(),
        }
    }
}

// === impl Public ===

impl<S, B, R> Service<Request<B>> for Public<S>
where
    S: Service<Request<B>, Response = Response<R>>,
    S::Error: From<Error>,
    R: From<Bytes>,
{
    type Response = S::Response;
    type Error = S::Error;
    type Future = ResponseFuture<S::Future, R>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let answer = match (request.uri().path(), &self.status) {
            ("/api/v1/status", Some(status)) => status_of(&request, status),
            ("/api/v1/status", None) => Err(Error::UnknownPath),
            ("/api/v1/vector-sync/status", _) => vector_sync(&request),
            ("/api/v1/vector-viz/search", _) => search(&request),
            _ => {
                let called = refusable::ResponseFuture::called(self.inner.call(request));
                return ResponseFuture::called(called);
            }
        };
        match answer {
            Ok(response) => ResponseFuture::answered(response),
            Err(error) => ResponseFuture::called(refusable::ResponseFuture::refused(error)),
        }
    }
}

fn status_of<B, R: From<Bytes>>(
    request: &Request<B>,
    status: &Status,
) -> Result<Response<R>, Error> {
    only(&Method::GET, request)?;
    Ok(answer::json(status.to_json()))
}

/// There is no index of documents here, and the front end asks whether there is.
fn vector_sync<B, R: From<Bytes>>(request: &Request<B>) -> Result<Response<R>, Error> {
    only(&Method::GET, request)?;
    let body = &br#"{"error":"Vector sync is disabled on this server"}"#[..];
    let mut response = answer::json(body);
    *response.status_mut() = StatusCode::NOT_FOUND;
    Ok(response)
}

/// Nor is there anything to search in. The body is not read: nobody knows whose it is.
fn search<B, R: From<Bytes>>(request: &Request<B>) -> Result<Response<R>, Error> {
    only(&Method::POST, request)?;
    let body = &br#"{"error":"unsupported_search_type","requested":"semantic","supported_search_types":[]}"#[..];
    let mut response = answer::json(body);
    *response.status_mut() = StatusCode::UNPROCESSABLE_ENTITY;
    Ok(response)
}

fn only<B>(method: &Method, request: &Request<B>) -> Result<(), Error> {
    match request.method() == method {
        true => Ok(()),
        false => Err(Error::MethodNotAllowed(match *method {
            Method::POST => "POST",
            _ => "GET",
        })),
    }
}

pin_project! {
    /// The future of [`Public`].
    #[derive(Debug)]
    pub struct ResponseFuture<F, R> {
        #[pin]
        kind: Kind<F, R>,
    }
}

pin_project! {
    #[project = KindProj]
    #[derive(Debug)]
    enum Kind<F, R> {
        Called { #[pin] future: refusable::ResponseFuture<F> },
        Answered { response: Option<Response<R>> },
    }
}

// === impl ResponseFuture ===

impl<F, R> ResponseFuture<F, R> {
    fn called(future: refusable::ResponseFuture<F>) -> Self {
        Self {
            kind: Kind::Called { future },
        }
    }

    fn answered(response: Response<R>) -> Self {
        let response = Some(response);
        Self {
            kind: Kind::Answered { response },
        }
    }
}

impl<F, R, E> Future for ResponseFuture<F, R>
where
    F: Future<Output = Result<Response<R>, E>>,
    E: From<Error>,
{
    type Output = F::Output;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<F::Output> {
        match self.project().kind.project() {
            KindProj::Called { future } => future.poll(cx),
            KindProj::Answered { response } => {
                Poll::Ready(Ok(response.take().expect("polled after completion")))
            }
        }
    }
}
