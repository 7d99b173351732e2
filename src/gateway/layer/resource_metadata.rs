//! Tells clients where to get a token: OAuth 2.0 Protected Resource Metadata (RFC 9728;
//! docs/API.md, section 11).
//!
//! It answers `GET /.well-known/oauth-protected-resource`, and adds that address to each
//! `WWW-Authenticate: Bearer` from below. It is above everything that refuses requests, since clients
//! without a token or key must be able to read it.
//!
//! ```
//! use bytes::Bytes;
//! use http::Request;
//! use http_body_util::Full;
//! use portreeve::gateway::Error;
//! use portreeve::gateway::layer::resource_metadata::{ResourceMetadata, ResourceMetadataLayer};
//! use std::convert::Infallible;
//! use tower::{ServiceBuilder, ServiceExt as _, service_fn};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() {
//! let metadata = ResourceMetadata::new("https://hooks.example.org".parse().unwrap())
//!     .issuer(Some("https://id.example.org".into()));
//! let service = ServiceBuilder::new()
//!     .layer(ResourceMetadataLayer::new(Some(metadata)))
//!     .service(service_fn(async |_: Request<()>| {
//!         Ok::<_, Infallible>(Error::MissingToken.to_response::<Full<Bytes>>())
//!     }));
//! let answer = service.oneshot(Request::get("/api/v1/apps").body(()).unwrap()).await.unwrap();
//! assert_eq!(
//!     answer.headers()["www-authenticate"],
//!     "Bearer resource_metadata=\"https://hooks.example.org/.well-known/oauth-protected-resource\"",
//! );
//! # }
//! ```

use std::future::{self, Ready};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use futures_util::future::Either;
use http::header::{Entry, HeaderValue, WWW_AUTHENTICATE};
use http::{HeaderMap, Method, Request, Response};
use pin_project_lite::pin_project;
use serde_json::json;
use tower::{Layer, Service};

use crate::gateway::Endpoint;
use crate::gateway::endpoint::answer;
use crate::outbound::HttpUrl;

/// The public information about the tokens that the gateway accepts.
#[derive(Clone, Debug)]
pub struct ResourceMetadata {
    resource: HttpUrl,
    issuer: Option<Box<str>>,
    scopes: Vec<Box<str>>,
}

/// Makes [`ServeMetadata`] services.
#[derive(Clone, Debug)]
pub struct ResourceMetadataLayer {
    document: Option<Arc<Document>>,
}

/// See the [module documentation](self).
#[derive(Clone, Debug)]
pub struct ServeMetadata<S> {
    inner: S,
    document: Option<Arc<Document>>,
}

/// The metadata as sent, and their address.
#[derive(Debug)]
struct Document {
    body: Bytes,
    /// The path of the resource, which is part of that of its metadata.
    path: Box<str>,
    /// `resource_metadata="…"` (RFC 9728, section 5.1).
    parameter: Box<str>,
}

// === impl ResourceMetadata ===

impl ResourceMetadata {
    /// The metadata of the gateway that callers reach at `resource`.
    pub fn new(resource: HttpUrl) -> Self {
        Self {
            resource,
            issuer: None,
            scopes: Vec::new(),
        }
    }

    /// The authorization server whose tokens are accepted.
    #[must_use]
    pub fn issuer(mut self, issuer: Option<Box<str>>) -> Self {
        self.issuer = issuer;
        self
    }

    /// The relevant scopes, without duplicates.
    #[must_use]
    pub fn scopes<T: Into<Box<str>>>(mut self, scopes: impl IntoIterator<Item = T>) -> Self {
        self.scopes.clear();
        for scope in scopes {
            let scope = scope.into();
            if !self.scopes.contains(&scope) {
                self.scopes.push(scope);
            }
        }
        self
    }

    /// Members without a value are omitted (RFC 9728, section 3.2).
    fn to_json(&self) -> String {
        let mut metadata = json!({
            "resource": self.resource.to_string(),
            "bearer_methods_supported": ["header"],
        });
        if let Some(issuer) = &self.issuer {
            metadata["authorization_servers"] = json!([issuer]);
        }
        if !self.scopes.is_empty() {
            metadata["scopes_supported"] = json!(self.scopes);
        }
        metadata.to_string()
    }
}

// === impl ResourceMetadataLayer ===

impl ResourceMetadataLayer {
    /// Publishes `metadata`; `None` changes nothing.
    pub fn new(metadata: Option<ResourceMetadata>) -> Self {
        let document = metadata.map(|metadata| {
            let path = metadata.resource.path();
            let at_root = Endpoint::ResourceMetadata.as_str();
            let url = format!("{}{at_root}{path}", metadata.resource.origin());
            Arc::new(Document {
                body: metadata.to_json().into(),
                path: path.into(),
                parameter: format!("resource_metadata=\"{url}\"").into(),
            })
        });
        Self { document }
    }
}

impl<S> Layer<S> for ResourceMetadataLayer {
    type Service = ServeMetadata<S>;

    fn layer(&self, inner: S) -> Self::Service {
        ServeMetadata {
            inner,
            document: self.document.clone(),
        }
    }
}

// === impl Document ===

impl Document {
    /// Whether `request` is for the metadata. Those of a resource with a path are at that path below the
    /// endpoint's (RFC 9728, section 3.1); a proxy that strips the resource's path from requests may send
    /// either form.
    fn is_asked_for<B>(&self, request: &Request<B>) -> bool {
        let endpoint = Endpoint::of(request);
        let path = request.uri().path().strip_prefix(endpoint.as_str());
        endpoint == Endpoint::ResourceMetadata
            && path.is_some_and(|path| path.is_empty() || path == &*self.path)
    }

    fn answer<R: From<Bytes>>(&self, method: &Method) -> Response<R> {
        match *method {
            Method::GET => answer::json(self.body.clone()),
            _ => Endpoint::ResourceMetadata
                .method_not_allowed()
                .to_response(),
        }
    }

    /// Adds the address of the metadata to each challenge for a bearer token.
    fn add_to(&self, headers: &mut HeaderMap) {
        let Entry::Occupied(mut challenges) = headers.entry(WWW_AUTHENTICATE) else {
            return;
        };
        for challenge in challenges.iter_mut() {
            let Ok(text) = challenge.to_str() else {
                continue;
            };
            let (scheme, parameters) = text.split_once(' ').unwrap_or((text, ""));
            if !scheme.eq_ignore_ascii_case("bearer") {
                continue;
            }
            let separator = if parameters.is_empty() { " " } else { ", " };
            let named = format!("{}{separator}{}", text.trim_end(), self.parameter);
            if let Ok(named) = HeaderValue::try_from(named) {
                *challenge = named;
            }
        }
    }
}

// === impl ServeMetadata ===

impl<S, B, R> Service<Request<B>> for ServeMetadata<S>
where
    S: Service<Request<B>, Response = Response<R>>,
    R: From<Bytes>,
{
    type Response = S::Response;
    type Error = S::Error;
    type Future = Either<ResponseFuture<S::Future>, Ready<Result<Response<R>, S::Error>>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        match &self.document {
            Some(document) if document.is_asked_for(&request) => {
                Either::Right(future::ready(Ok(document.answer(request.method()))))
            }
            document => Either::Left(ResponseFuture {
                document: document.clone(),
                future: self.inner.call(request),
            }),
        }
    }
}

pin_project! {
    /// The future of [`ServeMetadata`].
    #[derive(Debug)]
    pub struct ResponseFuture<F> {
        #[pin]
        future: F,
        document: Option<Arc<Document>>,
    }
}

// === impl ResponseFuture ===

impl<F, R, E> Future for ResponseFuture<F>
where
    F: Future<Output = Result<Response<R>, E>>,
{
    type Output = F::Output;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<F::Output> {
        let this = self.project();
        let mut response = ready!(this.future.poll(cx))?;
        if let Some(document) = this.document {
            document.add_to(response.headers_mut());
        }
        Poll::Ready(Ok(response))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn document(resource: &str) -> Arc<Document> {
        let metadata = ResourceMetadata::new(resource.parse().unwrap());
        ResourceMetadataLayer::new(Some(metadata)).document.unwrap()
    }

    #[test]
    fn the_path_of_the_resource_is_inserted() {
        let document = document("https://h.example/a/b");
        for (path, is_at) in [
            ("/.well-known/oauth-protected-resource/a/b", true),
            ("/.well-known/oauth-protected-resource", true),
            ("/.well-known/oauth-protected-resource/", false),
            ("/.well-known/oauth-protected-resource/a", false),
            ("/.well-known/oauth-protected-resource/a/b/", false),
            ("/.well-known/oauth-protected-resources", false),
            ("/a/b/.well-known/oauth-protected-resource", false),
        ] {
            let request = Request::get(path).body(()).unwrap();
            assert_eq!(document.is_asked_for(&request), is_at, "{path}");
        }
    }

    #[test]
    fn every_bearer_challenge_names_the_metadata_and_no_other_does() {
        let document = document("https://h.example/a");
        let mut headers = HeaderMap::new();
        for challenge in [
            "Bearer",
            "bearer error=\"invalid_token\"",
            "Basic realm=\"x\"",
            "Bearers",
        ] {
            headers.append(WWW_AUTHENTICATE, HeaderValue::from_static(challenge));
        }
        document.add_to(&mut headers);
        let named =
            "resource_metadata=\"https://h.example/.well-known/oauth-protected-resource/a\"";
        let challenges: Vec<_> = headers.get_all(WWW_AUTHENTICATE).iter().collect();
        assert_eq!(
            challenges,
            [
                &*format!("Bearer {named}"),
                &*format!("bearer error=\"invalid_token\", {named}"),
                "Basic realm=\"x\"",
                "Bearers",
            ]
        );
    }
}
