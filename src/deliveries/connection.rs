//! A connection to a target, which may be kept for the next attempt: a burst of events makes one TLS handshake.

use std::io;
use std::mem;
use std::pin::{Pin, pin};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Weak};
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use bytes::Bytes;
use futures_util::future::{Either, select};
use http::Request;
use http_body_util::{BodyExt as _, Full};
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use parking_lot::Mutex;
use tokio::io::{AsyncRead, AsyncWrite, Join, ReadBuf, ReadHalf, WriteHalf, join, split};

use super::send::{AttemptResult, interpret};

/// How long the body of an answer may take.
const BODY_TIMEOUT: Duration = Duration::from_secs(1);

/// How much is read of an answer, its head included.
const MAX_ANSWER: usize = 16 * 1024;

/// How long one is kept while it is idle: less than receivers keep it, so that it seldom ends just as it is used.
const IDLE: Duration = Duration::from_secs(1);

/// After what time the name of the host is looked up again, and its addresses are judged.
const LONGEST: Duration = Duration::from_secs(10);

/// Connections that are kept at most.
const MAX_KEPT: usize = 256;

/// What a connection carries bytes on.
pub(super) trait Stream: AsyncRead + AsyncWrite + Unpin + Send {}

impl<S: AsyncRead + AsyncWrite + Unpin + Send> Stream for S {}

/// It makes progress only within an exchange.
pub(super) struct Connection {
    sender: http1::SendRequest<Full<Bytes>>,
    /// `None` once it has ended.
    driver: Option<http1::Connection<TokioIo<Io>, Full<Bytes>>>,
    /// How much may still be read of the answer.
    room: Arc<AtomicUsize>,
    judged_at: Instant,
}

type Io = Join<Bounded, WriteHalf<Box<dyn Stream>>>;

/// What is read of a stream, which ends once `room` bytes of an answer were.
struct Bounded {
    stream: ReadHalf<Box<dyn Stream>>,
    room: Arc<AtomicUsize>,
}

/// Connections that are kept, those that were used last at the end.
#[derive(Default)]
pub(super) struct IdleConnections {
    connections: Vec<(Key, Connection, Instant)>,
    is_swept: bool,
}

/// The account for which a connection counts, and scheme, host and port.
pub(super) type Key = (Box<str>, Box<str>);

// === impl Connection ===

impl Connection {
    /// A connection on `stream`, to an address that was judged at that time.
    pub(super) async fn handshake(
        stream: Box<dyn Stream>,
        judged_at: Instant,
    ) -> hyper::Result<Self> {
        let room = Arc::new(AtomicUsize::new(MAX_ANSWER));
        let mut http1 = http1::Builder::new();
        http1.max_buf_size(MAX_ANSWER);
        // A receiver that answers with hundreds of fields has received the delivery all the same.
        http1.max_headers(1024);
        let (stream, writer) = split(stream);
        let io = join(Bounded { stream, room: room.clone() }, writer);
        let (sender, driver) = http1.handshake(TokioIo::new(io)).await?;
        Ok(Self { sender, driver: Some(driver), room, judged_at })
    }

    /// Sends `request` and reads the answer: its head, which is what counts, and of its body what comes within
    /// [`MAX_ANSWER`] bytes and [`BODY_TIMEOUT`], so that the target can complete it.
    pub(super) async fn exchange(
        &mut self,
        request: Request<Full<Bytes>>,
        answered: &mut Option<AttemptResult>,
    ) -> hyper::Result<()> {
        self.room.store(MAX_ANSWER, Ordering::Relaxed);
        let sent = self.sender.send_request(request);
        let answer = async {
            let answer = sent.await?;
            *answered = Some(interpret(answer.status(), answer.headers()));
            let mut body = answer.into_body();
            let rest = async { while let Some(Ok(_)) = body.frame().await {} };
            tokio::time::timeout(BODY_TIMEOUT, rest).await.ok();
            Ok(())
        };
        let mut answer = pin!(answer);
        if let Some(driver) = &mut self.driver {
            if let Either::Left((answer, _)) = select(answer.as_mut(), driver).await {
                return answer;
            }
            self.driver = None;
        }
        answer.await
    }

    /// Whether it can be used again.
    fn is_ready(&mut self) -> bool {
        // The end of the answer may have been read while the connection has yet to process it.
        let mut cx = Context::from_waker(Waker::noop());
        if let Some(driver) = &mut self.driver
            && Pin::new(driver).poll(&mut cx).is_ready()
        {
            self.driver = None;
        }
        self.driver.is_some() && self.sender.is_ready() && self.judged_at.elapsed() < LONGEST
    }
}

// === impl IdleConnections ===

impl IdleConnections {
    /// One that can be used again.
    pub(super) fn take(kept: &Mutex<Self>, key: &Key) -> Option<Connection> {
        loop {
            let mut all = kept.lock();
            let at = all.connections.iter().rposition(|(of, ..)| of == key)?;
            let (_, mut connection, since) = all.connections.remove(at);
            drop(all);
            if since.elapsed() < IDLE && connection.is_ready() {
                return Some(connection);
            }
        }
    }

    /// Keeps a connection after an exchange, unless it cannot be used again.
    pub(super) fn keep(kept: &Arc<Mutex<Self>>, key: Key, mut connection: Connection) {
        if !connection.is_ready() {
            return;
        }
        let mut all = kept.lock();
        if all.connections.len() == MAX_KEPT {
            return;
        }
        all.connections.push((key, connection, Instant::now()));
        if !mem::replace(&mut all.is_swept, true) {
            tokio::spawn(Self::sweep_all(Arc::downgrade(kept)));
        }
    }

    /// Closes those that were idle for long enough, until there are none.
    async fn sweep_all(kept: Weak<Mutex<Self>>) {
        loop {
            tokio::time::sleep(IDLE).await;
            let Some(kept) = kept.upgrade() else { return };
            let mut all = kept.lock();
            all.connections.retain(|(_, _, since)| since.elapsed() < IDLE);
            if all.connections.is_empty() {
                all.is_swept = false;
                return;
            }
        }
    }
}

// === impl Bounded ===

impl AsyncRead for Bounded {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let room = self.room.load(Ordering::Relaxed);
        if room == 0 {
            return Poll::Ready(Ok(()));
        }
        let before = buffer.filled().len();
        let read = Pin::new(&mut self.stream).poll_read(cx, buffer);
        let read_now = buffer.filled().len() - before;
        self.room.store(room.saturating_sub(read_now), Ordering::Relaxed);
        read
    }
}
