//! How many logins of all users together may be refused.
//!
//! The groupware server counts refused logins by address, and the gateway is one address for all
//! of its users: past some number nobody is let in any more. So every login that may be refused
//! acquires a permit here before it is tried.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::Instant;

/// Counts refused logins, and logins in flight that may be refused.
pub(super) struct Budget {
    limit: usize,
    state: Mutex<State>,
    settled: Notify,
}

/// The time over which the groupware server counts.
pub(super) const WINDOW: Duration = Duration::from_secs(30 * 60);

/// What the first uses of stored passwords may spend above the limit. They were good once, so they
/// still get through when new passwords do not; but a thousand that went bad together must not
/// shut the others out. The default limit plus this is one below what the server tolerates.
const MARGIN: usize = 2;

/// What a permit is wanted for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    /// A new password, or one that was refused before.
    Doubtful,
    /// The first use of a password that was good when it was stored.
    FirstUse,
}

#[derive(Default)]
struct State {
    /// When logins were refused, oldest first.
    refused: VecDeque<Instant>,
    /// Permits that are held.
    held: usize,
}

/// The right to try one login that may be refused. Dropping it gives it back.
pub(super) struct Permit {
    budget: Arc<Budget>,
}

// === impl Budget ===

impl Budget {
    pub(super) fn new(limit: usize) -> Self {
        Self {
            limit,
            state: Mutex::default(),
            settled: Notify::new(),
        }
    }

    /// Acquires a permit, and waits for one as long as logins in flight may still give one back.
    ///
    /// # Errors
    /// The time until a permit will be free.
    pub(super) async fn acquire(self: &Arc<Self>, purpose: Purpose) -> Result<Permit, Duration> {
        let limit = match purpose {
            Purpose::Doubtful => self.limit,
            Purpose::FirstUse => self.most(),
        };
        loop {
            // Created before the state is read, so that no change after it is missed.
            let settled = self.settled.notified();
            {
                let mut state = self.current();
                let refused = state.refused.len();
                if refused + state.held < limit {
                    state.held += 1;
                    return Ok(Permit {
                        budget: self.clone(),
                    });
                }
                if refused >= limit {
                    let until = match limit {
                        0 => Instant::now(),
                        _ => state.refused[refused - limit],
                    };
                    return Err((until + WINDOW).saturating_duration_since(Instant::now()));
                }
            }
            settled.await;
        }
    }

    /// Counts a login that was refused though it held no permit.
    pub(super) fn count_refused(&self) {
        let mut state = self.current();
        self.count(&mut state);
    }

    fn count(&self, state: &mut State) {
        state.refused.push_back(Instant::now());
        // No decision needs older ones.
        while state.refused.len() > self.most() {
            state.refused.pop_front();
        }
    }

    fn most(&self) -> usize {
        self.limit.saturating_add(MARGIN)
    }

    fn current(&self) -> MutexGuard<'_, State> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        while state
            .refused
            .front()
            .is_some_and(|it| it.elapsed() >= WINDOW)
        {
            state.refused.pop_front();
        }
        state
    }
}

// === impl Permit ===

impl Permit {
    /// The login was refused: its place stays occupied for [`WINDOW`].
    pub(super) fn refused(self) {
        let budget = &self.budget;
        budget.count(&mut budget.current());
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        self.budget.current().held -= 1;
        self.budget.settled.notify_waiters();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn refused_logins_stay_within_the_budget() {
        let budget = Arc::new(Budget::new(2));
        let minute = Duration::from_secs(60);
        budget.acquire(Purpose::Doubtful).await.unwrap().refused();
        tokio::time::advance(minute).await;
        budget.acquire(Purpose::Doubtful).await.unwrap().refused();
        tokio::time::advance(minute).await;
        let wait = |purpose| {
            let budget = budget.clone();
            async move { budget.acquire(purpose).await.err() }
        };
        // The exact time at which the first of them is forgotten.
        assert_eq!(wait(Purpose::Doubtful).await, Some(WINDOW - 2 * minute));

        // First uses have the margin, and no more.
        for _ in 0..MARGIN {
            budget.acquire(Purpose::FirstUse).await.unwrap().refused();
        }
        assert_eq!(wait(Purpose::FirstUse).await, Some(WINDOW - 2 * minute));
        assert_eq!(wait(Purpose::Doubtful).await, Some(WINDOW));

        tokio::time::advance(WINDOW - 2 * minute).await;
        assert_eq!(wait(Purpose::FirstUse).await, None);
        tokio::time::advance(2 * minute).await;
        assert_eq!(wait(Purpose::Doubtful).await, None);
    }

    #[tokio::test(start_paused = true)]
    async fn a_login_in_flight_may_give_its_permit_back() {
        let budget = Arc::new(Budget::new(1));
        let in_flight = budget.acquire(Purpose::Doubtful).await.unwrap();
        let waiting = tokio::spawn({
            let budget = budget.clone();
            async move { budget.acquire(Purpose::Doubtful).await.err() }
        });
        tokio::time::sleep(Duration::from_secs(1)).await;
        assert!(!waiting.is_finished());
        drop(in_flight);
        assert_eq!(waiting.await.unwrap(), None);

        let in_flight = budget.acquire(Purpose::Doubtful).await.unwrap();
        let waiting = tokio::spawn({
            let budget = budget.clone();
            async move { budget.acquire(Purpose::Doubtful).await.err() }
        });
        tokio::time::sleep(Duration::from_secs(1)).await;
        in_flight.refused();
        assert_eq!(waiting.await.unwrap(), Some(WINDOW));
    }
}
