//! The state of users while they are served: requests in flight, uses of the stored password, and refused
//! passwords.
//!
//! Each user has one entry, which exists as long as it has any of these, and then until the table is full. The entries
//! are spread over shards, so that requests of different users rarely contend for a lock.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::SeqCst};
use std::time::Duration;

use parking_lot::{Mutex, MutexGuard};
use tokio::sync::{Mutex as AsyncMutex, Notify};
use tokio::time::Instant;

use crate::opaque::opaque_debug;

/// A power of two.
const SHARDS: usize = 64;

/// The number of refused passwords of one user within [`WINDOW`] after which no more are tried.
const MAX_REFUSED: usize = 2;

const WINDOW: Duration = Duration::from_secs(30 * 60);

/// Maximum number of entries of a shard that are not in use. Beyond that, some are dropped: they cost memory, but take
/// nothing from any user.
const MAX_IDLE: usize = 1024;

/// The users that have state. Clones share everything.
#[derive(Clone)]
pub(super) struct Users(Arc<[Mutex<Shard>; SHARDS]>);

type Shard = HashMap<Box<str>, Arc<UserState>>;

#[derive(Default)]
struct UserState {
    in_flight: AtomicUsize,
    /// The index in `uses` of the counter for new uses: see [`Use`].
    phase: AtomicUsize,
    uses: [AtomicUsize; 2],
    use_ended: Notify,
    waits_for_uses: AsyncMutex<()>,
    is_retried: AtomicBool,
    has_turn: AtomicBool,
    turn_ended: Notify,
    /// The revision of the stored password that HTTP Basic refused, also if the store could not be told.
    refused_by_basic: AtomicU64,
    /// The most recent ones, oldest first.
    refused: Mutex<[Option<Instant>; MAX_REFUSED]>,
}

/// A request of one user in flight, until this is dropped.
pub(super) struct InFlight(Arc<UserState>);

/// The right to read and use the stored password of one user, until this is dropped.
///
/// No call may use a removed password after the removal was acknowledged, but a call that read it just
/// before still could. So a removal, once it took effect in the store, waits for all uses that began
/// before ([`Users::quiesce`]). Later uses read what is stored then, and are not waited for.
///
/// This is sleepable read-copy-update: there are two counters, and a phase that determines which one new
/// uses increment. A removal flips the phase and waits for the other counter to reach zero.
pub(super) struct Use {
    user: Arc<UserState>,
    phase: usize,
}

/// A password that is to be tried. Once it has been [shown](Self::show) to the server, it counts as refused unless
/// it is [forgiven](Self::forgive), even if the caller disconnects before the result is known.
pub(super) struct PasswordTry {
    user: Arc<UserState>,
    began: Instant,
    counts: bool,
}

/// The one retry of a user's suspended password, until this is dropped.
pub(super) struct Retry(Arc<UserState>);

/// The turn of one call to log in by HTTP Basic with the stored password of a user, until this is dropped.
///
/// Calls take turns so that each knows whether the one before was refused: otherwise the calls in flight would
/// each be a refused login when a password dies.
pub(super) struct Turn(Arc<UserState>);

// === impl Users ===

impl Users {
    pub(super) fn new() -> Self {
        Self(Arc::new(std::array::from_fn(|_| Mutex::default())))
    }

    /// A request in flight of `user_id`; `None` if there are `limit` already.
    pub(super) fn request(&self, user_id: &str, limit: usize) -> Option<InFlight> {
        let user = self.user(user_id);
        let add = |count| (count < limit).then_some(count + 1);
        let added = user.in_flight.fetch_update(SeqCst, SeqCst, add);
        added.is_ok().then(|| InFlight(user))
    }

    /// Begins a use of the stored password of `user_id`, which must be read only after this.
    pub(super) fn acquire(&self, user_id: &str) -> Use {
        Use::begin(self.user(user_id))
    }

    /// Waits for the end of all uses of the stored password of `user_id` that have begun.
    pub(super) async fn quiesce(&self, user_id: &str) {
        let user = self.user(user_id);
        let _alone = user.waits_for_uses.lock().await;
        let phase = user.phase.load(SeqCst);
        // A removal that was cancelled while it waited may have left uses of the other phase.
        user.emptied(1 - phase).await;
        user.phase.store(1 - phase, SeqCst);
        user.emptied(phase).await;
    }

    /// Begins to try a password for `user_id`; the error is the time until that is possible.
    pub(super) fn try_password(&self, user_id: &str) -> Result<PasswordTry, Duration> {
        let user = self.user(user_id);
        let mut refused = user.refused.lock();
        let remaining = refused[0].map(|oldest| WINDOW.saturating_sub(oldest.elapsed()));
        if let Some(remaining) = remaining.filter(|remaining| !remaining.is_zero()) {
            return Err(remaining);
        }
        let began = Instant::now();
        refused.rotate_left(1);
        refused[MAX_REFUSED - 1] = Some(began);
        drop(refused);
        Ok(PasswordTry {
            user,
            began,
            counts: false,
        })
    }

    /// The state of `user_id`. It is in use, and is not dropped, as long as there are clones of it beside the table's: the
    /// first one is made while the shard is locked.
    fn user(&self, user_id: &str) -> Arc<UserState> {
        let mut shard = self.shard(user_id);
        if shard.len() >= MAX_IDLE && !shard.contains_key(user_id) {
            make_room(&mut shard);
        }
        match shard.get(user_id) {
            Some(user) => user.clone(),
            None => shard.entry(user_id.into()).or_default().clone(),
        }
    }

    fn shard(&self, user_id: &str) -> MutexGuard<'_, Shard> {
        // Not keyed: whoever could choose names of one shard would make its users contend, and nothing else.
        let times_31 = |sum: usize, byte| sum.wrapping_mul(31).wrapping_add(usize::from(byte));
        let at = user_id.bytes().fold(0, times_31) % SHARDS;
        self.0[at].lock()
    }
}

/// Drops entries that are not in use and too old, and if too many are left, all that are not in use.
fn make_room(shard: &mut Shard) {
    shard.retain(|_, user| is_in_use(user) || user.remembers_a_refusal());
    if shard.len() >= MAX_IDLE {
        shard.retain(|_, user| is_in_use(user));
    }
}

fn is_in_use(user: &Arc<UserState>) -> bool {
    Arc::strong_count(user) > 1
}

opaque_debug!(Users);

// === impl UserState ===

impl UserState {
    async fn emptied(&self, phase: usize) {
        loop {
            // Created before the counter is read, so that no end after it is missed.
            let ended = self.use_ended.notified();
            if self.uses[phase].load(SeqCst) == 0 {
                return;
            }
            ended.await;
        }
    }

    fn end_use(&self, phase: usize) {
        if self.uses[phase].fetch_sub(1, SeqCst) == 1 {
            self.use_ended.notify_waiters();
        }
    }

    fn remembers_a_refusal(&self) -> bool {
        let latest = self.refused.lock()[MAX_REFUSED - 1];
        latest.is_some_and(|at| at.elapsed() < WINDOW) || self.refused_by_basic.load(SeqCst) != 0
    }
}

// === impl PasswordTry ===

impl PasswordTry {
    /// It is shown to the server.
    pub(super) fn show(&mut self) {
        self.counts = true;
    }

    /// It does not count as refused.
    pub(super) fn forgive(mut self) {
        self.counts = false;
    }
}

impl Drop for PasswordTry {
    fn drop(&mut self) {
        if self.counts {
            return;
        }
        let mut refused = self.user.refused.lock();
        if let Some(at) = refused.iter().position(|it| *it == Some(self.began)) {
            refused[at] = None;
            refused[..=at].rotate_right(1);
        }
    }
}

// === impl InFlight ===

impl Drop for InFlight {
    fn drop(&mut self) {
        self.0.in_flight.fetch_sub(1, SeqCst);
    }
}

opaque_debug!(InFlight);

// === impl Use ===

impl Use {
    fn begin(user: Arc<UserState>) -> Self {
        loop {
            let phase = user.phase.load(SeqCst);
            user.uses[phase].fetch_add(1, SeqCst);
            // If the phase flipped in between, a removal may have missed this use, so it starts again.
            if user.phase.load(SeqCst) == phase {
                return Self { user, phase };
            }
            user.end_use(phase);
        }
    }

    /// The right to retry the user's suspended password; `None` while somebody else does.
    pub(super) fn retry(&self) -> Option<Retry> {
        let was_retried = self.user.is_retried.swap(true, SeqCst);
        (!was_retried).then(|| Retry(self.user.clone()))
    }

    /// Remembers that HTTP Basic refused the password of `revision`.
    pub(super) fn avoid_basic(&self, revision: u64) {
        self.user.refused_by_basic.store(revision, SeqCst);
    }

    pub(super) fn avoids_basic(&self, revision: u64) -> bool {
        self.user.refused_by_basic.load(SeqCst) == revision
    }

    /// The turn to log in by HTTP Basic, if no other call has it at this instant.
    pub(super) fn try_turn(&self) -> Option<Turn> {
        let was_taken = self.user.has_turn.swap(true, SeqCst);
        (!was_taken).then(|| Turn(self.user.clone()))
    }

    /// Waits for the turn to log in by HTTP Basic.
    pub(super) async fn turn(&self) -> Turn {
        loop {
            if let Some(turn) = self.try_turn() {
                return turn;
            }
            // The end of a turn is kept for whoever comes next, so none is missed.
            self.user.turn_ended.notified().await;
        }
    }
}

impl Clone for Use {
    /// Another use, which counts as begun together with this one.
    fn clone(&self) -> Self {
        self.user.uses[self.phase].fetch_add(1, SeqCst);
        Self {
            user: self.user.clone(),
            phase: self.phase,
        }
    }
}

impl Drop for Use {
    fn drop(&mut self) {
        self.user.end_use(self.phase);
    }
}

// === impl Retry ===

impl Drop for Retry {
    fn drop(&mut self) {
        self.0.is_retried.store(false, SeqCst);
    }
}

// === impl Turn ===

impl Drop for Turn {
    fn drop(&mut self) {
        self.0.has_turn.store(false, SeqCst);
        self.0.turn_ended.notify_one();
    }
}

#[cfg(test)]
mod tests;
