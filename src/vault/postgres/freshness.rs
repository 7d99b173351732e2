//! Until when the cache may answer, so that it never does with a row that is older than a second.
//!
//! The database announces each change ([`super::listener`]). While a gateway receives that, the rows that it has
//! read are those stored, except for announcements on their way; and four times a second it renews a
//! [`FreshnessLease`] by checking that it still does. Without the lease the cache answers nothing.

use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::time::{Duration, Instant};

#[derive(Debug)]
pub(super) struct FreshnessLease {
    start: Instant,
    /// Nanoseconds since the start.
    until: AtomicU64,
    epoch: AtomicU64,
}

impl FreshnessLease {
    pub(super) fn new() -> Self {
        Self { start: Instant::now(), until: AtomicU64::new(0), epoch: AtomicU64::new(0) }
    }

    /// The epoch of the cache, while the lease holds.
    pub(super) fn epoch(&self) -> Option<u64> {
        // In this order: an epoch begins without the lease, and so is not answered before its changes are received.
        let epoch = self.epoch.load(SeqCst);
        self.holds().then_some(epoch)
    }

    pub(super) fn holds(&self) -> bool {
        // SeqCst, as in the stores below: no lookup that follows a withdrawal misses it.
        self.since_start(Instant::now()) < self.until.load(SeqCst)
    }

    /// Everything announced before `asked` has been received: the cache may answer for `time` from then.
    pub(super) fn extend(&self, asked: Instant, time: Duration) {
        self.until.store(self.since_start(asked + time), SeqCst);
    }

    pub(super) fn withdraw(&self) {
        self.until.store(0, SeqCst);
    }

    /// Any row may have changed.
    pub(super) fn start_epoch(&self) {
        self.epoch.fetch_add(1, SeqCst);
    }

    fn since_start(&self, at: Instant) -> u64 {
        at.duration_since(self.start).as_nanos() as u64
    }
}
