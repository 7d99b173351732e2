//! Limits how many requests wait for events, and what their answers take in memory, and wakes them (docs/API.md,
//! section 12.5).

use std::hash::{BuildHasher as _, RandomState};
use std::pin::pin;
use std::sync::{Arc, Weak};
use std::time::Duration;

use bytes::Bytes;
use parking_lot::Mutex;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, SemaphorePermit, watch};
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;

use super::Error;
use super::users::{InFlight, Users};
use crate::deliveries::Deliveries;
use crate::deliveries::queue::MAX_PAGE;
use crate::opaque::opaque_debug;
use crate::outbound::{Room, SMALL};

/// Maximum number of one caller, and of its large answers.
const OF_CALLER: usize = 8;
/// Maximum number of all callers.
const OF_ALL: usize = 4096;
/// Answers that are made at once: that takes several times their size.
const READING: usize = 8;
/// Accounts that share a signal. With too few, requests wake for events of others, which costs a query.
const SIGNALS: usize = 256;
/// How often the queue is asked for events that another gateway has received, without news of them.
const POLL_INTERVAL: Duration = Duration::from_secs(1);

/// Counts the requests that wait, which do not count as requests in flight: they would use those up.
#[derive(Clone)]
pub(super) struct Waits(Arc<Shared>);

struct Shared {
    users: Users,
    all: Arc<Semaphore>,
    reading: Semaphore,
    /// The users who take large answers, and the room of these.
    taking: Users,
    room: Room,
    /// The position of the newest event of the accounts of each.
    signals: [watch::Sender<i64>; SIGNALS],
    hash: RandomState,
    stop: CancellationToken,
    /// The one task that asks for all, while somebody waits.
    watching: Mutex<Weak<AbortOnDropHandle<()>>>,
}

/// One request that waits, until this is dropped.
pub(super) struct Wait {
    signal: watch::Receiver<i64>,
    stop: CancellationToken,
    _watching: Arc<AbortOnDropHandle<()>>,
    _of_caller: InFlight,
    _of_all: OwnedSemaphorePermit,
}

// === impl Waits ===

impl Waits {
    pub(super) fn new() -> Self {
        Self(Arc::new(Shared {
            users: Users::new(),
            all: Arc::new(Semaphore::new(OF_ALL)),
            reading: Semaphore::new(READING),
            taking: Users::new(),
            room: Room::new(),
            signals: std::array::from_fn(|_| watch::Sender::default()),
            hash: RandomState::new(),
            stop: CancellationToken::new(),
            watching: Mutex::default(),
        }))
    }

    /// A wait of `user_id` for an event in `deliveries`.
    pub(super) fn begin(&self, user_id: &str, deliveries: &Deliveries) -> Result<Wait, Error> {
        let of_caller = self.0.users.request(user_id, OF_CALLER);
        let of_all = self.0.all.clone().try_acquire_owned();
        Ok(Wait {
            signal: self.signal(user_id).subscribe(),
            stop: self.0.stop.clone(),
            _of_caller: of_caller.ok_or(Error::TooManyWaitingOfCaller)?,
            _of_all: of_all.map_err(|_| Error::TooManyWaiting)?,
            _watching: self.watching(deliveries),
        })
    }

    /// Until this is dropped, an answer may be made.
    pub(super) async fn turn_to_read(&self) -> SemaphorePermit<'_> {
        self.0.reading.acquire().await.expect("never closed")
    }

    /// `answer`, which counts until `user_id` has taken it if it is large.
    pub(super) fn hold(&self, user_id: &str, answer: Bytes) -> Result<Bytes, Error> {
        if answer.len() <= SMALL {
            return Ok(answer);
        }
        let of_caller = self.0.taking.request(user_id, OF_CALLER);
        let of_caller = of_caller.ok_or(Error::TooManyWaitingOfCaller)?;
        let held = self.0.room.try_hold(answer, of_caller);
        held.ok_or(Error::TooManyWaiting)
    }

    /// Ends all waits, now and from now on.
    pub(super) fn stop(&self) {
        self.0.stop.cancel();
    }

    fn signal(&self, user_id: &str) -> &watch::Sender<i64> {
        &self.0.signals[self.0.hash.hash_one(user_id) as usize % SIGNALS]
    }

    /// The task that asks for all.
    fn watching(&self, deliveries: &Deliveries) -> Arc<AbortOnDropHandle<()>> {
        let mut watching = self.0.watching.lock();
        watching.upgrade().unwrap_or_else(|| {
            let task = tokio::spawn(self.clone().watch(deliveries.clone()));
            let task = Arc::new(AbortOnDropHandle::new(task));
            *watching = Arc::downgrade(&task);
            task
        })
    }

    /// Signals each event that any gateway receives. However many wait, the queue is asked once.
    async fn watch(self, deliveries: Deliveries) {
        let queue = deliveries.queue();
        let mut seen = None;
        loop {
            let mut changed = pin!(queue.changed().notified());
            // What comes from here on wakes it.
            changed.as_mut().enable();
            // A failure is temporary, and logged by the store.
            let arrivals = queue.arrivals(seen.unwrap_or(i64::MAX)).await.ok();
            let mut is_more = false;
            match (&arrivals, seen) {
                (Some(arrivals), Some(seen)) if arrivals.through >= seen => {
                    for (position, account) in &arrivals.receipts {
                        let Some(account) = account else {
                            continue;
                        };
                        self.signal(account).send_if_modified(|newest| {
                            let is_newer = *position > *newest;
                            *newest = (*newest).max(*position);
                            is_newer
                        });
                    }
                    is_more = arrivals.receipts.len() == MAX_PAGE;
                }
                // What came before is not known, or the database has become another one: everybody looks.
                (Some(arrivals), _) => self.0.signals.iter().for_each(|signal| {
                    signal.send_replace(arrivals.through);
                }),
                (None, _) => {}
            }
            seen = arrivals.map(|arrivals| arrivals.through);
            if !is_more {
                _ = tokio::time::timeout(POLL_INTERVAL, changed).await;
            }
        }
    }
}

// === impl Wait ===

impl Wait {
    pub(super) fn is_stopping(&self) -> bool {
        self.stop.is_cancelled()
    }

    /// Completes when an event of the user may have arrived since this call, or the gateway stops.
    pub(super) fn arrival(&mut self) -> impl Future<Output = ()> {
        self.signal.mark_unchanged();
        async {
            let changed = self.stop.run_until_cancelled(self.signal.changed());
            changed.await;
        }
    }
}

opaque_debug!(Waits);
