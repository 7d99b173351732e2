//! What is counted, for metrics.

use std::sync::atomic::{AtomicU64, Ordering};

use super::Outcome;

/// What this process has received and attempted since it started.
#[derive(Debug, Default)]
pub struct Counted {
    received: AtomicU64,
    attempts: [AtomicU64; Outcome::ALL.len()],
}

// === impl Counted ===

impl Counted {
    /// Receipts that were kept.
    pub fn received(&self) -> u64 {
        self.received.load(Ordering::Relaxed)
    }

    /// Attempts that ended with `outcome`.
    pub fn attempts(&self, outcome: Outcome) -> u64 {
        self.attempts[outcome as usize].load(Ordering::Relaxed)
    }

    pub(super) fn receive(&self) {
        self.received.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn attempted(&self, outcome: Outcome) {
        self.attempts[outcome as usize].fetch_add(1, Ordering::Relaxed);
    }
}
