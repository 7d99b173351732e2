//! The formats in which errors are answered.

use bytes::Bytes;
use http::header::{HeaderValue, RETRY_AFTER, WWW_AUTHENTICATE};
use http::{Response, StatusCode};
use serde::Serialize;
use serde_json::{Value, json};

use super::RejectionReason;
use super::row::Row;
use crate::gateway::Endpoint;
use crate::gateway::endpoint::answer;
use crate::gateway::forward::Scopes;
use crate::groupware::NOT_KNOWN;

/// The challenge to a client without HTTP Basic, or with one that is not accepted (RFC 7617, section 2).
const CHALLENGE: &str = r#"Basic realm="app password", charset="UTF-8""#;

/// When to send a delivery again after a failure here, in seconds.
const RECEIPT_RETRY: HeaderValue = HeaderValue::from_static("5");

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ErrorFormat {
    /// `{"error", "message"}` (docs/API.md, section 6.1).
    Api,
    /// `{"success": false, "error"}`, with other statuses for errors of the groupware server (docs/API.md, section 10.4).
    AppPassword,
    /// `{"status": …}`, as senders of deliveries know it (docs/API.md, section 12.1).
    Receipt,
}

// === impl ErrorFormat ===

impl ErrorFormat {
    pub(crate) fn for_endpoint(endpoint: Endpoint) -> Self {
        match endpoint {
            _ if endpoint.takes_basic() => Self::AppPassword,
            _ if endpoint.receives() => Self::Receipt,
            _ => Self::Api,
        }
    }
}

// === impl Row ===

impl Row<'_> {
    /// The answer in `format`: status, headers and body.
    pub(crate) fn answer<B: From<Bytes>>(mut self, format: ErrorFormat) -> Response<B> {
        #[derive(Serialize)]
        struct Api<'a> {
            error: &'a str,
            message: &'a str,
            #[serde(skip_serializing_if = "Option::is_none")]
            outcome: Option<&'a Value>,
        }

        #[derive(Serialize)]
        struct AppPassword<'a> {
            success: bool,
            error: &'a str,
            #[serde(skip_serializing_if = "Option::is_none")]
            valid_scopes: Option<Vec<String>>,
        }

        if format == ErrorFormat::Receipt {
            self.adapt_to_senders();
        }
        let message = &*self.text;
        let (status, body) = match format {
            ErrorFormat::Api => {
                let body = Api { error: self.title, message, outcome: self.outcome };
                (self.status, serde_json::to_vec(&body))
            }
            ErrorFormat::AppPassword => {
                let status = self.status_by_basic.unwrap_or(self.status);
                let valid_scopes = self.names_scopes.then(Scopes::names);
                let body = AppPassword { success: false, error: message, valid_scopes };
                (status, serde_json::to_vec(&body))
            }
            ErrorFormat::Receipt => {
                let body = match self.status {
                    StatusCode::UNAUTHORIZED => json!({"status": "unauthorized"}),
                    StatusCode::SERVICE_UNAVAILABLE => {
                        json!({"status": "unavailable", "reason": message})
                    }
                    _ => json!({"status": "error", "message": message}),
                };
                (self.status, serde_json::to_vec(&body))
            }
        };
        let body = body.expect("strings always serialize");
        let mut response = answer::json(body);
        *response.status_mut() = status;
        let headers = response.headers_mut();
        if format == ErrorFormat::AppPassword && status == StatusCode::UNAUTHORIZED {
            headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static(CHALLENGE));
        } else if let Some((name, value)) = self.field {
            headers.insert(name, value);
        }
        response
    }

    /// Senders of deliveries know one status for what is not their fault, with a short reason.
    fn adapt_to_senders(&mut self) {
        if !self.status.is_server_error() {
            return;
        }
        let reason = match (self.status, self.rejection) {
            (StatusCode::GATEWAY_TIMEOUT, _) => "timeout",
            (_, Some(RejectionReason::QueueFull)) => "queue full",
            (_, Some(_)) => "overloaded",
            (_, None) => "queue unavailable",
        };
        self.status = StatusCode::SERVICE_UNAVAILABLE;
        self.text = if self.text.ends_with(NOT_KNOWN) {
            format!("{reason}. {NOT_KNOWN}").into()
        } else {
            reason.into()
        };
        self.field.get_or_insert((RETRY_AFTER, RECEIPT_RETRY));
    }
}
