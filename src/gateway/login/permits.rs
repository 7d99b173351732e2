//! The permits for logins that the groupware server may count (docs/ARCHITECTURE.md, "Logins").
//!
//! A call by HTTP Basic holds one, and a refusal spends it for [`WINDOW`], so the server never counts more refused
//! logins than there are permits. A call without one logs in by bearer token, or waits. Where the server counts nothing,
//! permits are [uncounted](Permit::uncounted).

use std::cmp::Reverse;
use std::fmt;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use arc_swap::ArcSwapOption;
use parking_lot::Mutex;
use tokio::sync::{Mutex as AsyncMutex, Notify};
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
    slots: Mutex<Box<[Slot]>>,
    changed: Notify,
    /// Held by the first call in the queue.
    turn: AsyncMutex<()>,
    lease: ArcSwapOption<Box<dyn PermitLease>>,
    /// When the lease was last requested; locked during the request.
    requested: AsyncMutex<Option<Instant>>,
    unread: FailureTally,
}

/// The state of a permit; the greatest is the one that is spent for the longest.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Slot {
    Free,
    InFlight,
    SpentUntil(Instant),
}

/// The right to make one login by HTTP Basic. Dropping it frees the permit.
pub(super) struct Permit(Option<Held>);

struct Held {
    permits: Arc<Permits>,
    slot: usize,
}

// === impl Permits ===

impl Permits {
    /// `budget` permits, at least one, without a lease.
    pub(super) fn new(budget: usize) -> Self {
        Self {
            slots: Mutex::new(vec![Slot::Free; budget.max(1)].into()),
            changed: Notify::new(),
            turn: AsyncMutex::default(),
            lease: ArcSwapOption::empty(),
            requested: AsyncMutex::default(),
            unread: FailureTally::new(|count, error| {
                tracing::warn!(
                    parent: None, count, error,
                    "logins go by bearer token: the refused ones could not be read"
                );
            }),
        }
    }

    pub(super) fn counts(&self) -> RefusedLogins {
        let mut counts = RefusedLogins::default();
        for slot in &**self.slots.lock() {
            match slot {
                Slot::InFlight => counts.permits_in_flight += 1,
                slot if slot.is_free() => counts.permits_free += 1,
                _ => counts.permits_spent += 1,
            }
        }
        counts
    }

    /// A permit, if one is free at this instant and this gateway holds the lease. A `further` one, beside those of calls
    /// with the same password, leaves one free and overtakes nobody: a password that dies does not spend the last.
    pub(super) async fn take(self: &Arc<Self>, vault: &Vault, further: bool) -> Option<Permit> {
        if !self.is_leased() && !Box::pin(self.acquire_lease(vault)).await {
            return None;
        }
        let turn = further.then(|| self.turn.try_lock());
        if turn.is_some_and(|turn| turn.is_err()) {
            return None;
        }
        let mut slots = self.slots.lock();
        let mut free = (0..slots.len()).filter(|slot| slots[*slot].is_free());
        let slot = free.next()?;
        if further {
            free.next()?;
        }
        slots[slot] = Slot::InFlight;
        let permits = self.clone();
        Some(Permit(Some(Held { permits, slot })))
    }

    /// Waits for a permit, first come, first served, for at least `patience` and while permits in flight may still
    /// become free; `None` once `is_needless`. The error is the time until the next permit becomes free.
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
            if let Some(permit) = self.take(vault, false).await {
                return Ok(Some(permit));
            }
            if !self.is_leased() {
                if began.elapsed() >= LEASE_PATIENCE {
                    return Err(INTERVAL);
                }
            } else if let Some(wait) = self.all_spent_for()
                && began.elapsed() >= patience
            {
                return Err(wait);
            }
            // A spent permit becomes free without a notification.
            _ = tokio::time::timeout(INTERVAL, changed).await;
        }
    }

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
        let spent = refused.into_iter().map(|at| {
            // If the clock was set back, nobody is locked out for longer.
            let age = now.duration_since(at).unwrap_or_default();
            Slot::SpentUntil(Instant::now() + WINDOW.saturating_sub(age))
        });
        let mut spent: Vec<_> = spent.collect();
        // If there are more refused logins than permits, the latest decide when one becomes free.
        spent.sort_unstable_by_key(|spent| Reverse(*spent));
        let mut slots = self.slots.lock();
        // The permits of those that this gateway stored itself are already spent.
        let mut latest: Vec<_> = slots.iter_mut().collect();
        latest.sort_unstable_by_key(|slot| Reverse(**slot));
        for (slot, spent) in latest.into_iter().zip(spent) {
            *slot = spent.max(*slot);
        }
        Ok(())
    }

    /// The time until the first permit becomes free, if all are spent.
    fn all_spent_for(&self) -> Option<Duration> {
        match self.slots.lock().iter().min() {
            Some(Slot::SpentUntil(at)) => at.checked_duration_since(Instant::now()),
            _ => None,
        }
    }
}

impl fmt::Debug for Permits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.counts().fmt(f)
    }
}

// === impl Slot ===

impl Slot {
    fn is_free(&self) -> bool {
        match self {
            Self::Free => true,
            Self::InFlight => false,
            Self::SpentUntil(at) => *at <= Instant::now(),
        }
    }
}

// === impl Permit ===

impl Permit {
    /// For a login at a server that counts none of this gateway's refused logins.
    pub(super) fn uncounted() -> Self {
        Self(None)
    }

    /// The login was refused; `false` if the server does not count that.
    pub(super) fn spend(mut self) -> bool {
        let Some(held) = self.0.take() else {
            return false;
        };
        held.set(Slot::SpentUntil(Instant::now() + WINDOW));
        // All waiting calls check again: there may be nothing left to wait for.
        held.permits.notify();
        true
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        if let Some(held) = &self.0 {
            held.set(Slot::Free);
            held.permits.changed.notify_one();
        }
    }
}

// === impl Held ===

impl Held {
    fn set(&self, state: Slot) {
        self.permits.slots.lock()[self.slot] = state;
    }
}
