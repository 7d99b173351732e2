//! Errors of calls to an identity provider.

use std::error::Error as StdError;
use std::fmt;
use std::time::Duration;

use http::StatusCode;

use super::ProviderUrl;
use crate::causes::with_causes;
use crate::outbound::ReadError;

/// Why a call to an identity provider failed.
#[derive(Debug)]
pub struct FetchError {
    url: Option<Box<ProviderUrl>>,
    kind: FetchErrorKind,
}

#[derive(Debug)]
pub(super) enum FetchErrorKind {
    Unreachable(Box<dyn StdError + Send + Sync>),
    Body(ReadError),
    TimedOut {
        after: Duration,
    },
    Status(StatusCode),
    /// The answer was read, but is not usable.
    Answer(Box<str>),
    BrokenOff,
}

impl FetchError {
    /// The call to `url` failed.
    pub(super) fn at(url: &ProviderUrl, kind: FetchErrorKind) -> Self {
        Self {
            url: Some(Box::new(url.clone())),
            kind,
        }
    }

    /// The answer of `url` was read, but is not usable.
    pub(super) fn answer(url: &ProviderUrl, what: impl Into<Box<str>>) -> Self {
        Self::at(url, FetchErrorKind::Answer(what.into()))
    }

    /// The task that made the call is gone.
    pub(super) fn broken_off() -> Self {
        Self {
            url: None,
            kind: FetchErrorKind::BrokenOff,
        }
    }

    /// The provider names no introspection endpoint, or one that must not receive tokens.
    pub(super) fn no_endpoint(what: impl Into<Box<str>>) -> Self {
        Self {
            url: None,
            kind: FetchErrorKind::Answer(what.into()),
        }
    }
}

impl fmt::Display for FetchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { url, kind } = self;
        let url = fmt::from_fn(|f| url.as_ref().map_or(Ok(()), |url| url.fmt(f)));
        match kind {
            FetchErrorKind::Unreachable(cause) => {
                write!(f, "the identity provider cannot be reached at {url}")?;
                write!(f, ": {}", with_causes(&**cause))
            }
            FetchErrorKind::Body(cause) => {
                write!(
                    f,
                    "the answer of the identity provider at {url} cannot be read"
                )?;
                write!(f, ": {}", with_causes(cause))
            }
            FetchErrorKind::TimedOut { after } => {
                let seconds = after.as_secs();
                write!(
                    f,
                    "the identity provider did not answer {url} within {seconds} seconds"
                )
            }
            FetchErrorKind::Status(status) if status.is_redirection() => write!(
                f,
                "the identity provider answered {url} with a redirect ({status}), which is not \
                 followed; give the address it leads to"
            ),
            FetchErrorKind::Status(status @ (StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN)) => {
                write!(
                    f,
                    "the identity provider answered {url} with {status}; check the client id and \
                     secret, and whether that client may do this"
                )
            }
            FetchErrorKind::Status(status) => {
                write!(f, "the identity provider answered {url} with {status}")
            }
            FetchErrorKind::Answer(what) if self.url.is_none() => f.write_str(what),
            FetchErrorKind::Answer(what) => write!(f, "the answer of {url} cannot be used: {what}"),
            FetchErrorKind::BrokenOff => {
                f.write_str("the call to the identity provider was aborted")
            }
        }
    }
}

impl StdError for FetchError {}
