//! An OpenID provider: its discovery document and its keys.

use std::sync::Arc;
use std::time::{Duration, Instant};

use arc_swap::ArcSwapOption;
use parking_lot::Mutex;
use serde::Deserialize;
use tracing::{debug, warn};

use super::key_set::KeySet;
use super::{FetchError, ProviderClient};
use crate::opaque::opaque_debug;
use crate::outbound::{Flight, HttpUrl, HttpUrlError, PlainHttp, SingleFlight};

/// An OpenID provider, identified by its issuer (OpenID Connect Discovery 1.0).
///
/// Its document and keys are fetched when first needed, and again in the background after an hour; an
/// unknown key causes another fetch, at most every 10 seconds. If the provider does not answer, keys
/// stay in use until they are 24 hours old, and fetching is retried at most every 5 seconds. Only one
/// fetch is in flight at a time, however many requests wait for it. Cheap to clone.
///
/// ```
/// use portreeve::identity::{OpenIdProvider, ProviderClient};
/// use portreeve::outbound::PlainHttp;
///
/// # async fn doc() -> Result<(), Box<dyn std::error::Error>> {
/// let client = ProviderClient::with_system_roots([])?;
/// let issuer = "https://id.example.org/realms/office";
/// let provider = OpenIdProvider::new(issuer, PlainHttp::Loopback, client)?;
/// let discovered = provider.discover().await?;
/// println!("{} keys at {}", discovered.keys, discovered.jwks_url);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct OpenIdProvider(Arc<Inner>);

struct Inner {
    issuer: Box<str>,
    discovery: HttpUrl,
    plain_http: PlainHttp,
    client: ProviderClient,
    schedule: Schedule,
    known: ArcSwapOption<Snapshot>,
    failed: Mutex<Option<(Instant, Arc<FetchError>)>>,
    flights: SingleFlight<(), Fetched>,
    /// When an unknown key may cause a fetch again.
    refetch_after: Mutex<Option<Instant>>,
}

/// When an [`OpenIdProvider`] fetches its document and keys again.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Schedule {
    /// The age at which keys are fetched again, in the background.
    pub refresh: Duration,
    /// The age at which keys are no longer trusted.
    pub keep: Duration,
    /// The minimum time between two fetches caused by unknown keys.
    pub unknown_key: Duration,
    /// The minimum time between a failed fetch and the next.
    pub retry: Duration,
}

// === impl Schedule ===

impl Default for Schedule {
    fn default() -> Self {
        Self {
            refresh: Duration::from_secs(60 * 60),
            keep: Duration::from_secs(24 * 60 * 60),
            unknown_key: Duration::from_secs(10),
            retry: Duration::from_secs(5),
        }
    }
}

/// The document and keys of a provider, as of `fetched`.
pub(super) struct Snapshot {
    pub(super) keys: KeySet,
    pub(super) jwks_url: HttpUrl,
    pub(super) introspection_url: Option<HttpUrl>,
    login: Option<LoginEndpoints>,
    fetched: Instant,
}

/// Where a browser logs in (RFC 6749, section 3).
#[derive(Clone, Debug)]
pub(crate) struct LoginEndpoints {
    pub(crate) authorization: HttpUrl,
    pub(crate) token: HttpUrl,
}

type Fetched = Result<Arc<Snapshot>, Arc<FetchError>>;

// === impl OpenIdProvider ===

impl OpenIdProvider {
    /// The provider whose tokens have exactly the `iss` claim `issuer`; nothing is fetched yet.
    ///
    /// # Errors
    /// `issuer` is not a URL that may be called (see [`discovery_url`]).
    pub fn new(
        issuer: &str,
        plain_http: PlainHttp,
        client: ProviderClient,
    ) -> Result<Self, HttpUrlError> {
        Self::with_schedule(issuer, plain_http, client, Schedule::default())
    }

    /// The same with another schedule.
    ///
    /// # Errors
    /// As for [`new`](Self::new).
    pub fn with_schedule(
        issuer: &str,
        plain_http: PlainHttp,
        client: ProviderClient,
        schedule: Schedule,
    ) -> Result<Self, HttpUrlError> {
        Ok(Self(Arc::new(Inner {
            issuer: issuer.into(),
            discovery: discovery_url(issuer, plain_http)?,
            plain_http,
            client,
            schedule,
            known: ArcSwapOption::empty(),
            failed: Mutex::default(),
            flights: SingleFlight::new(),
            refetch_after: Mutex::default(),
        })))
    }

    /// The `iss` claim of its tokens.
    pub fn issuer(&self) -> &str {
        &self.0.issuer
    }

    pub(crate) fn origin(&self) -> String {
        self.0.discovery.origin()
    }

    /// Where a browser logs in; `None` if that is not known, or not to be called.
    pub(crate) async fn login_endpoints(&self) -> Option<LoginEndpoints> {
        self.known().await.ok()?.login.clone()
    }

    /// Fetches the document and the keys now, even if they are known, and describes them.
    ///
    /// # Errors
    /// The provider cannot be reached, gives an unusable answer, or names another issuer.
    pub async fn discover(&self) -> Result<Discovered, Arc<FetchError>> {
        let known = self.fetch().await?;
        Ok(Discovered {
            keys: known.keys.len(),
            jwks_url: known.jwks_url.clone(),
            introspection_url: known.introspection_url.clone(),
        })
    }

    /// The known keys, if they are recent enough, else new ones. If a refresh is due it is started, but not awaited.
    pub(super) async fn known(&self) -> Fetched {
        let Schedule { refresh, keep, .. } = self.0.schedule;
        if let Some(known) = self.0.known.load_full() {
            let age = known.fetched.elapsed();
            if age >= refresh && self.recent_failure().is_none() {
                drop(self.flight());
            }
            if age < keep {
                return Ok(known);
            }
        }
        match self.recent_failure() {
            Some(failure) => Err(failure),
            None => self.fetch().await,
        }
    }

    /// Keys newer than `stale`, which lacks a token's key; `None` if the last fetch for such a key is too recent.
    pub(super) async fn newer_than(
        &self,
        stale: &Arc<Snapshot>,
    ) -> Result<Option<Arc<Snapshot>>, Arc<FetchError>> {
        let inner = &self.0;
        let known = inner.known.load_full();
        if let Some(known) = known.filter(|known| !Arc::ptr_eq(known, stale)) {
            return Ok(Some(known));
        }
        if let Some(flight) = inner.flights.in_flight(&()) {
            return settled(flight.await).map(Some);
        }
        if let Some(failure) = self.recent_failure() {
            return Err(failure);
        }
        {
            let mut after = inner.refetch_after.lock();
            let now = Instant::now();
            if after.is_some_and(|after| now < after) {
                return Ok(None);
            }
            *after = Some(now + inner.schedule.unknown_key);
        }
        self.fetch().await.map(Some)
    }

    async fn fetch(&self) -> Fetched {
        settled(self.flight().await)
    }

    fn flight(&self) -> Flight<Fetched> {
        let inner = self.0.clone();
        self.0.flights.join((), || async move { inner.refresh().await })
    }

    fn recent_failure(&self) -> Option<Arc<FetchError>> {
        let failed = self.0.failed.lock();
        let (at, error) = failed.as_ref()?;
        (at.elapsed() < self.0.schedule.retry).then(|| error.clone())
    }
}

// === impl Inner ===

impl Inner {
    async fn refresh(&self) -> Fetched {
        let fetched = self.ask().await.map(Arc::new).map_err(Arc::new);
        let mut failed = self.failed.lock();
        match &fetched {
            Ok(known) => {
                let (issuer, keys) = (&self.issuer, known.keys.len());
                debug!(issuer, keys, "fetched the keys of the identity provider");
                *failed = None;
                self.known.store(Some(known.clone()));
            }
            Err(error) => {
                warn!(%error, "the previous keys, if any, stay in use until they are too old");
                *failed = Some((Instant::now(), error.clone()));
            }
        }
        fetched
    }

    async fn ask(&self) -> Result<Snapshot, FetchError> {
        let answer = self.client.send(&self.discovery, None).await?;
        let wrong =
            |what: String| FetchError::Answer(Box::new(self.discovery.clone()), what.into());
        let document: Document = serde_json::from_slice(&answer)
            .map_err(|error| wrong(format!("it is not a discovery document: {error}")))?;
        // OpenID Connect Discovery 1.0, section 4.3: without this check another provider could impersonate this one.
        if *document.issuer != *self.issuer {
            return Err(wrong(format!(
                "it is the document of the issuer {:?}, not of {:?}; the setting must be exactly \
                 the issuer, including a `/` at the end",
                document.issuer, self.issuer
            )));
        }
        let url = |name: &str, text: &str| {
            HttpUrl::endpoint(text, self.plain_http)
                .map_err(|error| wrong(format!("its {name} cannot be called: {error}")))
        };
        let jwks_url = url("jwks_uri", &document.jwks_uri)?;
        let introspection_url = document
            .introspection_endpoint
            .map(|text| url("introspection_endpoint", &text))
            .transpose()?;
        // Tokens can be verified without them.
        let login = document.authorization_endpoint.zip(document.token_endpoint);
        let login = login.and_then(|(authorization, token)| {
            let authorization = url("authorization_endpoint", &authorization).ok()?;
            Some(LoginEndpoints { authorization, token: url("token_endpoint", &token).ok()? })
        });
        let answer = self.client.send(&jwks_url, None).await?;
        let keys = KeySet::parse(&answer)
            .map_err(|error| FetchError::Answer(Box::new(jwks_url.clone()), error.into()))?;
        Ok(Snapshot { keys, jwks_url, introspection_url, login, fetched: Instant::now() })
    }
}

opaque_debug!(OpenIdProvider, |it| it.0.issuer);

/// The result of discovery.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Discovered {
    /// The number of its keys that can check signatures.
    pub keys: usize,
    /// The address of its keys.
    pub jwks_url: HttpUrl,
    /// The address of its introspection endpoint, if it has one (RFC 7662).
    pub introspection_url: Option<HttpUrl>,
}

#[derive(Deserialize)]
struct Document {
    issuer: Box<str>,
    jwks_uri: Box<str>,
    introspection_endpoint: Option<Box<str>>,
    authorization_endpoint: Option<Box<str>>,
    token_endpoint: Option<Box<str>>,
}

/// The address of the discovery document of `issuer`, which has no query (OpenID Connect Discovery 1.0, section 4.1). A
/// trailing `/` is removed first.
///
/// # Errors
/// `issuer` is not a URL that may be called.
pub fn discovery_url(issuer: &str, plain_http: PlainHttp) -> Result<HttpUrl, HttpUrlError> {
    if issuer.contains('?') {
        return Err(HttpUrlError::Query);
    }
    let base = issuer.strip_suffix('/').unwrap_or(issuer);
    let url = format!("{base}/.well-known/openid-configuration");
    HttpUrl::endpoint(&url, plain_http)
}

fn settled(fetched: Option<Fetched>) -> Fetched {
    fetched.unwrap_or_else(|| Err(Arc::new(FetchError::Aborted)))
}
