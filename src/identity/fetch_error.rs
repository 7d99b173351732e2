//! Errors of calls to an identity provider.

use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use http::StatusCode;

use super::VerifierBuildError;
use crate::causes::with_causes;
use crate::outbound::HttpUrl;

/// Why a call to an identity provider failed. The text is for logs, and contains no token, secret or query.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FetchError {
    /// There was no connection, or it failed before an answer.
    #[error("the identity provider cannot be reached at {0}: {cause}", cause = with_causes(&**.1))]
    Unreachable(Box<HttpUrl>, Box<dyn Error + Send + Sync>),
    /// The answer broke off, or is too large.
    #[error("the answer of the identity provider at {0} cannot be read: {cause}", cause = with_causes(&**.1))]
    Body(Box<HttpUrl>, Box<dyn Error + Send + Sync>),
    /// There was no answer in time.
    #[error("the identity provider did not answer {0} within {seconds} seconds", seconds = .1.as_secs())]
    TimedOut(Box<HttpUrl>, Duration),
    /// 3xx.
    #[error(
        "the identity provider answered {0} with a redirect ({1}), which is not followed; give the address it leads to"
    )]
    Redirect(Box<HttpUrl>, StatusCode),
    /// 401 or 403.
    #[error(
        "the identity provider answered {0} with {1}; check the client id and secret, and whether that client may do this"
    )]
    Denied(Box<HttpUrl>, StatusCode),
    /// Any other status than 200.
    #[error("the identity provider answered {0} with {1}")]
    Status(Box<HttpUrl>, StatusCode),
    /// The answer was read, but is not usable.
    #[error("the answer of {0} cannot be used: {1}")]
    Answer(Box<HttpUrl>, Box<str>),
    /// The provider's configuration is not known.
    #[error("{0}")]
    Discovery(Arc<Self>),
    /// The provider's configuration names no introspection endpoint.
    #[error("the identity provider {0} names no introspection endpoint; give its address")]
    NoIntrospection(Box<str>),
    /// The introspection endpoint must not receive tokens.
    #[error(transparent)]
    TokenWouldLeak(#[from] VerifierBuildError),
    /// The task that made the call is gone.
    #[error("the call to the identity provider was aborted")]
    Aborted,
}

impl FetchError {
    /// `url` answered another status than 200.
    pub(super) fn status(url: Box<HttpUrl>, status: StatusCode) -> Self {
        match status {
            _ if status.is_redirection() => Self::Redirect(url, status),
            StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => Self::Denied(url, status),
            _ => Self::Status(url, status),
        }
    }
}
