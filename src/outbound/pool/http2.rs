//! Connections over HTTP/2, each of them shared by calls, about as many as the server allows at once.

use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use http::Request;
use http_body_util::Full;
use hyper::client::conn::http2::{Builder, SendRequest};
use hyper_rustls::MaybeHttpsStream;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use tokio::net::TcpStream;
use tokio::sync::Notify;
use tokio::time::Instant;

use super::unprocessed::Unprocessed;
use super::{Attempt, MAX_HEAD};

/// Time between two signs of life.
const PING_INTERVAL: Duration = Duration::from_secs(20);

/// Calls on one connection at once, at most: as many as servers should allow at least (RFC 9113,
/// section 6.5.2).
const MAX_CALLS: usize = 100;

/// Time after the last call in which a server ends a connection that it takes no more calls on.
const LASTING: Duration = Duration::from_millis(100);

type Io = MaybeHttpsStream<TokioIo<TcpStream>>;

/// The connections to one server.
pub(super) struct Shared {
    open: Arc<Mutex<Vec<Open>>>,
    idle_timeout: Duration,
    /// Calls on each at once, as far as is known: one less than the server allows, but at least one
    /// and at most [`MAX_CALLS`].
    ///
    /// hyper holds the call back that takes the last stream. If the connection ends then, hyper does
    /// not tell that the call was not sent, so that it could not be made again.
    max_calls: Arc<AtomicUsize>,
    /// Calls on each in all, as far as is known: a server may end a connection after some, and leave out
    /// what else is in flight on it.
    most_calls: Arc<AtomicUsize>,
    /// Notified when a call ends.
    freed: Arc<Notify>,
}

/// One connection, which a task drives.
struct Open {
    /// The one that lasts: a request that is sent as the connection ends may stay between the two, and is
    /// given back when there is no sender any more. So calls do not hold any, and this one goes with the
    /// connection.
    sender: SendRequest<Full<Bytes>>,
    calls: Arc<Calls>,
    /// When the last call on it began.
    used: Instant,
}

/// Calls on a connection.
struct Calls {
    now: AtomicUsize,
    /// Those that have begun, but for those that could not be sent.
    begun: AtomicUsize,
    /// Those that the server left out when it ended the connection.
    left_out: AtomicUsize,
    /// [`Shared::most_calls`].
    most: Arc<AtomicUsize>,
    freed: Arc<Notify>,
}

/// Room for one call on a connection.
pub(super) struct Permit {
    sender: SendRequest<Full<Bytes>>,
    taken: Taken,
}

/// Counts as a call until it is dropped.
struct Taken(Arc<Calls>);

// === impl Shared ===

impl Shared {
    /// A connection is not used again if nobody uses it and its last call began `idle_timeout` ago.
    pub(super) fn new(idle_timeout: Duration) -> Self {
        Self {
            open: Arc::default(),
            idle_timeout,
            max_calls: Arc::new(AtomicUsize::new(MAX_CALLS)),
            most_calls: Arc::new(AtomicUsize::new(usize::MAX)),
            freed: Arc::default(),
        }
    }

    /// Room on one of those that are not known to have ended.
    pub(super) fn take(&self) -> Option<Permit> {
        let max_calls = self.max_calls.load(Ordering::Relaxed);
        let now = Instant::now();
        let mut open = self.lock();
        open.retain(|open| !open.sender.is_closed() && !self.is_stale(open, now));
        let most_calls = self.most_calls.load(Ordering::Relaxed);
        let has_room =
            |open: &Open| open.calls.now() < max_calls && open.calls.begun() < most_calls;
        // The server would have ended it: it takes more than it did once.
        let has_outlasted =
            |open: &Open| open.calls.now() == 0 && now.duration_since(open.used) >= LASTING;
        // The first one with room, so that those beyond the need fall idle.
        let at = open.iter().position(has_room).or_else(|| {
            let at = open.iter().position(has_outlasted)?;
            let more = most_calls.saturating_mul(2);
            self.most_calls.store(more, Ordering::Relaxed);
            Some(at)
        });
        let open = &mut open[at?];
        open.used = now;
        Some(open.permit())
    }

    /// Waits for room on one of those there are.
    pub(super) async fn room(&self) -> Permit {
        loop {
            let mut freed = pin!(self.freed.notified());
            // Waits from here on, so that no end of a call is missed after the look.
            freed.as_mut().enable();
            if let Some(permit) = self.take() {
                return permit;
            }
            freed.await;
        }
    }

    /// Makes a connection of `io`, for its first call.
    pub(super) async fn add(&self, io: Io) -> Result<Permit, hyper::Error> {
        // Until the server says what it allows, it allows what it did before.
        let mut allowed = self.max_calls.load(Ordering::Relaxed) + 1;
        let mut http2 = Builder::new(TokioExecutor::new());
        http2
            .timer(TokioTimer::new())
            .max_header_list_size(MAX_HEAD)
            .keep_alive_interval(PING_INTERVAL)
            .initial_max_send_streams(allowed);
        let (sender, mut connection) = http2.handshake(io).await?;
        let calls = Arc::new(Calls {
            now: AtomicUsize::new(0),
            begun: AtomicUsize::new(0),
            left_out: AtomicUsize::new(0),
            most: self.most_calls.clone(),
            freed: self.freed.clone(),
        });
        let open = Open {
            sender,
            calls: calls.clone(),
            used: Instant::now(),
        };
        let permit = open.permit();
        self.lock().push(open);
        let (all, max_calls) = (self.open.clone(), self.max_calls.clone());
        let driven = poll_fn(move |cx| {
            // Its failure is that of the calls on it.
            let ended = Pin::new(&mut connection).poll(cx).map(drop);
            let allows = connection.current_max_send_streams();
            if allows != allowed {
                allowed = allows;
                // Where that is none, each call waits in hyper, on a connection of its own.
                let calls = allowed.saturating_sub(1).clamp(1, MAX_CALLS);
                max_calls.store(calls, Ordering::Relaxed);
            }
            ended
        });
        tokio::spawn(async move {
            driven.await;
            lock(&all).retain(|open| !Arc::ptr_eq(&open.calls, &calls));
        });
        Ok(permit)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.lock().is_empty()
    }

    fn is_stale(&self, open: &Open, now: Instant) -> bool {
        open.calls.now() == 0 && now.duration_since(open.used) >= self.idle_timeout
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Open>> {
        lock(&self.open)
    }
}

fn lock(open: &Mutex<Vec<Open>>) -> MutexGuard<'_, Vec<Open>> {
    open.lock().unwrap_or_else(PoisonError::into_inner)
}

// === impl Open ===

impl Open {
    fn permit(&self) -> Permit {
        self.calls.now.fetch_add(1, Ordering::Relaxed);
        self.calls.begun.fetch_add(1, Ordering::Relaxed);
        Permit {
            sender: self.sender.clone(),
            taken: Taken(self.calls.clone()),
        }
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

    /// Notes how a call ended.
    fn ended(&self, attempt: &Attempt) {
        match attempt {
            Attempt::Unsent(_) => {
                self.begun.fetch_sub(1, Ordering::Relaxed);
            }
            Attempt::Ended(Err(error)) if Unprocessed::of(error) == Some(Unprocessed::LeftOut) => {
                self.left_out.fetch_add(1, Ordering::Relaxed);
            }
            Attempt::Ended(_) => {}
        }
    }

    /// Once all calls have ended, it is known after how many the server ended the connection.
    fn learn(&self) {
        let left_out = self.left_out.load(Ordering::Relaxed);
        if left_out > 0 {
            let processed = self.begun().saturating_sub(left_out).max(1);
            self.most.store(processed, Ordering::Relaxed);
        }
    }
}

// === impl Permit ===

impl Permit {
    /// Sends `request`, and reads the whole answer, at most `limit` bytes.
    pub(super) async fn call(self, request: Request<Full<Bytes>>, limit: usize) -> Attempt {
        let Self { mut sender, taken } = self;
        let sent = sender.try_send_request(request);
        drop(sender);
        let attempt = Attempt::read(sent, limit).await;
        taken.0.ended(&attempt);
        drop(taken);
        attempt
    }
}

// === impl Taken ===

impl Drop for Taken {
    fn drop(&mut self) {
        if self.0.now.fetch_sub(1, Ordering::Relaxed) == 1 {
            self.0.learn();
        }
        self.0.freed.notify_one();
    }
}
