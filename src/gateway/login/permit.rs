//! The right to try a login that may be refused: a [place](super::places), waited for if need be.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::sync::futures::Notified;
use tokio::time::Instant;

use super::common::Common;
use super::places::{Full, Login, Places, Shares, WINDOW};
use crate::gateway::Error;
use crate::vault::LoginPurpose;

/// The places of all users.
pub(super) struct Permits {
    places: Mutex<Places>,
    changed: Notify,
    /// What several gateways on one store have in common.
    common: Option<Common>,
    /// Logins that were refused since the start of the process.
    refused: AtomicU64,
}

/// The right to try one login that may be refused. Dropping it gives its place back.
pub(super) struct Permit {
    permits: Arc<Permits>,
    id: u64,
    began: Instant,
    /// When its place was claimed in the store, if that is common to several gateways.
    claimed: Option<Instant>,
    /// Whether the place may be kept for another call when it is given back.
    keeps: bool,
}

/// What is known of refused logins (docs/ARCHITECTURE.md, "Refused logins").
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RefusedLogins {
    /// How many were refused since the start of the process.
    pub total: u64,
    /// Places that are free.
    pub free: usize,
    /// Places of logins in flight.
    pub in_flight: usize,
    /// Places of logins that were refused within 30 minutes.
    pub refused: usize,
}

/// There is no place, and none will come free within `wait`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NoPlace {
    wait: Duration,
    by_own: bool,
    purpose: LoginPurpose,
}

// === impl Permits ===

impl Permits {
    pub(super) fn new(budget: usize, common: Option<Common>) -> Self {
        Self {
            places: Mutex::new(Places::new(budget)),
            changed: Notify::new(),
            common,
            refused: AtomicU64::new(0),
        }
    }

    /// Counts one more refused login in the total.
    pub(super) fn count_in_total(&self) {
        self.refused.fetch_add(1, Ordering::Relaxed);
    }

    /// What is known of refused logins.
    pub(super) fn refused_logins(&self) -> RefusedLogins {
        let (free, in_flight, refused) = self.places().counts(Instant::now());
        RefusedLogins {
            total: self.refused.load(Ordering::Relaxed),
            free,
            in_flight,
            refused,
        }
    }

    /// Acquires a permit, and waits for one as long as logins in flight may still give one back.
    ///
    /// # Errors
    /// The time until a place is known to come free.
    pub(super) async fn acquire(
        self: &Arc<Self>,
        login: Login,
        shares: Shares,
    ) -> Result<Permit, NoPlace> {
        loop {
            // Created before the places are looked at, so that no change after it is missed.
            let changed = self.changed.notified();
            match self.reserve(&login, shares) {
                Ok(permit) => return Ok(permit),
                Err(Full::ForNow) => changed.await,
                Err(Full::Until { until, by_own }) => {
                    return Err(NoPlace::new(until, by_own, login.purpose));
                }
            }
        }
    }

    /// Acquires a permit, if there is one at this instant.
    pub(super) fn reserve(self: &Arc<Self>, login: &Login, shares: Shares) -> Result<Permit, Full> {
        let id = random_id();
        let now = Instant::now();
        self.places().reserve(id, login.clone(), shares, now)?;
        Ok(Permit {
            permits: self.clone(),
            id,
            began: now,
            claimed: None,
            keeps: false,
        })
    }

    /// A permit in a place that was kept since it was claimed.
    pub(super) fn reuse(self: &Arc<Self>, login: &Login, shares: Shares) -> Option<Permit> {
        let common = self.common.as_ref()?;
        let (id, claimed) = common.take_kept()?;
        let now = Instant::now();
        if self.places().reuse(id, login.clone(), shares, now).is_err() {
            if !common.give_back(id, claimed, true) {
                self.places().release(id);
            }
            return None;
        }
        Some(Permit {
            permits: self.clone(),
            id,
            began: now,
            claimed: Some(claimed),
            keeps: true,
        })
    }

    /// Gives places back that were kept too long, or all of them; their numbers.
    pub(super) fn release_kept(&self, all: bool) -> Vec<u64> {
        let Some(common) = &self.common else {
            return Vec::new();
        };
        let ended = common.release_kept(all);
        if !ended.is_empty() {
            let mut places = self.places();
            for id in &ended {
                places.release(*id);
            }
            drop(places);
            self.notify();
        }
        ended
    }

    /// What several gateways on one store have in common.
    pub(super) fn common(&self) -> Option<&Common> {
        self.common.as_ref()
    }

    /// Resolves after the next change of the places.
    pub(super) fn changed(&self) -> Notified<'_> {
        self.changed.notified()
    }

    /// The places may have changed: whoever waits looks again.
    pub(super) fn notify(&self) {
        self.changed.notify_waiters();
    }

    /// Takes over what the store has of all gateways.
    pub(super) fn replace_others(
        &self,
        in_flight: Vec<(u64, Login)>,
        refused: Vec<(u64, Login, Instant)>,
    ) {
        self.places().replace_others(in_flight, refused);
        self.notify();
    }

    /// The store has the refused login `id` now.
    pub(super) fn stored(&self, id: u64) {
        self.places().stored(id);
    }

    /// Counts a login that was refused though it held no permit, and returns its number.
    pub(super) fn count_refused(&self, login: Login) -> u64 {
        let id = random_id();
        self.add_refused(id, login, WINDOW);
        id
    }

    /// Counts a refused login that the server still counts for `left`.
    pub(super) fn add_refused(&self, id: u64, login: Login, left: Duration) {
        let until = Instant::now() + left.min(WINDOW);
        self.places().add_refused(id, login, until);
        self.changed.notify_waiters();
    }

    fn places(&self) -> MutexGuard<'_, Places> {
        self.places.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

// === impl Permit ===

impl Permit {
    /// The number of its place.
    pub(super) fn id(&self) -> u64 {
        self.id
    }

    /// Its place is being claimed in the store, so it has to be given back there.
    pub(super) fn claim(&mut self) {
        self.claimed = Some(self.began);
    }

    /// The store has accepted the claim; `keeps` says whether the place may be kept for another call.
    pub(super) fn confirm(&mut self, keeps: bool) {
        self.keeps = keeps;
    }

    /// The store did not accept the claim.
    pub(super) fn unclaim(mut self) {
        self.claimed = None;
    }

    /// The login, of `user_id`, worked: gives back the places of the refused ones that the server
    /// has forgotten for it. Their numbers.
    pub(super) fn forgive(&self, user_id: &str) -> Vec<u64> {
        let forgiven = self.permits.places().forgive(user_id, self.began);
        if !forgiven.is_empty() {
            self.permits.changed.notify_waiters();
        }
        forgiven
    }

    /// The login was refused: its place stays occupied for [`WINDOW`]. Its number, and what is to
    /// be remembered of it.
    pub(super) fn refused(self) -> Option<(u64, Login)> {
        let login = self.permits.places().refused(self.id, Instant::now());
        login.map(|login| (self.id, login))
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        let mut places = self.permits.places();
        let is_free = places.release(self.id);
        if let (true, Some(claimed), Some(common)) = (is_free, self.claimed, &self.permits.common) {
            // The store has it as occupied, so nobody else may take it meanwhile.
            places.keep(self.id);
            if !common.give_back(self.id, claimed, self.keeps) {
                places.release(self.id);
            }
        }
        drop(places);
        self.permits.changed.notify_waiters();
    }
}

// === impl NoPlace ===

impl NoPlace {
    pub(super) fn new(until: Instant, by_own: bool, purpose: LoginPurpose) -> Self {
        Self {
            wait: until.saturating_duration_since(Instant::now()),
            by_own,
            purpose,
        }
    }

    /// Whether the user's own refusals are the reason.
    pub(super) fn is_of_one_user(&self) -> bool {
        self.by_own
    }
}

// === impl Error ===

impl From<NoPlace> for Error {
    fn from(full: NoPlace) -> Self {
        match full.purpose {
            LoginPurpose::Retry => Self::Suspended,
            LoginPurpose::New | LoginPurpose::Basic if full.by_own => {
                Self::TooManyAttempts(full.wait)
            }
            _ => Self::TooManyRefused(full.wait),
        }
    }
}

/// A number of 63 bits, since SQL integers are signed.
fn random_id() -> u64 {
    // Numbers only have to differ. A process without random bytes could not seal anything either.
    getrandom::u64().unwrap_or_default() >> 1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn recent(user_id: &str) -> Login {
        Login {
            user_id: user_id.into(),
            purpose: LoginPurpose::Recent,
            forgivable: true,
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_login_in_flight_may_give_its_permit_back() {
        let permits = Arc::new(Permits::new(1, None));
        for refused in [false, true] {
            let in_flight = permits
                .acquire(recent("alice"), Shares::All)
                .await
                .ok()
                .unwrap();
            let waiting = tokio::spawn({
                let permits = permits.clone();
                async move { permits.acquire(recent("bob"), Shares::All).await.map(drop) }
            });
            tokio::time::sleep(Duration::from_secs(1)).await;
            assert!(!waiting.is_finished());
            if !refused {
                drop(in_flight);
                waiting.await.unwrap().unwrap();
                continue;
            }
            in_flight.refused();
            let full = waiting.await.unwrap().unwrap_err();
            assert_eq!(full.wait, WINDOW);
        }
        // It comes free exactly then.
        tokio::time::advance(WINDOW).await;
        permits
            .acquire(recent("bob"), Shares::All)
            .await
            .ok()
            .unwrap();
    }

    #[tokio::test(start_paused = true)]
    async fn a_success_gives_back_what_was_refused_before_it_began() {
        let permits = Arc::new(Permits::new(2, None));
        let refused = permits
            .acquire(recent("alice"), Shares::All)
            .await
            .ok()
            .unwrap();
        let early = permits
            .acquire(recent("alice"), Shares::All)
            .await
            .ok()
            .unwrap();
        assert!(
            early.forgive("alice").is_empty(),
            "in flight is not refused"
        );
        tokio::time::advance(Duration::from_secs(1)).await;
        refused.refused();
        assert!(
            early.forgive("alice").is_empty(),
            "refused after this one began"
        );
        drop(early);
        tokio::time::advance(Duration::from_secs(1)).await;
        let late = permits
            .acquire(recent("alice"), Shares::All)
            .await
            .ok()
            .unwrap();
        let waiting = tokio::spawn({
            let permits = permits.clone();
            async move { permits.acquire(recent("bob"), Shares::All).await.map(drop) }
        });
        tokio::time::sleep(Duration::from_secs(1)).await;
        assert!(!waiting.is_finished());
        assert_eq!(late.forgive("alice").len(), 1);
        waiting.await.unwrap().unwrap();
    }
}
