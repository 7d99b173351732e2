//! Tells clients where to get a token: OAuth 2.0 Protected Resource Metadata (RFC 9728; docs/API.md, section 11).
//!
//! This layer answers `GET /.well-known/oauth-protected-resource`. It is above everything that refuses requests, since
//! clients without a token or key must be able to read it. The [error mapper](super::error_mapper) adds that address to
//! each `WWW-Authenticate: Bearer`.

use bytes::Bytes;
use http::{Method, Request};
use indexmap::IndexSet;
use serde_json::json;

use super::fixed::{Answer, Answers, now};
use crate::gateway::endpoint::answer;
use crate::gateway::{Endpoint, Settings};

/// The metadata as sent, and where. It is cloned with the stack, for each request.
#[derive(Clone, Debug)]
pub(crate) struct Document {
    body: Bytes,
    /// The path of the resource, which is part of that of its metadata.
    path: std::sync::Arc<str>,
    pub(super) url: std::sync::Arc<str>,
}

impl Document {
    /// `None` without a public URL. Members without a value are omitted (RFC 9728, section 3.2).
    pub(crate) fn new(settings: &Settings) -> Option<Self> {
        let resource = settings.public_url.as_ref()?;
        let mut metadata = json!({
            "resource": resource.to_string(),
            "bearer_methods_supported": ["header"],
        });
        if let Some(issuer) = &settings.issuer {
            metadata["authorization_servers"] = json!([issuer]);
        }
        let scopes: IndexSet<_> = scopes(settings).collect();
        if !scopes.is_empty() {
            metadata["scopes_supported"] = json!(scopes);
        }
        let (origin, path) = (resource.origin(), resource.path());
        let at_root = Endpoint::ResourceMetadata.as_str();
        Some(Self {
            body: metadata.to_string().into(),
            url: format!("{origin}{at_root}{path}").into(),
            path: path.into(),
        })
    }
}

/// The scopes that a caller may need, as the identity provider names them.
fn scopes(settings: &Settings) -> impl Iterator<Item = String> {
    let prefix = settings.scope_prefix.as_deref().unwrap_or_default();
    let forwarded = settings.forward.iter().flat_map(|it| it.opened.iter());
    let forwarded = forwarded.map(|scope| scope.to_string());
    let operations = settings.operation_scopes.then(Endpoint::scopes).into_iter().flatten();
    let prefixed = operations.chain(forwarded).map(move |scope| format!("{prefix}{scope}"));
    settings.scopes.iter().map(ToString::to_string).chain(prefixed)
}

impl Answers for Document {
    /// Those of a resource with a path are at that path below the endpoint's (RFC 9728, section 3.1); a proxy that
    /// strips the resource's path from requests may send either form.
    fn answer<B>(&self, request: &mut Request<B>) -> Option<Answer> {
        let endpoint = Endpoint::from_request(request);
        if endpoint != Endpoint::ResourceMetadata {
            return None;
        }
        let path = request.uri().path().strip_prefix(endpoint.as_str())?;
        if !path.is_empty() && path != &*self.path {
            return None;
        }
        now(match *request.method() {
            Method::GET => answer::json(self.body.clone()),
            _ => endpoint.method_not_allowed().to_response(),
        })
    }
}
