//! Observes the calls of the groupware server, for metrics.

use std::fmt;
use std::time::Duration;

use super::{Effect, GroupwareError, Route};
use crate::labels::labels;

/// Notified of each call ([`ClientSettings::observer`](super::ClientSettings::observer)).
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
    /// What is known of the change, if it was to make one.
    pub effect: Option<Effect>,
    /// Connecting, headers and body together.
    pub time: Duration,
}

labels! {
    /// The outcome of a call.
    pub enum CallOutcome {
        Ok = "ok",
        /// 3xx, which is never followed.
        Redirected = "redirected",
        /// 401.
        Unauthorized = "unauthorized",
        /// 429 of the server itself: it throttles logins from this address.
        Throttled = "throttled",
        /// Any other 4xx.
        ClientError = "client_error",
        /// 5xx, including maintenance and those of a proxy in front.
        ServerError = "server_error",
        /// No complete answer within the timeout.
        TimedOut = "timed_out",
        /// No connection, or one that failed before an answer.
        Unreachable = "unreachable",
        /// An answer that is not HTTP, not what the interface promises, for another account, incomplete or too large.
        Unreadable = "unreadable",
    }
}

impl CallOutcome {
    pub(super) fn from_error(error: &GroupwareError) -> Self {
        use GroupwareError::*;
        match error {
            Refused | Anonymous | OneTimePassword => Self::Unauthorized,
            InFront { status, .. } => match status.as_u16() {
                401 => Self::Unauthorized,
                400..=499 => Self::ClientError,
                _ => Self::ServerError,
            },
            NotPermitted
            | NotAnAppPassword
            | ConfirmationRequired
            | WebhooksOff
            | UnknownEvent
            | BadParameter
            | TlsExpected
            | UntrustedHost
            | Unexpected(400..=499) => Self::ClientError,
            Maintenance | UpgradePending | Unexpected(500..) => Self::ServerError,
            Throttled => Self::Throttled,
            Redirected(_) => Self::Redirected,
            TimedOut(..) | Stalled(_) => Self::TimedOut,
            Unreachable(_) => Self::Unreachable,
            OtherAccount | TooLarge(_) | Unreadable { .. } | Unexpected(_) => Self::Unreadable,
        }
    }
}
