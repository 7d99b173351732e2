//! A pool of connections to one server.
//!
//! A call drives its HTTP/1 connection itself until it has read the whole answer, and then returns it
//! to the pool. hyper-util's pool spawns a task for each connection, another for each connection that
//! is returned, and looks connections up by server name: one server needs none of that, and it is a
//! fifth of the cost of a call. Over HTTP/2, calls share connections, each of which has a task.
//! Where bodies are [streamed](streaming), what reads the answer drives the connection.

mod heads;
mod http1;
mod http2;
mod idle;
mod streaming;
mod unprocessed;
mod wake_filter;

/// The atomics that [`wake_filter`] uses.
mod sync {
    pub(super) use std::sync::atomic::{AtomicU8, Ordering};

    pub(super) use futures_util::task::AtomicWaker;
}

use std::error::Error as StdError;
use std::future::ready;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use bytes::Bytes;
use futures_util::future::{Either, FutureExt as _};
use http::header::{HOST, IF_NONE_MATCH};
use http::{HeaderMap, HeaderName, HeaderValue, Request, Response, Uri, Version};
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::client::conn::TrySendError;
use hyper_rustls::{HttpsConnector, MaybeHttpsStream};
use hyper_util::client::legacy::connect::Connection as _;
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;
use tokio::sync::Mutex as AsyncMutex;
use tokio::time::{sleep, timeout};
use tokio_util::io::InspectReader;
use tower::ServiceExt as _;
use tracing::debug;

use super::{AnswerMemory, ReadError, TcpConnector, read_body};
use crate::causes::causes;
use crate::opaque::opaque_debug;
use http1::Http1;
pub(crate) use http1::SentBody;
use http2::{Http2Connections, StreamPermit};
use idle::Idle;
pub(crate) use streaming::ReceivedBody;
use unprocessed::Unprocessed;

const MAX_HEAD: u32 = 64 * 1024;

/// How many bytes may come before the end of that head, over HTTP/1: interim answers (1xx), and a body's first bytes,
/// which are read with the head. Over HTTP/2 the heads are counted.
const MAX_BEFORE_HEAD: usize = 2 * MAX_HEAD as usize;

/// How long to try connecting before a free stream of another connection is used, and to wait for one after a failure.
const PATIENCE: Duration = Duration::from_secs(1);

/// How often a call is retried whose connection ended without it. A server that closes each connection after a
/// number of requests does not process those beyond it: until that number is known, a call may fail in this way on
/// several connections in turn.
const MAX_ENDED: u32 = 15;

/// After this many a call gets a connection of its own, where it is probably the first: others use up shared ones.
const OWN_AFTER: u32 = MAX_ENDED / 2;

/// How often a call is retried that was refused: the server may be overloaded.
const MAX_REFUSED: u32 = 1;

pub(crate) struct Pool {
    connector: HttpsConnector<TcpConnector>,
    server: Uri,
    /// The fields of every request, with `Host`; and the same with an empty `If-None-Match`, to be replaced: clones have no
    /// room for another field.
    heads: [HeaderMap; 2],
    idle: Arc<Idle>,
    room: Arc<AnswerMemory>,
    http2: Http2Connections,
    /// Whether the server speaks HTTP/1, as far as is known, so that each call needs a connection of its own.
    is_http1: AtomicBool,
    /// Held by the one call that connects, unless the server speaks HTTP/1.
    connecting: AsyncMutex<()>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Source {
    /// One that was used before, if any is free.
    Used,
    /// One that is made now, perhaps for another call.
    Fresh,
    /// One that is made for this call.
    Own,
}

#[derive(Debug, thiserror::Error)]
pub(crate) enum CallError {
    #[error("no connection could be made")]
    Connect(#[source] Box<dyn StdError + Send + Sync>),
    /// The connection ended before any of the request was sent.
    #[error(transparent)]
    Unsent(hyper::Error),
    #[error(transparent)]
    Failed(hyper::Error),
    #[error("no answer came: it sends interim answers (1xx) without end")]
    NoHead,
    #[error(transparent)]
    Body(ReadError),
}

// === impl CallError ===

impl CallError {
    /// Whether the server may have processed the request.
    pub(crate) fn may_be_processed(&self) -> bool {
        match self {
            Self::Connect(_) | Self::Unsent(_) => false,
            Self::Failed(_) => Unprocessed::classify(self).is_none(),
            Self::NoHead | Self::Body(_) => true,
        }
    }

    /// Whether the connection ended before the whole answer, as when the server closed it for being idle.
    fn is_of_connection(&self) -> bool {
        let error: &(dyn StdError + 'static) = match self {
            Self::Failed(error) => error,
            Self::Body(ReadError::BrokenOff(error)) => &**error,
            Self::Connect(_) | Self::Unsent(_) | Self::NoHead | Self::Body(ReadError::TooLarge) => {
                return false;
            }
        };
        causes(error).any(|cause| {
            if let Some(error) = cause.downcast_ref::<hyper::Error>() {
                error.is_incomplete_message() || error.is_closed() || error.is_canceled()
            } else if let Some(error) = cause.downcast_ref::<h2::Error>() {
                error.is_go_away() || error.is_io()
            } else {
                use std::io::ErrorKind::*;
                let error = cause.downcast_ref::<std::io::Error>();
                let ends = [BrokenPipe, ConnectionAborted, ConnectionReset, UnexpectedEof];
                error.is_some_and(|error| ends.contains(&error.kind()))
            }
        })
    }
}

type Exchange = Result<Response<Bytes>, CallError>;

type Io = MaybeHttpsStream<TokioIo<TcpStream>>;
/// A connection of which something is counted as it is read.
type Counted = TokioIo<InspectReader<TokioIo<Io>, Box<dyn FnMut(&[u8]) + Send>>>;

// === impl Pool ===

impl Pool {
    /// Connects to the server of `uri` when a call needs it; every request has these `fields`. Idle HTTP/1 connections
    /// are closed after `idle_timeout`, at most a few seconds late; idle HTTP/2 connections at the first call after it.
    pub(crate) fn new(
        connector: HttpsConnector<TcpConnector>,
        uri: &Uri,
        fields: impl IntoIterator<Item = (HeaderName, HeaderValue)>,
        idle_timeout: Duration,
    ) -> Result<Self, http::Error> {
        let authority = uri.authority().map_or("", |authority| authority.as_str());
        // Its index has room to spare, so that a clone, which has as much, need not grow it.
        let mut head = HeaderMap::with_capacity(8);
        head.insert(HOST, HeaderValue::from_str(authority)?);
        head.extend(fields);
        let mut conditional = head.clone();
        conditional.insert(IF_NONE_MATCH, HeaderValue::from_static(""));
        Ok(Self {
            connector,
            server: uri.clone(),
            heads: [head, conditional],
            idle: Idle::new(idle_timeout),
            room: Arc::new(AnswerMemory::new()),
            http2: Http2Connections::new(idle_timeout),
            // HTTP/2 is negotiated within TLS.
            is_http1: AtomicBool::new(uri.scheme_str() != Some("https")),
            connecting: AsyncMutex::default(),
        })
    }

    /// Makes one call of `uri`, which is absolute, and reads the whole answer, at most `limit` bytes.
    ///
    /// `complete` builds the request from one that has its URI and the fields of every request; if it `is_conditional`, it
    /// sets `If-None-Match`. The call is retried if it was provably not processed, and once if it `may_repeat`, since
    /// it changes nothing, when its connection ends before the answer.
    pub(crate) async fn call(
        &self,
        uri: &Uri,
        is_conditional: bool,
        complete: impl Fn(Request<()>) -> Request<Full<Bytes>>,
        mut may_repeat: bool,
        limit: usize,
    ) -> Result<Response<Bytes>, CallError> {
        let (mut ended, mut refused) = (0, 0);
        let mut source = Source::Used;
        loop {
            let kept = if source == Source::Used { self.kept() } else { None };
            let connection = match kept {
                Some(kept) => kept,
                // Boxed, as it is seldom needed: it would enlarge the future of every call.
                None => Box::pin(self.connect(source == Source::Own)).await?,
            };
            let exchange = match connection {
                PooledConnection::Http1(mut connection) => {
                    let request = || complete(self.begin(uri, is_conditional, Version::HTTP_11));
                    let exchange = connection.call(request, limit, &self.room).await;
                    if exchange.is_ok() {
                        self.idle.keep(connection);
                    }
                    exchange
                }
                PooledConnection::Http2(permit) => {
                    let request = || complete(self.begin(uri, is_conditional, Version::HTTP_2));
                    permit.call(request(), limit, self.room.clone()).await
                }
            };
            let Err(error) = exchange else {
                return exchange;
            };
            match Unprocessed::classify(&error) {
                None if may_repeat && error.is_of_connection() => {
                    may_repeat = false;
                    // The server may have closed the others as well.
                    source = Source::Fresh;
                }
                Some(Unprocessed::Ended) if ended < MAX_ENDED => {
                    ended += 1;
                    if ended > OWN_AFTER {
                        source = Source::Own;
                    }
                }
                Some(Unprocessed::Refused) if refused < MAX_REFUSED => refused += 1,
                _ => return Err(error),
            }
            debug!(ended, refused, "the server did not answer a call; retrying it");
            // Lets the task of the closing connection remove it.
            tokio::task::yield_now().await;
        }
    }

    /// A connection that was used before. If it has ended meanwhile, the call notices: hyper reads before it writes.
    fn kept(&self) -> Option<PooledConnection> {
        let idle = self.idle.take().map(PooledConnection::Http1);
        idle.or_else(|| self.http2.take().map(PooledConnection::Http2))
    }

    fn begin(&self, uri: &Uri, is_conditional: bool, version: Version) -> Request<()> {
        let mut request = Request::new(());
        *request.headers_mut() = self.heads[usize::from(is_conditional)].clone();
        *request.uri_mut() = match uri.path_and_query() {
            // RFC 9112, section 3.2.1: only the path in the request line, the server in `Host`.
            Some(path) if version == Version::HTTP_11 => path.clone().into(),
            _ => uri.clone(),
        };
        if version == Version::HTTP_2 {
            request.headers_mut().remove(HOST);
        }
        request
    }

    /// A new connection, or unless it is to be the call's `own`, a stream on an HTTP/2 one that is free by now.
    async fn connect(&self, own: bool) -> Result<PooledConnection, CallError> {
        let failed = |error: hyper::Error| CallError::Connect(error.into());
        let existing = |permit| Ok(PooledConnection::Http2(permit));
        let is_http1 = || self.is_http1.load(Ordering::Relaxed);
        let mut turn = None;
        if !is_http1() && !own {
            turn = tokio::select! {
                permit = self.http2.wait_for_capacity() => return existing(permit),
                turn = self.connecting.lock() => Some(turn),
            };
            // The previous call may have connected.
            if let Some(permit) = self.http2.take() {
                return existing(permit);
            }
        }
        if is_http1() {
            turn = None;
        }
        let io = loop {
            let late = async {
                sleep(PATIENCE).await;
                self.http2.wait_for_capacity().await
            };
            let connected = tokio::select! {
                connected = self.connector.clone().oneshot(self.server.clone()) => connected,
                permit = late, if !own => return existing(permit),
            };
            match connected {
                Ok(io) => break io,
                Err(error) if self.http2.is_empty() => return Err(CallError::Connect(error)),
                // The server may accept no more connections, but still answer on existing ones.
                Err(_) => {
                    if let Ok(permit) = timeout(PATIENCE, self.http2.wait_for_capacity()).await {
                        return existing(permit);
                    }
                }
            }
        };
        let is_http2 = io.connected().is_negotiated_h2();
        self.is_http1.store(!is_http2, Ordering::Relaxed);
        if !is_http2 {
            let connection = Http1::handshake(io, MAX_HEAD as usize).await.map_err(failed)?;
            return Ok(PooledConnection::Http1(Box::new(connection)));
        }
        let permit = self.http2.add(io).await.map_err(failed)?;
        drop(turn);
        Ok(PooledConnection::Http2(permit))
    }
}

opaque_debug!(Pool);

enum PooledConnection {
    Http1(Box<Http1>),
    Http2(StreamPermit),
}

/// Reads the answer to what is `sent`. (Not an `async fn`, which would keep room for `sent` until its end.)
fn read_answer<B>(
    sent: impl Future<Output = Result<Response<Incoming>, TrySendError<Request<B>>>>,
    limit: usize,
    room: &AnswerMemory,
) -> impl Future<Output = Exchange> {
    sent.then(move |sent| {
        let (head, body) = match sent {
            Ok(response) => response.into_parts(),
            Err(error) => return Either::Left(ready(Err(unanswered(error)))),
        };
        Either::Right(read_body(body, limit, room).map(|body| {
            let answer = body.map(|body| Response::from_parts(head, body));
            answer.map_err(CallError::Body)
        }))
    })
}

fn counted(io: Io, count: impl FnMut(&[u8]) + Send + 'static) -> Counted {
    TokioIo::new(InspectReader::new(TokioIo::new(io), Box::new(count)))
}

fn unanswered<B>(mut error: TrySendError<Request<B>>) -> CallError {
    let is_unsent = error.take_message().is_some();
    let error = error.into_error();
    if is_unsent { CallError::Unsent(error) } else { CallError::Failed(error) }
}
