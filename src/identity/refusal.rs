//! Why a token is refused, and how much of that its bearer may know.

use std::sync::Arc;

use tracing::debug;

use super::{FetchError, VerifyError};

/// Why a token that could be checked was refused. It is logged, but never sent to the caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum Refusal {
    #[error(
        "it is not a signed JWT in compact form, or has members that are duplicate or of a wrong type"
    )]
    Form,
    #[error("it is larger than {limit} bytes")]
    TooLarge { limit: usize },
    #[error("its `typ` is not that of an access token")]
    Type,
    #[error("it has `crit` header parameters")]
    Critical,
    #[error("its algorithm is not allowed")]
    Algorithm,
    #[error("it is from another issuer")]
    Issuer,
    #[error("no key of the issuer has its `kid` and fits its algorithm")]
    NoSuchKey,
    #[error("its signature is wrong")]
    Signature,
    #[error("it has expired")]
    Expired,
    #[error("it is not valid yet")]
    NotYetValid,
    #[error("it has no `exp`")]
    Endless,
    #[error("it is an ID, refresh or logout token")]
    Purpose,
    #[error("it is bound to a key (`cnf`), which a bearer cannot prove to have")]
    Bound,
    #[error("its `aud` has none of the configured audiences")]
    Audience,
    #[error("its `client_id` or `azp` is missing or not one of the configured clients")]
    Client,
    #[error("it lacks a required scope")]
    Scope,
    #[error("the claim that names the user is missing, empty or longer than 1024 bytes")]
    User,
    #[error("the identity provider says that it is not active")]
    Inactive,
}

/// Logs why a token was refused; the error contains what its bearer may know.
pub(super) fn refused(refusal: Refusal) -> VerifyError {
    // Operators filter by the target, so it must not change.
    debug!(target: "portreeve::identity::jwt", %refusal, "an access token was refused");
    match refusal {
        Refusal::Form | Refusal::TooLarge { .. } => VerifyError::Malformed,
        Refusal::Expired | Refusal::NotYetValid => VerifyError::Expired,
        _ => VerifyError::NotAccepted,
    }
}

/// The provider could not be asked about a token.
pub(super) fn unavailable(error: Arc<FetchError>) -> VerifyError {
    VerifyError::Unavailable(Box::new(error))
}
