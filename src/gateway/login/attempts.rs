//! How often one user may send a password that is refused.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

/// Refused attempts of a user within [`WINDOW`] after which no further one is made.
const MOST: usize = 5;

const WINDOW: Duration = Duration::from_secs(60 * 60);

/// The refused store attempts of the last hour, oldest first.
///
/// Each of them held a permit of the [budget](super::budget), which bounds how many there are.
#[derive(Default)]
pub(super) struct Attempts(Mutex<VecDeque<(Instant, Box<str>)>>);

// === impl Attempts ===

impl Attempts {
    /// Whether `user_id` may make another attempt; the error is the time until then.
    pub(super) fn check(&self, user_id: &str) -> Result<(), Duration> {
        let attempts = self.current();
        let mut latest = attempts.iter().rev().filter(|(_, by)| **by == *user_id);
        match latest.nth(MOST - 1) {
            Some((at, _)) => Err((*at + WINDOW).saturating_duration_since(Instant::now())),
            None => Ok(()),
        }
    }

    /// An attempt of `user_id` was refused.
    pub(super) fn refused(&self, user_id: &str) {
        self.current().push_back((Instant::now(), user_id.into()));
    }

    fn current(&self) -> MutexGuard<'_, VecDeque<(Instant, Box<str>)>> {
        let mut attempts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        while attempts
            .front()
            .is_some_and(|(at, _)| at.elapsed() >= WINDOW)
        {
            attempts.pop_front();
        }
        attempts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn api_5_1_five_refused_attempts_an_hour() {
        let attempts = Attempts::default();
        let minute = Duration::from_secs(60);
        for _ in 0..MOST {
            attempts.check("alice").unwrap();
            attempts.refused("alice");
            tokio::time::advance(minute).await;
        }
        assert_eq!(attempts.check("alice"), Err(WINDOW - 5 * minute));
        attempts.check("bob").unwrap();
        tokio::time::advance(WINDOW - 5 * minute).await;
        attempts.check("alice").unwrap();
        attempts.refused("alice");
        assert_eq!(attempts.check("alice"), Err(minute));
        tokio::time::advance(WINDOW).await;
        attempts.check("alice").unwrap();
        assert_eq!(
            attempts.0.lock().unwrap().len(),
            0,
            "forgotten, not only passed over"
        );
    }
}
