//! Everything that can go wrong with a request, and the one table that answers it
//! (specification, section 7.1).

use std::borrow::Cow;
use std::error::Error as StdError;
use std::time::Duration;

use bytes::Bytes;
use http::header::{
    ALLOW, CACHE_CONTROL, CONTENT_TYPE, HeaderValue, RETRY_AFTER, WWW_AUTHENTICATE,
};
use http::{HeaderName, Response, StatusCode};
use http_body_util::Full;
use serde::Serialize;

use super::endpoint::StoreFault;
use crate::groupware::{FilterFault, GroupwareError};
use crate::identity::VerifyError;
use crate::vault::VaultError;

/// Why a request was not served.
///
/// Its `Display` and sources are for the log; what the caller gets is [`Error::into_response`],
/// which tells nothing of the inside.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// No `Authorization` field.
    #[error("no bearer token")]
    MissingToken,
    /// An `Authorization` field that is not one well-formed bearer token.
    #[error("the Authorization header is not a bearer token")]
    MalformedAuthorization,
    /// The verifier did not take the token.
    #[error("token refused: {0}")]
    RefusedToken(#[source] VerifyError),
    /// The shared key of section 5 rule 5 is missing or another one.
    #[error("missing or wrong shared key")]
    SharedKey,
    /// No such path.
    #[error("no such path")]
    UnknownPath,
    /// A known path that does not take the method; the value lists what it takes.
    #[error("method not allowed; the path takes {0}")]
    MethodNotAllowed(&'static str),
    /// A body over the limit of this many bytes.
    #[error("the body is over the limit of {0} bytes")]
    PayloadTooLarge(usize),
    /// The body broke off, or its framing was wrong.
    #[error("the body could not be read: {0}")]
    UnreadableBody(#[source] Box<dyn StdError + Send + Sync>),
    /// A create request whose body is not JSON: the 500 case (section 4.1 rule 3).
    #[error("the body is not JSON: {0}")]
    InvalidJson(#[source] serde_json::Error),
    /// A create request whose body is JSON, but not an object.
    #[error("the body is not a JSON object")]
    NotAnObject,
    /// A create request without `event` or `uri`.
    #[error("event or uri is missing")]
    MissingFields,
    /// An event filter that is no object or would harm users of the groupware server.
    #[error("event filter refused: {0}")]
    Filter(#[source] FilterFault),
    /// A delete without an id.
    #[error("webhook_id is missing")]
    MissingWebhookId,
    /// A delete with an id that is not an integer.
    #[error("webhook_id is not an integer")]
    InvalidWebhookId,
    /// A delete of a registration that does not exist.
    #[error("no such webhook")]
    UnknownWebhook,
    /// A parameter of the query that is not the one of `true` and `false`.
    #[error("{0} in the query is neither true nor false")]
    InvalidSwitch(&'static str),
    /// A user id in the path that is not UTF-8.
    #[error("the user id in the path is not UTF-8")]
    InvalidUserId,
    /// A store request whose body is not what it should be.
    #[error("store request refused: {0}")]
    Store(#[source] StoreFault),
    /// Another user's credential is for administrators (section 5 rule 6).
    #[error("the caller is not an administrator")]
    NotAdministrator,
    /// Showing a stored password is switched off.
    #[error("admin_reveal is off")]
    RevealOff,
    /// No credential is stored for the user that an administrator asked about.
    #[error("no credential is stored for the user")]
    NoCredential,
    /// An app password of another account than the caller's.
    #[error("the app password is of another account than the caller's")]
    OtherAccount,
    /// The groupware server refused the app password that was to be stored.
    #[error("the groupware server refused the app password that was to be stored")]
    Rejected,
    /// The caller brought too many passwords that were refused; there is time to wait.
    #[error("the caller brought too many passwords that were refused; next try in {0:?}")]
    TooManyAttempts(Duration),
    /// The groupware server refused too many logins; there is time to wait.
    #[error("the budget of refused logins is spent for {0:?}")]
    TooManyRefused(Duration),
    /// A login flow that is unknown, expired or somebody else's.
    #[error("no such login flow")]
    UnknownFlow,
    /// The groupware server did not destroy the app password; it stays stored.
    #[error("the app password was not destroyed: {0}")]
    NotRevoked(#[source] GroupwareError),
    /// The caller has not stored an app password (section 5 rule 3).
    #[error("no app password is stored for the caller")]
    NotProvisioned,
    /// The groupware server refused the stored app password, which is not tried again for now.
    #[error("the stored app password is suspended since it was refused")]
    Suspended,
    /// One caller has too many requests under way.
    #[error("the caller has too many requests under way")]
    TooManyOfCaller,
    /// The gateway has too many requests under way.
    #[error("too many requests under way")]
    Overloaded,
    /// The request was not answered in time.
    #[error("the request took too long")]
    Timeout,
    /// No groupware server is configured (section 4.1 rule 6).
    #[error("groupware_url is not set")]
    NotConfigured,
    /// The call of the groupware server failed.
    #[error("groupware server: {0}")]
    Groupware(#[from] GroupwareError),
    /// The vault failed.
    #[error("vault: {0}")]
    Vault(#[from] VaultError),
    /// The credential cannot be sent as HTTP Basic.
    #[error("stored credential: {0}")]
    Credential(#[source] Box<dyn StdError + Send + Sync>),
    /// Something that is not an error of this gateway came up from a service below it.
    #[error(transparent)]
    Other(Box<dyn StdError + Send + Sync>),
}

impl Error {
    /// The status of the answer (section 7.1).
    pub fn status(&self) -> StatusCode {
        self.row().0
    }

    /// The answer: status, headers and the JSON body `{"error", "message"}`.
    pub fn into_response(self) -> Response<Full<Bytes>> {
        #[derive(Serialize)]
        struct Body<'a> {
            error: &'static str,
            message: &'a str,
        }

        let (status, error, message) = self.row();
        let body = Body {
            error,
            message: &message,
        };
        let body = serde_json::to_vec(&body).expect("two strings always serialize");
        let mut response = Response::new(Full::from(body));
        *response.status_mut() = status;
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
        if let Some((name, value)) = self.header() {
            headers.insert(name, value);
        }
        response
    }

    /// The one table of section 7.1 with its documented extensions: status, `error`, `message`.
    #[rustfmt::skip]
    fn row(&self) -> (StatusCode, &'static str, Cow<'static, str>) {
        use StatusCode as S;
        let (status, error, message) = match self {
            Self::MissingFields => (S::BAD_REQUEST, BAD_REQUEST, "Missing required fields: event, uri"),
            Self::MissingWebhookId => (S::BAD_REQUEST, BAD_REQUEST, "Missing webhook_id: name the webhook in the path"),
            Self::InvalidWebhookId => (S::BAD_REQUEST, BAD_REQUEST, "Invalid webhook_id: must be an integer of 64 bits"),
            Self::NotAnObject => (S::BAD_REQUEST, BAD_REQUEST, "The body must be a JSON object with the fields event, uri"),
            Self::UnreadableBody(_) => (S::BAD_REQUEST, BAD_REQUEST, "The body could not be read to its end"),
            Self::InvalidUserId => (S::BAD_REQUEST, BAD_REQUEST, "Invalid user id: must be percent-encoded UTF-8"),
            Self::InvalidSwitch(name) => return (S::BAD_REQUEST, BAD_REQUEST, format!("Invalid {name} in the query: must be true or false").into()),
            Self::Store(fault) => return (S::BAD_REQUEST, BAD_REQUEST, fault.to_string().into()),
            Self::Filter(fault) => return (S::BAD_REQUEST, BAD_REQUEST, format!("Invalid eventFilter: {fault}").into()),

            Self::MissingToken => (S::UNAUTHORIZED, UNAUTHORIZED, "Missing bearer token in the Authorization header"),
            Self::MalformedAuthorization => (S::UNAUTHORIZED, UNAUTHORIZED, "Malformed Authorization header: one Bearer token is expected"),
            Self::SharedKey => (S::UNAUTHORIZED, UNAUTHORIZED, "Missing or wrong API key in the X-API-Key header"),
            Self::RefusedToken(cause) => match cause {
                VerifyError::Malformed => (S::UNAUTHORIZED, UNAUTHORIZED, "Malformed token"),
                VerifyError::Expired => (S::UNAUTHORIZED, UNAUTHORIZED, "The token has expired or is not valid yet"),
                VerifyError::NotAccepted => (S::UNAUTHORIZED, UNAUTHORIZED, "The token was not accepted"),
                VerifyError::Unavailable(_) => (S::INTERNAL_SERVER_ERROR, INTERNAL, "The token could not be checked"),
            },

            Self::NotAdministrator => (S::FORBIDDEN, FORBIDDEN, "The credentials of users are for administrators alone"),
            Self::RevealOff => (S::FORBIDDEN, FORBIDDEN, "Showing stored app passwords is switched off on this server"),
            Self::OtherAccount => (S::FORBIDDEN, FORBIDDEN, "The app password belongs to another account than yours"),

            Self::UnknownPath => (S::NOT_FOUND, NOT_FOUND, "There is no such path"),
            Self::UnknownWebhook => (S::NOT_FOUND, NOT_FOUND, "There is no webhook with this id"),
            Self::NoCredential => (S::NOT_FOUND, NOT_FOUND, "No credential is stored for this user"),
            Self::UnknownFlow => (S::NOT_FOUND, NOT_FOUND, "There is no such login flow, or it has expired"),
            Self::MethodNotAllowed(_) => (S::METHOD_NOT_ALLOWED, "Method not allowed", "The path does not take this method; see the Allow header"),
            Self::PayloadTooLarge(limit) => {
                let message = format!("The body may have at most {limit} bytes");
                return (S::PAYLOAD_TOO_LARGE, "Payload too large", message.into());
            }

            Self::Rejected => (S::UNPROCESSABLE_ENTITY, "Rejected credential", "The groupware server does not accept this app password with this login name"),

            Self::NotProvisioned => (S::PRECONDITION_REQUIRED, "Provisioning required", "No app password is stored for this user: provision one first"),
            Self::Suspended => (S::PRECONDITION_REQUIRED, "Provisioning required", "The groupware server refuses the stored app password: provision a new one"),

            Self::TooManyAttempts(_) => (S::TOO_MANY_REQUESTS, TOO_MANY, "Too many app passwords of this user were refused; wait before the next try"),
            Self::TooManyRefused(_) => (S::TOO_MANY_REQUESTS, TOO_MANY, "The groupware server refused too many logins of late; wait before the next try"),
            Self::TooManyOfCaller => (S::TOO_MANY_REQUESTS, TOO_MANY, "Too many requests of this user are under way"),
            Self::Overloaded => (S::SERVICE_UNAVAILABLE, "Overloaded", "Too many requests are under way"),
            Self::Timeout => (S::GATEWAY_TIMEOUT, "Timeout", "The request was not answered in time"),

            Self::InvalidJson(_) => (S::INTERNAL_SERVER_ERROR, INTERNAL, "The body is not valid JSON"),
            Self::NotConfigured => (S::INTERNAL_SERVER_ERROR, INTERNAL, "The groupware server is not configured"),
            Self::NotRevoked(fault) => {
                let message = format!("The app password was not destroyed and is still stored. {}", fault.public_message());
                return (S::INTERNAL_SERVER_ERROR, INTERNAL, message.into());
            }
            Self::Groupware(fault) => (S::INTERNAL_SERVER_ERROR, INTERNAL, fault.public_message()),
            Self::Vault(_) | Self::Credential(_) => (S::INTERNAL_SERVER_ERROR, INTERNAL, "The stored credential could not be used"),
            Self::Other(_) => (S::INTERNAL_SERVER_ERROR, INTERNAL, "The request could not be completed"),
        };
        (status, error, Cow::Borrowed(message))
    }

    /// The header that belongs to the status: RFC 9110 (405, 429, 503), RFC 6750 section 3 (401).
    fn header(&self) -> Option<(HeaderName, HeaderValue)> {
        let (name, value) = match self {
            Self::TooManyAttempts(wait) | Self::TooManyRefused(wait) => {
                // Rounded up: whoever comes back then is let in.
                let seconds = wait.as_secs() + u64::from(wait.subsec_nanos() > 0);
                return Some((RETRY_AFTER, HeaderValue::from(seconds.max(1))));
            }
            Self::MethodNotAllowed(allowed) => (ALLOW, *allowed),
            Self::TooManyOfCaller | Self::Overloaded => (RETRY_AFTER, "1"),
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

const BAD_REQUEST: &str = "Bad request";
const UNAUTHORIZED: &str = "Unauthorized";
const FORBIDDEN: &str = "Forbidden";
const TOO_MANY: &str = "Too many requests";
const NOT_FOUND: &str = "Not found";
const INTERNAL: &str = "Internal error";
const INVALID_TOKEN: &str = "Bearer error=\"invalid_token\"";
