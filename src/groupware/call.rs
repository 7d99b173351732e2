//! One request to the groupware server, and its answer.

use std::net::IpAddr;
use std::time::Duration;

use bytes::Bytes;
use http::header::{
    ACCEPT, ACCEPT_ENCODING, AUTHORIZATION, CONTENT_TYPE, ETAG, IF_NONE_MATCH, USER_AGENT,
};
use http::{HeaderMap, HeaderName, HeaderValue, Request, StatusCode, Uri};
use http_body_util::Full;

use super::Route;
use super::known_apps::opaque;
use crate::outbound::AGENT;

pub(super) const OCS_API_REQUEST: HeaderName = HeaderName::from_static("ocs-apirequest");
pub(super) const X_FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");
pub(super) const JSON: HeaderValue = HeaderValue::from_static("application/json");

pub(super) struct Call {
    pub(super) route: Route,
    pub(super) uri: Uri,
    pub(super) authorization: Option<HeaderValue>,
    pub(super) agent: Option<HeaderValue>,
    pub(super) forwarded: Option<IpAddr>,
    pub(super) if_none_match: Option<HeaderValue>,
    pub(super) body: Option<(HeaderValue, Bytes)>,
    /// What was already spent of the timeout.
    pub(super) spent: Duration,
}

// === impl Call ===

impl Call {
    /// An anonymous request without a body.
    pub(super) fn new(route: Route, uri: Uri) -> Self {
        Self {
            route,
            uri,
            authorization: None,
            agent: None,
            forwarded: None,
            if_none_match: None,
            body: None,
            spent: Duration::ZERO,
        }
    }

    /// The fields of every request, with `Authorization`, which most calls replace: a clone has no room for more.
    pub(super) fn fields() -> [(HeaderName, HeaderValue); 5] {
        [
            (OCS_API_REQUEST, HeaderValue::from_static("true")),
            (ACCEPT, JSON),
            // Without it, any coding would be welcome (RFC 9110, section 12.5.3).
            (ACCEPT_ENCODING, HeaderValue::from_static("identity")),
            (USER_AGENT, AGENT),
            (AUTHORIZATION, HeaderValue::from_static("")),
        ]
    }

    /// Completes a request that has its URI and the [fields](Self::fields) of every request.
    pub(super) fn complete(&self, begun: Request<()>) -> Request<Full<Bytes>> {
        let (content_type, body) = self.body.clone().unzip();
        let mut request = begun.map(|()| Full::new(body.unwrap_or_default()));
        *request.method_mut() = self.route.method();
        let headers = request.headers_mut();
        match &self.authorization {
            Some(authorization) => headers.insert(AUTHORIZATION, authorization.clone()),
            None => headers.remove(AUTHORIZATION),
        };
        if let Some(agent) = &self.agent {
            headers.insert(USER_AGENT, agent.clone());
        }
        if let Some(tag) = &self.if_none_match {
            headers.insert(IF_NONE_MATCH, tag.clone());
        }
        if let Some(content_type) = content_type {
            headers.insert(CONTENT_TYPE, content_type);
        }
        let address = self.forwarded.map(|it| Bytes::from(it.to_canonical().to_string()));
        if let Some(Ok(value)) = address.map(HeaderValue::from_maybe_shared) {
            headers.insert(X_FORWARDED_FOR, value);
        }
        request
    }
}

pub(super) struct Answer {
    pub(super) route: Route,
    pub(super) status: StatusCode,
    pub(super) headers: HeaderMap,
    pub(super) body: Bytes,
}

// === impl Answer ===

impl Answer {
    /// Whether the server reports no change since its answer with the tag `known`.
    pub(super) fn is_unchanged(&self, known: &HeaderValue) -> bool {
        self.status == StatusCode::NOT_MODIFIED
            && self.headers.get(ETAG).is_none_or(|tag| opaque(tag) == opaque(known))
    }
}
