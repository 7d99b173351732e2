//! Several verifiers as one, and which of them decides about a token.

use std::fmt;

use http::request::Parts;

use super::cache::TokenCache;
use super::digest::TokenDigest;
use super::tokens_file::PREFIX;
use super::{
    BearerToken, CacheLimits, Caller, IntrospectionVerifier, JwtVerifier, StaticTokens,
    TokenVerifier, VerifyError,
};

/// The verifiers that are configured, as one.
///
/// Each token goes to the one that fits, in this order, and what that one says counts:
///
/// 1. a JWT whose `iss` is the issuer of the [`JwtVerifier`], to that;
/// 2. a token that the [`StaticTokens`] know, to them: it is not shown to an identity provider,
///    and works while that one is down;
/// 3. anything else, but for tokens with the prefix of static ones, to the
///    [`IntrospectionVerifier`].
///
/// Tokens that an identity provider accepted are remembered within [`CacheLimits`]. A check that is
/// answered from memory allocates nothing.
///
/// ```
/// use portreeve::identity::{CacheLimits, NoVerifierError, StaticTokens, TokensFile, Verifiers};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("tokens");
/// # TokensFile::new(&path).new_token("alice", ["webhooks"])?;
/// let tokens = StaticTokens::open(path)?;
/// let verifiers = Verifiers::new(None, Some(tokens), None, CacheLimits::default())?;
/// # _ = verifiers;
///
/// let none = Verifiers::new(None, None, None, CacheLimits::default());
/// assert_eq!(none.unwrap_err(), NoVerifierError);
/// # Ok(())
/// # }
/// ```
pub struct Verifiers {
    jwt: Option<JwtVerifier>,
    static_tokens: Option<StaticTokens>,
    introspection: Option<IntrospectionVerifier>,
    cache: Option<TokenCache>,
}

/// [`Verifiers`] were to be made of no verifier at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("nothing says who may call: configure a tokens file, an issuer or introspection")]
pub struct NoVerifierError;

/// The verifier that decides about a token, or its decision.
enum Route<'a> {
    Jwt(&'a JwtVerifier),
    Introspection(&'a IntrospectionVerifier),
    Static(Result<Caller, VerifyError>),
    None,
}

// === impl Verifiers ===

impl Verifiers {
    /// The verifiers given, as one.
    ///
    /// # Errors
    /// None is given: nobody could call then.
    pub fn new(
        jwt: Option<JwtVerifier>,
        static_tokens: Option<StaticTokens>,
        introspection: Option<IntrospectionVerifier>,
        limits: CacheLimits,
    ) -> Result<Self, NoVerifierError> {
        if jwt.is_none() && static_tokens.is_none() && introspection.is_none() {
            return Err(NoVerifierError);
        }
        let asks_a_provider = jwt.is_some() || introspection.is_some();
        let cache = asks_a_provider.then(|| TokenCache::new(limits));
        Ok(Self {
            jwt,
            static_tokens,
            introspection,
            cache: cache.flatten(),
        })
    }

    fn cached(&self, digest: &TokenDigest) -> Option<Caller> {
        self.cache.as_ref()?.caller(digest)
    }

    fn remember(&self, digest: TokenDigest, result: &Result<Caller, VerifyError>) {
        if let (Some(cache), Ok(caller)) = (&self.cache, result) {
            cache.remember(digest, caller);
        }
    }

    /// The verifier that decides about a token which is not cached.
    fn route(&self, token: &BearerToken, digest: &TokenDigest) -> Route<'_> {
        let is_alone = self.static_tokens.is_none() && self.introspection.is_none();
        if let Some(jwt) = &self.jwt
            && (is_alone || jwt.fits(token))
        {
            return Route::Jwt(jwt);
        }
        let known = self.static_tokens.as_ref();
        match (
            known.and_then(|tokens| tokens.check(digest)),
            &self.introspection,
        ) {
            (Some(decision), _) => Route::Static(decision),
            (None, Some(introspection)) if !token.expose().starts_with(PREFIX) => {
                Route::Introspection(introspection)
            }
            (None, _) => Route::None,
        }
    }
}

impl TokenVerifier for Verifiers {
    async fn verify(&self, token: &BearerToken, request: &Parts) -> Result<Caller, VerifyError> {
        let digest = TokenDigest::of(token);
        if let Some(caller) = self.cached(&digest) {
            return Ok(caller);
        }
        let result = match self.route(token, &digest) {
            Route::Jwt(jwt) => jwt.verify(token, request).await,
            Route::Introspection(introspection) => introspection.check(token, digest).await,
            Route::Static(decision) => return decision,
            Route::None => return Err(VerifyError::NotAccepted),
        };
        self.remember(digest, &result);
        result
    }

    fn verify_now(
        &self,
        token: &BearerToken,
        request: &Parts,
    ) -> Option<Result<Caller, VerifyError>> {
        let digest = TokenDigest::of(token);
        if let Some(caller) = self.cached(&digest) {
            return Some(Ok(caller));
        }
        match self.route(token, &digest) {
            Route::Jwt(jwt) => {
                let result = jwt.verify_now(token, request)?;
                self.remember(digest, &result);
                Some(result)
            }
            Route::Introspection(_) => None,
            Route::Static(decision) => Some(decision),
            Route::None => Some(Err(VerifyError::NotAccepted)),
        }
    }
}

impl fmt::Debug for Verifiers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Verifiers")
            .field("jwt", &self.jwt)
            .field("static_tokens", &self.static_tokens)
            .field("introspection", &self.introspection)
            .finish_non_exhaustive()
    }
}
