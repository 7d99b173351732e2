//! Errors of calls to an identity provider.

use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use http::StatusCode;

use crate::causes::with_causes;
use crate::outbound::{HttpUrl, ReadError};

/// Why a call to an identity provider failed. The text is for logs, and contains no token, secret or query.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub struct FetchError(FetchErrorKind);

#[derive(Debug, thiserror::Error)]
pub(super) enum FetchErrorKind {
    /// There was no connection, or it failed before an answer.
    #[error("the identity provider cannot be reached at {0}: {cause}", cause = with_causes(&**.1))]
    Unreachable(Box<HttpUrl>, Box<dyn Error + Send + Sync>),
    #[error("the answer of the identity provider at {0} cannot be read: {cause}", cause = with_causes(.1))]
    Body(Box<HttpUrl>, ReadError),
    #[error("the identity provider did not answer {0} within {seconds} seconds", seconds = .1.as_secs())]
    TimedOut(Box<HttpUrl>, Duration),
    #[error(
        "the identity provider answered {0} with a redirect ({1}), which is not followed; give the address it leads to"
    )]
    Redirect(Box<HttpUrl>, StatusCode),
    #[error(
        "the identity provider answered {0} with {1}; check the client id and secret, and whether that client may do this"
    )]
    Denied(Box<HttpUrl>, StatusCode),
    #[error("the identity provider answered {0} with {1}")]
    Status(Box<HttpUrl>, StatusCode),
    /// The answer was read, but is not usable.
    #[error("the answer of {0} cannot be used: {1}")]
    Answer(Box<HttpUrl>, Box<str>),
    /// The provider's configuration is not known.
    #[error("{0}")]
    Discovery(Arc<FetchError>),
    #[error("the identity provider {0} names no introspection endpoint; give its address")]
    NoIntrospection(Box<str>),
    /// The introspection endpoint must not receive tokens.
    #[error(transparent)]
    TokenWouldLeak(Box<dyn Error + Send + Sync>),
    /// The task that made the call is gone.
    #[error("the call to the identity provider was aborted")]
    Aborted,
}

// === impl FetchError ===

impl FetchError {
    /// There was no connection to `url`, or it failed before an answer.
    pub(super) fn unreachable(url: &HttpUrl, cause: impl Error + Send + Sync + 'static) -> Self {
        Self(FetchErrorKind::Unreachable(
            Box::new(url.clone()),
            Box::new(cause),
        ))
    }

    /// `url` answered another status than 200.
    pub(super) fn status(url: &HttpUrl, status: StatusCode) -> Self {
        let url = Box::new(url.clone());
        Self(match status {
            _ if status.is_redirection() => FetchErrorKind::Redirect(url, status),
            StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => FetchErrorKind::Denied(url, status),
            _ => FetchErrorKind::Status(url, status),
        })
    }

    /// The answer of `url` was read, but is not usable.
    pub(super) fn answer(url: &HttpUrl, what: impl Into<Box<str>>) -> Self {
        Self(FetchErrorKind::Answer(Box::new(url.clone()), what.into()))
    }
}

impl From<FetchErrorKind> for FetchError {
    fn from(kind: FetchErrorKind) -> Self {
        Self(kind)
    }
}
