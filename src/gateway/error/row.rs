//! How an error is answered.

use std::borrow::Cow;
use std::time::Duration;

use http::header::{HeaderValue, LOCATION, RETRY_AFTER, WWW_AUTHENTICATE};
use http::{HeaderName, StatusCode};
use serde_json::Value;

use super::RejectionReason;
use crate::gateway::forward::Refused;
use crate::groupware::GroupwareError;

pub(super) const INVALID_TOKEN: &str = "Bearer error=\"invalid_token\"";

pub(crate) struct Row<'a> {
    pub(crate) status: StatusCode,
    /// The status if the request is authenticated by HTTP Basic, if it differs (section 10.4).
    pub(super) status_by_basic: Option<StatusCode>,
    /// The member `error` of the answer.
    pub(super) title: &'a str,
    /// The member `message` of the answer.
    pub(crate) text: Cow<'a, str>,
    /// The header field that belongs to the status: RFC 9110 (405, 429, 503), RFC 6750 section 3 (401).
    pub(super) field: Option<(HeaderName, HeaderValue)>,
    /// Why the request was rejected before it was worked on, if it was.
    pub(crate) rejection: Option<RejectionReason>,
    /// The member `outcome` of the answer, if it has one.
    pub(super) outcome: Option<&'a Value>,
    /// Whether an answer in the format of section 10.4 lists the scopes that there are.
    pub(super) names_scopes: bool,
}

pub(super) fn row<'a>(
    status: StatusCode,
    title: &'a str,
    text: impl Into<Cow<'a, str>>,
) -> Row<'a> {
    Row {
        status,
        status_by_basic: None,
        title,
        text: text.into(),
        field: None,
        rejection: None,
        outcome: None,
        names_scopes: false,
    }
}

pub(super) fn bad_request<'a>(text: impl Into<Cow<'a, str>>) -> Row<'a> {
    row(StatusCode::BAD_REQUEST, "Bad request", text)
}

/// A request that was not worked on, with the status of the reason.
pub(super) fn rejection(reason: RejectionReason, text: &str) -> Row<'_> {
    let status = reason.status();
    let (title, wait) = match status {
        StatusCode::UNAUTHORIZED => ("Unauthorized", None),
        StatusCode::TOO_MANY_REQUESTS => ("Too many requests", Some(Duration::ZERO)),
        StatusCode::SERVICE_UNAVAILABLE => ("Overloaded", Some(Duration::ZERO)),
        _ => ("Internal error", None),
    };
    Row { rejection: Some(reason), ..row(status, title, text).wait(wait) }
}

pub(super) fn forbidden(text: &str) -> Row<'_> {
    row(StatusCode::FORBIDDEN, "Forbidden", text)
}

pub(super) fn not_found(text: &str) -> Row<'_> {
    row(StatusCode::NOT_FOUND, "Not found", text)
}

/// A password that the server refuses. If it also authenticates the request, that fails.
pub(super) fn rejected(text: &str) -> Row<'_> {
    let status = StatusCode::UNPROCESSABLE_ENTITY;
    row(status, "Rejected credential", text).by_basic(StatusCode::UNAUTHORIZED)
}

pub(super) fn provisioning_required(text: &str) -> Row<'_> {
    let status = StatusCode::PRECONDITION_REQUIRED;
    row(status, "Provisioning required", text)
}

pub(super) fn timeout<'a>(text: impl Into<Cow<'a, str>>) -> Row<'a> {
    row(StatusCode::GATEWAY_TIMEOUT, "Timeout", text)
}

pub(super) fn internal<'a>(text: impl Into<Cow<'a, str>>) -> Row<'a> {
    row(StatusCode::INTERNAL_SERVER_ERROR, "Internal error", text)
}

pub(super) fn not_forwarded<'a>(refused: &Refused) -> Row<'a> {
    match refused {
        Refused::Elsewhere(path) => {
            row(StatusCode::MOVED_PERMANENTLY, "Moved permanently", refused.to_string())
                .field(LOCATION, HeaderValue::try_from(path).expect("it is percent-encoded"))
        }
        Refused::Malformed(what, fault) => bad_request(format!("Malformed {what}: {fault}")),
        _ => row(StatusCode::FORBIDDEN, "Forbidden", format!("Not forwarded: {refused}")),
    }
}

/// A forwarded request to which the groupware server gave no answer that could be passed on.
pub(super) fn unanswered<'a>(cause: &GroupwareError, text: impl Into<Cow<'a, str>>) -> Row<'a> {
    let answer = match cause {
        GroupwareError::TimedOut(..) | GroupwareError::Stalled(_) => timeout(text),
        _ => row(StatusCode::BAD_GATEWAY, "Bad gateway", text),
    };
    answer.wait(cause.retry_after())
}

impl<'a> Row<'a> {
    /// The request was worked on before it failed, and this is how far it got.
    pub(super) fn outcome(self, outcome: &'a Value) -> Self {
        Self { rejection: None, outcome: Some(outcome), ..self }
    }

    pub(super) fn names_scopes(self) -> Self {
        Self { names_scopes: true, ..self }
    }

    pub(super) fn by_basic(mut self, status: StatusCode) -> Self {
        self.status_by_basic = Some(status);
        self
    }

    pub(super) fn field(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.field = Some((name, value));
        self
    }

    /// Tells the caller how long to wait, if that is known.
    pub(super) fn wait(self, wait: Option<Duration>) -> Self {
        match wait {
            Some(wait) => self.field(RETRY_AFTER, seconds(wait)),
            None => self,
        }
    }

    /// Names the scope that the token lacks (RFC 6750, section 3.1).
    pub(super) fn insufficient_scope(self, scope: &str) -> Self {
        let challenge = format!("Bearer error=\"insufficient_scope\", scope=\"{scope}\"");
        match HeaderValue::try_from(challenge) {
            Ok(challenge) => self.field(WWW_AUTHENTICATE, challenge),
            // The prefix that an embedder set.
            Err(_) => self,
        }
    }

    pub(super) fn challenge(self, challenge: &'static str) -> Self {
        self.field(WWW_AUTHENTICATE, HeaderValue::from_static(challenge))
    }
}

/// Rounded up, and at least 1, so that a client that retries then is admitted.
fn seconds(wait: Duration) -> HeaderValue {
    let seconds = wait.as_secs() + u64::from(wait.subsec_nanos() > 0);
    HeaderValue::from(seconds.max(1))
}
