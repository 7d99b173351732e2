//! The state of users while they are served: requests in flight, uses of the stored password, and refused passwords.
//!
//! Each user has one entry, which exists as long as it has any of these, and then until the table is full. The entries
//! are spread over shards, so that requests of different users rarely contend for a lock.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::SeqCst};
use std::time::Duration;

use foldhash::fast::RandomState;
use parking_lot::{Mutex, MutexGuard};
use tokio::sync::{Mutex as AsyncMutex, Notify};
use tokio::time::Instant;

use crate::opaque::opaque_debug;

/// A power of two.
const SHARDS: usize = 64;

/// The number of refused passwords of one user within [`WINDOW`] after which no more are tried.
const MAX_REFUSED: usize = 2;

const WINDOW: Duration = Duration::from_secs(30 * 60);

/// When to come again while others are being tried.
const AGAIN: Duration = Duration::from_secs(1);

/// How long a login by HTTP Basic that was accepted shows that the stored password works.
const PROVEN_FOR: Duration = Duration::from_secs(10);

/// How long a retry keeps others from one: an upload may take hours.
const RETRIED_FOR: Duration = Duration::from_secs(60);

/// Maximum number of unused entries of a shard; further ones are dropped, which costs no user anything.
const MAX_IDLE: usize = 1024;

/// The users that have state. Clones share everything.
#[derive(Clone)]
pub(crate) struct Users(Arc<[Mutex<Shard>; SHARDS]>);

/// Not hashed as SipHash does, since each request asks twice: whoever could choose names that collide would make those of
/// one shard slower to find, and a shard is bounded.
type Shard = HashMap<Box<str>, Arc<UserState>, RandomState>;

#[derive(Default)]
struct UserState {
    in_flight: AtomicUsize,
    /// The index in `uses` of the counter for new uses: see [`Use`].
    phase: AtomicUsize,
    uses: [AtomicUsize; 2],
    use_ended: Notify,
    waits_for_uses: AsyncMutex<()>,
    /// When the retry began that is under way.
    retried: Mutex<Option<Instant>>,
    turns: AtomicUsize,
    turn_ended: Notify,
    /// The revision of the stored password, if HTTP Basic accepted it last, and when that login began.
    proof: Mutex<Option<(u64, Instant)>>,
    /// The revision of the stored password that HTTP Basic refused, also if the store could not be told.
    refused_by_basic: AtomicU64,
    /// The most recent ones, and those that are being tried, oldest first.
    refused: Mutex<[Option<Tried>; MAX_REFUSED]>,
}

/// A password that was refused, or may be.
#[derive(Clone, Copy)]
struct Tried {
    began: Instant,
    is_open: bool,
}

/// A request of one user in flight, until this is dropped.
pub(crate) struct InFlight(Arc<UserState>);

/// The right to read and use the stored password of one user, until this is dropped.
///
/// No call may use a removed password after the removal was acknowledged, but a call that read it just
/// before still could. So a removal, once it took effect in the store, waits for all uses that began
/// before ([`Users::quiesce`]). Later uses read what is stored then, and are not waited for.
///
/// This is sleepable read-copy-update: there are two counters, and a phase that determines which one new
/// uses increment. A removal flips the phase and waits for the other counter to reach zero.
pub(crate) struct Use {
    user: Arc<UserState>,
    phase: usize,
}

/// A password that is to be tried. Once it has been [shown](Self::show) to the server, it counts as refused unless
/// it is [forgiven](Self::forgive), even if the caller disconnects before the result is known.
pub(crate) struct PasswordTry {
    user: Arc<UserState>,
    began: Instant,
    counts: bool,
}

/// The retry of a user's suspended password, the only one until this is dropped or it takes too long.
pub(crate) struct Retry(Arc<UserState>, Instant);

/// The turn of a call to log in by HTTP Basic with the stored password of a user, until this is dropped.
///
/// Calls take turns so that each knows whether the one before was refused: each call in flight is a refused login when
/// a password dies. While it is [proven](Use::is_proven), there may be further turns beside the first.
pub(crate) struct Turn(Arc<UserState>);

// === impl Users ===

impl Users {
    pub(super) fn new() -> Self {
        Self(Arc::new(std::array::from_fn(|_| Mutex::default())))
    }

    /// A request in flight of `user_id`; `None` if there are `limit` already.
    pub(super) fn request(&self, user_id: &str, limit: usize) -> Option<InFlight> {
        let user = self.user(user_id);
        let add = |count| (count < limit).then_some(count + 1);
        user.in_flight.fetch_update(SeqCst, SeqCst, add).is_ok().then(|| InFlight(user))
    }

    /// Begins a use of the stored password of `user_id`, which must be read only after this.
    pub(super) fn acquire(&self, user_id: &str) -> Use {
        let user = self.user(user_id);
        loop {
            let phase = user.phase.load(SeqCst);
            user.uses[phase].fetch_add(1, SeqCst);
            // If the phase flipped in between, a removal may have missed this use, so it starts again.
            if user.phase.load(SeqCst) == phase {
                return Use { user, phase };
            }
            user.end_use(phase);
        }
    }

    /// Waits for the end of all uses of the stored password of `user_id` that have begun.
    pub(super) async fn quiesce(&self, user_id: &str) {
        let user = self.user(user_id);
        let _alone = user.waits_for_uses.lock().await;
        let phase = user.phase.load(SeqCst);
        // A removal that was cancelled while it waited may have left uses of the other phase.
        user.emptied(1 - phase).await;
        user.phase.store(1 - phase, SeqCst);
        user.use_ended.notify_waiters();
        user.emptied(phase).await;
    }

    /// Begins to try a password for `user_id`; the error is the time until that is possible.
    pub(super) fn try_password(&self, user_id: &str) -> Result<PasswordTry, Duration> {
        let user = self.user(user_id);
        let mut refused = user.refused.lock();
        let remaining = refused[0].map(|oldest| WINDOW.saturating_sub(oldest.began.elapsed()));
        if let Some(remaining) = remaining.filter(|remaining| !remaining.is_zero()) {
            // One that is being tried may be right.
            let is_open = refused.iter().flatten().any(|it| it.is_open);
            return Err(if is_open { AGAIN } else { remaining });
        }
        let began = Instant::now();
        refused.rotate_left(1);
        refused[MAX_REFUSED - 1] = Some(Tried { began, is_open: true });
        drop(refused);
        Ok(PasswordTry { user, began, counts: false })
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
        latest.is_some_and(|it| it.began.elapsed() < WINDOW)
            || self.refused_by_basic.load(SeqCst) != 0
    }
}

// === impl PasswordTry ===

impl PasswordTry {
    pub(super) fn show(&mut self) {
        self.counts = true;
    }

    pub(super) fn forgive(mut self) {
        self.counts = false;
    }
}

impl Drop for PasswordTry {
    fn drop(&mut self) {
        let mut refused = self.user.refused.lock();
        let is_it = |it: &Option<Tried>| it.is_some_and(|it| it.began == self.began && it.is_open);
        let Some(at) = refused.iter().position(is_it) else {
            return;
        };
        if self.counts {
            refused[at] = refused[at].map(|it| Tried { is_open: false, ..it });
        } else {
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
    /// Returns once somebody [waits](Users::quiesce) for its end.
    pub(super) async fn is_awaited(&self) {
        loop {
            // Created before the phase is read, so that no change after it is missed.
            let changed = self.user.use_ended.notified();
            if self.user.phase.load(SeqCst) != self.phase {
                return;
            }
            changed.await;
        }
    }

    /// The right to retry the user's suspended password; `None` while somebody else does.
    pub(super) fn retry(&self) -> Option<Retry> {
        let (mut retried, now) = (self.user.retried.lock(), Instant::now());
        if retried.is_some_and(|began| now < began + RETRIED_FOR) {
            return None;
        }
        *retried = Some(now);
        Some(Retry(self.user.clone(), now))
    }

    pub(super) fn avoid_basic(&self, revision: u64) {
        self.user.refused_by_basic.store(revision, SeqCst);
    }

    pub(super) fn avoids_basic(&self, revision: u64) -> bool {
        self.user.refused_by_basic.load(SeqCst) == revision
    }

    /// Remembers what a login by HTTP Basic showed: the revision that it accepted, and when it began.
    pub(super) fn set_proof(&self, proof: Option<(u64, Instant)>) {
        *self.user.proof.lock() = proof;
    }

    /// Whether HTTP Basic accepted the password of `revision` within the last ten seconds, and refused none since.
    pub(super) fn is_proven(&self, revision: u64) -> bool {
        let proof = *self.user.proof.lock();
        proof.is_some_and(|(of, began)| of == revision && began.elapsed() < PROVEN_FOR)
    }

    /// The turn to log in by HTTP Basic, if no other call has one at this instant.
    pub(super) fn try_turn(&self) -> Option<Turn> {
        let taken = self.user.turns.compare_exchange(0, 1, SeqCst, SeqCst);
        taken.is_ok().then(|| Turn(self.user.clone()))
    }

    pub(super) fn further_turn(&self) -> Turn {
        self.user.turns.fetch_add(1, SeqCst);
        Turn(self.user.clone())
    }

    pub(super) fn turns(&self) -> usize {
        self.user.turns.load(SeqCst)
    }

    /// Waits until a turn has ended, or somebody [passes on](Self::pass_on) that there may be another. Either is kept
    /// for whoever comes next, so none is missed.
    pub(super) async fn turn_ended(&self) {
        self.user.turn_ended.notified().await;
    }

    pub(super) fn pass_on(&self) {
        self.user.turn_ended.notify_one();
    }
}

impl Clone for Use {
    /// Another use, which counts as begun together with this one.
    fn clone(&self) -> Self {
        self.user.uses[self.phase].fetch_add(1, SeqCst);
        Self { user: self.user.clone(), phase: self.phase }
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
        // Another one may have begun meanwhile.
        self.0.retried.lock().take_if(|began| *began == self.1);
    }
}

// === impl Turn ===

impl Drop for Turn {
    fn drop(&mut self) {
        self.0.turns.fetch_sub(1, SeqCst);
        self.0.turn_ended.notify_one();
    }
}

#[cfg(test)]
#[path = "../../tests/unit/users.rs"]
mod tests;
