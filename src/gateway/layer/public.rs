//! Answers the front end's requests without a token: `GET /api/v1/status`, `GET /api/v1/scopes`,
//! `GET /api/v1/vector-sync/status` and `POST /api/v1/vector-viz/search` (docs/API.md, sections 10.1, 10.4 and 10.5).
//!
//! It is above the bearer layer, and its answers do not depend on the caller or on stored data.

use std::sync::Arc;
use std::time::Instant;

use bytes::Bytes;
use http::{Method, Request, Response, StatusCode};
use serde_json::json;

use super::fixed::{Answer, Answers, now};
use crate::gateway::endpoint::answer::json as json_answer;
use crate::gateway::forward::Scopes;
use crate::gateway::{Endpoint, Error};

/// The version of its interface that the front end expects.
const MANAGEMENT_API_VERSION: &str = "1.0";

/// There is no index of documents here.
const NO_VECTOR_SYNC: &str = r#"{"error":"Vector sync is disabled on this server"}"#;
/// Nor is there anything to search.
const NO_SEARCH: &str =
    r#"{"error":"unsupported_search_type","requested":"semantic","supported_search_types":[]}"#;

#[derive(Clone, Debug)]
pub(crate) struct Status {
    pub started: Instant,
    pub webhooks: bool,
    pub issuer: Option<Box<str>>,
}

/// Answers the requests that need no token. Without a status its path is unknown.
#[derive(Clone, Debug)]
pub(crate) struct Public(pub(in crate::gateway) Option<Arc<Status>>);

// === impl Status ===

impl Status {
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

// === impl Public ===

impl Answers for Public {
    /// No body is read, since the caller is not authenticated.
    fn answer<B>(&self, request: &mut Request<B>) -> Option<Answer> {
        let endpoint = Endpoint::from_request(request);
        now(match (endpoint, request.method(), &self.0) {
            (Endpoint::PublicStatus, _, None) => Error::UnknownPath.to_response(),
            (Endpoint::PublicStatus, &Method::GET, Some(status)) => json_answer(status.to_json()),
            (Endpoint::Scopes, &Method::GET, _) => {
                json_answer(json!({"success": true, "scopes": Scopes::names()}).to_string())
            }
            (Endpoint::VectorSync, &Method::GET, _) => {
                with_status(StatusCode::NOT_FOUND, NO_VECTOR_SYNC)
            }
            (Endpoint::VectorSearch, &Method::POST, _) => {
                with_status(StatusCode::UNPROCESSABLE_ENTITY, NO_SEARCH)
            }
            (
                Endpoint::PublicStatus
                | Endpoint::Scopes
                | Endpoint::VectorSync
                | Endpoint::VectorSearch,
                ..,
            ) => endpoint.method_not_allowed().to_response(),
            _ => return None,
        })
    }
}

fn with_status(status: StatusCode, body: &'static str) -> Response<Bytes> {
    let mut answer = json_answer(body);
    *answer.status_mut() = status;
    answer
}
