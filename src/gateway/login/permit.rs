//! The right to try a login that may be refused: a [place](super::places), waited for if need be.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::Instant;

use super::places::{Full, Login, Places, Shares, WINDOW};
use crate::gateway::Error;
use crate::vault::LoginPurpose;

/// The places of all users.
pub(super) struct Permits {
    places: Mutex<Places>,
    changed: Notify,
}

/// The right to try one login that may be refused. Dropping it gives its place back.
pub(super) struct Permit {
    permits: Arc<Permits>,
    id: u64,
    began: Instant,
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
    pub(super) fn new(budget: usize) -> Self {
        Self {
            places: Mutex::new(Places::new(budget)),
            changed: Notify::new(),
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
        let id = random_id();
        loop {
            // Created before the places are looked at, so that no change after it is missed.
            let changed = self.changed.notified();
            let reserved = self
                .places()
                .reserve(id, login.clone(), shares, Instant::now());
            match reserved {
                Ok(()) => {
                    return Ok(Permit {
                        permits: self.clone(),
                        id,
                        began: Instant::now(),
                    });
                }
                Err(Full::ForNow) => changed.await,
                Err(Full::Until { until, by_own }) => {
                    return Err(NoPlace {
                        wait: until.saturating_duration_since(Instant::now()),
                        by_own,
                        purpose: login.purpose,
                    });
                }
            }
        }
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
        self.permits.places().release(self.id);
        self.permits.changed.notify_waiters();
    }
}

// === impl NoPlace ===

impl NoPlace {
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
        let permits = Arc::new(Permits::new(1));
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
        let permits = Arc::new(Permits::new(2));
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
