//! Token introspection at the identity provider (RFC 7662).

use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use http::HeaderValue;
use http::request::Parts;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use quick_cache::sync::Cache;
use secrecy::{ExposeSecret as _, SecretString};
use zeroize::Zeroizing;

use super::check_limits::{CheckLimits, WAITING};
use super::digest::TokenDigest;
use super::json_object::{Json, JsonObject};
use super::purpose;
use super::refusal::{RefusalReason, TokenRefusal, other_issuer, refusal, shown};
use super::verifier::{Checked, refused};
use super::{
    BearerToken, Caller, FetchError, OpenIdProvider, ProviderClient, Requirements, TokenVerifier,
    VerifierBuildError, VerifyError,
};
use crate::headers;
use crate::opaque::opaque_debug;
use crate::outbound::{HttpUrl, SingleFlight};

/// The characters that are percent-encoded in a form. A space becomes `%20`, which is equivalent to `+`.
const FORM_VALUE: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'*');

/// How long it is cached that a token is not active.
const INACTIVE_TTL: Duration = Duration::from_secs(2);
const MAX_INACTIVE: usize = 1024;

/// Accepts tokens that are active according to an introspection endpoint.
///
/// Concurrent checks of the same token share one call. An answer that a token is not active is cached for 2 seconds;
/// failed calls are not cached. A token is sent only to the endpoint, in the body of the call.
///
/// At most 256 requests wait for the check of tokens that were not found active before ([`waiting`](Self::waiting)), and at
/// most 128 calls about such tokens are in flight or queued; beyond that the result is [`VerifyError::Overloaded`] at once.
///
/// ```
/// use portreeve::identity::{
///     ClientCredentials, IntrospectionEndpoint, IntrospectionVerifier, ProviderClient, Requirements,
/// };
/// use portreeve::outbound::{HttpUrl, PlainHttp};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let endpoint = HttpUrl::endpoint("https://id.example.org/introspect", PlainHttp::Loopback)?;
/// let credentials = ClientCredentials { id: "gateway".into(), secret: "client secret".into() };
/// let cloud: HttpUrl = "https://cloud.example.org".parse()?;
/// let verifier = IntrospectionVerifier::new(
///     ProviderClient::with_system_roots([])?,
///     IntrospectionEndpoint::Url(endpoint),
///     &credentials,
///     // No token is ever sent there.
///     [cloud],
///     Requirements::for_audience("portreeve"),
/// )?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct IntrospectionVerifier(Arc<Inner>);

struct Inner {
    client: ProviderClient,
    endpoint: IntrospectionEndpoint,
    never: Vec<HttpUrl>,
    authorization: HeaderValue,
    /// The issuer of persons if an answer has no `iss`.
    issuer: Arc<str>,
    /// Whether tokens of other issuers are refused.
    is_only_issuer: bool,
    requirements: Requirements,
    flights: SingleFlight<TokenDigest, Introspected>,
    inactive: Cache<TokenDigest, Instant>,
    limits: CheckLimits,
}

type Introspected = Result<Result<Caller, TokenRefusal>, Arc<FetchError>>;

/// The address of the introspection endpoint.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum IntrospectionEndpoint {
    /// This one.
    Url(HttpUrl),
    /// The one in the provider's discovery document.
    Discovered(OpenIdProvider),
}

/// The gateway's credentials at the identity provider (RFC 6749, section 2.3.1).
#[derive(Clone, Debug)]
pub struct ClientCredentials {
    /// The client id.
    pub id: Box<str>,
    /// The client secret.
    pub secret: SecretString,
}

// === impl IntrospectionVerifier ===

impl IntrospectionVerifier {
    /// A verifier that calls `endpoint` as the client `credentials`, and never sends a token to the
    /// servers `never`, which should include the groupware server's origins.
    ///
    /// # Errors
    /// `requirements` name neither an audience nor a client: the endpoint reports the tokens of every
    /// service as active. Or `endpoint` is an address on one of `never`, in any spelling. A discovered
    /// endpoint is compared with `never` before each call instead.
    pub fn new(
        client: ProviderClient,
        endpoint: IntrospectionEndpoint,
        credentials: &ClientCredentials,
        never: impl IntoIterator<Item = HttpUrl>,
        requirements: Requirements,
    ) -> Result<Self, VerifierBuildError> {
        requirements.check_recipient()?;
        let never: Vec<_> = never.into_iter().collect();
        let (issuer, is_only_issuer) = match &endpoint {
            IntrospectionEndpoint::Url(url) => {
                check_destination(url, &never)?;
                (url.origin().into(), false)
            }
            IntrospectionEndpoint::Discovered(provider) => (provider.issuer().into(), true),
        };
        Ok(Self(Arc::new(Inner {
            client,
            endpoint,
            never,
            authorization: basic(credentials),
            issuer,
            is_only_issuer,
            requirements,
            flights: SingleFlight::new(),
            inactive: Cache::new(MAX_INACTIVE),
            limits: CheckLimits::new(WAITING),
        })))
    }

    /// Sets the issuer: of persons if an answer has no `iss`, and the only one whose tokens are accepted
    /// otherwise. By default it is the provider whose discovery document names the endpoint. Without
    /// either, tokens of any issuer are accepted, and the origin of the endpoint's address names it.
    ///
    /// # Panics
    /// If the verifier was cloned already.
    #[must_use]
    pub fn issuer(mut self, issuer: impl Into<Arc<str>>) -> Self {
        let inner = Arc::get_mut(&mut self.0).expect("a verifier that is not shared yet");
        inner.issuer = issuer.into();
        inner.is_only_issuer = true;
        self
    }

    /// Sets how many requests may wait for the check of an unknown token. It should be a fraction of
    /// those that the gateway serves at once, so that random tokens cannot crowd out known callers.
    ///
    /// # Panics
    /// If the verifier was cloned already.
    #[must_use]
    pub fn waiting(mut self, requests: usize) -> Self {
        let inner = Arc::get_mut(&mut self.0).expect("a verifier that is not shared yet");
        inner.limits = CheckLimits::new(requests);
        self
    }

    pub(super) async fn check(&self, token: &BearerToken, digest: TokenDigest) -> Checked {
        let inner = &self.0;
        let is_recent = |at: Instant| at.elapsed() < INACTIVE_TTL;
        if inner.inactive.get(&digest).is_some_and(is_recent) {
            return Err(refused(RefusalReason::Inactive));
        }
        let lane = inner.limits.lane(&digest);
        let _waiting = lane.wait()?;
        let answer = match inner.flights.in_flight(&digest) {
            Some(answer) => answer,
            None => {
                // The call outlives the request that started it, since others may wait for it.
                let (asking, token) = (inner.clone(), token.clone());
                let call = lane.queue(async move {
                    let answer = asking.ask(&token).await;
                    if let Ok(result) = &answer {
                        asking.limits.note(digest, result.is_ok());
                    }
                    if matches!(&answer, Ok(Err(it)) if it.reason == RefusalReason::Inactive) {
                        asking.inactive.insert(digest, Instant::now());
                    }
                    answer.map_err(Arc::new)
                })?;
                inner.flights.join(digest, || call)
            }
        };
        let answer = answer.await.unwrap_or_else(|| Err(Arc::new(FetchError::Aborted)));
        answer.map_err(VerifyError::unavailable)?.map_err(refused)
    }
}

/// Checks that tokens may be sent to `url`.
///
/// # Errors
/// It is on one of the servers `never`, in any spelling ([`HttpUrl::is_same_server`]).
pub fn check_destination<'a>(
    url: &HttpUrl,
    never: impl IntoIterator<Item = &'a HttpUrl>,
) -> Result<(), VerifierBuildError> {
    if never.into_iter().any(|never| never.is_same_server(url)) {
        return Err(VerifierBuildError::TokenWouldLeak(url.clone()));
    }
    Ok(())
}

impl TokenVerifier for IntrospectionVerifier {
    async fn verify(&self, token: &BearerToken, _: &Parts) -> Checked {
        self.check(token, TokenDigest::of(token)).await
    }
}

// === impl Inner ===

impl Inner {
    async fn ask(&self, token: &BearerToken) -> Result<Result<Caller, TokenRefusal>, FetchError> {
        let url = match &self.endpoint {
            IntrospectionEndpoint::Url(url) => url.clone(),
            IntrospectionEndpoint::Discovered(provider) => self.discovered(provider).await?,
        };
        // Allocated once: a growing string would leave copies of the token behind.
        let room = 3 * token.expose().len() + 64;
        let mut form = Zeroizing::new(String::with_capacity(room));
        form.push_str("token=");
        form.extend(utf8_percent_encode(token.expose(), FORM_VALUE));
        form.push_str("&token_type_hint=access_token");
        let post = (self.authorization.clone(), Bytes::from_owner(form));
        let body = self.client.send(&url, Some(post)).await?;
        let wrong = |what: &str| FetchError::Answer(Box::new(url.clone()), what.into());
        let answer = JsonObject::parse(&body)
            .ok_or_else(|| wrong("it is not a JSON object whose members are given once"))?;
        match answer.member("active") {
            Some(Json::Bool(true)) => Ok(self.caller(&answer)),
            Some(Json::Bool(false)) => Ok(Err(RefusalReason::Inactive.into())),
            _ => Err(wrong("it has no member `active` that is true or false")),
        }
    }

    async fn discovered(&self, provider: &OpenIdProvider) -> Result<HttpUrl, FetchError> {
        let known = provider.known().await.map_err(FetchError::Discovery)?;
        let named = known.introspection_url.clone();
        let url = named.ok_or_else(|| FetchError::NoIntrospection(provider.issuer().into()))?;
        check_destination(&url, &self.never)?;
        Ok(url)
    }

    fn caller(&self, answer: &JsonObject) -> Result<Caller, TokenRefusal> {
        // Other types, such as `DPoP` and `N_A`, are not bearer tokens (RFC 9449, RFC 8693).
        if let Some(name) = answer.text("token_type")?
            && !is_bearer_type(name)
        {
            let clause = format_args!("its `token_type` is {}, not Bearer", shown(name));
            return Err(refusal(RefusalReason::BoundToKey, clause));
        }
        purpose::check_kind(answer)?;
        let expires_at = self.requirements.check_times(answer)?;
        let issuer = answer.text("iss")?.unwrap_or(&self.issuer);
        if self.is_only_issuer && *issuer != *self.issuer {
            return Err(other_issuer(Some(issuer), &self.issuer));
        }
        Ok(self.requirements.caller(answer, issuer)?.with_expiry(expires_at))
    }
}

opaque_debug!(IntrospectionVerifier);

/// Whether the type is that of a bearer token. Some providers write `access_token` instead of the type of
/// RFC 6749, section 7.1, that RFC 7662, section 2.2, requires.
fn is_bearer_type(name: &str) -> bool {
    ["Bearer", "access_token"].iter().any(|fits| name.eq_ignore_ascii_case(fits))
}

fn basic(credentials: &ClientCredentials) -> HeaderValue {
    let id = utf8_percent_encode(&credentials.id, FORM_VALUE).to_string();
    let secret = utf8_percent_encode(credentials.secret.expose_secret(), FORM_VALUE);
    let field = headers::basic(&id, &Zeroizing::new(secret.to_string()));
    let mut value = HeaderValue::from_bytes(&field).expect("base64 fits into a header");
    value.set_sensitive(true);
    value
}
