//! Why a token is refused, and how much of that its bearer may know.

use std::fmt;

use super::BearerToken;
use crate::labels::labels;

/// Maximum size of a token, in bytes; common servers accept no larger header fields.
const MAX_TOKEN: usize = 16 << 10;

/// Maximum length of text from a token in a refusal, in characters.
const MAX_SHOWN: usize = 200;

/// Declares the reasons: the name of each, and what it says.
macro_rules! reasons {
    ($($Reason:ident = $name:literal: $text:literal,)+) => {
        labels! {
            /// The reason why a token was refused. The caller learns less: a malformed token, one that has expired or is
            /// not valid yet, or one that was not accepted.
            #[derive(thiserror::Error)]
            pub enum RefusalReason {
                $(#[doc = $text] #[error($text)] $Reason = $name,)+
            }
        }
    };
}

reasons! {
    Unknown = "unknown": "none of the configured verifiers knows it",
    Malformed = "malformed": "it is not a signed JWT in compact form",
    Type = "type": "the `typ` of its header is not that of an access token",
    Critical = "critical": "it has `crit` header parameters",
    Algorithm = "algorithm": "its algorithm is not allowed",
    Issuer = "issuer": "it is from another issuer",
    Key = "key": "no key of the issuer has its `kid` and fits its algorithm",
    Signature = "signature": "its signature is wrong",
    Expired = "expired": "it has expired: if it is new, compare the clocks",
    NotYetValid = "not_yet_valid": "it is not valid yet: compare the clocks",
    NoExpiry = "no_expiry": "it has no `exp`",
    IdToken = "id_token": "it is an ID token: send the access token",
    RefreshToken = "refresh_token": "it is a refresh token: send the access token",
    LogoutToken = "logout_token": "it is a logout token or another security event",
    NotAccessToken = "not_access_token":
        "it cannot be told from an ID token: it has neither the header `typ` at+jwt nor a claim that only \
        access tokens have (`scope`, `scp`, `client_id`; see docs/IDENTITY.md)",
    BoundToKey = "bound_to_key": "it is bound to a key (`cnf`), which a bearer cannot prove to have",
    Audience = "audience": "its `aud` has none of the configured audiences (`audience`)",
    Client = "client": "its `client_id`, `appid` or `azp` is missing or not one of `allowed_client`",
    Scope = "scope": "it lacks a scope of `required_scope`",
    User = "user": "the claim that names the user is missing, empty or longer than 1024 bytes: check `user_claim`",
    Account = "account": "what it names cannot be an account: check `user_claim` and `account`",
    Inactive = "inactive": "the identity provider says that it is not active",
}

/// A refusal of a token: the reason, and what exactly was wrong, for the log.
///
/// ```
/// use portreeve::identity::{RefusalReason, TokenRefusal, VerifyError};
///
/// let mut refusal = TokenRefusal::from(RefusalReason::Expired);
/// refusal.detail = Some("it expired yesterday".into());
/// let error = VerifyError::from(refusal);
/// assert_eq!(error.to_string(), "the token was refused: it expired yesterday");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", self.detail.clone().unwrap_or_else(|| self.reason.to_string().into()))]
#[non_exhaustive]
pub struct TokenRefusal {
    /// The reason.
    pub reason: RefusalReason,
    /// A clause for the log in place of the general one. It must contain nothing by which the token could be used.
    pub detail: Option<Box<str>>,
}

impl From<RefusalReason> for TokenRefusal {
    fn from(reason: RefusalReason) -> Self {
        Self { reason, detail: None }
    }
}

pub(super) fn refusal(reason: RefusalReason, clause: impl fmt::Display) -> TokenRefusal {
    TokenRefusal { reason, detail: Some(clause.to_string().into()) }
}

/// Refuses a token that is too large, before it costs anything.
pub(super) fn check_length(token: &BearerToken) -> Result<(), TokenRefusal> {
    let clause = format_args!("it is larger than {MAX_TOKEN} bytes");
    let fits = token.expose().len() <= MAX_TOKEN;
    fits.then_some(()).ok_or_else(|| refusal(RefusalReason::Malformed, clause))
}

/// The refusal of a token whose `iss` is `claimed`, and not `issuer`.
pub(super) fn other_issuer(claimed: Option<&str>, issuer: &str) -> TokenRefusal {
    match claimed {
        Some(claimed) => refusal(
            RefusalReason::Issuer,
            format_args!("it is from the issuer {}, not from {issuer:?}", shown(claimed)),
        ),
        None => refusal(RefusalReason::Issuer, "it has no `iss`"),
    }
}

/// Text from a token, escaped and of bounded length.
pub(super) fn shown(text: &str) -> String {
    match text.char_indices().nth(MAX_SHOWN) {
        Some((end, _)) => format!("{:?}\u{2026}", &text[..end]),
        None => format!("{text:?}"),
    }
}
