//! Errors of calls to an identity provider.

use std::error::Error;

use http::StatusCode;

use super::ProviderUrl;
use crate::causes::with_causes;

/// Why a call to an identity provider failed: a text for logs, which contains no token, secret or query.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct FetchError(Box<str>);

// === impl FetchError ===

impl FetchError {
    pub(super) fn new(what: impl Into<Box<str>>) -> Self {
        Self(what.into())
    }

    /// There was no connection to `url`, or it failed before an answer.
    pub(super) fn unreachable(url: &ProviderUrl, cause: &(dyn Error + 'static)) -> Self {
        let cause = with_causes(cause);
        Self::new(format!(
            "the identity provider cannot be reached at {url}: {cause}"
        ))
    }

    /// `url` answered another status than 200.
    pub(super) fn status(url: &ProviderUrl, status: StatusCode) -> Self {
        Self::new(match status {
            _ if status.is_redirection() => format!(
                "the identity provider answered {url} with a redirect ({status}), which is not \
                 followed; give the address it leads to"
            ),
            StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => format!(
                "the identity provider answered {url} with {status}; check the client id and \
                 secret, and whether that client may do this"
            ),
            _ => format!("the identity provider answered {url} with {status}"),
        })
    }

    /// The answer of `url` was read, but is not usable.
    pub(super) fn answer(url: &ProviderUrl, what: &str) -> Self {
        Self::new(format!("the answer of {url} cannot be used: {what}"))
    }

    /// The task that made the call is gone.
    pub(super) fn aborted() -> Self {
        Self::new("the call to the identity provider was aborted")
    }
}
