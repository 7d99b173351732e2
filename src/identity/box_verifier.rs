//! A verifier that is chosen at run time.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;

use http::request::Parts;

use super::{BearerToken, Caller, TokenVerifier, VerifyError};

/// Any [`TokenVerifier`] as one type, for a program that chooses one at run time. It costs a boxed future
/// for each token that [`verify_now`](TokenVerifier::verify_now) does not decide.
///
/// ```
/// use http::request::Parts;
/// use portreeve::identity::{
///     BearerToken, BoxVerifier, Caller, RefusalReason, TokenVerifier, VerifyError,
/// };
///
/// struct Nobody;
///
/// impl TokenVerifier for Nobody {
///     async fn verify(&self, _: &BearerToken, _: &Parts) -> Result<Caller, VerifyError> {
///         Err(RefusalReason::Unknown.into())
///     }
/// }
///
/// struct Alice;
///
/// impl TokenVerifier for Alice {
///     async fn verify(&self, _: &BearerToken, _: &Parts) -> Result<Caller, VerifyError> {
///         Ok(Caller::new("alice"))
///     }
/// }
///
/// fn choose(open: bool) -> BoxVerifier {
///     if open {
///         BoxVerifier::new(Alice)
///     } else {
///         BoxVerifier::new(Nobody)
///     }
/// }
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// # let (head, ()) = http::Request::new(()).into_parts();
/// # let token = BearerToken::new("mF_9").unwrap();
/// # assert!(choose(true).verify(&token, &head).await.is_ok());
/// # assert!(choose(false).verify(&token, &head).await.is_err());
/// # }
/// ```
#[derive(Clone)]
pub struct BoxVerifier(Arc<dyn DynVerifier>);

type BoxFuture<'a> = Pin<Box<dyn Future<Output = Result<Caller, VerifyError>> + Send + 'a>>;

/// [`TokenVerifier`] with a boxed future, so that it can be a trait object.
trait DynVerifier: Send + Sync {
    fn verify<'a>(&'a self, token: &'a BearerToken, request: &'a Parts) -> BoxFuture<'a>;

    fn verify_now(
        &self,
        token: &BearerToken,
        request: &Parts,
    ) -> Option<Result<Caller, VerifyError>>;
}

// === impl BoxVerifier ===

impl BoxVerifier {
    /// Boxes `verifier`.
    pub fn new(verifier: impl TokenVerifier) -> Self {
        Self(Arc::new(verifier))
    }
}

impl TokenVerifier for BoxVerifier {
    async fn verify(&self, token: &BearerToken, request: &Parts) -> Result<Caller, VerifyError> {
        self.0.verify(token, request).await
    }

    fn verify_now(
        &self,
        token: &BearerToken,
        request: &Parts,
    ) -> Option<Result<Caller, VerifyError>> {
        self.0.verify_now(token, request)
    }
}

impl fmt::Debug for BoxVerifier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BoxVerifier").finish_non_exhaustive()
    }
}

// === impl DynVerifier ===

impl<V: TokenVerifier> DynVerifier for V {
    fn verify<'a>(&'a self, token: &'a BearerToken, request: &'a Parts) -> BoxFuture<'a> {
        Box::pin(TokenVerifier::verify(self, token, request))
    }

    fn verify_now(
        &self,
        token: &BearerToken,
        request: &Parts,
    ) -> Option<Result<Caller, VerifyError>> {
        TokenVerifier::verify_now(self, token, request)
    }
}
