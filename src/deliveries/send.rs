//! One attempt to deliver.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use bytes::Bytes;
use futures_util::future::{BoxFuture, FutureExt as _};
use http::header::{ACCEPT_ENCODING, CONTENT_TYPE, HOST, USER_AGENT};
use http::{HeaderMap, HeaderValue, Request, StatusCode};
use http_body_util::Full;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::client::legacy::connect::dns::Name;
use parking_lot::Mutex;
use rustls::ClientConfig;
use rustls::pki_types::ServerName;
use tokio_rustls::TlsConnector;
use tower::Service as _;

use super::connection::{Connection, IdleConnections, Stream};
use super::destination::{Destination, DestinationError};
use super::networks::{Networks, Permission};
use super::place;
use super::queue::Places;
use crate::groupware::WebhookSecret;
use crate::groupware::standard_webhooks::{ID, SIGNATURE, TIMESTAMP};
use crate::headers::retry_after;
use crate::labels::labels;
use crate::opaque::opaque_debug;
use crate::outbound::{AGENT, Resolver};
use crate::tls;

/// Timeout of an attempt: looking the name up, connecting, sending and the answer.
pub const ATTEMPT_TIMEOUT: Duration = Duration::from_secs(15);
/// Threads that look names up, of 512: for targets that are made, and for attempts. Each target that fails has one attempt.
const THREADS: [usize; 2] = [32, 256];

/// Makes attempts.
///
/// The name of the host is looked up for each connection, every address that it has is judged by [`Networks`], and one of
/// those that were judged is dialled. A connection is kept for the next attempt of the same account while it is idle for
/// less than a second, and for ten seconds at most. Redirects are not followed, proxies in the environment not used; an attempt
/// takes 15 seconds, and 16 KiB of the answer are read.
#[derive(Clone)]
pub struct Sender {
    tls: TlsConnector,
    /// For [`check`](Self::check): whoever makes targets holds up no attempt.
    check: Arc<Resolve>,
    resolve: Arc<Resolve>,
    networks: Networks,
    timeout: Duration,
    pub(super) places: Arc<Mutex<Places>>,
    kept: Arc<Mutex<IdleConnections>>,
}

type Resolve = dyn Fn(&str, Name) -> BoxFuture<'static, io::Result<Vec<IpAddr>>> + Send + Sync;

/// What is delivered.
#[derive(Clone, Copy, Debug)]
pub struct Message<'m> {
    /// For which it counts: the target's, or its maker's if it is one of all accounts.
    pub account: &'m str,
    /// The same at each attempt.
    pub id: &'m str,
    /// The same at each attempt.
    pub body: &'m Bytes,
    /// It is signed with each of them.
    pub secrets: &'m [WebhookSecret],
    /// What it has besides the header fields of every delivery.
    pub headers: &'m HeaderMap,
}

/// How an attempt ended, and what the target says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AttemptResult {
    /// The category.
    pub outcome: AttemptOutcome,
    /// The status of the answer, if there was one.
    pub status: Option<StatusCode>,
    /// When the target wants the next attempt, if it says so.
    pub retry_after: Option<Duration>,
}

labels! {
    /// The category of an attempt's end.
    pub enum AttemptOutcome {
        /// 2xx.
        Delivered = "delivered",
        /// 410: the target wants no more deliveries.
        Gone = "gone",
        /// 3xx, which is not followed.
        Redirected = "redirected",
        /// Any other status.
        Rejected = "rejected",
        /// It took too long.
        TimedOut = "timed_out",
        /// The name of the host has no address.
        Unresolved = "unresolved",
        /// An address of the host is one that deliveries may not go to, or that needs https.
        Forbidden = "forbidden",
        /// No connection could be made.
        Unreachable = "unreachable",
        /// No TLS connection could be made, often because of the certificate.
        Tls = "tls",
        /// The connection ended before an answer, or the answer was not HTTP.
        Broken = "broken",
        /// The receipt or its target does not open with the keys at hand.
        Unopened = "unopened",
    }
}

// === impl Sender ===

impl Sender {
    /// A sender with the trust anchors of `tls`, whose application protocols (ALPN) are replaced.
    pub fn new(networks: Networks, mut tls: ClientConfig) -> Self {
        tls.alpn_protocols = vec![b"http/1.1".to_vec()];
        let [check, resolve] = THREADS.map(|threads| {
            let resolver = Resolver::new(threads);
            move |account: &str, name| {
                let found = resolver.clone().look_up(Some(account), name);
                found.map(|it| Ok(it?.map(|it| it.ip()).collect())).boxed()
            }
        });
        Self {
            tls: TlsConnector::from(Arc::new(tls)),
            check: Arc::new(check),
            resolve: Arc::new(resolve),
            networks,
            timeout: ATTEMPT_TIMEOUT,
            places: place::all(),
            kept: Arc::default(),
        }
    }

    /// A sender that trusts the system's certificate authorities, or Mozilla's if the system has none.
    pub fn with_system_roots(networks: Networks) -> Self {
        let tls = tls::config(tls::trusted_roots(), []);
        Self::new(networks, tls.expect("no certificate is added to them"))
    }

    /// Looks names up with `resolve` in place of the system's resolver.
    pub fn resolver<R>(self, resolve: impl Fn(Name) -> R + Send + Sync + 'static) -> Self
    where
        R: Future<Output = io::Result<Vec<IpAddr>>> + Send + 'static,
    {
        let resolve: Arc<Resolve> = Arc::new(move |_, name| resolve(name).boxed());
        Self { check: resolve.clone(), resolve, ..self }
    }

    /// The timeout of an attempt, in place of 15 seconds. A lease of the queue has to be longer.
    pub fn timeout(self, timeout: Duration) -> Self {
        Self { timeout, ..self }
    }

    /// Whether deliveries of `account` may go to `destination`, as far as its name has the same addresses later.
    ///
    /// # Errors
    /// They may not.
    pub async fn check(
        &self,
        account: &str,
        destination: &Destination,
    ) -> Result<(), DestinationError> {
        let addresses = self.addresses(&*self.check, account, destination);
        let judged = tokio::time::timeout(self.timeout, addresses).await;
        match judged {
            Ok(Ok(_)) => Ok(()),
            Ok(Err((_, error))) => Err(error),
            Err(_) => Err(DestinationError::NoAddress),
        }
    }

    /// Makes one attempt.
    pub async fn send(&self, destination: &Destination, message: Message<'_>) -> AttemptResult {
        let mut answered = None;
        let attempt = self.attempt(destination, message, &mut answered);
        let ended = tokio::time::timeout(self.timeout, attempt).await;
        answered.unwrap_or_else(|| match ended {
            Ok(Err(outcome)) => outcome.into(),
            Ok(Ok(())) => AttemptOutcome::Broken.into(),
            Err(_) => AttemptOutcome::TimedOut.into(),
        })
    }

    async fn attempt(
        &self,
        destination: &Destination,
        message: Message<'_>,
        answered: &mut Option<AttemptResult>,
    ) -> Result<(), AttemptOutcome> {
        let request = || request(destination, message).ok_or(AttemptOutcome::Broken);
        let key = (message.account.into(), destination.origin());
        if let Some(mut connection) = IdleConnections::take(&self.kept, &key) {
            // If it ends without an answer, the target had probably closed it before.
            if connection.exchange(request()?, answered).await.is_ok() {
                IdleConnections::keep(&self.kept, key, connection);
                return Ok(());
            }
            if answered.is_some() {
                return Ok(());
            }
        }
        let judged_at = Instant::now();
        let addresses = self.addresses(&*self.resolve, message.account, destination).await;
        let addresses = addresses.map_err(|(outcome, _)| outcome)?;
        let tcp = self.dial(destination, addresses).await?;
        let stream: Box<dyn Stream> = if destination.url().is_https() {
            let name = destination.url().server_name();
            let name = ServerName::try_from(name).map_err(|_| AttemptOutcome::Tls)?;
            let tls = self.tls.connect(name, tcp).await;
            Box::new(tls.map_err(|_| AttemptOutcome::Tls)?)
        } else {
            Box::new(tcp)
        };
        let connected = Connection::handshake(stream, judged_at).await;
        let mut connection = connected.map_err(|_| AttemptOutcome::Broken)?;
        let exchanged = connection.exchange(request()?, answered).await;
        exchanged.map_err(|_| AttemptOutcome::Broken)?;
        IdleConnections::keep(&self.kept, key, connection);
        Ok(())
    }

    /// All addresses of the host, if deliveries may go to each of them; otherwise how an attempt ends, and what whoever
    /// makes a target is told.
    async fn addresses(
        &self,
        resolve: &Resolve,
        account: &str,
        destination: &Destination,
    ) -> Result<Vec<IpAddr>, (AttemptOutcome, DestinationError)> {
        let url = destination.url();
        let unresolved = (AttemptOutcome::Unresolved, DestinationError::NoAddress);
        let addresses = match url.address() {
            Some(address) => vec![address],
            None => {
                let name = url.server_name().parse();
                let name = name.map_err(|_| unresolved)?;
                resolve(account, name).await.map_err(|error| match error.kind() {
                    io::ErrorKind::WouldBlock => (AttemptOutcome::TimedOut, DestinationError::Busy),
                    _ => unresolved,
                })?
            }
        };
        if addresses.is_empty() {
            return Err(unresolved);
        }
        let judged: Vec<_> = addresses.iter().map(|it| self.networks.permission(*it)).collect();
        if judged.contains(&Permission::Refused) {
            return Err((AttemptOutcome::Forbidden, DestinationError::NoAddress));
        }
        if judged.contains(&Permission::Public) && !url.is_https() {
            return Err((AttemptOutcome::Forbidden, DestinationError::PlainHttp));
        }
        Ok(addresses)
    }

    /// Connects to the first of `addresses` that can be reached.
    async fn dial(
        &self,
        destination: &Destination,
        addresses: Vec<IpAddr>,
    ) -> Result<tokio::net::TcpStream, AttemptOutcome> {
        // The connector asks for no name but that of the host, and sets the port.
        let judged = addresses.into_iter().map(|address| SocketAddr::new(address, 0));
        let judged: Vec<_> = judged.collect();
        let judged = tower::service_fn(move |_: Name| {
            let judged = judged.clone();
            async { Ok::<_, io::Error>(judged.into_iter()) }
        });
        let mut connector = HttpConnector::new_with_resolver(judged);
        connector.enforce_http(false);
        connector.set_nodelay(true);
        connector.set_connect_timeout(Some(self.timeout));
        let connected = connector.call(destination.uri().clone()).await;
        Ok(connected.map_err(|_| AttemptOutcome::Unreachable)?.into_inner())
    }
}

opaque_debug!(Sender);

// === impl AttemptOutcome ===

impl AttemptOutcome {
    /// What the owner of the target is shown: they would learn which names exist in a private network.
    pub(crate) fn revealed(self) -> Self {
        match self {
            Self::Forbidden => Self::Unresolved,
            outcome => outcome,
        }
    }
}

// === impl AttemptResult ===

impl From<AttemptOutcome> for AttemptResult {
    fn from(outcome: AttemptOutcome) -> Self {
        Self { outcome, status: None, retry_after: None }
    }
}

fn request(destination: &Destination, message: Message<'_>) -> Option<Request<Full<Bytes>>> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).ok()?.as_secs();
    let signatures = message.secrets.iter();
    let signatures = signatures.map(|secret| secret.sign(message.id, now, message.body));
    let signatures = signatures.collect::<Vec<_>>().join(" ");
    let uri = destination.uri();
    let mut request =
        Request::post(uri.path_and_query()?.as_str()).body(Full::new(message.body.clone())).ok()?;
    let headers = request.headers_mut();
    headers.clone_from(message.headers);
    headers.insert(HOST, HeaderValue::from_str(uri.authority()?.as_str()).ok()?);
    headers.insert(USER_AGENT, AGENT);
    headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("identity"));
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(ID, HeaderValue::from_str(message.id).ok()?);
    headers.insert(TIMESTAMP, HeaderValue::from(now));
    headers.insert(SIGNATURE, HeaderValue::from_str(&signatures).ok()?);
    Some(request)
}

pub(super) fn interpret(status: StatusCode, headers: &HeaderMap) -> AttemptResult {
    let outcome = match status {
        StatusCode::GONE => AttemptOutcome::Gone,
        _ if status.is_success() => AttemptOutcome::Delivered,
        _ if status.is_redirection() => AttemptOutcome::Redirected,
        _ => AttemptOutcome::Rejected,
    };
    AttemptResult { outcome, status: Some(status), retry_after: retry_after(headers) }
}
