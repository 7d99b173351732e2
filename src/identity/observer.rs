//! Observes the checks of tokens, for metrics.

use std::fmt;

use super::verifier::Checked;
use super::{RefusalReason, VerifyError};
use crate::labels::labels;

/// Notified of each check by [`Verifiers`](super::Verifiers) ([`Verifiers::observer`](super::Verifiers::observer)).
///
/// It is called for every request, and must not block.
pub trait CheckObserver: fmt::Debug + Send + Sync + 'static {
    /// A token was checked.
    fn token_checked(&self, verifier: VerifierKind, outcome: CheckOutcome);
}

labels! {
    /// The kind of verifier that decided about a token.
    pub enum VerifierKind {
        /// The cache of tokens that were accepted before.
        Cache = "cache",
        /// The signature and the claims of a JWT.
        Jwt = "jwt",
        /// The tokens file.
        StaticTokens = "static",
        /// The introspection endpoint of the identity provider.
        Introspection = "introspection",
        /// None: no verifier is configured for such a token.
        None = "none",
    }
}

labels! {
    /// The result of a check.
    pub enum CheckOutcome {
        /// The token names a caller.
        Accepted = "accepted",
        /// The token is malformed ([`RefusalReason::Malformed`]).
        Malformed = "malformed",
        /// The token has expired, or is not valid yet.
        Expired = "expired",
        /// The token is refused for any other reason.
        NotAccepted = "not_accepted",
        /// [`VerifyError::Unavailable`]: the token could not be checked.
        Unavailable = "unavailable",
        /// [`VerifyError::Overloaded`]: too many tokens are being checked.
        Overloaded = "overloaded",
    }
}

impl CheckOutcome {
    pub(super) fn from_result(result: &Checked) -> Self {
        match result {
            Ok(_) => Self::Accepted,
            Err(VerifyError::Refused(refusal)) => match refusal.reason {
                RefusalReason::Malformed => Self::Malformed,
                RefusalReason::Expired | RefusalReason::NotYetValid => Self::Expired,
                _ => Self::NotAccepted,
            },
            Err(VerifyError::Unavailable(_)) => Self::Unavailable,
            Err(VerifyError::Overloaded) => Self::Overloaded,
        }
    }
}
