//! Limits how many requests wait for events, and the memory of their answers, and wakes them (docs/API.md, 12.5).

use std::collections::HashMap;
use std::hash::{BuildHasher as _, RandomState};
use std::pin::pin;
use std::sync::{Arc, Weak};
use std::time::Duration;

use bytes::Bytes;
use parking_lot::Mutex;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, SemaphorePermit, watch};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;

use super::Error;
use super::authority::{Authority, End};
use super::keyed_mutex::{KeyedGuard, KeyedMutex};
use super::users::{InFlight, Users};
use crate::deliveries::Deliveries;
use crate::deliveries::queue::{MAX_PAGE, News};
use crate::opaque::opaque_debug;
use crate::outbound::SMALL;
use crate::outbound::shares::Shares;

/// Maximum number of one caller, and of its large answers.
const OF_CALLER: usize = 8;
/// The most bytes of the large answers of all callers, but for the last one.
const MAX_TAKEN: usize = 128 * 1024 * 1024;
/// Maximum number of all callers.
const OF_ALL: usize = 4096;
/// Answers that are made at once: that takes several times their size.
const READING: usize = 8;
/// How long a stream must have got nothing to make room for another request of its account: a client that connects again
/// does not end others that have just begun.
const IDLE: Duration = Duration::from_secs(30);
/// Accounts that share a signal. With too few, requests wake for events of others, which costs a query.
const SIGNALS: usize = 256;
/// How often the queue is asked for events that another gateway has received, without news of them.
const POLL_INTERVAL: Duration = Duration::from_secs(1);

/// Counts the requests that wait, which do not count as requests in flight: they would use those up.
#[derive(Clone)]
pub(crate) struct Waits(Arc<Shared>);

struct Shared {
    users: Users,
    all: Arc<Semaphore>,
    reading: Semaphore,
    /// Whoever reads, one answer after the other.
    readers: KeyedMutex,
    /// The users who take large answers, and the memory of these, in places of [`SMALL`] bytes.
    taking: Users,
    room: Mutex<Shares>,
    /// The position of the newest event of the accounts of each.
    signals: [watch::Sender<i64>; SIGNALS],
    hash: RandomState,
    stop: CancellationToken,
    /// The one task that asks for all, while somebody waits.
    watching: Mutex<Weak<AbortOnDropHandle<()>>>,
    /// Whoever tells whether a token is still accepted: that of the service that was made last.
    authority: Mutex<Option<Arc<dyn Authority>>>,
    /// The streams of each account.
    streams: Mutex<HashMap<Box<str>, Vec<Arc<Place>>>>,
}

/// What a stream takes of its account, until another one takes it.
struct Place {
    stop: CancellationToken,
    of_caller: Mutex<Option<InFlight>>,
    idle_since: Mutex<Instant>,
}

/// One request that waits, until this is dropped.
pub(crate) struct Wait {
    waits: Waits,
    user_id: Box<str>,
    signal: watch::Receiver<i64>,
    place: Arc<Place>,
    _watching: Arc<AbortOnDropHandle<()>>,
    _of_all: OwnedSemaphorePermit,
}

/// An answer that somebody takes.
struct Held {
    answer: Bytes,
    waits: Waits,
    user_id: Box<str>,
    places: usize,
    _of_caller: InFlight,
}

// === impl Waits ===

impl Waits {
    pub(super) fn new() -> Self {
        Self(Arc::new(Shared {
            users: Users::new(),
            all: Arc::new(Semaphore::new(OF_ALL)),
            reading: Semaphore::new(READING),
            readers: KeyedMutex::default(),
            taking: Users::new(),
            room: Mutex::new(Shares::new(MAX_TAKEN / SMALL)),
            signals: std::array::from_fn(|_| watch::Sender::default()),
            hash: RandomState::new(),
            stop: CancellationToken::new(),
            watching: Mutex::default(),
            authority: Mutex::default(),
            streams: Mutex::default(),
        }))
    }

    /// A wait of `user_id` for an event in `deliveries`.
    pub(super) fn begin(
        &self,
        user_id: &str,
        deliveries: &Deliveries,
        is_stream: bool,
    ) -> Result<Wait, Error> {
        let of_all = self.0.all.clone().try_acquire_owned();
        let of_all = of_all.map_err(|_| Error::TooManyWaiting)?;
        let of_caller = self.0.users.request(user_id, OF_CALLER);
        let of_caller = of_caller.or_else(|| self.take_idle(user_id));
        let of_caller = of_caller.ok_or(Error::TooManyWaitingOfCaller)?;
        let place = Arc::new(Place {
            stop: self.0.stop.child_token(),
            of_caller: Mutex::new(Some(of_caller)),
            idle_since: Mutex::new(Instant::now()),
        });
        if is_stream {
            let mut streams = self.0.streams.lock();
            streams.entry(user_id.into()).or_default().push(place.clone());
        }
        Ok(Wait {
            waits: self.clone(),
            user_id: user_id.into(),
            signal: self.signal(user_id).subscribe(),
            place,
            _of_all: of_all,
            _watching: self.watching(deliveries),
        })
    }

    /// The place of the stream of `user_id` idle for longest, if that is long enough: its client may have gone.
    fn take_idle(&self, user_id: &str) -> Option<InFlight> {
        let mut streams = self.0.streams.lock();
        let of_user = streams.get_mut(user_id)?;
        let idle = of_user.iter().enumerate();
        let (at, _) = idle.min_by_key(|(_, place)| *place.idle_since.lock())?;
        if of_user[at].idle_since.lock().elapsed() < IDLE {
            return None;
        }
        let place = of_user.swap_remove(at);
        place.stop.cancel();
        place.of_caller.lock().take()
    }

    pub(super) fn follow(&self, authority: Arc<dyn Authority>) {
        *self.0.authority.lock() = Some(authority);
    }

    pub(super) fn authority(&self) -> Option<Arc<dyn Authority>> {
        self.0.authority.lock().clone()
    }

    /// Until this is dropped, an answer for `user_id` may be made: one at a time, so that the others wait for one.
    pub(super) async fn turn_to_read(&self, user_id: &str) -> (KeyedGuard, SemaphorePermit<'_>) {
        let of_user = self.0.readers.lock(user_id).await;
        (of_user, self.0.reading.acquire().await.expect("never closed"))
    }

    /// `answer`, which counts until `user_id` has taken it if it is large.
    pub(super) fn hold(&self, user_id: &str, answer: Bytes) -> Result<Bytes, Error> {
        if answer.len() <= SMALL {
            return Ok(answer);
        }
        let of_caller = self.0.taking.request(user_id, OF_CALLER);
        let _of_caller = of_caller.ok_or(Error::TooManyWaitingOfCaller)?;
        let mut room = self.0.room.lock();
        if !room.has_room(user_id) {
            return Err(match room.free() {
                0 => Error::TooManyWaiting,
                _ => Error::TooManyWaitingOfCaller,
            });
        }
        let places = answer.len().div_ceil(SMALL);
        (0..places).for_each(|_| room.take(user_id));
        drop(room);
        let (waits, user_id) = (self.clone(), user_id.into());
        Ok(Bytes::from_owner(Held { answer, waits, user_id, places, _of_caller }))
    }

    pub(super) fn stop(&self) {
        self.0.stop.cancel();
    }

    fn signal(&self, user_id: &str) -> &watch::Sender<i64> {
        &self.0.signals[self.0.hash.hash_one(user_id) as usize % SIGNALS]
    }

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
            let mut changed = pin!(queue.news(News::Received).notified());
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

// === impl Held ===

impl AsRef<[u8]> for Held {
    fn as_ref(&self) -> &[u8] {
        &self.answer
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        let mut room = self.waits.0.room.lock();
        (0..self.places).for_each(|_| room.give_back(&self.user_id));
    }
}

// === impl Wait ===

impl Wait {
    /// Why it has to end by now, if it has.
    pub(super) fn end(&self) -> Option<End> {
        if self.waits.0.stop.is_cancelled() {
            return Some(End::Stopping);
        }
        self.place.stop.is_cancelled().then_some(End::Replaced)
    }

    pub(super) fn gets(&self) {
        *self.place.idle_since.lock() = Instant::now();
    }

    /// Completes when an event of the user may have arrived since this call, or the gateway stops.
    pub(super) fn arrival(&mut self) -> impl Future<Output = ()> {
        self.signal.mark_unchanged();
        async {
            self.place.stop.run_until_cancelled(self.signal.changed()).await;
        }
    }
}

impl Drop for Wait {
    fn drop(&mut self) {
        let mut streams = self.waits.0.streams.lock();
        if let Some(of_user) = streams.get_mut(&self.user_id) {
            of_user.retain(|place| !Arc::ptr_eq(place, &self.place));
            if of_user.is_empty() {
                streams.remove(&self.user_id);
            }
        }
    }
}

opaque_debug!(Waits);
