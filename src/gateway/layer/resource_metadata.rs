//! Tells clients where to get a token: OAuth 2.0 Protected Resource Metadata (RFC 9728;
//! docs/API.md, section 11).
//!
//! This layer answers `GET /.well-known/oauth-protected-resource`. It is above everything that refuses requests, since
//! clients without a token or key must be able to read it. The [error mapper](super::error_mapper) adds that address to
//! each `WWW-Authenticate: Bearer`.

use bytes::Bytes;
use http::{Method, Request};
use serde_json::json;
use tower::Layer;

use super::fixed::{Answer, Answers, Fixed, now};
use crate::gateway::Endpoint;
use crate::gateway::endpoint::answer;
use crate::outbound::HttpUrl;

/// The public information about the tokens that the gateway accepts.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ResourceMetadata {
    /// How callers reach the gateway.
    pub resource: HttpUrl,
    /// The authorization server whose tokens are accepted.
    pub issuer: Option<Box<str>>,
    /// The relevant scopes.
    pub scopes: Vec<Box<str>>,
}

/// Answers requests for the metadata.
#[derive(Clone, Debug)]
pub struct ResourceMetadataLayer {
    document: Option<Document>,
}

/// The metadata as sent.
#[derive(Clone, Debug)]
struct Document {
    body: Bytes,
    /// The path of the resource, which is part of that of its metadata.
    path: Box<str>,
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

    /// Their address.
    pub(super) fn url(&self) -> String {
        let at_root = Endpoint::ResourceMetadata.as_str();
        format!(
            "{}{at_root}{}",
            self.resource.origin(),
            self.resource.path()
        )
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
        let mut scopes = Vec::new();
        for scope in &self.scopes {
            if !scopes.contains(&scope) {
                scopes.push(scope);
            }
        }
        if !scopes.is_empty() {
            metadata["scopes_supported"] = json!(scopes);
        }
        metadata.to_string()
    }
}

// === impl ResourceMetadataLayer ===

impl ResourceMetadataLayer {
    /// Publishes `metadata`; `None` changes nothing.
    pub fn new(metadata: Option<&ResourceMetadata>) -> Self {
        let document = metadata.map(|metadata| Document {
            body: metadata.to_json().into(),
            path: metadata.resource.path().into(),
        });
        Self { document }
    }
}

impl<S> Layer<S> for ResourceMetadataLayer {
    type Service = Fixed<S, Self>;

    fn layer(&self, inner: S) -> Self::Service {
        Fixed::new(inner, self.clone())
    }
}

impl Answers for ResourceMetadataLayer {
    /// Those of a resource with a path are at that path below the endpoint's (RFC 9728, section 3.1); a proxy that
    /// strips the resource's path from requests may send either form.
    fn answer<B>(&self, request: &mut Request<B>) -> Option<Answer> {
        let document = self.document.as_ref()?;
        let endpoint = Endpoint::from_request(request);
        if endpoint != Endpoint::ResourceMetadata {
            return None;
        }
        let path = request.uri().path().strip_prefix(endpoint.as_str())?;
        if !path.is_empty() && path != &*document.path {
            return None;
        }
        now(match *request.method() {
            Method::GET => answer::json(document.body.clone()),
            _ => endpoint.method_not_allowed().to_response(),
        })
    }
}
