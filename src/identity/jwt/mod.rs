//! JWT access tokens (RFC 7519, RFC 9068), checked as RFC 8725 advises.

mod token;

use futures_util::FutureExt as _;
use http::request::Parts;

pub(super) use self::token::Jwt;
use self::token::issuer_of;
use super::verifier::{Checked, refused};
use super::{
    BearerToken, OpenIdProvider, RefusalReason, Requirements, TokenRefusal, TokenVerifier,
    VerifierBuildError, VerifyError,
};

/// Accepts the JWT access tokens of an [`OpenIdProvider`].
///
/// A token is accepted if all of the following hold:
///
/// - It is a JWS in compact form of at most 16 KiB. Header and claims have no duplicate members.
/// - Its `typ` is `at+jwt`, `JWT` or absent. Unless it is the first, its claims show that it is an
///   access token: `scope`, `scp`, `client_id`, Entra's `appid`, `azpacr`, `appidacr` or `idtyp`,
///   Authentik's `uid`, or a claim `typ` or `token_use` that says so.
/// - It has no claim that only other tokens have (such as `at_hash` or `events`), and no `typ` or
///   `token_use` of another kind.
/// - It has no `crit`. Keys or links to keys in its header (`jwk`, `jku`, `x5c`, `x5u`) are ignored.
/// - Its `alg` is RS256, PS256, ES256, ES384 or EdDSA, and one of the provider's keys with its `kid` (any key if it has none) is of
///   the type that `alg` needs and verifies the signature.
/// - Its `iss` is exactly the issuer; `exp` is present and in the future; `nbf` and `iat`, if present,
///   are not. The leeway is 30 seconds by default.
/// - It meets the [`Requirements`], and is not bound to a key (`cnf`, RFC 7800).
///
/// A check that needs no fetch, and does not try several keys, completes in [`verify_now`](TokenVerifier::verify_now).
///
/// ```
/// use portreeve::identity::{JwtVerifier, OpenIdProvider, ProviderClient, Requirements};
/// use portreeve::outbound::PlainHttp;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let client = ProviderClient::with_system_roots([])?;
/// let issuer = "https://id.example.org/realms/office";
/// let provider = OpenIdProvider::new(issuer, PlainHttp::Loopback, client)?;
/// let requirements = Requirements::for_audience("portreeve");
/// let verifier = JwtVerifier::new(provider, requirements)?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct JwtVerifier {
    provider: OpenIdProvider,
    requirements: Requirements,
}

impl JwtVerifier {
    /// A verifier of the provider's tokens that meet `requirements`.
    ///
    /// # Errors
    /// `requirements` name neither an audience nor a client: tokens of the issuer for other services would be accepted.
    pub fn new(
        provider: OpenIdProvider,
        requirements: Requirements,
    ) -> Result<Self, VerifierBuildError> {
        requirements.check_recipient()?;
        Ok(Self { provider, requirements })
    }

    /// The provider whose tokens are accepted.
    pub fn provider(&self) -> &OpenIdProvider {
        &self.provider
    }

    /// Makes all checks of `token` that need no key. `room` takes what the result refers to.
    pub(super) fn read<'a>(
        &self,
        token: &'a BearerToken,
        room: &'a mut Vec<u8>,
    ) -> Result<Jwt<'a>, TokenRefusal> {
        Jwt::read(token, room, self.provider.issuer(), &self.requirements)
    }

    /// Whether `token`, which was refused, is a JWT that claims this issuer.
    pub(super) fn fits(&self, token: &BearerToken) -> bool {
        issuer_of(token).is_some_and(|issuer| *issuer == *self.provider.issuer())
    }

    /// Makes the other checks. Each call begins anew; a fetch that one begins goes on, and is what the next waits for.
    pub(super) async fn check(&self, jwt: &Jwt<'_>) -> Checked {
        let (issuer, known) = (self.provider.issuer(), self.provider.known().await);
        let known = known.map_err(VerifyError::unavailable)?;
        match jwt.check_signature(&known.keys).await {
            Ok(()) => {}
            Err(refusal) if refusal.reason == RefusalReason::Key => {
                // The provider may have new keys.
                let newer = self.provider.newer_than(&known).await;
                let newer = newer.map_err(VerifyError::unavailable)?;
                let newer = newer.ok_or_else(|| refused(refusal))?;
                jwt.check_signature(&newer.keys).await.map_err(refused)?;
            }
            Err(refusal) => return Err(refused(refusal)),
        }
        let caller = self.requirements.caller(&jwt.claims, issuer);
        Ok(caller.map_err(refused)?.with_expiry(jwt.expires_at))
    }
}

impl TokenVerifier for JwtVerifier {
    async fn verify(&self, token: &BearerToken, _: &Parts) -> Checked {
        let mut room = Vec::new();
        let jwt = self.read(token, &mut room).map_err(refused)?;
        self.check(&jwt).await
    }

    fn verify_now(&self, token: &BearerToken, head: &Parts) -> Option<Checked> {
        self.verify(token, head).now_or_never()
    }
}
