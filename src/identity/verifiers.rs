//! Several verifiers, and which one a token goes to.

use std::fmt;
use std::future::{Ready, ready};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use super::cache::TokenCache;
use super::digest::TokenDigest;
use super::tokens_file::PREFIX;
use super::{
    BearerToken, CacheLimits, Caller, IntrospectionVerifier, JwtCheck, JwtVerifier, StaticTokens,
    TokenVerifier, VerifyError,
};

/// The verifiers that are configured, as one.
///
/// Each token goes to the one that fits, in this order, and what that one says counts:
///
/// 1. a JWT whose `iss` is the issuer of the [`JwtVerifier`], to that;
/// 2. a token that the [`StaticTokens`] know, to them: it is not shown to an identity provider,
///    and works while that one is out of order;
/// 3. anything else, but for tokens with the prefix of static ones, to the
///    [`IntrospectionVerifier`].
///
/// Tokens that an identity provider stands for are remembered within [`CacheLimits`]. A check
/// that is answered from memory allocates nothing.
pub struct Verifiers {
    jwt: Option<JwtVerifier>,
    static_tokens: Option<StaticTokens>,
    introspection: Option<IntrospectionVerifier>,
    cache: Option<Arc<TokenCache>>,
}

impl Verifiers {
    /// The verifiers given, as one.
    ///
    /// # Errors
    ///
    /// Where none is given: nobody could call then.
    pub fn new(
        jwt: Option<JwtVerifier>,
        static_tokens: Option<StaticTokens>,
        introspection: Option<IntrospectionVerifier>,
        limits: CacheLimits,
    ) -> Result<Self, NoVerifier> {
        if jwt.is_none() && static_tokens.is_none() && introspection.is_none() {
            return Err(NoVerifier);
        }
        let asks_a_provider = jwt.is_some() || introspection.is_some();
        let cache = asks_a_provider.then(|| TokenCache::new(limits).map(Arc::new));
        Ok(Self {
            jwt,
            static_tokens,
            introspection,
            cache: cache.flatten(),
        })
    }

    fn jwt_that_fits(&self, token: &BearerToken) -> Option<&JwtVerifier> {
        let is_alone = self.static_tokens.is_none() && self.introspection.is_none();
        self.jwt.as_ref().filter(|jwt| is_alone || jwt.fits(token))
    }
}

impl TokenVerifier for Verifiers {
    type Future = Check;

    fn verify(&self, token: BearerToken) -> Check {
        let digest = TokenDigest::of(&token);
        let done = |result| Check(State::Done(ready(result)));
        let cached = self.cache.as_ref().and_then(|cache| cache.caller(&digest));
        if let Some(caller) = cached {
            return done(Ok(caller));
        }
        let remember = || Remember(self.cache.clone(), digest);
        if let Some(jwt) = self.jwt_that_fits(&token) {
            return Check(State::Jwt(jwt.verify(token), remember()));
        }
        let known = self
            .static_tokens
            .as_ref()
            .and_then(|tokens| tokens.caller(&digest));
        match (known, &self.introspection) {
            (Some(caller), _) => done(Ok(caller)),
            (None, Some(introspection)) if !token.expose().starts_with(PREFIX) => Check(
                State::Introspection(introspection.verify(token), remember()),
            ),
            (None, _) => done(Err(VerifyError::NotAccepted)),
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

/// No verifier is configured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("nothing says who may call: configure a tokens file, an issuer or introspection")]
pub struct NoVerifier;

/// The check of [`Verifiers`] under way.
#[must_use = "futures do nothing unless polled"]
pub struct Check(State);

enum State {
    Done(Ready<Result<Caller, VerifyError>>),
    Jwt(JwtCheck, Remember),
    Introspection(<IntrospectionVerifier as TokenVerifier>::Future, Remember),
}

impl Future for Check {
    type Output = Result<Caller, VerifyError>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let (result, remember) = match &mut self.get_mut().0 {
            State::Done(result) => return Pin::new(result).poll(context),
            State::Jwt(check, remember) => (Pin::new(check).poll(context), remember),
            State::Introspection(check, remember) => (check.as_mut().poll(context), remember),
        };
        if let (Poll::Ready(Ok(caller)), Remember(Some(cache), digest)) = (&result, remember) {
            cache.remember(*digest, caller);
        }
        result
    }
}

struct Remember(Option<Arc<TokenCache>>, TokenDigest);
