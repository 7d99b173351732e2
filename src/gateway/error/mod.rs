//! Everything that can go wrong with a request (docs/API.md, section 6).

mod answer;
mod audited;
mod refusal;
mod shape;
mod turned_away;

use std::error::Error as StdError;
use std::time::Duration;

pub use refusal::Refusal;
pub(super) use shape::Shape;
pub use turned_away::TurnedAway;

use super::PresetFailure;
use super::input::{CreateWebhookError, CredentialBodyError, MatchEventError};
use crate::groupware::GroupwareError;
use crate::identity::VerifyError;
use crate::vault::{FormatError, VaultError};

/// Why a request was not served.
///
/// Its `Display` and sources are for the log; the caller gets [`Error::to_response`], which tells
/// nothing of the inside. A layer of your own refuses a request with a [`Refusal`].
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// No `Authorization` field.
    #[error("no bearer token")]
    MissingToken,
    /// An `Authorization` field that is not one well-formed bearer token.
    #[error("the Authorization header is not a bearer token")]
    MalformedAuthorization,
    /// The verifier did not accept the token.
    #[error("token refused: {0}")]
    RefusedToken(#[source] VerifyError),
    /// The shared key is missing or wrong (docs/API.md, section 2.4).
    #[error("missing or wrong shared key")]
    SharedKey,
    /// No `Authorization` field where HTTP Basic is expected, or one of another scheme, or two
    /// (docs/API.md, section 10.4).
    #[error("no single HTTP Basic credential")]
    MissingBasic,
    /// HTTP Basic that cannot be read (RFC 7617, section 2).
    #[error("the HTTP Basic credential cannot be read")]
    MalformedBasic,
    /// The password of HTTP Basic does not have the form of an app password.
    #[error("the password of HTTP Basic is not like an app password: {0}")]
    InvalidBasicPassword(#[source] FormatError),
    /// The body beside HTTP Basic is refused (docs/API.md, section 10.4).
    #[error("the body is neither empty nor an object with a username")]
    InvalidUserName,
    /// The path names another user than the credentials of the request do.
    #[error("the path names another user than the credentials of the request")]
    OtherUser,
    /// No such path.
    #[error("no such path")]
    UnknownPath,
    /// A known path that does not take the method; the value lists those it takes.
    #[error("method not allowed; the path takes {0}")]
    MethodNotAllowed(&'static str),
    /// A body over the limit of this many bytes.
    #[error("the body is over the limit of {0} bytes")]
    PayloadTooLarge(usize),
    /// The body broke off, or its framing was wrong.
    #[error("the body could not be read: {0}")]
    UnreadableBody(#[source] Box<dyn StdError + Send + Sync>),
    /// The body of a create request is refused (docs/API.md, section 4.2).
    #[error(transparent)]
    CreateWebhook(#[from] CreateWebhookError),
    /// Deliveries of a webhook could be too large, and such are refused (docs/API.md, section 4.9); the text says
    /// what could be lost.
    #[error("webhook refused: {0}")]
    UnboundedWebhook(Box<str>),
    /// The body of a request to try a filter is refused (docs/API.md, section 4.8).
    #[error("request to try a filter refused: {0}")]
    MatchEvent(#[from] MatchEventError),
    /// A delete without an id.
    #[error("webhook_id is missing")]
    MissingWebhookId,
    /// A delete with an id that is not an integer.
    #[error("webhook_id is not an integer")]
    InvalidWebhookId,
    /// A delete of a registration that does not exist.
    #[error("no such webhook")]
    UnknownWebhook,
    /// No preset of webhooks has the name in the path.
    #[error("no such preset")]
    UnknownPreset,
    /// The body of a request to enable a preset is no object with a `uri`.
    #[error("the body is no object with a uri")]
    InvalidPresetBody,
    /// `uri` is missing in the query.
    #[error("uri is missing in the query")]
    MissingUri,
    /// `uri` in the query is there twice, empty, or not UTF-8.
    #[error("uri in the query is there twice, empty or not UTF-8")]
    InvalidUri,
    /// The webhooks of a preset are not all registered, or not all deleted, as they should be (docs/API.md,
    /// section 4.6).
    #[error("preset: {0}")]
    Preset(#[source] Box<PresetFailure>),
    /// A parameter of the query that is not the one of `true` and `false`.
    #[error("{0} in the query is neither true nor false")]
    InvalidSwitch(&'static str),
    /// A user id in the path that is not UTF-8.
    #[error("the user id in the path is not UTF-8")]
    InvalidUserId,
    /// The body of a store request is refused (docs/API.md, section 5.1).
    #[error("store request refused: {0}")]
    InvalidCredentialBody(#[from] CredentialBodyError),
    /// Another user's credential is for administrators (docs/API.md, section 2.5).
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
    /// The password that was to be stored is that of the account, not an app password.
    #[error("the password that was to be stored is that of the account")]
    AccountPassword,
    /// The password that was to be stored was good for one use, which the check was.
    #[error("the password that was to be stored was good for one use")]
    OneTimePassword,
    /// The groupware server refused the app password that was to be stored.
    #[error("the groupware server refused the app password that was to be stored")]
    Rejected,
    /// The caller sent too many passwords that were refused; the value is the time to wait.
    #[error("the caller brought too many passwords that were refused; next try in {0:?}")]
    TooManyAttempts(Duration),
    /// The groupware server refused too many logins; the value is the time to wait.
    #[error("the budget of refused logins is spent for {0:?}")]
    TooManyRefused(Duration),
    /// A login flow that is unknown, expired or somebody else's.
    #[error("no such login flow")]
    UnknownFlow,
    /// The groupware server did not destroy the app password; it stays stored.
    #[error("the app password was not destroyed: {0}")]
    NotRevoked(#[source] GroupwareError),
    /// The caller has not stored an app password (docs/API.md, section 2.3).
    #[error("no app password is stored for the caller")]
    NotProvisioned,
    /// The caller's person is bound to no account (docs/API.md, section 2.7).
    #[error("the caller is a person who is bound to no account")]
    NotBound {
        /// Whether a login flow would bind them.
        by_login_flow: bool,
    },
    /// The account that granted a login flow is bound to another person than the caller.
    #[error("the account that granted is bound to another person than the caller")]
    AccountTaken,
    /// The groupware server refused the stored app password, which is not tried again for now.
    #[error("the stored app password is suspended since it was refused")]
    Suspended,
    /// One caller has too many requests in flight.
    #[error("the caller has too many requests under way")]
    TooManyOfCaller,
    /// The gateway has too many requests in flight.
    #[error("too many requests under way")]
    Overloaded,
    /// The request was not answered in time.
    #[error("the request took too long")]
    Timeout,
    /// No groupware server is configured (docs/API.md, section 6.2).
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
    /// A layer that is not part of this crate refused the request.
    #[error("refused: {0}")]
    Refusal(Refusal),
    /// Something that is not an error of this gateway came up from a service below it.
    #[error(transparent)]
    Other(Box<dyn StdError + Send + Sync>),
}
