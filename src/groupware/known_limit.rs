//! The limit of the server's job queue, which depends on its version.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::JobLimit;

/// How long it is cached: an upgrade of the server may raise it.
const KEPT: Duration = Duration::from_secs(600);

/// The last known limit of one server, and when it was determined.
#[derive(Debug, Default)]
pub(super) struct KnownLimit(Mutex<Option<(Instant, JobLimit)>>);

// === impl KnownLimit ===

impl KnownLimit {
    /// The last known limit, unless it is too old.
    pub(super) fn get(&self) -> Option<JobLimit> {
        let (asked, limit) = (*self.lock())?;
        (asked.elapsed() < KEPT).then_some(limit)
    }

    /// Stores the limit that was just determined.
    pub(super) fn learn(&self, limit: JobLimit) {
        *self.lock() = Some((Instant::now(), limit));
    }

    fn lock(&self) -> MutexGuard<'_, Option<(Instant, JobLimit)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
