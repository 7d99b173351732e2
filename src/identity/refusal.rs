//! Why a token is refused, and how much of that its bearer may know.

use std::fmt;

use super::BearerToken;
use crate::labels::labels;

/// Maximum size of a token, in bytes; common servers accept no larger header fields.
const MAX_TOKEN: usize = 16 << 10;

/// Maximum length of text from a token in a refusal, in characters.
const MAX_SHOWN: usize = 200;

labels! {
    /// The reason why a token was refused. The caller learns less: a malformed token, one that has expired or is not
    /// valid yet, or one that was not accepted.
    pub enum RefusalReason {
        /// Nobody knows it: it is not in the tokens file, or was revoked.
        Unknown = "unknown",
        /// It cannot be read.
        Malformed = "malformed",
        /// The `typ` of its header is not that of an access token.
        Type = "type",
        /// It has `crit` header parameters.
        Critical = "critical",
        /// Its algorithm is not allowed.
        Algorithm = "algorithm",
        /// It is from another issuer.
        Issuer = "issuer",
        /// The issuer has no key for it.
        Key = "key",
        /// Its signature is wrong.
        Signature = "signature",
        /// It has expired.
        Expired = "expired",
        /// It is not valid yet.
        NotYetValid = "not_yet_valid",
        /// It never expires.
        NoExpiry = "no_expiry",
        /// It is an ID token.
        IdToken = "id_token",
        /// It is a refresh token.
        RefreshToken = "refresh_token",
        /// It is a logout token, or another security event.
        LogoutToken = "logout_token",
        /// It has nothing that only access tokens have, or is of another kind.
        NotAccessToken = "not_access_token",
        /// It is bound to a key, which a bearer cannot prove to have.
        BoundToKey = "bound_to_key",
        /// It is for another audience.
        Audience = "audience",
        /// It was issued to another client.
        Client = "client",
        /// It lacks a required scope.
        Scope = "scope",
        /// The claim that names the user cannot be used.
        User = "user",
        /// What it names cannot be an account.
        Account = "account",
        /// The identity provider says that it is not active.
        Inactive = "inactive",
    }
}

// === impl RefusalReason ===

impl RefusalReason {
    fn sentence(self) -> &'static str {
        match self {
            Self::Unknown => "none of the configured verifiers knows it",
            Self::Malformed => "it is not a signed JWT in compact form",
            Self::Type => "the `typ` of its header is not that of an access token",
            Self::Critical => "it has `crit` header parameters",
            Self::Algorithm => "its algorithm is not allowed",
            Self::Issuer => "it is from another issuer",
            Self::Key => "no key of the issuer has its `kid` and fits its algorithm",
            Self::Signature => "its signature is wrong",
            Self::Expired => "it has expired: if it is new, compare the clocks",
            Self::NotYetValid => "it is not valid yet: compare the clocks",
            Self::NoExpiry => "it has no `exp`",
            Self::IdToken => "it is an ID token: send the access token",
            Self::RefreshToken => "it is a refresh token: send the access token",
            Self::LogoutToken => "it is a logout token or another security event",
            Self::NotAccessToken => {
                "it cannot be told from an ID token: it has neither the header `typ` at+jwt nor a claim that only \
                 access tokens have (`scope`, `scp`, `client_id`; see docs/IDENTITY.md)"
            }
            Self::BoundToKey => "it is bound to a key (`cnf`), which a bearer cannot prove to have",
            Self::Audience => "its `aud` has none of the configured audiences (`audience`)",
            Self::Client => {
                "its `client_id`, `appid` or `azp` is missing or not one of `allowed_client`"
            }
            Self::Scope => "it lacks a scope of `required_scope`",
            Self::User => {
                "the claim that names the user is missing, empty or longer than 1024 bytes: check `user_claim`"
            }
            Self::Account => "what it names cannot be an account: check `user_claim` and `account`",
            Self::Inactive => "the identity provider says that it is not active",
        }
    }
}

/// A refusal of a token: the reason, and what exactly was wrong, for the log.
///
/// ```
/// use portreeve::identity::{RefusalReason, TokenRefusal, VerifyError};
///
/// let refusal = TokenRefusal::from(RefusalReason::Expired).detail("it expired yesterday");
/// let error = VerifyError::from(refusal);
/// assert_eq!(error.to_string(), "the token was refused: it expired yesterday");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TokenRefusal {
    reason: RefusalReason,
    detail: Option<Box<str>>,
}

// === impl TokenRefusal ===

impl TokenRefusal {
    /// The reason.
    pub fn reason(&self) -> RefusalReason {
        self.reason
    }

    /// The same refusal with a clause for the log in place of the general one. It must contain nothing by which
    /// the token could be used.
    #[must_use]
    pub fn detail(mut self, clause: impl Into<Box<str>>) -> Self {
        self.detail = Some(clause.into());
        self
    }
}

impl From<RefusalReason> for TokenRefusal {
    fn from(reason: RefusalReason) -> Self {
        Self { reason, detail: None }
    }
}

impl fmt::Display for TokenRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.detail.as_deref().unwrap_or(self.reason.sentence()))
    }
}

pub(super) fn refusal(reason: RefusalReason, clause: impl fmt::Display) -> TokenRefusal {
    TokenRefusal::from(reason).detail(clause.to_string())
}

/// Refuses a token that is too large, before it costs anything.
pub(super) fn check_length(token: &BearerToken) -> Result<(), TokenRefusal> {
    if token.expose().len() <= MAX_TOKEN {
        return Ok(());
    }
    let clause = format_args!("it is larger than {MAX_TOKEN} bytes");
    Err(refusal(RefusalReason::Malformed, clause))
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
