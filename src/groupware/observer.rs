//! Observes the calls of the groupware server, for metrics.

use std::fmt;
use std::time::{Duration, Instant};

use http::StatusCode;

use super::{GroupwareError, Route};
use crate::labels::labels;

/// Notified of each call ([`Builder::observer`](super::Builder::observer)).
///
/// It must not block: a request is waiting for the answer.
pub trait CallObserver: fmt::Debug + Send + Sync + 'static {
    /// A call has ended. A call that is cancelled because its client disconnects is not reported.
    fn call_ended(&self, call: &EndedCall);
}

/// A call that has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct EndedCall {
    /// Its endpoint.
    pub route: Route,
    /// Its outcome.
    pub outcome: CallOutcome,
    /// When it began.
    pub began: Instant,
    /// Connecting, headers and body together.
    pub time: Duration,
}

labels! {
    /// The outcome of a call at the level of HTTP.
    pub enum CallOutcome {
        /// 2xx, or 304 to a conditional request.
        Ok = "ok",
        /// 3xx, which is never followed.
        Redirected = "redirected",
        /// 401.
        Unauthorized = "unauthorized",
        /// 429: the server throttles logins from this address.
        Throttled = "throttled",
        /// Any other 4xx.
        ClientError = "client_error",
        /// 5xx, including maintenance.
        ServerError = "server_error",
        /// No complete answer within the timeout.
        TimedOut = "timed_out",
        /// No connection, or one that failed before an answer.
        Unreachable = "unreachable",
        /// An answer that is not HTTP, incomplete or too large.
        Unreadable = "unreadable",
    }
}

// === impl CallOutcome ===

impl CallOutcome {
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
