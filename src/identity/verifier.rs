//! What the gateway asks of an identity provider.

use std::error::Error as StdError;
use std::future::Future;
use std::sync::Arc;

use http::request::Parts;

use super::{BearerToken, Caller};

/// Tells whom a bearer token stands for.
///
/// Implement it to bring your own identity provider: one `async fn` is enough. It sees the token,
/// and beside it the head of the request: method, address, header fields (without
/// `Authorization`), and the extensions that the server or a layer above put there, such as the
/// address of the peer or its client certificate.
///
/// ```
/// use http::request::Parts;
/// use portreeve::identity::{BearerToken, Caller, TokenVerifier, VerifyError};
///
/// /// Sessions of a web application, by their ids.
/// struct Sessions(std::collections::HashMap<String, String>);
///
/// impl TokenVerifier for Sessions {
///     async fn verify(&self, token: &BearerToken, _: &Parts) -> Result<Caller, VerifyError> {
///         let user = self.0.get(token.expose()).ok_or(VerifyError::NotAccepted)?;
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
/// One that looks at the request too, here at what a TLS layer has left in its extensions:
///
/// ```
/// # use http::request::Parts;
/// # use portreeve::identity::{BearerToken, Caller, TokenVerifier, VerifyError};
/// /// The subject of the client certificate of a connection.
/// #[derive(Clone)]
/// struct Subject(String);
///
/// /// Accepts the tokens of `inner` from the service they were issued to.
/// struct FromService<V> {
///     inner: V,
///     subject: String,
/// }
///
/// impl<V: TokenVerifier> TokenVerifier for FromService<V> {
///     async fn verify(&self, token: &BearerToken, request: &Parts) -> Result<Caller, VerifyError> {
///         match request.extensions.get::<Subject>() {
///             Some(Subject(subject)) if *subject == self.subject => {
///                 self.inner.verify(token, request).await
///             }
///             _ => Err(VerifyError::NotAccepted),
///         }
///     }
/// }
/// ```
pub trait TokenVerifier: Send + Sync + 'static {
    /// Checks `token`, which came with `request`, and says whom it names.
    ///
    /// # Errors
    /// The token is not accepted, or could not be checked.
    fn verify(
        &self,
        token: &BearerToken,
        request: &Parts,
    ) -> impl Future<Output = Result<Caller, VerifyError>> + Send;

    /// The result of [`verify`](Self::verify), if it is known without waiting; `None` otherwise,
    /// and always unless you implement it.
    ///
    /// The gateway asks this first: a token that is answered from memory then costs neither a
    /// future nor its allocation. Do not block here.
    ///
    /// # Errors
    /// As for [`verify`](Self::verify).
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
    async fn verify(&self, token: &BearerToken, request: &Parts) -> Result<Caller, VerifyError> {
        (**self).verify(token, request).await
    }

    fn verify_now(
        &self,
        token: &BearerToken,
        request: &Parts,
    ) -> Option<Result<Caller, VerifyError>> {
        (**self).verify_now(token, request)
    }
}

/// Why a token was not accepted.
///
/// The first three are faults of the caller and become 401; the others are not: `Unavailable` becomes
/// 500, `Overloaded` 503 (docs/API.md, section 2.1).
///
/// ```
/// use portreeve::identity::VerifyError;
///
/// let cause = std::io::Error::other("the directory does not answer");
/// let error = VerifyError::Unavailable(cause.into());
/// assert_eq!(error.to_string(), "the token could not be checked");
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum VerifyError {
    /// The token is not of a form this verifier reads.
    #[error("the token is malformed")]
    Malformed,
    /// The token has expired, or is not valid yet.
    #[error("the token has expired or is not valid yet")]
    Expired,
    /// The token is unknown, revoked, not signed by a trusted key, or not meant for this service.
    #[error("the token was not accepted")]
    NotAccepted,
    /// The check itself could not be made: the identity provider did not answer, or a file could
    /// not be read.
    #[error("the token could not be checked")]
    Unavailable(#[source] Box<dyn StdError + Send + Sync>),
    /// Too many checks wait already; the caller may try again in a second.
    #[error("too many tokens are being checked")]
    Overloaded,
}
