//! A state that ends by itself.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::time::Instant;

/// Holds until the time that was last set has passed.
#[derive(Debug)]
pub(crate) struct Until {
    start: Instant,
    /// The end, in milliseconds since the start; zero if it does not hold.
    end: AtomicU64,
}

impl Until {
    pub(crate) fn new() -> Self {
        Self { start: Instant::now(), end: AtomicU64::new(0) }
    }

    pub(crate) fn holds(&self) -> bool {
        let end = self.end.load(Ordering::Relaxed);
        // Most never hold, and reading the clock costs more.
        end != 0 && self.start.elapsed() < Duration::from_millis(end)
    }

    /// Holds for `time` from now on, and no longer if it is zero.
    pub(crate) fn set(&self, time: Duration) {
        let passed = (!time.is_zero()).then(|| self.start.elapsed());
        let end = (passed.unwrap_or_default() + time).as_millis();
        let end = u64::try_from(end).unwrap_or(u64::MAX);
        self.end.store(end, Ordering::Relaxed);
    }
}

#[cfg(test)]
#[path = "../tests/unit/until.rs"]
mod tests;
