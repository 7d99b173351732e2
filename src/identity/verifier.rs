//! The interface between the gateway and an identity provider.

use std::error::Error as StdError;
use std::future::Future;
use std::sync::Arc;

use http::request::Parts;
use tracing::debug;

use super::{BearerToken, Caller, RefusalReason, TokenRefusal};

/// Identifies the caller by a bearer token.
///
/// Implement it to use your own identity provider: one `async fn` is enough. It gets the token and the
/// head of the request: method, URI, header fields (without `Authorization`), and the extensions set by
/// the server or a layer above, such as the address of the peer or its client certificate.
///
/// ```
/// use http::request::Parts;
/// use portreeve::identity::{BearerToken, Caller, RefusalReason, TokenVerifier, VerifyError};
///
/// /// Sessions of a web application, by their ids.
/// struct Sessions(std::collections::HashMap<String, String>);
///
/// impl TokenVerifier for Sessions {
///     async fn verify(&self, token: &BearerToken, _: &Parts) -> Result<Caller, VerifyError> {
///         let user = self.0.get(token.expose()).ok_or(RefusalReason::Unknown)?;
///         Ok(Caller::new(user.as_str()))
///     }
/// }
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// # let sessions = Sessions([("mF_9".into(), "alice".into())].into());
/// # let (head, ()) = http::Request::new(()).into_parts();
/// # let token = BearerToken::new("mF_9").unwrap();
/// # assert_eq!(sessions.verify(&token, &head).await.unwrap().name(), "alice");
/// # }
/// ```
///
/// One that also checks the request, such as an extension set by a TLS layer, refuses with
/// [`RefusalReason::BoundToKey`], or passes the token on to another verifier.
pub trait TokenVerifier: Send + Sync + 'static {
    /// Checks `token`, which came with `request`, and returns the caller.
    fn verify(
        &self,
        token: &BearerToken,
        request: &Parts,
    ) -> impl Future<Output = Result<Caller, VerifyError>> + Send;

    /// The result of [`verify`](Self::verify), if it is known without waiting; by default `None`.
    ///
    /// The gateway calls this first: a cached token then needs neither a future nor its allocation. It must not block.
    fn verify_now(
        &self,
        token: &BearerToken,
        request: &Parts,
    ) -> Option<Result<Caller, VerifyError>> {
        _ = (token, request);
        None
    }
}

impl<V: TokenVerifier> TokenVerifier for Arc<V> {
    async fn verify(&self, token: &BearerToken, request: &Parts) -> Checked {
        (**self).verify(token, request).await
    }

    fn verify_now(&self, token: &BearerToken, request: &Parts) -> Option<Checked> {
        (**self).verify_now(token, request)
    }
}

pub(super) type Checked = Result<Caller, VerifyError>;

/// Why a token was not accepted.
///
/// A refusal is a fault of the caller and becomes 401; the others are not: `Unavailable` becomes 500,
/// `Overloaded` 503 (docs/API.md, section 2.1).
///
/// ```
/// use portreeve::identity::VerifyError;
///
/// let error = VerifyError::unavailable("the directory does not answer");
/// assert_eq!(error.to_string(), "the token could not be checked");
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum VerifyError {
    /// The token is refused. The caller does not learn more than whether it is malformed, expired or not
    /// valid yet, or not accepted for any other reason.
    #[error("the token was refused: {0}")]
    Refused(#[from] TokenRefusal),
    /// The token could not be checked: the identity provider did not answer, or a file could not be read.
    #[error("the token could not be checked")]
    Unavailable(#[source] Box<dyn StdError + Send + Sync>),
    /// Too many checks are waiting; the caller may try again in a second.
    #[error("too many tokens are being checked")]
    Overloaded,
}

impl VerifyError {
    /// The token could not be checked; `cause`, an error or a text, is for the log.
    pub fn unavailable(cause: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        Self::Unavailable(cause.into())
    }
}

impl From<RefusalReason> for VerifyError {
    fn from(reason: RefusalReason) -> Self {
        Self::Refused(reason.into())
    }
}

/// Logs why a token was refused.
pub(super) fn refused(refusal: impl Into<TokenRefusal>) -> VerifyError {
    let refusal = refusal.into();
    // Operators filter by the target, so it must not change.
    debug!(target: "portreeve::identity::jwt", %refusal, "an access token was refused");
    VerifyError::Refused(refusal)
}
