//! Answers the front end's requests without a token: `GET /api/v1/status`, `GET /api/v1/vector-sync/status`
//! and `POST /api/v1/vector-viz/search` (docs/API.md, sections 10.1 and 10.5).
//!
//! It is above the bearer layer, and its answers do not depend on the caller or on stored data.
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

use std::future::{Ready, ready};
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Instant;

use bytes::Bytes;
use futures_util::future::Either;
use http::{Method, Request, Response, StatusCode};
use serde_json::json;
use tower::{Layer, Service};

use crate::gateway::endpoint::answer;
use crate::gateway::{Endpoint, Error};

/// The version of its interface that the front end expects.
const MANAGEMENT_API_VERSION: &str = "1.0";

/// The public status of the gateway.
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
    layer: PublicLayer,
}

// === impl Status ===

impl Status {
    /// The status of a gateway that starts now, without a groupware server or an issuer.
    pub fn new() -> Self {
        Self::since(Instant::now())
    }

    /// The same for a gateway that started at `started`.
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
    /// Answers with `status`; with `None` its path is unknown.
    pub fn new(status: Option<Status>) -> Self {
        Self {
            status: status.map(Arc::new),
        }
    }
}

impl<S> Layer<S> for PublicLayer {
    type Service = Public<S>;

    fn layer(&self, inner: S) -> Self::Service {
        let layer = self.clone();
        Public { inner, layer }
    }
}

// === impl Public ===

impl<S, B, R> Service<Request<B>> for Public<S>
where
    S: Service<Request<B>, Response = Response<R>, Error: From<Error>>,
    R: From<Bytes>,
{
    type Response = S::Response;
    type Error = S::Error;
    type Future = Either<S::Future, Ready<Result<S::Response, S::Error>>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let endpoint = Endpoint::of(&request);
        let is_get = request.method() == Method::GET;
        let is_post = request.method() == Method::POST;
        let answer = match (endpoint, &self.layer.status) {
            (Endpoint::PublicStatus, None) => Err(Error::UnknownPath),
            (Endpoint::PublicStatus, Some(status)) if is_get => Ok(answer::json(status.to_json())),
            (Endpoint::VectorSync, _) if is_get => Ok(no_vector_sync()),
            (Endpoint::VectorSearch, _) if is_post => Ok(no_search()),
            (Endpoint::PublicStatus | Endpoint::VectorSync | Endpoint::VectorSearch, _) => {
                Err(endpoint.method_not_allowed())
            }
            _ => return Either::Left(self.inner.call(request)),
        };
        Either::Right(ready(answer.map_err(S::Error::from)))
    }
}

/// Tells the front end that there is no index of documents here.
fn no_vector_sync<R: From<Bytes>>() -> Response<R> {
    let body = &br#"{"error":"Vector sync is disabled on this server"}"#[..];
    let mut response = answer::json(body);
    *response.status_mut() = StatusCode::NOT_FOUND;
    response
}

/// Nor is there anything to search. The body is not read, since the caller is not authenticated.
fn no_search<R: From<Bytes>>() -> Response<R> {
    let body = &br#"{"error":"unsupported_search_type","requested":"semantic","supported_search_types":[]}"#[..];
    let mut response = answer::json(body);
    *response.status_mut() = StatusCode::UNPROCESSABLE_ENTITY;
    response
}
