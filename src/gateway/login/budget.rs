//! How many logins of all users together may be refused.
//!
//! The groupware server counts refused logins by address, and this gateway is one address for all
//! of its users: past some number nobody is let in any more. So whatever may be refused reserves a
//! place here before it is tried.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::Instant;

/// Counts refused logins, and those that may become ones.
pub(super) struct Budget {
    limit: usize,
    state: Mutex<State>,
    settled: Notify,
}

/// The time over which the groupware server counts.
pub(super) const WINDOW: Duration = Duration::from_secs(30 * 60);

/// What the first uses of stored passwords may spend above the limit. They are nobody's guess, so
/// they still get through when stores do not; but a thousand of them that went bad together must
/// not shut the others out. The default limit with this is one below what the server bears.
const MARGIN: usize = 2;

/// What a place is wanted for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    /// A password that somebody brought, or one that was refused before.
    Doubtful,
    /// The first use of a password that was good when it was stored.
    FirstUse,
}

#[derive(Default)]
struct State {
    /// When, oldest first.
    refused: VecDeque<Instant>,
    reserved: usize,
}

/// A place for one login. It is free again when this is dropped, unless the login was refused.
pub(in crate::gateway) struct Place {
    budget: Arc<Budget>,
}

impl Budget {
    pub(super) fn new(limit: usize) -> Self {
        Self {
            limit,
            state: Mutex::default(),
            settled: Notify::new(),
        }
    }

    /// Reserves a place, and waits where logins under way may still leave one. The error is the
    /// time until there will be one.
    pub(super) async fn reserve(self: &Arc<Self>, purpose: Purpose) -> Result<Place, Duration> {
        let limit = match purpose {
            Purpose::Doubtful => self.limit,
            Purpose::FirstUse => self.most(),
        };
        loop {
            // Made before the look, so that no change is missed after it.
            let settled = self.settled.notified();
            {
                let mut state = self.current();
                let refused = state.refused.len();
                if refused + state.reserved < limit {
                    state.reserved += 1;
                    return Ok(Place {
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

    /// Counts a login that was refused though nobody expected it.
    pub(super) fn refused(&self) {
        let mut state = self.current();
        self.count(&mut state);
    }

    fn count(&self, state: &mut State) {
        state.refused.push_back(Instant::now());
        // No decision looks further back.
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

impl Place {
    /// The login was refused.
    pub(super) fn refused(self) {
        let budget = &self.budget;
        budget.count(&mut budget.current());
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.budget.current().reserved -= 1;
        self.budget.settled.notify_waiters();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn design_refused_logins_stay_under_the_budget() {
        let budget = Arc::new(Budget::new(2));
        let minute = Duration::from_secs(60);
        budget.reserve(Purpose::Doubtful).await.unwrap().refused();
        tokio::time::advance(minute).await;
        budget.reserve(Purpose::Doubtful).await.unwrap().refused();
        tokio::time::advance(minute).await;
        let wait = |purpose| {
            let budget = budget.clone();
            async move { budget.reserve(purpose).await.err() }
        };
        // True to the moment at which the first of them is forgotten.
        assert_eq!(wait(Purpose::Doubtful).await, Some(WINDOW - 2 * minute));

        // First uses have the margin, and no more.
        for _ in 0..MARGIN {
            budget.reserve(Purpose::FirstUse).await.unwrap().refused();
        }
        assert_eq!(wait(Purpose::FirstUse).await, Some(WINDOW - 2 * minute));
        assert_eq!(wait(Purpose::Doubtful).await, Some(WINDOW));

        tokio::time::advance(WINDOW - 2 * minute).await;
        assert_eq!(wait(Purpose::FirstUse).await, None);
        tokio::time::advance(2 * minute).await;
        assert_eq!(wait(Purpose::Doubtful).await, None);
    }

    #[tokio::test(start_paused = true)]
    async fn a_login_under_way_may_leave_its_place() {
        let budget = Arc::new(Budget::new(1));
        let under_way = budget.reserve(Purpose::Doubtful).await.unwrap();
        let waiting = tokio::spawn({
            let budget = budget.clone();
            async move { budget.reserve(Purpose::Doubtful).await.err() }
        });
        tokio::time::sleep(Duration::from_secs(1)).await;
        assert!(!waiting.is_finished());
        drop(under_way);
        assert_eq!(waiting.await.unwrap(), None);

        let under_way = budget.reserve(Purpose::Doubtful).await.unwrap();
        let waiting = tokio::spawn({
            let budget = budget.clone();
            async move { budget.reserve(Purpose::Doubtful).await.err() }
        });
        tokio::time::sleep(Duration::from_secs(1)).await;
        under_way.refused();
        assert_eq!(waiting.await.unwrap(), Some(WINDOW));
    }
}
