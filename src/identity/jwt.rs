//! JWT access tokens (RFC 7519, RFC 9068), checked as RFC 8725 advises.

use std::future::{Ready, ready};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::SystemTime;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use tracing::debug;

use super::json_object::JsonObject;
use super::key_set::Verdict;
use super::provider::Known;
use super::requirements::Refusal;
use super::{
    Algorithm, BearerToken, Caller, OpenIdProvider, Requirements, TokenVerifier, VerifyError,
};

/// Takes the JWT access tokens of an [`OpenIdProvider`].
///
/// A token is taken where all of this holds:
///
/// - It is a JWS in the compact form of at most 16 KiB. Header and claims have no member twice.
/// - Its `typ` is `at+jwt`, `JWT` or absent. Unless it is the first, its claims show that it is an
///   access token: `scope`, `scp`, `client_id`, Keycloak's `typ` of `Bearer`, or Authentik's `uid`.
///   It has nothing that only other tokens have, such as `at_hash`.
/// - It has no `crit`. Keys or links to keys in its header (`jwk`, `jku`, `x5c`, `x5u`) are never
///   looked at.
/// - Its `alg` is allowed, and one of the provider's keys with its `kid` (all that fit, where it
///   names none) is of the type that `alg` needs and made the signature.
/// - Its `iss` is the issuer, byte for byte; `exp` is there and in the future; `nbf` and `iat`,
///   where they are there, are not. A leeway of 30 seconds is given, unless set otherwise.
/// - It fits the [`Requirements`], and is not bound to a key (`cnf`).
///
/// A check that needs no fetch is done when the future is made, and nothing is boxed.
#[derive(Clone, Debug)]
pub struct JwtVerifier(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    provider: OpenIdProvider,
    requirements: Requirements,
    algorithms: Vec<Algorithm>,
}

impl JwtVerifier {
    /// A verifier of the provider's tokens that fit `requirements` and are signed by one of
    /// `algorithms` (see [`Algorithm::DEFAULT`]).
    ///
    /// # Errors
    ///
    /// Where `requirements` name neither an audience nor a client: any token of the issuer would
    /// then do, also one that was given to somebody else for something else. And where no
    /// algorithm is allowed.
    pub fn new(
        provider: OpenIdProvider,
        requirements: Requirements,
        algorithms: impl IntoIterator<Item = Algorithm>,
    ) -> Result<Self, JwtVerifierError> {
        let algorithms: Vec<_> = algorithms.into_iter().collect();
        if !requirements.name_a_recipient() {
            return Err(JwtVerifierError::NoRecipient);
        }
        if algorithms.is_empty() {
            return Err(JwtVerifierError::NoAlgorithm);
        }
        Ok(Self(Arc::new(Inner {
            provider,
            requirements,
            algorithms,
        })))
    }

    /// The provider whose tokens are taken.
    pub fn provider(&self) -> &OpenIdProvider {
        &self.0.provider
    }

    /// Whether `token` is a JWT that says it is of this issuer; nothing is proven by that.
    pub(super) fn fits(&self, token: &BearerToken) -> bool {
        issuer_of(token).is_some_and(|issuer| *issuer == *self.0.provider.issuer())
    }
}

impl TokenVerifier for JwtVerifier {
    type Future = JwtCheck;

    fn verify(&self, token: BearerToken) -> JwtCheck {
        let inner = &self.0;
        let checked = match inner.read(&token) {
            Err(refusal) => Err(refusal),
            Ok(jwt) => match inner.provider.in_memory() {
                None => return inner.clone().check_with_fetch(token, None),
                Some(known) => match jwt.is_signed_by(&known) {
                    Err(Refusal::NoSuchKey) => {
                        return inner.clone().check_with_fetch(token, Some(known));
                    }
                    Err(refusal) => Err(refusal),
                    Ok(()) => inner.caller(&jwt),
                },
            },
        };
        JwtCheck(State::Done(ready(checked.map_err(refused))))
    }
}

impl Inner {
    /// All that can be checked without a key, so that no token makes a fetch that could not be
    /// taken anyway.
    fn read<'a>(&self, token: &'a BearerToken) -> Result<Jwt<'a>, Refusal> {
        let token = token.expose();
        if token.len() > MAX_TOKEN {
            return Err(Refusal::TooLarge);
        }
        let (message, signature) = token.rsplit_once('.').ok_or(Refusal::Form)?;
        let (header, claims) = message.split_once('.').ok_or(Refusal::Form)?;
        let header = object(header)?;
        if header.member("crit").is_some() {
            return Err(Refusal::Critical);
        }
        let declared = match header.text("typ")? {
            None => Declared::Nothing,
            Some(name) => Declared::parse(name).ok_or(Refusal::Type)?,
        };
        let algorithm = header.text("alg")?.ok_or(Refusal::Form)?;
        let algorithm = algorithm.parse().map_err(|_| Refusal::Algorithm)?;
        if !self.algorithms.contains(&algorithm) {
            return Err(Refusal::Algorithm);
        }
        let claims = object(claims)?;
        if claims
            .text("iss")?
            .is_none_or(|issuer| *issuer != *self.provider.issuer())
        {
            return Err(Refusal::Issuer);
        }
        if !is_access_token(&claims, declared)? {
            return Err(Refusal::Purpose);
        }
        let expires_at = self
            .requirements
            .check_times(&claims)?
            .ok_or(Refusal::Endless)?;
        Ok(Jwt {
            message,
            signature: decode(signature)?,
            key_id: header.text("kid")?.map(Into::into),
            algorithm,
            claims,
            expires_at,
        })
    }

    fn caller(&self, jwt: &Jwt<'_>) -> Result<Caller, Refusal> {
        let caller = self.requirements.caller(&jwt.claims)?;
        Ok(caller.with_expiry(jwt.expires_at))
    }

    fn check_with_fetch(
        self: Arc<Self>,
        token: BearerToken,
        stale: Option<Arc<Known>>,
    ) -> JwtCheck {
        let check = async move {
            let jwt = self.read(&token).map_err(refused)?;
            let known = match stale {
                None => self.provider.known().await.map_err(unavailable)?,
                Some(stale) => stale,
            };
            match jwt.is_signed_by(&known) {
                Ok(()) => {}
                Err(Refusal::NoSuchKey) => {
                    let newer = self
                        .provider
                        .newer_than(&known)
                        .await
                        .map_err(unavailable)?;
                    let newer = newer.ok_or_else(|| refused(Refusal::NoSuchKey))?;
                    jwt.is_signed_by(&newer).map_err(refused)?;
                }
                Err(refusal) => return Err(refused(refusal)),
            }
            self.caller(&jwt).map_err(refused)
        };
        JwtCheck(State::Fetching(check.boxed()))
    }
}

/// The check of a [`JwtVerifier`] under way.
#[must_use = "futures do nothing unless polled"]
pub struct JwtCheck(State);

enum State {
    Done(Ready<Result<Caller, VerifyError>>),
    Fetching(BoxFuture<'static, Result<Caller, VerifyError>>),
}

impl Future for JwtCheck {
    type Output = Result<Caller, VerifyError>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        match &mut self.get_mut().0 {
            State::Done(result) => Pin::new(result).poll(context),
            State::Fetching(check) => check.as_mut().poll(context),
        }
    }
}

/// Why a [`JwtVerifier`] was not made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum JwtVerifierError {
    /// Neither an audience nor a client is required.
    #[error("an issuer needs an audience or an allowed client, else any token of it would do")]
    NoRecipient,
    /// No algorithm is allowed.
    #[error("an issuer needs at least one signature algorithm")]
    NoAlgorithm,
}

/// A token taken apart; that its claims are true is not known yet.
struct Jwt<'a> {
    message: &'a str,
    signature: Vec<u8>,
    key_id: Option<Box<str>>,
    algorithm: Algorithm,
    claims: JsonObject,
    expires_at: SystemTime,
}

impl Jwt<'_> {
    fn is_signed_by(&self, known: &Known) -> Result<(), Refusal> {
        let message = self.message.as_bytes();
        let (id, algorithm) = (self.key_id.as_deref(), self.algorithm);
        match known.keys.check(id, algorithm, message, &self.signature) {
            Verdict::Valid => Ok(()),
            Verdict::Invalid => Err(Refusal::Signature),
            Verdict::NoSuchKey => Err(Refusal::NoSuchKey),
        }
    }
}

/// Logs why a token was refused, and says as much as its bearer may know.
pub(super) fn refused(refusal: Refusal) -> VerifyError {
    debug!(%refusal, "an access token was refused");
    match refusal {
        Refusal::Form | Refusal::TooLarge => VerifyError::Malformed,
        Refusal::Expired | Refusal::NotYetValid => VerifyError::Expired,
        _ => VerifyError::NotAccepted,
    }
}

pub(super) fn unavailable(error: Arc<super::FetchError>) -> VerifyError {
    VerifyError::Unavailable(Box::new(error))
}

/// The `iss` claim of a token that has the form of a JWT.
fn issuer_of(token: &BearerToken) -> Option<Box<str>> {
    let mut parts = token.expose().split('.');
    let (Some(_), Some(claims), Some(_), None) =
        (parts.next(), parts.next(), parts.next(), parts.next())
    else {
        return None;
    };
    if token.expose().len() > MAX_TOKEN {
        return None;
    }
    #[derive(serde::Deserialize)]
    struct Issuer {
        iss: Box<str>,
    }
    let issuer: Issuer = serde_json::from_slice(&decode(claims).ok()?).ok()?;
    Some(issuer.iss)
}

/// What the `typ` of a header says (RFC 7515, section 4.1.9, lets `application/` be left out).
#[derive(Clone, Copy, PartialEq, Eq)]
enum Declared {
    Nothing,
    Jwt,
    /// RFC 9068, section 2.1.
    AccessToken,
}

impl Declared {
    fn parse(name: &str) -> Option<Self> {
        let name = name.to_ascii_lowercase();
        match name.strip_prefix("application/").unwrap_or(&name) {
            "at+jwt" => Some(Self::AccessToken),
            "jwt" => Some(Self::Jwt),
            _ => None,
        }
    }
}

/// Whether the claims are those of an access token, and not of the others that an issuer signs with
/// the same keys: ID tokens (their hashes: OpenID Connect Core 1.0, section 3.3.2.11), security
/// events such as logout tokens (RFC 8417), and what Keycloak calls so in a claim `typ` of its own.
///
/// Where the header does not say so, something must be there that an ID token has not: scopes, a
/// client id, Keycloak's mark, or the `uid` that Authentik adds.
fn is_access_token(claims: &JsonObject, declared: Declared) -> Result<bool, Refusal> {
    let has = |names: &[&str]| names.iter().any(|name| claims.member(name).is_some());
    let purpose = claims.text("typ")?;
    if has(&["at_hash", "c_hash", "s_hash", "events"]) {
        return Ok(false);
    }
    Ok(match purpose {
        Some("ID" | "Refresh" | "Offline" | "Logout") => false,
        Some("Bearer") => true,
        _ => declared == Declared::AccessToken || has(&["scope", "scp", "client_id", "uid"]),
    })
}

fn object(part: &str) -> Result<JsonObject, Refusal> {
    JsonObject::parse(&decode(part)?).map_err(|_| Refusal::Form)
}

fn decode(part: &str) -> Result<Vec<u8>, Refusal> {
    URL_SAFE_NO_PAD.decode(part).map_err(|_| Refusal::Form)
}

/// In bytes. No header field of common servers is larger.
pub(super) const MAX_TOKEN: usize = 16 << 10;
