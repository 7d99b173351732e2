//! The HTTP client for identity providers.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderValue, USER_AGENT};
use http::{Method, Request, StatusCode};
use http_body_util::{BodyExt as _, Full, Limited};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use rustls::pki_types::CertificateDer;
use rustls::{ClientConfig, RootCertStore};
use tokio::sync::Semaphore;
use tokio::time::timeout;

use super::ProviderUrl;

/// Calls identity providers, for discovery, keys and introspection.
///
/// A call, body included, takes at most 10 seconds and 1 MiB, and at most 64 are under way at
/// once. Redirects are not followed: a token would go wherever they point. Cheap to clone; the
/// clones share their connections.
#[derive(Clone)]
pub struct ProviderClient {
    http: Client<HttpsConnector<HttpConnector>, Full<Bytes>>,
    slots: Arc<Semaphore>,
}

impl ProviderClient {
    /// A client that trusts what `tls` trusts; the application protocols (ALPN) are its own.
    pub fn new(mut tls: ClientConfig) -> Self {
        tls.alpn_protocols.clear();
        let mut tcp = HttpConnector::new();
        tcp.enforce_http(false);
        tcp.set_nodelay(true);
        tcp.set_connect_timeout(Some(CONNECT_TIMEOUT));
        let connector = HttpsConnectorBuilder::new()
            .with_tls_config(tls)
            .https_or_http()
            .enable_all_versions()
            .wrap_connector(tcp);
        Self {
            http: Client::builder(TokioExecutor::new())
                .pool_timer(TokioTimer::new())
                .pool_idle_timeout(IDLE_TIMEOUT)
                .build(connector),
            slots: Arc::new(Semaphore::new(MAX_CALLS)),
        }
    }

    /// A client that trusts the system's certificate authorities, those of Mozilla where the
    /// system has none, and `extra`.
    ///
    /// # Errors
    ///
    /// Where one of `extra` cannot be trusted: it is no certificate, or a broken one.
    pub fn with_system_roots(
        extra: impl IntoIterator<Item = CertificateDer<'static>>,
    ) -> Result<Self, rustls::Error> {
        let mut roots = RootCertStore::empty();
        roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
        if roots.is_empty() {
            roots.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned());
        }
        for certificate in extra {
            roots.add(certificate)?;
        }
        let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
        let tls = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()?
            .with_root_certificates(roots)
            .with_no_client_auth();
        Ok(Self::new(tls))
    }

    pub(super) async fn get(&self, url: &ProviderUrl) -> Result<Bytes, FetchError> {
        self.send(Method::GET, url, None, Bytes::new()).await
    }

    /// Posts a form with the credentials of the client.
    pub(super) async fn post_form(
        &self,
        url: &ProviderUrl,
        authorization: HeaderValue,
        form: Bytes,
    ) -> Result<Bytes, FetchError> {
        self.send(Method::POST, url, Some(authorization), form)
            .await
    }

    async fn send(
        &self,
        method: Method,
        url: &ProviderUrl,
        authorization: Option<HeaderValue>,
        body: Bytes,
    ) -> Result<Bytes, FetchError> {
        let error = |kind| FetchError {
            url: Some(url.clone()),
            kind,
        };
        let mut request = Request::new(Full::new(body));
        *request.uri_mut() = url.uri().clone();
        let headers = request.headers_mut();
        headers.insert(ACCEPT, JSON);
        headers.insert(USER_AGENT, AGENT);
        if method == Method::POST {
            headers.insert(CONTENT_TYPE, FORM);
        }
        if let Some(authorization) = authorization {
            headers.insert(AUTHORIZATION, authorization);
        }
        *request.method_mut() = method;

        let exchange = async {
            let _slot = self.slots.acquire().await.expect("never closed");
            let response = self
                .http
                .request(request)
                .await
                .map_err(|source| FetchErrorKind::Unreachable(Box::new(source)))?;
            if response.status() != StatusCode::OK {
                return Err(FetchErrorKind::Status(response.status()));
            }
            Limited::new(response.into_body(), MAX_BODY)
                .collect()
                .await
                .map(|body| body.to_bytes())
                .map_err(FetchErrorKind::Body)
        };
        match timeout(CALL_TIMEOUT, exchange).await {
            Ok(result) => result.map_err(error),
            Err(_) => Err(error(FetchErrorKind::TimedOut)),
        }
    }
}

impl fmt::Debug for ProviderClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ProviderClient")
    }
}

/// Why an identity provider could not be asked.
#[derive(Debug)]
pub struct FetchError {
    url: Option<ProviderUrl>,
    kind: FetchErrorKind,
}

#[derive(Debug)]
pub(super) enum FetchErrorKind {
    Unreachable(Box<dyn std::error::Error + Send + Sync>),
    Body(Box<dyn std::error::Error + Send + Sync>),
    TimedOut,
    Status(StatusCode),
    /// The answer was read and is not what it should be.
    Answer(Box<str>),
    BrokenOff,
}

impl FetchError {
    pub(super) fn answer(url: &ProviderUrl, what: impl Into<Box<str>>) -> Self {
        Self {
            url: Some(url.clone()),
            kind: FetchErrorKind::Answer(what.into()),
        }
    }

    /// The task that asked is gone.
    pub(super) fn broken_off() -> Self {
        Self {
            url: None,
            kind: FetchErrorKind::BrokenOff,
        }
    }

    /// The provider names no introspection endpoint, or one that must not have tokens.
    pub(super) fn no_endpoint(what: impl Into<Box<str>>) -> Self {
        Self {
            url: None,
            kind: FetchErrorKind::Answer(what.into()),
        }
    }
}

impl fmt::Display for FetchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { url, kind } = self;
        let url = fmt::from_fn(|f| url.as_ref().map_or(Ok(()), |url| url.fmt(f)));
        match kind {
            FetchErrorKind::Unreachable(cause) => {
                write!(f, "the identity provider cannot be reached at {url}")?;
                causes(&**cause, f)
            }
            FetchErrorKind::Body(cause) => {
                write!(
                    f,
                    "the answer of the identity provider at {url} cannot be read"
                )?;
                causes(&**cause, f)
            }
            FetchErrorKind::TimedOut => {
                let seconds = CALL_TIMEOUT.as_secs();
                write!(
                    f,
                    "the identity provider did not answer {url} within {seconds} seconds"
                )
            }
            FetchErrorKind::Status(status) if status.is_redirection() => write!(
                f,
                "the identity provider answered {url} with a redirect ({status}), which is not \
                 followed; give the address it leads to"
            ),
            FetchErrorKind::Status(status @ (StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN)) => {
                write!(
                    f,
                    "the identity provider answered {url} with {status}; check the client id and \
                     secret, and whether that client may do this"
                )
            }
            FetchErrorKind::Status(status) => {
                write!(f, "the identity provider answered {url} with {status}")
            }
            FetchErrorKind::Answer(what) if self.url.is_none() => f.write_str(what),
            FetchErrorKind::Answer(what) => write!(f, "the answer of {url} cannot be used: {what}"),
            FetchErrorKind::BrokenOff => f.write_str("asking the identity provider was broken off"),
        }
    }
}

impl std::error::Error for FetchError {}

/// The chain below an error, since the outermost one often says only that something failed.
fn causes(error: &dyn std::error::Error, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let mut cause = Some(error);
    while let Some(error) = cause {
        write!(f, ": {error}")?;
        cause = error.source();
    }
    Ok(())
}

const CALL_TIMEOUT: Duration = Duration::from_secs(10);
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
const IDLE_TIMEOUT: Duration = Duration::from_secs(30);
const MAX_BODY: usize = 1 << 20;
const MAX_CALLS: usize = 64;
const JSON: HeaderValue = HeaderValue::from_static("application/json");
const FORM: HeaderValue = HeaderValue::from_static("application/x-www-form-urlencoded");
const AGENT: HeaderValue =
    HeaderValue::from_static(concat!("portreeve/", env!("CARGO_PKG_VERSION")));
