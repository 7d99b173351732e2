//! Observes the checks of tokens, for metrics.

use std::fmt;

use super::{Caller, VerifyError};

/// Notified of each check by [`Verifiers`](super::Verifiers)
/// ([`Verifiers::observed`](super::Verifiers::observed)).
///
/// It is called for every request, and must not block.
pub trait CheckObserver: fmt::Debug + Send + Sync + 'static {
    /// A token was checked.
    fn token_checked(&self, verifier: VerifierKind, outcome: CheckOutcome);
}

/// The kind of verifier that decided about a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum VerifierKind {
    /// The cache of tokens that were accepted before.
    Cache,
    /// The signature and the claims of a JWT.
    Jwt,
    /// The tokens file.
    StaticTokens,
    /// The introspection endpoint of the identity provider.
    Introspection,
    /// None: no verifier is configured for such a token.
    None,
}

/// The result of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum CheckOutcome {
    /// The token names a caller.
    Accepted,
    /// [`VerifyError::Malformed`].
    Malformed,
    /// [`VerifyError::Expired`].
    Expired,
    /// [`VerifyError::NotAccepted`].
    NotAccepted,
    /// [`VerifyError::Unavailable`]: the token could not be checked.
    Unavailable,
    /// [`VerifyError::Overloaded`]: too many tokens are being checked.
    Overloaded,
}

// === impl VerifierKind ===

impl VerifierKind {
    /// All of them, in the order of their numbers.
    pub const ALL: [Self; 5] = [
        Self::Cache,
        Self::Jwt,
        Self::StaticTokens,
        Self::Introspection,
        Self::None,
    ];

    /// Its name in metrics.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Cache => "cache",
            Self::Jwt => "jwt",
            Self::StaticTokens => "static",
            Self::Introspection => "introspection",
            Self::None => "none",
        }
    }
}

// === impl CheckOutcome ===

impl CheckOutcome {
    /// All of them, in the order of their numbers.
    pub const ALL: [Self; 6] = [
        Self::Accepted,
        Self::Malformed,
        Self::Expired,
        Self::NotAccepted,
        Self::Unavailable,
        Self::Overloaded,
    ];

    /// Its name in metrics.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Accepted => "accepted",
            Self::Malformed => "malformed",
            Self::Expired => "expired",
            Self::NotAccepted => "not_accepted",
            Self::Unavailable => "unavailable",
            Self::Overloaded => "overloaded",
        }
    }

    pub(super) fn of(result: &Result<Caller, VerifyError>) -> Self {
        match result {
            Ok(_) => Self::Accepted,
            Err(VerifyError::Malformed) => Self::Malformed,
            Err(VerifyError::Expired) => Self::Expired,
            Err(VerifyError::NotAccepted) => Self::NotAccepted,
            Err(VerifyError::Unavailable(_)) => Self::Unavailable,
            Err(VerifyError::Overloaded) => Self::Overloaded,
        }
    }
}
