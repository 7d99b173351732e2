//! Limits how many requests wait for events, and wakes them (docs/API.md, section 12.5).

use std::fmt;
use std::hash::{BuildHasher as _, RandomState};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::sync::futures::Notified;
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, timeout_at};

use super::Error;
use super::users::{InFlight, Users};

/// Maximum number of one caller.
const OF_CALLER: usize = 8;
/// Maximum number of all callers.
const OF_ALL: usize = 4096;
/// Accounts that share a signal. With too few, requests wake for events of others, which costs a query.
const SIGNALS: usize = 256;
/// Events that another gateway received are found by asking.
const POLL_INTERVAL: Duration = Duration::from_secs(1);

/// Counts the requests that wait, which do not count as requests in flight: they would use those up.
#[derive(Clone)]
pub(super) struct Waits(Arc<Shared>);

struct Shared {
    users: Users,
    all: Arc<Semaphore>,
    signals: [Notify; SIGNALS],
    hash: RandomState,
    is_stopping: AtomicBool,
}

/// One request that waits, until this is dropped.
pub(super) struct Wait {
    waits: Waits,
    signal: usize,
    _of_caller: InFlight,
    _of_all: OwnedSemaphorePermit,
}

// === impl Waits ===

impl Waits {
    pub(super) fn new() -> Self {
        Self(Arc::new(Shared {
            users: Users::new(),
            all: Arc::new(Semaphore::new(OF_ALL)),
            signals: std::array::from_fn(|_| Notify::new()),
            hash: RandomState::new(),
            is_stopping: AtomicBool::new(false),
        }))
    }

    /// A wait of `user_id`.
    pub(super) fn begin(&self, user_id: &str) -> Result<Wait, Error> {
        let of_caller = self.0.users.request(user_id, OF_CALLER);
        let of_all = self.0.all.clone().try_acquire_owned();
        Ok(Wait {
            waits: self.clone(),
            signal: self.signal(user_id),
            _of_caller: of_caller.ok_or(Error::TooManyWaitingOfCaller)?,
            _of_all: of_all.map_err(|_| Error::TooManyWaiting)?,
        })
    }

    /// An event of `user_id` has arrived here.
    pub(super) fn arrived(&self, user_id: &str) {
        self.0.signals[self.signal(user_id)].notify_waiters();
    }

    /// Ends all waits, now and from now on.
    pub(super) fn stop(&self) {
        self.0.is_stopping.store(true, Ordering::SeqCst);
        self.0.signals.iter().for_each(Notify::notify_waiters);
    }

    fn signal(&self, user_id: &str) -> usize {
        self.0.hash.hash_one(user_id) as usize % SIGNALS
    }
}

// === impl Wait ===

impl Wait {
    pub(super) fn is_stopping(&self) -> bool {
        self.waits.0.is_stopping.load(Ordering::SeqCst)
    }

    /// Completes when an event of the user may have arrived since this call.
    pub(super) fn arrival(&self) -> Pin<Box<Notified<'_>>> {
        let mut arrival = Box::pin(self.waits.0.signals[self.signal].notified());
        arrival.as_mut().enable();
        arrival
    }

    /// Waits for `arrival`, and for a while at most, since other gateways receive events as well; `false` at `until`, or
    /// when the gateway stops.
    pub(super) async fn goes_on(&self, until: Instant, arrival: Pin<Box<Notified<'_>>>) -> bool {
        let now = Instant::now();
        if now >= until || self.is_stopping() {
            return false;
        }
        timeout_at(until.min(now + POLL_INTERVAL), arrival)
            .await
            .ok();
        true
    }
}

impl fmt::Debug for Waits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Waits").finish_non_exhaustive()
    }
}
