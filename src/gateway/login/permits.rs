//! The permits for logins that the groupware server may count (docs/ARCHITECTURE.md, "Logins").
//!
//! A call by HTTP Basic holds one, and a refusal spends it for [`WINDOW`], so the server never counts more refused
//! logins than there are permits. A call without one logs in by bearer token, or waits.

use std::cmp::Reverse;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use arc_swap::ArcSwapOption;
use tokio::sync::{Mutex, Notify};
use tokio::time::Instant;

use super::RefusedLogins;
use crate::tally::FailureTally;
use crate::vault::{PermitLease, Vault, VaultError};

/// The time over which the groupware server counts.
pub(super) const WINDOW: Duration = Duration::from_secs(30 * 60);

/// How often a gateway without the lease tries to acquire it.
const INTERVAL: Duration = Duration::from_millis(250);

/// How long a call that needs a permit waits for the lease, which a gateway that is being replaced may still hold.
const LEASE_PATIENCE: Duration = Duration::from_secs(5);

/// The permits of this gateway. If several gateways share a store, only the one that holds the lease can use them.
pub(super) struct Permits {
    slots: Box<[Slot]>,
    start: Instant,
    changed: Notify,
    /// Held by the first call in the queue.
    turn: Mutex<()>,
    lease: ArcSwapOption<Box<dyn PermitLease>>,
    /// When the lease was last requested; locked during the request.
    requested: Mutex<Option<Instant>>,
    unread: FailureTally,
}

/// [`FREE`], [`IN_FLIGHT`], or the millisecond since the start until which the permit is spent.
type Slot = AtomicU64;

const FREE: u64 = 0;
const IN_FLIGHT: u64 = 1;

/// The right to make one login that the server may count. Dropping it frees the permit.
pub(super) struct Permit {
    permits: Arc<Permits>,
    slot: usize,
    is_spent: bool,
}

// === impl Permits ===

impl Permits {
    /// `budget` permits, at least one, without a lease.
    pub(super) fn new(budget: usize) -> Self {
        Self {
            slots: (0..budget.max(1)).map(|_| Slot::new(FREE)).collect(),
            start: Instant::now(),
            changed: Notify::new(),
            turn: Mutex::default(),
            lease: ArcSwapOption::empty(),
            requested: Mutex::default(),
            unread: FailureTally::new(|count, error| {
                tracing::warn!(
                    parent: None, count, error,
                    "logins go by bearer token: the refused ones could not be read"
                );
            }),
        }
    }

    /// How many permits are free, in flight and spent.
    pub(super) fn counts(&self) -> RefusedLogins {
        let now = self.now();
        let mut counts = RefusedLogins::default();
        for slot in &self.slots {
            match slot.load(Ordering::SeqCst) {
                IN_FLIGHT => counts.permits_in_flight += 1,
                until if until > now => counts.permits_spent += 1,
                _ => counts.permits_free += 1,
            }
        }
        counts
    }

    /// A permit, if one is free at this instant and this gateway holds the lease.
    pub(super) async fn take(self: &Arc<Self>, vault: &Vault) -> Option<Permit> {
        if !self.is_leased() && !Box::pin(self.acquire_lease(vault)).await {
            return None;
        }
        let now = self.now();
        for (at, slot) in self.slots.iter().enumerate() {
            let state = slot.load(Ordering::SeqCst);
            let is_free = state != IN_FLIGHT && state <= now;
            if is_free
                && slot
                    .compare_exchange(state, IN_FLIGHT, Ordering::SeqCst, Ordering::SeqCst)
                    .is_ok()
            {
                return Some(Permit {
                    permits: self.clone(),
                    slot: at,
                    is_spent: false,
                });
            }
        }
        None
    }

    /// Waits for a permit, first come, first served, for at least `patience` and while permits in flight may still
    /// become free; `None` once `is_needless`.
    ///
    /// # Errors
    /// The time until the next permit becomes free.
    pub(super) async fn wait(
        self: &Arc<Self>,
        vault: &Vault,
        patience: Duration,
        is_needless: impl Fn() -> bool,
    ) -> Result<Option<Permit>, Duration> {
        let began = Instant::now();
        let _turn = self.turn.lock().await;
        loop {
            // Created before the permits are checked, so that no later change is missed.
            let changed = self.changed.notified();
            if is_needless() {
                return Ok(None);
            }
            if let Some(permit) = self.take(vault).await {
                return Ok(Some(permit));
            }
            match self.is_leased() {
                false if began.elapsed() >= LEASE_PATIENCE => return Err(INTERVAL),
                false => {}
                true => {
                    if let Some(wait) = self.all_spent_for()
                        && began.elapsed() >= patience
                    {
                        return Err(wait);
                    }
                }
            }
            // A spent permit becomes free without a notification.
            _ = tokio::time::timeout(INTERVAL, changed).await;
        }
    }

    /// Makes all waiting calls check again.
    pub(super) fn notify(&self) {
        self.changed.notify_waiters();
    }

    /// Releases the lease: another gateway on the store can acquire it at once.
    pub(super) fn release_lease(&self) {
        self.lease.store(None);
    }

    fn is_leased(&self) -> bool {
        let lease = self.lease.load();
        lease.as_ref().is_some_and(|lease| lease.holds())
    }

    /// Acquires the lease, and reads from the store which permits are spent. Does nothing if the lease was requested
    /// within [`INTERVAL`] or is being requested.
    async fn acquire_lease(&self, vault: &Vault) -> bool {
        let Ok(mut requested) = self.requested.try_lock() else {
            return false;
        };
        if self.is_leased() {
            return true;
        }
        if requested.is_some_and(|at| at.elapsed() < INTERVAL) {
            return false;
        }
        let is_acquired = self.try_acquire_lease(vault).await;
        *requested = Some(Instant::now());
        is_acquired
    }

    async fn try_acquire_lease(&self, vault: &Vault) -> bool {
        // Released before another one is requested.
        self.lease.store(None);
        // Logins in flight since a lost lease would add to those of the gateway that held it meanwhile.
        if self.counts().permits_in_flight > 0 {
            return false;
        }
        let Some(lease) = vault.store().lease_permits() else {
            return false;
        };
        if let Err(error) = self.read_refused(vault).await {
            self.unread.count(&error);
            return false;
        }
        self.lease.store(Some(Arc::new(lease)));
        true
    }

    /// Spends the permits of refused logins that any gateway has stored.
    async fn read_refused(&self, vault: &Vault) -> Result<(), VaultError> {
        let now = SystemTime::now();
        let refused = vault.refused_logins(now - WINDOW).await?;
        let remaining = refused.into_iter().map(|at| {
            // If the clock was set back, nobody is locked out for longer.
            let age = now.duration_since(at).unwrap_or_default();
            WINDOW.saturating_sub(age)
        });
        let mut remaining: Vec<_> = remaining.collect();
        // If there are more refused logins than permits, the latest decide when one becomes free.
        remaining.sort_unstable_by_key(|time| Reverse(*time));
        let now = self.now();
        // The permits of those that this gateway stored itself are already spent.
        let mut slots: Vec<_> = self.slots.iter().collect();
        slots.sort_unstable_by_key(|slot| Reverse(slot.load(Ordering::SeqCst)));
        for (slot, time) in slots.into_iter().zip(remaining) {
            slot.fetch_max(now + millis(time), Ordering::SeqCst);
        }
        Ok(())
    }

    /// The time until the first permit becomes free, if all are spent.
    fn all_spent_for(&self) -> Option<Duration> {
        let now = self.now();
        let slots = self.slots.iter().map(|slot| slot.load(Ordering::SeqCst));
        let first = slots.min().filter(|first| *first > now.max(IN_FLIGHT))?;
        Some(Duration::from_millis(first - now))
    }

    /// Milliseconds since the start, above [`IN_FLIGHT`].
    fn now(&self) -> u64 {
        millis(self.start.elapsed()) + IN_FLIGHT + 1
    }
}

impl fmt::Debug for Permits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.counts().fmt(f)
    }
}

// === impl Permit ===

impl Permit {
    /// The login was refused, and counted.
    pub(super) fn spend(mut self) {
        let until = self.permits.now() + millis(WINDOW);
        self.set(until);
        self.is_spent = true;
        // All waiting calls check again: there may be nothing left to wait for.
        self.permits.notify();
    }

    fn set(&self, state: u64) {
        self.permits.slots[self.slot].store(state, Ordering::SeqCst);
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        if !self.is_spent {
            self.set(FREE);
            self.permits.changed.notify_one();
        }
    }
}

/// As `Duration::as_millis`, rounded up, without its 128 bits.
fn millis(duration: Duration) -> u64 {
    duration.as_secs() * 1000 + u64::from(duration.subsec_nanos().div_ceil(1_000_000))
}
