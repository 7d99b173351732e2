//! The HTTP client for identity providers, and its errors.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::header::{
    ACCEPT, ACCEPT_ENCODING, AUTHORIZATION, CONTENT_ENCODING, CONTENT_TYPE, HeaderValue, USER_AGENT,
};
use http::{Method, Request, StatusCode};
use http_body_util::Full;
use hyper_rustls::HttpsConnector;
use parking_lot::Mutex;
use rustls::pki_types::CertificateDer;
use tokio::sync::Semaphore;
use tokio::time::timeout;

use super::VerifierBuildError;
use crate::causes::with_causes;
use crate::opaque::opaque_debug;
use crate::outbound::{self, AGENT, CallError, HttpUrl, Pool, TcpConnector};
use crate::tls;

/// Timeout of a call, including the body.
const CALL_TIMEOUT: Duration = Duration::from_secs(10);
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
const IDLE_TIMEOUT: Duration = Duration::from_secs(30);
const MAX_BODY: usize = 1 << 20;
const MAX_CALLS: usize = 64;
const JSON: HeaderValue = HeaderValue::from_static("application/json");
const FORM: HeaderValue = HeaderValue::from_static("application/x-www-form-urlencoded");

/// Calls identity providers, for discovery, keys and introspection.
///
/// A call takes at most 10 seconds and 1 MiB including the body, and at most 64 are in flight at once. Redirects are
/// not followed: a token would be sent wherever they point. Cheap to clone; clones share their connections.
///
/// ```
/// use portreeve::identity::ProviderClient;
/// use portreeve::outbound::certificates;
///
/// # fn client(pem: &[u8]) -> Result<ProviderClient, Box<dyn std::error::Error>> {
/// // Trusts a private authority in addition to those of the system.
/// let client = ProviderClient::with_system_roots(certificates(pem)?)?;
/// # Ok(client)
/// # }
/// ```
#[derive(Clone)]
pub struct ProviderClient {
    connector: HttpsConnector<TcpConnector>,
    /// By scheme, host and port: discovery, keys and introspection may be on different servers.
    pools: Arc<Mutex<HashMap<String, Arc<Pool>>>>,
    slots: Arc<Semaphore>,
}

/// Why a call to an identity provider failed. The text is for logs, and contains no token, secret or query.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FetchError {
    /// There was no connection, or it failed before an answer.
    #[error("the identity provider cannot be reached at {0}: {cause}", cause = with_causes(&**.1))]
    Unreachable(Box<HttpUrl>, Box<dyn Error + Send + Sync>),
    /// The answer broke off, or is too large.
    #[error("the answer of the identity provider at {0} cannot be read: {cause}", cause = with_causes(&**.1))]
    Body(Box<HttpUrl>, Box<dyn Error + Send + Sync>),
    /// There was no answer in time.
    #[error("the identity provider did not answer {0} within {seconds} seconds", seconds = .1.as_secs())]
    TimedOut(Box<HttpUrl>, Duration),
    /// It answered another status than 200.
    #[error("the identity provider answered {0} with {1}{hint}", hint = hint(*.1))]
    Status(Box<HttpUrl>, StatusCode),
    /// The answer was read, but is not usable.
    #[error("the answer of {0} cannot be used: {1}")]
    Answer(Box<HttpUrl>, Box<str>),
    /// The provider's configuration is not known.
    #[error("{0}")]
    Discovery(Arc<Self>),
    /// The provider's configuration names no introspection endpoint.
    #[error("the identity provider {0} names no introspection endpoint; give its address")]
    NoIntrospection(Box<str>),
    /// The introspection endpoint must not receive tokens.
    #[error(transparent)]
    TokenWouldLeak(#[from] VerifierBuildError),
    /// The task that made the call is gone.
    #[error("the call to the identity provider was aborted")]
    Aborted,
}

// === impl ProviderClient ===

impl ProviderClient {
    /// A client that trusts `extra` and the system's certificate authorities, or Mozilla's if the system has none.
    ///
    /// # Errors
    /// One of `extra` is not a valid certificate.
    pub fn with_system_roots(
        extra: impl IntoIterator<Item = CertificateDer<'static>>,
    ) -> Result<Self, rustls::Error> {
        let tls = tls::config(tls::trusted_roots(), extra)?;
        Ok(Self {
            connector: outbound::connector(tls, CONNECT_TIMEOUT, true),
            pools: Arc::default(),
            slots: Arc::new(Semaphore::new(MAX_CALLS)),
        })
    }

    /// Gets `url`, or posts a form to it with the client's credentials.
    pub(super) async fn send(
        &self,
        url: &HttpUrl,
        form: Option<(HeaderValue, Bytes)>,
    ) -> Result<Bytes, FetchError> {
        let complete = |begun: Request<()>| {
            let (authorization, body) = form.clone().unzip();
            let mut request = begun.map(|()| Full::new(body.unwrap_or_default()));
            if let Some(authorization) = authorization {
                *request.method_mut() = Method::POST;
                request.headers_mut().insert(CONTENT_TYPE, FORM);
                request.headers_mut().insert(AUTHORIZATION, authorization);
            }
            request
        };
        let at = || Box::new(url.clone());
        let exchange = async {
            let _slot = self.slots.acquire().await.expect("never closed");
            let found = self.pool(url);
            let pool = found.map_err(|error| FetchError::Unreachable(at(), error.into()))?;
            // Introspection by POST changes nothing, either.
            let may_repeat = true;
            let answer = pool.call(url.uri(), false, complete, may_repeat, MAX_BODY);
            match answer.await {
                Ok(response) if response.status() != StatusCode::OK => {
                    Err(FetchError::Status(at(), response.status()))
                }
                Ok(response) => match response.headers().get(CONTENT_ENCODING) {
                    Some(coding) if coding != "identity" => {
                        let fault = format!(
                            "it has the content coding {coding:?}, although identity was asked for"
                        );
                        Err(FetchError::Answer(at(), fault.into()))
                    }
                    _ => Ok(response.into_body()),
                },
                Err(CallError::Body(error)) => Err(FetchError::Body(at(), error.into())),
                Err(error) => Err(FetchError::Unreachable(at(), error.into())),
            }
        };
        timeout(CALL_TIMEOUT, exchange)
            .await
            .unwrap_or_else(|_| Err(FetchError::TimedOut(at(), CALL_TIMEOUT)))
    }

    fn pool(&self, url: &HttpUrl) -> Result<Arc<Pool>, http::Error> {
        let mut pools = self.pools.lock();
        Ok(match pools.entry(url.origin()) {
            Entry::Occupied(pool) => pool.get().clone(),
            Entry::Vacant(vacant) => {
                let fields = [
                    (ACCEPT, JSON),
                    (ACCEPT_ENCODING, HeaderValue::from_static("identity")),
                    (USER_AGENT, AGENT),
                ];
                let connector = self.connector.clone();
                let pool = Pool::new(connector, url.uri(), fields, IDLE_TIMEOUT)?;
                vacant.insert(Arc::new(pool)).clone()
            }
        })
    }
}

opaque_debug!(ProviderClient);

/// What to do about a status.
fn hint(status: StatusCode) -> &'static str {
    match status.as_u16() {
        300..=399 => ", a redirect, which is not followed; give the address it leads to",
        401 | 403 => "; check the client id and secret, and whether that client may do this",
        _ => "",
    }
}
