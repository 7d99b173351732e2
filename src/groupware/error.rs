//! The errors of calls of the groupware server.

use std::error::Error as StdError;
use std::time::Duration;

use http::StatusCode;

use super::{Effect, LoginEvidence};
use crate::outbound::CallError;

pub(super) type BoxError = Box<dyn StdError + Send + Sync>;

/// Why a call of the groupware server failed.
///
/// `Display` and the sources are for logs: they contain no password, but may name hosts and addresses.
/// A caller of the gateway gets [`public_message`](Self::public_message) instead.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GroupwareError {
    /// No connection, a failed TLS handshake, or a connection that failed before an answer.
    #[error("the groupware server could not be reached")]
    Unreachable(#[source] BoxError),
    /// No complete answer within this time, which the setting of this name limits.
    #[error("the groupware server did not answer within {0:?} ({1})")]
    TimedOut(Duration, &'static str),
    /// The body of a forwarded request did not move for this long: its sender or the server has stopped.
    #[error("the body of the request stood still for {0:?} (stall_timeout)")]
    Stalled(Duration),
    /// 401 in the server's own form to HTTP Basic: the credentials are wrong, and the server counted a failed login.
    #[error("the groupware server refused the login (status 401)")]
    Refused,
    /// 401 as to a request without credentials. The server gives this answer to an unknown bearer
    /// token, and to a wrong password if the account has two-factor authentication.
    #[error("the groupware server did not accept the credentials as a login (status 401)")]
    Anonymous,
    /// 401 that names the account: a one-time password, as in the QR code of the server's settings. It
    /// is used up now, and did not count as a failed login.
    #[error("the login used a one-time password (status 401): make an app password")]
    OneTimePassword,
    /// 403: the account is neither an administrator nor a delegate, or its address is outside `allowed_admin_ranges`.
    #[error(
        "the account may not manage webhooks at the groupware server (status 403): make it an administrator's, \
         delegate \"Webhooks\" to its group, or add the gateway's address to allowed_admin_ranges"
    )]
    NotPermitted,
    /// 403: the login used the password of the account, not an app password.
    #[error("the login did not use an app password, so there is none to revoke (status 403)")]
    NotAnAppPassword,
    /// 403: the server wants the user to enter the account's password again, which a call with an app password cannot do.
    #[error("the groupware server requires the account's password to be confirmed (status 403)")]
    ConfirmationRequired,
    /// The app `webhook_listeners` is disabled.
    #[error("the app webhook_listeners is off (status 404): occ app:enable webhook_listeners")]
    WebhooksOff,
    /// The event class is unknown, or not compatible with webhooks.
    #[error("the groupware server does not know the event class as one for webhooks (status 400)")]
    UnknownEvent,
    /// 429 of the server itself: too many failed logins from this address; the password may be right.
    #[error(
        "the groupware server refuses all logins from this address for a while, after too many failed ones \
         (status 429): find who sends them, and run occ security:bruteforce:reset with the address"
    )]
    Throttled,
    /// The server is in maintenance mode, or has been updated and waits for its upgrade: it gives the same answer to both.
    #[error(
        "the groupware server is in maintenance mode, or its upgrade is pending (status 503): wait, or run occ \
         maintenance:mode --off or occ upgrade"
    )]
    Maintenance,
    /// The server has been updated, and its upgrade is pending. Only
    /// [`Groupware::status`](super::Groupware::status) tells this from maintenance.
    #[error("the groupware server has been updated, and its upgrade is pending: run occ upgrade")]
    UpgradePending,
    /// An answer that is not in the server's own form: a web server or a proxy in front of it answered.
    #[error(
        "something in front of the groupware server answered: {} (status {})",
        in_front(*.status).1,
        .status.as_u16()
    )]
    InFront {
        /// The status of the answer.
        status: StatusCode,
        /// The time to wait, as given by `Retry-After`.
        retry_after: Option<Duration>,
    },
    /// 400: plain HTTP was sent to a port that speaks TLS.
    #[error(
        "the groupware server expects TLS at this port (status 400): begin the address with https"
    )]
    TlsExpected,
    /// The answer does not follow the interface.
    #[error("the groupware server sent an answer that cannot be read: {reason}")]
    Unreadable {
        /// The fault.
        reason: &'static str,
        /// The error underneath, if there is one.
        #[source]
        source: Option<BoxError>,
    },
    /// The answer is larger than this number of bytes, which is allowed.
    #[error("the groupware server sent an answer of more than {0} bytes")]
    TooLarge(usize),
    /// An answer for an account other than the caller's.
    #[error("the groupware server answered for another account")]
    OtherAccount,
    /// A redirect, which is never followed.
    #[error(
        "the groupware server answered a redirect (status {}): set the address to where it \
         leads", .0.as_u16()
    )]
    Redirected(StatusCode),
    /// 400 with an empty body: a parameter is missing or of the wrong type, or the body is not JSON.
    /// Servers before version 33 answer 500 instead.
    #[error(
        "the groupware server reports a missing parameter, or one of a wrong type (status 400 with an empty \
         body): please report its version"
    )]
    BadParameter,
    /// 400 with the server's page for a host name that it does not trust.
    #[error(
        "the groupware server answered 400: its trusted_domains lack the host name it is called by"
    )]
    UntrustedHost,
    /// Any other status, or any other code inside the envelope.
    #[error("the groupware server answered status {0}; its log may say why")]
    Unexpected(u16),
}

impl GroupwareError {
    /// What is known of a write that failed like this: [`NotDone`](Effect::NotDone) or [`Unknown`](Effect::Unknown).
    pub fn effect(&self) -> Effect {
        match self {
            Self::Refused
            | Self::Anonymous
            | Self::OneTimePassword
            | Self::NotPermitted
            | Self::NotAnAppPassword
            | Self::ConfirmationRequired
            | Self::WebhooksOff
            | Self::UnknownEvent
            | Self::Throttled
            | Self::Maintenance
            | Self::UpgradePending
            | Self::TlsExpected
            | Self::UntrustedHost
            | Self::BadParameter
            | Self::Unexpected(400..=499) => Effect::NotDone,
            // The request is to be made elsewhere. Others may lead to its result (RFC 9110, section 15.4).
            Self::Redirected(code) if matches!(code.as_u16(), 301 | 307 | 308) => Effect::NotDone,
            Self::Unreachable(error) if !may_be_processed(error) => Effect::NotDone,
            _ => Effect::Unknown,
        }
    }

    /// A fixed sentence for the cause, without any host, path, code or text of the server.
    pub fn public_message(&self) -> &'static str {
        match self {
            Self::Unreachable(error) if may_be_processed(error) => {
                "The connection to the groupware server was closed before its answer."
            }
            Self::Unreachable(_) => "The groupware server could not be reached.",
            Self::TimedOut(..) => "The groupware server did not answer in time.",
            Self::Stalled(_) => "The body of the request stood still for too long.",
            Self::Refused | Self::Anonymous | Self::OneTimePassword => {
                "The groupware server did not accept the stored app password."
            }
            Self::NotPermitted => "This account may not manage webhooks on the groupware server.",
            Self::ConfirmationRequired => {
                "The groupware server wants the password of the account confirmed, which an app \
                 password cannot do."
            }
            Self::WebhooksOff => "Webhooks are switched off on the groupware server.",
            Self::UnknownEvent => "The groupware server does not know this event class.",
            Self::BadParameter => {
                "The groupware server did not accept the parameters of the request."
            }
            Self::Throttled => "The groupware server is throttling logins at the moment.",
            Self::Maintenance | Self::UpgradePending => {
                "The groupware server is in maintenance mode, or its upgrade is pending."
            }
            Self::InFront { status, .. } => in_front(*status).0,
            Self::OtherAccount => "The groupware server answered for another account.",
            Self::Unexpected(503) => "The groupware server is not available at the moment.",
            Self::Unexpected(500..=996) => "The groupware server answered with an internal error.",
            Self::Redirected(_) => "The groupware server answered with a redirect.",
            Self::NotAnAppPassword
            | Self::TlsExpected
            | Self::UntrustedHost
            | Self::Unexpected(400..=499) => "The groupware server did not carry out the request.",
            Self::TooLarge(_) => {
                "The groupware server sent more than the gateway accepts in one answer."
            }
            Self::Unreadable { .. } | Self::Unexpected(_) => {
                "The groupware server sent an answer that could not be read."
            }
        }
    }

    /// The time to wait before the next call, if the answer states one.
    pub fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::InFront { retry_after, .. } => *retry_after,
            _ => None,
        }
    }

    pub(super) fn login_evidence(&self) -> LoginEvidence {
        match self {
            Self::Refused | Self::Anonymous => LoginEvidence::Refused,
            // The server authenticates before it gives these answers.
            Self::NotPermitted
            | Self::NotAnAppPassword
            | Self::ConfirmationRequired
            | Self::UnknownEvent
            | Self::BadParameter => LoginEvidence::Accepted,
            Self::Throttled => LoginEvidence::Throttled,
            Self::InFront { status, .. } if *status == StatusCode::UNAUTHORIZED => {
                LoginEvidence::Intercepted
            }
            _ => LoginEvidence::None,
        }
    }

    pub(super) fn unreadable(reason: &'static str) -> Self {
        Self::Unreadable { reason, source: None }
    }

    pub(super) fn unreadable_by(reason: &'static str, source: impl Into<BoxError>) -> Self {
        Self::Unreadable { reason, source: Some(source.into()) }
    }
}

/// Whether the server may have processed a request that failed with `error`.
fn may_be_processed(error: &BoxError) -> bool {
    error.downcast_ref().is_none_or(CallError::may_be_processed)
}

/// What an answer of something in front of the server means: for callers, and for the log.
fn in_front(status: StatusCode) -> (&'static str, &'static str) {
    match status.as_u16() {
        401 => (
            "Something in front of the groupware server wants a login of its own.",
            "it wants a login of its own: let the gateway pass",
        ),
        404 => (
            "There is no Nextcloud at the configured address.",
            "there is no Nextcloud at this address; if it is below a path such as /nextcloud, the \
             address must end in it",
        ),
        413 => (
            "Something in front of the groupware server does not accept requests of this size.",
            "it does not accept requests of this size (nginx: client_max_body_size)",
        ),
        429 => (
            "Something in front of the groupware server accepts no more requests at the moment.",
            "it accepts no more requests for a while (nginx: limit_req), which has nothing to do with failed logins",
        ),
        502 => (
            "Something in front of the groupware server got no answer from it.",
            "it got no answer from the groupware server, which or whose PHP does not run",
        ),
        503 => (
            "The groupware server is not available at the moment.",
            "the groupware server is not available",
        ),
        504 => (
            "Something in front of the groupware server got no answer from it in time.",
            "it got no answer in time from the groupware server, which is overloaded or stuck",
        ),
        _ => (
            "Something in front of the groupware server did not accept the request.",
            "it did not accept the request",
        ),
    }
}
