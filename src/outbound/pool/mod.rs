//! Connections to one server, kept for its next calls.
//!
//! A call drives its HTTP/1 connection itself, until it has read the whole answer, and then puts it
//! back. hyper-util's pool has a task for each connection, another one for each connection that goes
//! back, and finds connections by the name of the server: one server needs none of that, and it is a
//! fifth of what a call costs. Over HTTP/2 calls share a connection, which has a task.

mod http1;
mod http2;
mod idle;
mod unprocessed;
mod wake;

use std::error::Error as StdError;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use bytes::Bytes;
use http::header::HOST;
use http::{HeaderValue, Request, Response, Uri};
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::client::conn::TrySendError;
use hyper_rustls::HttpsConnector;
use hyper_util::client::legacy::connect::Connection as _;
use tokio::sync::Mutex as AsyncMutex;
use tokio::time::{sleep, timeout};
use tower::ServiceExt as _;
use tracing::debug;

use super::{ReadError, TcpConnector, read_body};
use http1::Http1;
use http2::{Permit, Shared};
use idle::Idle;
use unprocessed::Unprocessed;

/// Bytes of the largest head of an answer.
const MAX_HEAD: u32 = 64 * 1024;

/// Time to connect, or to wait for room, before the other is as good.
const PATIENCE: Duration = Duration::from_secs(1);

/// How often a call is made again that the server leaves out. A server that ends each connection after
/// some requests leaves out what else is in flight on it: until it is known after how many, a call may be left
/// out by several connections in turn.
const MAX_LEFT_OUT: u32 = 15;

/// How often a call is made again that is refused, or that a new connection did not send: the server
/// may be too busy as it is.
const MAX_REFUSED: u32 = 1;

/// The way to one server.
pub(crate) struct Pool {
    connector: HttpsConnector<TcpConnector>,
    server: Uri,
    host: HeaderValue,
    idle: Arc<Idle>,
    /// Those over HTTP/2.
    shared: Shared,
    /// Whether each call needs a connection of its own, as far as is known.
    is_http1: AtomicBool,
    /// Held by the one call that connects, unless each needs a connection of its own.
    connecting: AsyncMutex<()>,
}

/// Why a call got no whole answer.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CallError {
    /// There is no connection.
    #[error("no connection could be made")]
    Connect(#[source] Box<dyn StdError + Send + Sync>),
    /// A new connection ended before any of the request was sent.
    #[error(transparent)]
    Unsent(hyper::Error),
    /// The connection failed before the head of the answer.
    #[error(transparent)]
    Failed(hyper::Error),
    /// The answer was not read to its end.
    #[error(transparent)]
    Body(ReadError),
}

/// What became of a request.
enum Attempt {
    Ended(Result<Response<Bytes>, CallError>),
    /// The connection ended before any of it was sent.
    Unsent(hyper::Error),
}

// === impl Pool ===

impl Pool {
    /// Connects to the server of `uri` when a call needs it, and keeps connections that nobody uses
    /// for `idle_timeout`, and a few seconds more at most; over HTTP/2 until the next call.
    pub(crate) fn new(
        connector: HttpsConnector<TcpConnector>,
        uri: &Uri,
        idle_timeout: Duration,
    ) -> Result<Self, http::Error> {
        let authority = uri.authority().map_or("", |authority| authority.as_str());
        Ok(Self {
            connector,
            server: uri.clone(),
            host: HeaderValue::from_str(authority)?,
            idle: Idle::new(idle_timeout),
            shared: Shared::new(idle_timeout),
            // HTTP/2 is negotiated within TLS.
            is_http1: AtomicBool::new(uri.scheme_str() != Some("https")),
            connecting: AsyncMutex::default(),
        })
    }

    /// Makes one call, and reads the whole answer, at most `limit` bytes.
    ///
    /// `request` makes the request, with an absolute address. It is made again if it was provably not
    /// processed.
    ///
    /// # Errors
    /// There is no connection, or it fails, or the answer is longer.
    pub(crate) async fn call(
        &self,
        request: impl Fn() -> Request<Full<Bytes>>,
        limit: usize,
    ) -> Result<Response<Bytes>, CallError> {
        let (mut left_out, mut refused) = (0, 0);
        loop {
            let error = match self.attempt(&request, limit).await {
                Ok(answer) => return Ok(answer),
                Err(error) => error,
            };
            match Unprocessed::of(&error) {
                Some(Unprocessed::LeftOut) if left_out < MAX_LEFT_OUT => left_out += 1,
                Some(Unprocessed::Refused) if refused < MAX_REFUSED => refused += 1,
                _ => return Err(error),
            }
            debug!(
                left_out,
                refused, "the server did not process a call; making it again"
            );
            // Lets the connection that ends be seen to have ended.
            tokio::task::yield_now().await;
        }
    }

    /// The same, but made again only for each kept connection that ended before any of it was sent.
    async fn attempt(
        &self,
        request: impl Fn() -> Request<Full<Bytes>>,
        limit: usize,
    ) -> Result<Response<Bytes>, CallError> {
        loop {
            let (connection, is_new) = match self.kept() {
                Some(kept) => (kept, false),
                // Boxed, as it is seldom needed: each call has room for what it waits for.
                None => Box::pin(self.connect()).await?,
            };
            let attempt = match connection {
                Connection::Http1(connection) => {
                    self.over_http1(connection, request(), limit).await
                }
                Connection::Http2(permit) => Box::pin(permit.call(request(), limit)).await,
            };
            match attempt {
                Attempt::Ended(result) => return result,
                Attempt::Unsent(error) if is_new => return Err(CallError::Unsent(error)),
                // It has ended, and is not used again.
                Attempt::Unsent(_) => {}
            }
        }
    }

    /// A connection that was used before. Whether it has ended meanwhile is seen by the call: hyper
    /// reads before it writes.
    fn kept(&self) -> Option<Connection> {
        let idle = self.idle.take().map(Connection::Http1);
        idle.or_else(|| self.shared.take().map(Connection::Http2))
    }

    async fn over_http1(
        &self,
        mut connection: Box<Http1>,
        mut request: Request<Full<Bytes>>,
        limit: usize,
    ) -> Attempt {
        // RFC 9112, section 3.2.1: the path alone, and the server in `Host`.
        if let Some(path) = request.uri().path_and_query() {
            *request.uri_mut() = path.clone().into();
        }
        request.headers_mut().insert(HOST, self.host.clone());
        let attempt = connection.call(request, limit).await;
        if matches!(attempt, Attempt::Ended(Ok(_))) && connection.is_ready() {
            self.idle.keep(connection);
        }
        attempt
    }

    /// A connection that was just made, or room on one over HTTP/2 that there was not before; and
    /// whether it is new.
    async fn connect(&self) -> Result<(Connection, bool), CallError> {
        let failed = |error: hyper::Error| CallError::Connect(error.into());
        let room = |permit| Ok((Connection::Http2(permit), false));
        let is_http1 = || self.is_http1.load(Ordering::Relaxed);
        let mut turn = None;
        if !is_http1() {
            turn = tokio::select! {
                permit = self.shared.room() => return room(permit),
                turn = self.connecting.lock() => Some(turn),
            };
            // The call before has connected, or not.
            if let Some(permit) = self.shared.take() {
                return room(permit);
            }
        }
        if is_http1() {
            turn = None;
        }
        let io = loop {
            let late = async {
                sleep(PATIENCE).await;
                self.shared.room().await
            };
            let connected = tokio::select! {
                connected = self.connector.clone().oneshot(self.server.clone()) => connected,
                permit = late => return room(permit),
            };
            match connected {
                Ok(io) => break io,
                Err(error) if self.shared.is_empty() => return Err(CallError::Connect(error)),
                // The server may take no more connections, and still answer on those there are.
                Err(_) => {
                    if let Ok(permit) = timeout(PATIENCE, self.shared.room()).await {
                        return room(permit);
                    }
                }
            }
        };
        let is_http2 = io.connected().is_negotiated_h2();
        self.is_http1.store(!is_http2, Ordering::Relaxed);
        if !is_http2 {
            let connection = Http1::handshake(io).await.map_err(failed)?;
            return Ok((Connection::Http1(Box::new(connection)), true));
        }
        let permit = self.shared.add(io).await.map_err(failed)?;
        drop(turn);
        Ok((Connection::Http2(permit), true))
    }
}

impl std::fmt::Debug for Pool {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Pool").finish_non_exhaustive()
    }
}

/// A connection for one call.
enum Connection {
    Http1(Box<Http1>),
    Http2(Permit),
}

// === impl Attempt ===

impl Attempt {
    async fn read(
        sent: impl Future<Output = Result<Response<Incoming>, TrySendError<Request<Full<Bytes>>>>>,
        limit: usize,
    ) -> Self {
        let (head, body) = match sent.await {
            Ok(response) => response.into_parts(),
            Err(mut error) => {
                let is_unsent = error.take_message().is_some();
                let error = error.into_error();
                return match is_unsent {
                    true => Self::Unsent(error),
                    false => Self::Ended(Err(CallError::Failed(error))),
                };
            }
        };
        let body = read_body(body, limit).await;
        let answer = body.map(|body| Response::from_parts(head, body));
        Self::Ended(answer.map_err(CallError::Body))
    }
}
