//! What is told about the calls of the groupware server, for metrics.

use std::fmt;
use std::time::Duration;

use http::StatusCode;

use super::{GroupwareError, Route};

/// Is told of each call ([`Builder::observer`](super::Builder::observer)).
///
/// It is called where a request waits for the answer: it must not wait itself.
pub trait CallObserver: fmt::Debug + Send + Sync + 'static {
    /// A call has ended after `time`: connecting, headers and body together. A call whose client
    /// goes away is given up, and not told of.
    fn call_ended(&self, route: Route, outcome: CallOutcome, time: Duration);
}

/// What became of a call, as far as HTTP goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum CallOutcome {
    /// 2xx, or 304 to a call that asked whether anything has changed.
    Ok,
    /// 3xx, which is never followed.
    Redirected,
    /// 401.
    Unauthorized,
    /// 429: the server turns away all logins from this address.
    Throttled,
    /// Any other 4xx.
    ClientError,
    /// 5xx, maintenance among them.
    ServerError,
    /// No whole answer in the time allowed.
    TimedOut,
    /// No connection, or one that broke before an answer.
    Unreachable,
    /// An answer that is not HTTP, broke off or is too large.
    Unreadable,
}

// === impl CallOutcome ===

impl CallOutcome {
    /// All of them, each at the place of its number.
    pub const ALL: [Self; 9] = [
        Self::Ok,
        Self::Redirected,
        Self::Unauthorized,
        Self::Throttled,
        Self::ClientError,
        Self::ServerError,
        Self::TimedOut,
        Self::Unreachable,
        Self::Unreadable,
    ];

    /// Its name in metrics.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Redirected => "redirected",
            Self::Unauthorized => "unauthorized",
            Self::Throttled => "throttled",
            Self::ClientError => "client_error",
            Self::ServerError => "server_error",
            Self::TimedOut => "timed_out",
            Self::Unreachable => "unreachable",
            Self::Unreadable => "unreadable",
        }
    }

    pub(super) fn of(answered: Result<StatusCode, &GroupwareError>) -> Self {
        match answered {
            Ok(StatusCode::UNAUTHORIZED) => Self::Unauthorized,
            Ok(StatusCode::TOO_MANY_REQUESTS) => Self::Throttled,
            Ok(status) if status.is_success() => Self::Ok,
            Ok(status) if status.is_redirection() => Self::Redirected,
            Ok(status) if status.is_client_error() => Self::ClientError,
            Ok(status) if status.is_server_error() => Self::ServerError,
            Err(GroupwareError::TimedOut { .. }) => Self::TimedOut,
            Err(GroupwareError::Unreachable(_)) => Self::Unreachable,
            Ok(_) | Err(_) => Self::Unreadable,
        }
    }
}
