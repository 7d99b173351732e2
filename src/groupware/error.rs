//! The errors of calls of the groupware server.

use std::error::Error as StdError;
use std::time::Duration;

use crate::outbound::CallError;
use http::StatusCode;

use super::LoginEvidence;

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
    /// No complete answer within the timeout.
    #[error("the groupware server did not answer within {after:?}")]
    TimedOut {
        /// The timeout for connecting, headers and body together.
        after: Duration,
    },
    /// 401 in the server's own form to HTTP Basic: the credentials are wrong, and the server counted a
    /// failed login.
    #[error("the groupware server refused the login (status 401)")]
    Refused,
    /// 401 as to a request without credentials. The server gives this answer to an unknown bearer
    /// token, and to a wrong password if the account has two-factor authentication.
    #[error("the groupware server did not accept the credentials as a login (status 401)")]
    Anonymous,
    /// 401 that names the account: a one-time password, as in the QR code of the server's settings. It
    /// is used up now, and did not count as a failed login.
    #[error("the login used a one-time password, which is used up by it (status 401)")]
    OneTimePassword,
    /// 401 that is not in the server's own form: from a proxy or a firewall in between.
    #[error(
        "the groupware server sent an answer that cannot be read: a 401 that is not in the server's own \
         form"
    )]
    Intercepted,
    /// 403: the login is valid, but the account is neither an administrator nor a delegate, or its
    /// address is outside `allowed_admin_ranges`.
    #[error("the account may not manage webhooks at the groupware server (status 403)")]
    NotPermitted,
    /// 403: the login used the password of the account, not an app password.
    #[error("the login did not use an app password, so there is none to revoke (status 403)")]
    NotAnAppPassword,
    /// 403: the server wants the user to enter the account's password again, which a call with an app
    /// password cannot do.
    #[error("the groupware server requires the account's password to be confirmed (status 403)")]
    ConfirmationRequired,
    /// The app `webhook_listeners` is disabled.
    #[error("the app webhook_listeners is disabled at the groupware server (status 404)")]
    WebhooksOff,
    /// The event class is unknown, or not compatible with webhooks.
    #[error("the groupware server does not know the event class as one for webhooks (status 400)")]
    UnknownEvent,
    /// 429: too many failed logins from this address; it does not show whether the password is right.
    #[error(
        "the groupware server refuses all logins from this address for a while, after too many \
         failed ones (status 429)"
    )]
    Throttled,
    /// The server is in maintenance mode.
    #[error("the groupware server is in maintenance mode (status 503)")]
    Maintenance,
    /// The answer does not follow the interface.
    #[error("the groupware server sent an answer that cannot be read: {reason}")]
    Unreadable {
        /// The fault.
        reason: &'static str,
        /// The error underneath, if there is one.
        #[source]
        source: Option<BoxError>,
    },
    /// The answer is larger than allowed.
    #[error("the groupware server sent an answer of more than {limit} bytes")]
    TooLarge {
        /// The maximum size of an answer, in bytes.
        limit: usize,
    },
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
        "the groupware server reports a missing parameter, or one of a wrong type \
         (status 400 with an empty body)"
    )]
    BadParameter,
    /// 400 with an HTML page, as for a host name that the server does not trust.
    #[error(
        "the groupware server answered 400 with a page: its trusted_domains probably lack the \
         host name it is called by"
    )]
    UntrustedHost,
    /// Any other status, or any other code inside the envelope.
    #[error("the groupware server answered status {0}")]
    Unexpected(u16),
}

/// The possible effect of a failed call at the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Nothing: it was certainly not carried out.
    None,
    /// It may have been carried out. If that does not show now, it was not.
    MayHaveHappened,
    /// It may have been carried out, or may be yet: the server may still be at work on it, behind a proxy
    /// that has given up perhaps, or have done it as another account.
    MayStillHappen,
}

// === impl GroupwareError ===

impl GroupwareError {
    /// The possible effect of the call at the server.
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
            | Self::Redirected(_)
            | Self::UntrustedHost
            | Self::BadParameter => Effect::None,
            Self::Unreachable(error) => match error.downcast_ref() {
                // There was no connection to send it on.
                Some(CallError::Connect(_)) => Effect::None,
                _ => Effect::MayStillHappen,
            },
            Self::TimedOut { .. }
            | Self::OtherAccount
            | Self::Unexpected(502..=504 | 520..=529) => Effect::MayStillHappen,
            Self::Unreadable { .. }
            | Self::Intercepted
            | Self::TooLarge { .. }
            | Self::Maintenance
            | Self::Unexpected(_) => Effect::MayHaveHappened,
        }
    }

    /// A fixed sentence for the cause, without any host, path, code or text of the server.
    pub fn public_message(&self) -> &'static str {
        match self {
            Self::Unreachable(_) => "The groupware server could not be reached.",
            Self::TimedOut { .. } => "The groupware server did not answer in time.",
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
            Self::Maintenance => "The groupware server is in maintenance mode.",
            Self::Unreadable { .. } | Self::TooLarge { .. } | Self::Intercepted => {
                "The groupware server sent an answer that could not be read."
            }
            Self::NotAnAppPassword
            | Self::OtherAccount
            | Self::Redirected(_)
            | Self::UntrustedHost
            | Self::Unexpected(_) => "The groupware server did not carry out the request.",
        }
    }

    /// The evidence that the error gives about the login.
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
            Self::Intercepted => LoginEvidence::Intercepted,
            _ => LoginEvidence::None,
        }
    }

    pub(super) fn unreadable(reason: &'static str) -> Self {
        Self::Unreadable {
            reason,
            source: None,
        }
    }
}
