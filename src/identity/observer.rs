//! What is told about the checks of tokens, for metrics.

use std::fmt;

use super::{Caller, VerifyError};

/// Is told of each check that [`Verifiers`](super::Verifiers) make
/// ([`Verifiers::observed`](super::Verifiers::observed)).
///
/// It is called on the way of each request: it must not wait.
pub trait CheckObserver: fmt::Debug + Send + Sync + 'static {
    /// A token was checked.
    fn token_checked(&self, verifier: Decider, outcome: CheckOutcome);
}

/// What decided about a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Decider {
    /// The memory of tokens that an identity provider has vouched for.
    Cache,
    /// The signature and the claims of a JWT.
    Jwt,
    /// The tokens file.
    StaticTokens,
    /// The introspection endpoint of the identity provider.
    Introspection,
    /// Nothing: no verifier is there for such a token.
    None,
}

/// What was decided.
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
    /// [`VerifyError::Unavailable`]: the check itself could not be made.
    Unavailable,
    /// [`VerifyError::Overloaded`]: too many others are being checked.
    Overloaded,
}

// === impl Decider ===

impl Decider {
    /// All of them, each at the place of its number.
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
    /// All of them, each at the place of its number.
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
