//! HTTP/2 connections, each shared by about as many calls as the server allows at once.

use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use futures_util::future::{BoxFuture, FutureExt as _};
use http::Request;
use http_body_util::Full;
use hyper::client::conn::http2::{Builder, SendRequest};
use hyper::rt::Executor;
use hyper_util::rt::TokioTimer;
use parking_lot::Mutex;
use tokio::runtime::Handle;
use tokio::sync::Notify;
use tokio::time::{Instant, timeout};
use tokio_util::sync::CancellationToken;

use super::heads::Heads;
use super::unprocessed::Unprocessed;
use super::{AnswerMemory, CallError, Counted, Exchange, Io, MAX_HEAD, counted, read_answer};

const PING_INTERVAL: Duration = Duration::from_secs(20);

/// Maximum number of concurrent calls on a connection: the minimum that servers should allow (RFC 9113, section 6.5.2).
const MAX_CALLS: usize = 100;

/// A server that has reached its limit of calls on a connection closes it within this time of the last call.
const CLOSE_DELAY: Duration = Duration::from_millis(100);

/// How many calls without a caller run out on a connection at a time; others are reset.
const MAX_ABANDONED: usize = 16;

const RUN_OUT: Duration = Duration::from_secs(30);

/// How many calls are reset on a connection before it is no longer used. Servers end a connection, and
/// all calls on it, that resets too many (CVE-2023-44487); the strictest ones allow twenty at once.
const MAX_RESETS: usize = 10;

/// How many heads of answers may come on a connection after its last call began: those of all calls on it, with a few
/// interim ones (1xx) and trailers each. Which call each belongs to does not matter: such a server answers none well.
const MAX_HEADS: usize = 16 * MAX_CALLS;

/// How many bytes of one answer may arrive before they are read.
const STREAM_WINDOW: u32 = 256 * 1024;

/// The same for all answers on a connection together: those that wait for [`AnswerMemory`] hold up no others.
const CONNECTION_WINDOW: u32 = MAX_CALLS as u32 * STREAM_WINDOW;

/// Spawns what drives a connection, and drops it once that has sent too many heads.
#[derive(Clone)]
struct UntilFlooded(CancellationToken);

pub(super) struct Http2Connections {
    open: Arc<Mutex<Vec<SharedConnection>>>,
    idle_timeout: Duration,
    /// Concurrent calls per connection: one less than the server is known to allow, between one and [`MAX_CALLS`].
    ///
    /// hyper delays the call that takes the last stream. If the connection ends then, hyper does not
    /// report that the call was not sent, so that it could not be retried.
    max_calls: Arc<AtomicUsize>,
    /// Total calls per connection, as far as is known: a server may close a connection after a number
    /// of calls, without processing the others in flight.
    most_calls: Arc<AtomicUsize>,
    freed: Arc<Notify>,
}

/// One connection, which a task drives.
struct SharedConnection {
    /// The only sender kept for long: a request sent while the connection is ending may stay queued
    /// between the two, and is returned only once all senders are dropped. So calls do not hold one
    /// while they wait, and this one is dropped with the connection.
    sender: SendRequest<Full<Bytes>>,
    calls: Arc<Calls>,
    used: Instant,
}

#[derive(Default)]
struct Calls {
    now: AtomicUsize,
    /// Calls started, except those that could not be sent.
    begun: AtomicUsize,
    /// Calls that the server's GOAWAY excluded.
    excluded: AtomicUsize,
    /// Calls whose callers have gone, and which run out.
    abandoned: AtomicUsize,
    /// Calls that were reset, since their callers had gone.
    resets: AtomicUsize,
    /// How many heads may still come: [`MAX_HEADS`] at the start of each call.
    room_for_heads: AtomicUsize,
    most: Arc<AtomicUsize>,
    freed: Arc<Notify>,
}

pub(super) struct StreamPermit {
    sender: SendRequest<Full<Bytes>>,
    guard: CallGuard,
}

/// Counts as a call in flight until it is dropped.
struct CallGuard(Arc<Calls>);

/// A call in flight. If it is dropped before its end, it runs out, or is reset.
struct Running {
    exchange: Option<BoxFuture<'static, Exchange>>,
    calls: Arc<Calls>,
}

/// Counts as an abandoned call until it is dropped.
struct Abandoned(Arc<Calls>);

// === impl Http2Connections ===

impl Http2Connections {
    /// An idle connection is not reused if its last call began at least `idle_timeout` ago.
    pub(super) fn new(idle_timeout: Duration) -> Self {
        Self {
            open: Arc::default(),
            idle_timeout,
            max_calls: Arc::new(AtomicUsize::new(MAX_CALLS)),
            most_calls: Arc::new(AtomicUsize::new(usize::MAX)),
            freed: Arc::default(),
        }
    }

    /// A permit on a connection that is not known to have ended, if one has capacity.
    pub(super) fn take(&self) -> Option<StreamPermit> {
        let max_calls = self.max_calls.load(Ordering::Relaxed);
        let now = Instant::now();
        let mut open = self.open.lock();
        // Without its sender, a connection ends with its last call.
        open.retain(|open| {
            // After so many resets, the server may end it.
            let is_worn = open.calls.resets.load(Ordering::Relaxed) >= MAX_RESETS;
            !open.sender.is_closed() && !self.is_stale(open, now) && !is_worn
        });
        let most_calls = self.most_calls.load(Ordering::Relaxed);
        let has_capacity = |open: &SharedConnection| {
            open.calls.now() < max_calls && open.calls.begun() < most_calls
        };
        // If the limit still applied, the server would have closed it by now.
        let has_outlasted = |open: &SharedConnection| {
            open.calls.now() == 0 && now.duration_since(open.used) >= CLOSE_DELAY
        };
        // The first one with capacity, so that surplus connections become idle.
        let at = open.iter().position(has_capacity).or_else(|| {
            let at = open.iter().position(has_outlasted)?;
            let more = most_calls.saturating_mul(2);
            self.most_calls.store(more, Ordering::Relaxed);
            Some(at)
        });
        let open = &mut open[at?];
        open.used = now;
        Some(open.permit())
    }

    pub(super) async fn wait_for_capacity(&self) -> StreamPermit {
        loop {
            let mut freed = pin!(self.freed.notified());
            // Registered before the check, so that no notification after it is missed.
            freed.as_mut().enable();
            if let Some(permit) = self.take() {
                return permit;
            }
            freed.await;
        }
    }

    /// Makes a connection over `io`; returns the permit for its first call.
    pub(super) async fn add(&self, io: Io) -> Result<StreamPermit, hyper::Error> {
        // Until the server announces its limit, the previous one is assumed.
        let mut allowed = self.max_calls.load(Ordering::Relaxed) + 1;
        let flooded = CancellationToken::new();
        let calls = Arc::new(Calls {
            // Another thread may read from it before its first call begins.
            room_for_heads: AtomicUsize::new(MAX_HEADS),
            most: self.most_calls.clone(),
            freed: self.freed.clone(),
            ..Calls::default()
        });
        let io = calls.clone().count_heads(io, flooded.clone());
        let mut http2 = Builder::new(UntilFlooded(flooded));
        http2
            .timer(TokioTimer::new())
            .max_header_list_size(MAX_HEAD)
            .keep_alive_interval(PING_INTERVAL)
            .initial_stream_window_size(STREAM_WINDOW)
            .initial_connection_window_size(CONNECTION_WINDOW)
            .initial_max_send_streams(allowed);
        let (sender, mut connection) = http2.handshake(io).await?;
        let open = SharedConnection { sender, calls: calls.clone(), used: Instant::now() };
        let permit = open.permit();
        self.open.lock().push(open);
        // Weak, so that the connections end with the pool.
        let (all, max_calls) = (Arc::downgrade(&self.open), self.max_calls.clone());
        let driven = poll_fn(move |cx| {
            // If it fails, the calls on it report the error.
            let ended = Pin::new(&mut connection).poll(cx).map(drop);
            let allows = connection.current_max_send_streams();
            if allows != allowed {
                allowed = allows;
                // If the server allows none, each call waits in hyper on a connection of its own.
                let calls = allowed.saturating_sub(1).clamp(1, MAX_CALLS);
                max_calls.store(calls, Ordering::Relaxed);
            }
            ended
        });
        tokio::spawn(async move {
            driven.await;
            if let Some(all) = all.upgrade() {
                all.lock().retain(|open| !Arc::ptr_eq(&open.calls, &calls));
            }
        });
        Ok(permit)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.open.lock().is_empty()
    }

    fn is_stale(&self, open: &SharedConnection, now: Instant) -> bool {
        open.calls.now() == 0 && now.duration_since(open.used) >= self.idle_timeout
    }
}

// === impl UntilFlooded ===

impl<F: Future<Output: Send> + Send + 'static> Executor<F> for UntilFlooded {
    fn execute(&self, driver: F) {
        tokio::spawn(self.0.clone().run_until_cancelled_owned(driver));
    }
}

// === impl SharedConnection ===

impl SharedConnection {
    fn permit(&self) -> StreamPermit {
        self.calls.now.fetch_add(1, Ordering::Relaxed);
        self.calls.begun.fetch_add(1, Ordering::Relaxed);
        self.calls.room_for_heads.store(MAX_HEADS, Ordering::Relaxed);
        StreamPermit { sender: self.sender.clone(), guard: CallGuard(self.calls.clone()) }
    }
}

// === impl Calls ===

impl Calls {
    fn now(&self) -> usize {
        self.now.load(Ordering::Relaxed)
    }

    fn begun(&self) -> usize {
        self.begun.load(Ordering::Relaxed)
    }

    /// Cancels `flooded` once no room for heads is left.
    fn count_heads(self: Arc<Self>, io: Io, flooded: CancellationToken) -> Counted {
        let mut heads = Heads::default();
        counted(io, move |bytes| {
            let room = self.room_for_heads.load(Ordering::Relaxed);
            // Calls that begin meanwhile may lose their part: `room` is far more than any needs.
            let room = room.saturating_sub(heads.count(bytes));
            self.room_for_heads.store(room, Ordering::Relaxed);
            if room == 0 {
                flooded.cancel();
            }
        })
    }

    fn ended(&self, exchange: &Exchange) {
        match exchange {
            Err(CallError::Unsent(_)) => {
                self.begun.fetch_sub(1, Ordering::Relaxed);
            }
            Err(error) if Unprocessed::classify(error) == Some(Unprocessed::Ended) => {
                self.excluded.fetch_add(1, Ordering::Relaxed);
            }
            _ => {}
        }
    }

    /// Once all calls have ended, works out after how many the server closed the connection.
    fn learn(&self) {
        let excluded = self.excluded.load(Ordering::Relaxed);
        if excluded > 0 {
            let processed = self.begun().saturating_sub(excluded).max(1);
            self.most.store(processed, Ordering::Relaxed);
        }
    }
}

// === impl StreamPermit ===

impl StreamPermit {
    /// Sends `request` and reads the whole answer, at most `limit` bytes.
    pub(super) fn call(
        self,
        request: Request<Full<Bytes>>,
        limit: usize,
        room: Arc<AnswerMemory>,
    ) -> impl Future<Output = Exchange> {
        let Self { mut sender, guard } = self;
        let calls = guard.0.clone();
        let sent = sender.try_send_request(request);
        drop(sender);
        let exchange = async move {
            let mut exchange = read_answer(sent, limit, &room).await;
            let failed = exchange.as_ref().is_err_and(CallError::may_be_processed);
            if failed && guard.0.room_for_heads.load(Ordering::Relaxed) == 0 {
                exchange = Err(CallError::NoHead);
            }
            guard.0.ended(&exchange);
            drop(guard);
            exchange
        };
        Running { exchange: Some(exchange.boxed()), calls }
    }
}

// === impl Running ===

impl Future for Running {
    type Output = Exchange;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Exchange> {
        // Taken out, so that a call that has panicked does not run out.
        let mut exchange = self.exchange.take().expect("polled after its end");
        let polled = exchange.as_mut().poll(cx);
        if polled.is_pending() {
            self.exchange = Some(exchange);
        }
        polled
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // Without a runtime, the process is ending.
        let (Some(exchange), Ok(runtime)) = (self.exchange.take(), Handle::try_current()) else {
            return;
        };
        let abandoned = Abandoned(self.calls.clone());
        if self.calls.abandoned.fetch_add(1, Ordering::Relaxed) < MAX_ABANDONED {
            runtime.spawn(async move {
                if timeout(RUN_OUT, exchange).await.is_err() {
                    abandoned.0.resets.fetch_add(1, Ordering::Relaxed);
                }
            });
        } else {
            self.calls.resets.fetch_add(1, Ordering::Relaxed);
        }
    }
}

// === impl Abandoned ===

impl Drop for Abandoned {
    fn drop(&mut self) {
        self.0.abandoned.fetch_sub(1, Ordering::Relaxed);
    }
}

// === impl CallGuard ===

impl Drop for CallGuard {
    fn drop(&mut self) {
        if self.0.now.fetch_sub(1, Ordering::Relaxed) == 1 {
            self.0.learn();
        }
        self.0.freed.notify_one();
    }
}
