//! The one table that turns an error into an answer (docs/API.md, section 6.1).

use std::borrow::Cow;
use std::time::Duration;

use bytes::Bytes;
use http::header::{ALLOW, HeaderValue, RETRY_AFTER, WWW_AUTHENTICATE};
use http::{HeaderName, Response, StatusCode};

use super::{Error, Shape};
use crate::gateway::input::CreateWebhookError;
use crate::identity::VerifyError;
use crate::vault::VaultError;

const BAD_REQUEST: &str = "Bad request";
const UNAUTHORIZED: &str = "Unauthorized";
const FORBIDDEN: &str = "Forbidden";
const REJECTED: &str = "Rejected credential";
const TOO_MANY: &str = "Too many requests";
const NOT_FOUND: &str = "Not found";
const INTERNAL: &str = "Internal error";
const INVALID_TOKEN: &str = "Bearer error=\"invalid_token\"";

// === impl Error ===

impl Error {
    /// The status of the answer.
    pub fn status(&self) -> StatusCode {
        self.row().0
    }

    /// The answer: status, headers and the JSON body `{"error", "message"}`, as any type of body
    /// that is made from bytes: `http_body_util::Full<Bytes>`, axum's `Body` and others.
    pub fn to_response<B: From<Bytes>>(&self) -> Response<B> {
        self.answer_as(Shape::Api)
    }

    /// What the caller is told.
    pub(in crate::gateway) fn public_message(&self) -> Cow<'_, str> {
        self.row().2
    }

    /// Status, `error` and `message`.
    #[rustfmt::skip]
    pub(super) fn row(&self) -> (StatusCode, &str, Cow<'_, str>) {
        use StatusCode as S;
        let (status, error, message) = match self {
            Self::CreateWebhook(fault) => match fault {
                CreateWebhookError::MissingFields => (S::BAD_REQUEST, BAD_REQUEST, "Missing required fields: event, uri"),
                CreateWebhookError::NotAnObject => (S::BAD_REQUEST, BAD_REQUEST, "The body must be a JSON object with the fields event, uri"),
                CreateWebhookError::Filter(fault) => return (S::BAD_REQUEST, BAD_REQUEST, format!("Invalid eventFilter: {fault}").into()),
                CreateWebhookError::InvalidJson(_) => (S::INTERNAL_SERVER_ERROR, INTERNAL, "The body is not valid JSON"),
            },
            Self::UnboundedWebhook(warning) => return (S::BAD_REQUEST, BAD_REQUEST, format!("This gateway registers no such webhook: {warning}").into()),
            Self::MatchEvent(fault) => return (S::BAD_REQUEST, BAD_REQUEST, fault.to_string().into()),
            Self::MissingWebhookId => (S::BAD_REQUEST, BAD_REQUEST, "Missing webhook_id: name the webhook in the path"),
            Self::InvalidWebhookId => (S::BAD_REQUEST, BAD_REQUEST, "Invalid webhook_id: must be an integer of 64 bits"),
            Self::InvalidPresetBody => (S::BAD_REQUEST, BAD_REQUEST, "The body must be a JSON object with uri, a string that is not empty"),
            Self::MissingUri => (S::BAD_REQUEST, BAD_REQUEST, "Missing uri in the query: name the delivery address, percent-encoded"),
            Self::InvalidUri => (S::BAD_REQUEST, BAD_REQUEST, "Invalid uri in the query: must be given once, percent-encoded UTF-8 that is not empty"),
            Self::UnreadableBody(_) => (S::BAD_REQUEST, BAD_REQUEST, "The body could not be read to its end"),
            Self::InvalidUserId => (S::BAD_REQUEST, BAD_REQUEST, "Invalid user id: must be percent-encoded UTF-8"),
            Self::InvalidSwitch(name) => return (S::BAD_REQUEST, BAD_REQUEST, format!("Invalid {name} in the query: must be true or false").into()),
            Self::InvalidCredentialBody(fault) => return (S::BAD_REQUEST, BAD_REQUEST, fault.to_string().into()),
            Self::InvalidBasicPassword(fault) => return (S::BAD_REQUEST, BAD_REQUEST, format!("Invalid app password: {fault}").into()),
            Self::InvalidUserName => (S::BAD_REQUEST, BAD_REQUEST, "The body must be empty or a JSON object whose username, if it has one, is a string of 1 to 255 bytes without colon and control character"),

            Self::MissingToken => (S::UNAUTHORIZED, UNAUTHORIZED, "Missing bearer token in the Authorization header"),
            Self::MalformedAuthorization => (S::UNAUTHORIZED, UNAUTHORIZED, "Malformed Authorization header: one Bearer token is expected"),
            Self::MissingBasic => (S::UNAUTHORIZED, UNAUTHORIZED, "Exactly one Authorization header is expected: Basic with the user id and the app password"),
            Self::MalformedBasic => (S::UNAUTHORIZED, UNAUTHORIZED, "Malformed Authorization header: Basic takes the user id, a colon and the app password in UTF-8, as base64"),
            Self::SharedKey => (S::UNAUTHORIZED, UNAUTHORIZED, "Missing or wrong API key in the X-API-Key header"),
            Self::RefusedToken(cause) => match cause {
                VerifyError::Malformed => (S::UNAUTHORIZED, UNAUTHORIZED, "Malformed token"),
                VerifyError::Expired => (S::UNAUTHORIZED, UNAUTHORIZED, "The token has expired or is not valid yet"),
                VerifyError::NotAccepted => (S::UNAUTHORIZED, UNAUTHORIZED, "The token was not accepted"),
                VerifyError::Unavailable(_) => (S::INTERNAL_SERVER_ERROR, INTERNAL, "The token could not be checked"),
                VerifyError::Overloaded => (S::SERVICE_UNAVAILABLE, "Overloaded", "Too many tokens are being checked"),
            },

            Self::NotAdministrator => (S::FORBIDDEN, FORBIDDEN, "The credentials of users are for administrators alone"),
            Self::RevealOff => (S::FORBIDDEN, FORBIDDEN, "Showing stored app passwords is switched off on this server"),
            Self::OtherUser => (S::FORBIDDEN, FORBIDDEN, "The path names another user than the credentials of the request"),
            Self::OtherAccount => (S::FORBIDDEN, FORBIDDEN, "The app password belongs to another account than yours"),

            Self::AccountTaken => (S::FORBIDDEN, FORBIDDEN, "The account that granted cannot be bound to you: ask the administrator of this gateway"),

            Self::UnknownPath => (S::NOT_FOUND, NOT_FOUND, "There is no such path"),
            Self::UnknownWebhook => (S::NOT_FOUND, NOT_FOUND, "There is no webhook with this id"),
            Self::UnknownPreset => (S::NOT_FOUND, NOT_FOUND, "There is no webhook preset with this name"),
            Self::NoCredential => (S::NOT_FOUND, NOT_FOUND, "No credential is stored for this user"),
            Self::UnknownFlow => (S::NOT_FOUND, NOT_FOUND, "There is no such login flow, or it has expired"),
            Self::MethodNotAllowed(_) => (S::METHOD_NOT_ALLOWED, "Method not allowed", "The path does not take this method; see the Allow header"),
            Self::PayloadTooLarge(limit) => {
                let message = format!("The body may have at most {limit} bytes");
                return (S::PAYLOAD_TOO_LARGE, "Payload too large", message.into());
            }

            Self::Rejected => (S::UNPROCESSABLE_ENTITY, REJECTED, "The groupware server does not accept this app password with this login name"),
            Self::AccountPassword => (S::UNPROCESSABLE_ENTITY, REJECTED, "This is the password of the account: make an app password in the groupware server's settings, Security"),
            Self::OneTimePassword => (S::UNPROCESSABLE_ENTITY, REJECTED, "This was probably a one-time password, as in a QR code, and is used up now: make an app password in the groupware server's settings, Security"),

            Self::NotProvisioned => (S::PRECONDITION_REQUIRED, "Provisioning required", "No app password is stored for this user: send one, as {\"appPassword\": \"…\"}, to POST /api/v1/background-sync/credentials, or have one granted by POST /api/v1/background-sync/login-flow"),
            Self::NotBound { by_login_flow: true } => (S::PRECONDITION_REQUIRED, "Provisioning required", "No account is bound to you yet: start a login flow by POST /api/v1/background-sync/login-flow, and grant it with your account"),
            Self::NotBound { by_login_flow: false } => (S::PRECONDITION_REQUIRED, "Provisioning required", "No account is bound to you: ask the administrator of this gateway to bind yours"),
            Self::Suspended => (S::PRECONDITION_REQUIRED, "Provisioning required", "The groupware server refuses the stored app password: send a new one, as {\"appPassword\": \"…\"}, to POST /api/v1/background-sync/credentials, or have one granted by POST /api/v1/background-sync/login-flow"),

            Self::TooManyAttempts(_) => (S::TOO_MANY_REQUESTS, TOO_MANY, "Too many app passwords of this user were refused; wait before the next try"),
            Self::TooManyRefused(_) => (S::TOO_MANY_REQUESTS, TOO_MANY, "The groupware server refused too many logins of late; wait before the next try"),
            Self::TooManyOfCaller => (S::TOO_MANY_REQUESTS, TOO_MANY, "Too many requests of this user are under way"),
            Self::Overloaded => (S::SERVICE_UNAVAILABLE, "Overloaded", "Too many requests are under way"),
            Self::Timeout => (S::GATEWAY_TIMEOUT, "Timeout", "The request was not answered in time"),

            Self::NotConfigured => (S::INTERNAL_SERVER_ERROR, INTERNAL, "The groupware server is not configured"),
            Self::NotRevoked(fault) => {
                let message = format!("The app password was not destroyed and is still stored. {}", fault.public_message());
                return (S::INTERNAL_SERVER_ERROR, INTERNAL, message.into());
            }
            Self::Preset(failure) => return (S::INTERNAL_SERVER_ERROR, INTERNAL, failure.public_message().into()),
            Self::Groupware(fault) => (S::INTERNAL_SERVER_ERROR, INTERNAL, fault.public_message()),
            Self::Vault(VaultError::Store(_)) => (S::INTERNAL_SERVER_ERROR, INTERNAL, "The stored credentials cannot be reached at the moment"),
            Self::Vault(_) | Self::Credential(_) => (S::INTERNAL_SERVER_ERROR, INTERNAL, "The stored credential could not be used"),
            Self::Refusal(refusal) => return (refusal.status(), refusal.error(), refusal.message().into()),
            Self::Other(_) => (S::INTERNAL_SERVER_ERROR, INTERNAL, "The request could not be completed"),
        };
        (status, error, Cow::Borrowed(message))
    }

    /// The header that belongs to the status: RFC 9110 (405, 429, 503), RFC 6750 section 3 (401).
    pub(super) fn header(&self) -> Option<(HeaderName, HeaderValue)> {
        let (name, value) = match self {
            Self::TooManyAttempts(wait) | Self::TooManyRefused(wait) => {
                return Some((RETRY_AFTER, seconds(*wait)));
            }
            Self::Refusal(refusal) => {
                return Some((RETRY_AFTER, seconds(refusal.retry_after()?)));
            }
            Self::MethodNotAllowed(allowed) => (ALLOW, *allowed),
            Self::TooManyOfCaller
            | Self::Overloaded
            | Self::RefusedToken(VerifyError::Overloaded) => (RETRY_AFTER, "1"),
            // A wrong shared key says nothing about the token: naming `invalid_token` would send
            // a front end into a loop of refreshes.
            Self::MissingToken | Self::SharedKey => (WWW_AUTHENTICATE, "Bearer"),
            Self::MalformedAuthorization => (WWW_AUTHENTICATE, INVALID_TOKEN),
            Self::RefusedToken(_) if self.status() == StatusCode::UNAUTHORIZED => {
                (WWW_AUTHENTICATE, INVALID_TOKEN)
            }
            _ => return None,
        };
        Some((name, HeaderValue::from_static(value)))
    }
}

/// Rounded up: a client that comes back then is let in.
fn seconds(wait: Duration) -> HeaderValue {
    let seconds = wait.as_secs() + u64::from(wait.subsec_nanos() > 0);
    HeaderValue::from(seconds.max(1))
}
