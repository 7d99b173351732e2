//! Limits log lines that could occur thousands of times a second: at most one a second, with a count.

use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;

use parking_lot::Mutex;
use tokio::runtime::Handle;
use tokio::time::Instant;

const INTERVAL: Duration = Duration::from_secs(1);

/// Counts events of one kind and logs them: the first immediately, those that follow together, a
/// second later. No event is lost: the counts of the lines add up to the number of events.
pub(crate) struct Tally {
    log: Box<dyn Fn(u64) + Send + Sync>,
    /// Events not logged yet.
    unlogged: AtomicU64,
    /// Whether a task logs them once a second.
    is_watched: AtomicBool,
}

impl fmt::Debug for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tally").finish_non_exhaustive()
    }
}

// === impl Tally ===

impl Tally {
    /// `log` writes one line for the given number of events.
    pub(crate) fn new(log: impl Fn(u64) + Send + Sync + 'static) -> Arc<Self> {
        Arc::new(Self {
            log: Box::new(log),
            unlogged: AtomicU64::new(0),
            is_watched: AtomicBool::new(false),
        })
    }

    /// Counts one event, without waiting.
    pub(crate) fn count(self: &Arc<Self>) {
        self.unlogged.fetch_add(1, Ordering::AcqRel);
        if self.is_watched.load(Ordering::Acquire) || self.is_watched.swap(true, Ordering::AcqRel) {
            return;
        }
        self.flush();
        match Handle::try_current() {
            Ok(runtime) => drop(runtime.spawn(watch(Arc::downgrade(self)))),
            // No task can log later, so each event has its own line.
            Err(_) => self.is_watched.store(false, Ordering::Release),
        }
    }

    /// Logs the events not logged yet; returns whether there were any.
    fn flush(&self) -> bool {
        let count = self.unlogged.swap(0, Ordering::AcqRel);
        if count > 0 {
            (self.log)(count);
        }
        count > 0
    }
}

/// The events of the last second are logged as well.
impl Drop for Tally {
    fn drop(&mut self) {
        self.flush();
    }
}

/// Logs once a second until a second has passed without an event.
async fn watch(tally: Weak<Tally>) {
    loop {
        tokio::time::sleep(INTERVAL).await;
        let Some(tally) = tally.upgrade() else { return };
        if tally.flush() {
            continue;
        }
        tally.is_watched.store(false, Ordering::Release);
        // An event counted in between saw `is_watched` and relied on this task.
        let is_left = tally.unlogged.load(Ordering::Acquire) > 0;
        if !is_left || tally.is_watched.swap(true, Ordering::AcqRel) {
            return;
        }
    }
}

/// A [`Tally`] of failures: each line shows the cause of the last one.
#[derive(Debug)]
pub(crate) struct FailureTally {
    failures: Arc<Tally>,
    cause: Arc<Mutex<String>>,
}

// === impl FailureTally ===

impl FailureTally {
    /// `log` writes one line for the given number of failures and the cause of the last one.
    pub(crate) fn new(log: impl Fn(u64, &str) + Send + Sync + 'static) -> Self {
        let cause = Arc::<Mutex<String>>::default();
        let last = cause.clone();
        let failures = Tally::new(move |count| {
            // It stays: whoever counts next may have set it already.
            let cause = last.lock().clone();
            log(count, &cause);
        });
        Self { failures, cause }
    }

    pub(crate) fn count(&self, cause: &impl fmt::Display) {
        *self.cause.lock() = cause.to_string();
        self.failures.count();
    }
}

/// Lets some lines of one kind be written each second, and counts the others.
#[derive(Debug)]
pub(crate) struct Allowance {
    start: Instant,
    /// The current second since `start`, and the lines in it so far.
    second: AtomicU64,
    lines: AtomicU64,
    rest: Arc<Tally>,
}

// === impl Allowance ===

impl Allowance {
    pub(crate) const LINES: u64 = 10;

    /// `log_rest` writes one line for the given number of lines that were left out.
    pub(crate) fn new(log_rest: impl Fn(u64) + Send + Sync + 'static) -> Self {
        Self {
            start: Instant::now(),
            second: AtomicU64::new(0),
            lines: AtomicU64::new(0),
            rest: Tally::new(log_rest),
        }
    }

    /// Whether one more line may be written now; if not, it is counted.
    pub(crate) fn admits(&self) -> bool {
        let second = self.start.elapsed().as_secs();
        if self.second.swap(second, Ordering::Relaxed) != second {
            self.lines.store(0, Ordering::Relaxed);
        }
        let is_admitted = self.lines.fetch_add(1, Ordering::Relaxed) < Self::LINES;
        if !is_admitted {
            self.rest.count();
        }
        is_admitted
    }
}

#[cfg(test)]
#[path = "../tests/unit/tally.rs"]
mod tests;
