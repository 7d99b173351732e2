//! Combines several verifiers, and chooses the one for each token.

use std::sync::Arc;
use std::time::Instant;

use futures_util::FutureExt as _;
use http::request::Parts;

use super::cache::TokenCache;
use super::digest::TokenDigest;
use super::jwt::Jwt;
use super::refusal::check_length;
use super::tokens_file::PREFIX;
use super::verifier::{Checked, refused};
use super::{
    BearerToken, CacheLimits, CheckObserver, CheckOutcome, IntrospectionVerifier, JwtVerifier,
    OpenIdProvider, RefusalReason, StaticTokens, TokenVerifier, VerifierKind,
};
use crate::outbound::HttpUrl;

/// Several verifiers, combined. Without any, every token is refused.
///
/// Each token is decided by the first one that applies:
///
/// 1. the [`JwtVerifier`], for a JWT whose `iss` is its issuer;
/// 2. the [`StaticTokens`], for tokens in their file, which are not sent to an identity provider and
///    work while it is down;
/// 3. the [`IntrospectionVerifier`], for all other tokens without the prefix of static ones.
///
/// Tokens that a provider accepted are cached within [`CacheLimits`]; a check that the cache answers allocates nothing.
///
/// ```
/// use portreeve::identity::{CacheLimits, StaticTokens, TokensFile, Verifiers};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("tokens");
/// # TokensFile::new(&path).new_token("alice", ["webhooks"], None)?;
/// let mut verifiers = Verifiers::new(CacheLimits::default());
/// verifiers.static_tokens = Some(StaticTokens::open(path)?);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Verifiers {
    /// Verifies JWTs of its issuer.
    pub jwt: Option<JwtVerifier>,
    /// Knows the tokens of a file.
    pub static_tokens: Option<StaticTokens>,
    /// Is asked about all other tokens.
    pub introspection: Option<IntrospectionVerifier>,
    cache: Option<TokenCache>,
    /// Each check is reported to it.
    pub observer: Option<Arc<dyn CheckObserver>>,
}

/// Why a verifier could not be built.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum VerifierBuildError {
    /// [`Requirements`](super::Requirements) with neither an audience nor a client.
    #[error(
        "tokens need an audience or an allowed client, or else those for other services would be accepted"
    )]
    NoRecipient,
    /// The introspection endpoint is on a server that must never receive a bearer token.
    #[error(
        "the introspection endpoint {0} is on the groupware server, which must never receive a \
         bearer token; where that server is the identity provider, let it issue JWT access tokens and \
         name it as the issuer instead"
    )]
    TokenWouldLeak(HttpUrl),
}

/// A verifier that has to wait for the identity provider, or for a file.
enum Pending<'a> {
    StaticTokens(&'a StaticTokens),
    Jwt(&'a JwtVerifier, Box<Jwt<'a>>),
    Introspection(&'a IntrospectionVerifier),
}

impl Verifiers {
    /// No verifier yet.
    pub fn new(limits: CacheLimits) -> Self {
        let cache = TokenCache::new(limits);
        Self { jwt: None, static_tokens: None, introspection: None, cache, observer: None }
    }

    /// The provider whose JWTs are accepted.
    pub fn provider(&self) -> Option<&OpenIdProvider> {
        self.jwt.as_ref().map(JwtVerifier::provider)
    }

    fn report(&self, verifier: VerifierKind, result: Checked) -> Checked {
        if let Some(observer) = &self.observer {
            observer.token_checked(verifier, CheckOutcome::from_result(&result));
        }
        result
    }

    fn remember(&self, digest: TokenDigest, result: &Checked) {
        if let (Some(cache), Ok(caller)) = (&self.cache, result) {
            cache.remember(digest, caller);
        }
    }

    /// The result for a token of a call that came at `since`, if it is known without waiting; else the verifier to wait for,
    /// and the digest. `room` is for a JWT, which is read only once.
    fn decide<'a>(
        &'a self,
        token: &'a BearerToken,
        room: &'a mut Vec<u8>,
        since: Instant,
    ) -> Result<Checked, (Pending<'a>, TokenDigest)> {
        if let Err(refusal) = check_length(token) {
            return Ok(self.report(VerifierKind::None, Err(refused(refusal))));
        }
        let digest = TokenDigest::of(token);
        let asks_a_provider = self.jwt.is_some() || self.introspection.is_some();
        let cache = self.cache.as_ref().filter(|_| asks_a_provider);
        if let Some(caller) = cache.and_then(|cache| cache.caller(&digest)) {
            return Ok(self.report(VerifierKind::Cache, Ok(caller)));
        }
        let is_alone = self.static_tokens.is_none() && self.introspection.is_none();
        match self.jwt.as_ref().map(|it| (it, it.read(token, room))) {
            Some((verifier, Ok(jwt))) => {
                let result = verifier.check(&jwt).now_or_never();
                let result = result.ok_or_else(|| (Pending::Jwt(verifier, jwt.into()), digest))?;
                self.remember(digest, &result);
                return Ok(self.report(VerifierKind::Jwt, result));
            }
            Some((verifier, Err(refusal))) if is_alone || verifier.fits(token) => {
                return Ok(self.report(VerifierKind::Jwt, Err(refused(refusal))));
            }
            _ => {}
        }
        if let Some(tokens) = &self.static_tokens {
            let checked = tokens.check(&digest, since);
            if let Some(result) = checked.ok_or((Pending::StaticTokens(tokens), digest))? {
                return Ok(self.report(VerifierKind::StaticTokens, result));
            }
        }
        match &self.introspection {
            Some(introspection) if !token.expose().starts_with(PREFIX) => {
                Err((Pending::Introspection(introspection), digest))
            }
            _ => Ok(self.report(VerifierKind::None, Err(refused(RefusalReason::Unknown)))),
        }
    }
}

impl TokenVerifier for Verifiers {
    async fn verify(&self, token: &BearerToken, _: &Parts) -> Checked {
        let (since, mut room) = (Instant::now(), Vec::new());
        let (digest, verifier, result) = loop {
            match self.decide(token, &mut room, since) {
                Ok(result) => return result,
                Err((Pending::StaticTokens(tokens), digest)) => {
                    tokens.become_current(&digest, since).await;
                }
                Err((Pending::Jwt(verifier, jwt), digest)) => {
                    break (digest, VerifierKind::Jwt, verifier.check(&jwt).await);
                }
                Err((Pending::Introspection(introspection), digest)) => {
                    let result = introspection.check(token, digest).await;
                    break (digest, VerifierKind::Introspection, result);
                }
            }
        };
        self.remember(digest, &result);
        self.report(verifier, result)
    }

    fn verify_now(&self, token: &BearerToken, _: &Parts) -> Option<Checked> {
        self.decide(token, &mut Vec::new(), Instant::now()).ok()
    }
}
