//! Serves the page for people (docs/API.md, section 14): the files of `src/page`, and a document that says how to log in.
//!
//! The page is a client of the API and has no other access, so this layer is above the bearer layer: its answers are the
//! same for everybody.

use std::sync::Arc;

use bytes::Bytes;
use http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG, HeaderValue, IF_NONE_MATCH,
    LOCATION, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS,
};
use http::{Method, Request, Response, StatusCode};
use serde_json::json;
use sha2::{Digest as _, Sha256};

use super::fixed::{Answer, Answers, now};
use crate::gateway::endpoint::answer::json as json_answer;
use crate::gateway::{Endpoint, Error, IncompleteError, PageLogin, Settings};
use crate::hex::hex;
use crate::identity::OpenIdProvider;

const HTML: &str = "text/html; charset=utf-8";
const INDEX: &str = "index.html";
const LOGIN: &str = "login.json";

/// Name, type and content of each file.
macro_rules! files {
    ($($name:literal: $kind:expr;)+) => {
        [$(($name, $kind, include_bytes!(concat!("../../page/", $name)).as_slice())),+]
    };
}

const SCRIPT: &str = "text/javascript; charset=utf-8";
const FILES: &[(&str, &str, &[u8])] = &files! {
    "index.html": HTML;
    "style.css": "text/css; charset=utf-8";
    "icon.svg": "image/svg+xml";
    "page.js": SCRIPT;
    "dom.js": SCRIPT;
    "text.js": SCRIPT;
    "api.js": SCRIPT;
    "login.js": SCRIPT;
    "access.js": SCRIPT;
    "stream.js": SCRIPT;
    "events.js": SCRIPT;
    "targets.js": SCRIPT;
    "target_form.js": SCRIPT;
    "header_fields.js": SCRIPT;
    "secret.js": SCRIPT;
    "deliveries.js": SCRIPT;
    "administration.js": SCRIPT;
};

/// Answers for the page. Without a login there is none.
#[derive(Clone, Debug)]
pub(crate) struct Page(Option<Arc<Inner>>);

#[derive(Debug)]
struct Inner {
    login: PageLogin,
    provider: Option<OpenIdProvider>,
    /// Where the provider sends browsers back to.
    address: String,
    /// Of each file.
    tags: Vec<HeaderValue>,
}

// === impl Page ===

impl Page {
    pub(in crate::gateway) fn new(
        settings: &Settings,
        provider: Option<OpenIdProvider>,
    ) -> Result<Self, IncompleteError> {
        let Some(login) = settings.page.clone() else {
            return Ok(Self(None));
        };
        let public_url = settings.public_url.as_ref().ok_or(IncompleteError::NoPageAddress)?;
        if login != PageLogin::Paste && provider.is_none() {
            return Err(IncompleteError::NoProvider);
        }
        let tag = |(_, _, content): &(_, _, &[u8])| {
            let tag = format!("\"{}\"", hex(&Sha256::digest(content)[..16]));
            HeaderValue::try_from(tag).expect("quotes and digits make a field")
        };
        let address = format!("{public_url}{}", Endpoint::PAGE);
        let tags = FILES.iter().map(tag).collect();
        Ok(Self(Some(Arc::new(Inner { login, provider, address, tags }))))
    }
}

impl Answers for Page {
    fn answer<B>(&self, request: &mut Request<B>) -> Option<Answer> {
        let (page, endpoint) = (self.0.clone()?, Endpoint::from_request(request));
        if endpoint != Endpoint::Page {
            return None;
        }
        if !matches!(*request.method(), Method::GET | Method::HEAD) {
            return now(endpoint.method_not_allowed().to_response());
        }
        let path = request.uri().path();
        if !path.starts_with(Endpoint::PAGE) {
            return now(moved());
        }
        let name = match endpoint.parameter(path) {
            "" => INDEX,
            name => name,
        };
        if name == LOGIN {
            return Some(Box::pin(async move { page.how_to_log_in().await }));
        }
        let Some(at) = FILES.iter().position(|(file, ..)| *file == name) else {
            return now(Error::UnknownPath.to_response());
        };
        let seen = request.headers().get(IF_NONE_MATCH);
        let is_known = seen.is_some_and(|seen| is_among(&page.tags[at], seen));
        Some(Box::pin(async move { page.file(at, is_known).await }))
    }
}

// === impl Inner ===

impl Inner {
    /// The file, or 304 if the browser has it already.
    async fn file(&self, at: usize, is_known: bool) -> Response<Bytes> {
        let (_, kind, content) = FILES[at];
        let mut answer = Response::new(Bytes::new());
        match is_known {
            true => *answer.status_mut() = StatusCode::NOT_MODIFIED,
            false => *answer.body_mut() = Bytes::from_static(content),
        }
        // The policy is that of the document.
        let origins = if kind == HTML { self.origins().await } else { String::new() };
        let policy = format!(
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'{origins}; \
             form-action 'none'; frame-ancestors 'none'; base-uri 'none'; require-trusted-types-for 'script'; \
             trusted-types 'none'"
        );
        let policy = HeaderValue::try_from(policy).expect("an origin has no control characters");
        let headers = answer.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(kind));
        headers.insert(CONTENT_SECURITY_POLICY, policy);
        headers.insert(ETAG, self.tags[at].clone());
        // Asked for each time, so that a new gateway never has the files of an old one.
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
        headers.insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
        headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
        answer
    }

    /// The origins that the page calls to log in, each after a blank.
    async fn origins(&self) -> String {
        let Some(provider) = self.provider() else {
            return String::new();
        };
        let Some(endpoints) = provider.login_endpoints().await else {
            return String::new();
        };
        let (issuer, token) = (provider.origin(), endpoints.token.origin());
        if issuer == token { format!(" {issuer}") } else { format!(" {issuer} {token}") }
    }

    async fn how_to_log_in(&self) -> Response<Bytes> {
        let (PageLogin::Code { client_id, scope }, provider) = (&self.login, self.provider())
        else {
            return json_answer(json!({"login": "paste"}).to_string());
        };
        let endpoints = match provider {
            Some(provider) => provider.login_endpoints().await,
            None => None,
        };
        let (authorization, token) = endpoints
            .map(|it| (it.authorization.uri().to_string(), it.token.uri().to_string()))
            .unzip();
        let document = json!({
            "login": "code",
            "issuer": provider.map(OpenIdProvider::issuer),
            "client_id": client_id,
            "scope": scope,
            "redirect_uri": self.address,
            // Not known while the provider does not answer.
            "authorization_endpoint": authorization,
            "token_endpoint": token,
        });
        json_answer(document.to_string())
    }

    fn provider(&self) -> Option<&OpenIdProvider> {
        self.provider.as_ref().filter(|_| self.login != PageLogin::Paste)
    }
}

/// To the folder of the page, so that the names in it are complete.
fn moved() -> Response<Bytes> {
    let mut answer = Response::new(Bytes::new());
    *answer.status_mut() = StatusCode::PERMANENT_REDIRECT;
    // Relative, as a proxy may serve it below a prefix.
    answer.headers_mut().insert(LOCATION, HeaderValue::from_static("ui/"));
    answer
}

/// Whether `tag` is among those of `If-None-Match`, by the weak comparison (RFC 9110, section 13.1.2): a proxy that
/// compresses makes it a weak one.
fn is_among(tag: &HeaderValue, seen: &HeaderValue) -> bool {
    let tags = seen.to_str().unwrap_or_default().split(',').map(str::trim);
    let mut tags = tags.map(|seen| seen.strip_prefix("W/").unwrap_or(seen));
    tags.any(|seen| seen == "*" || seen == tag)
}
