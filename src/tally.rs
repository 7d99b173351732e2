//! Limits log lines that could occur thousands of times a second: at most one a second, with a count.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;
use std::{fmt, mem};

use parking_lot::Mutex;
use tokio::runtime::Handle;
use tokio::time::Instant;

/// The minimum time between two lines.
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
            let cause = mem::take(&mut *last.lock());
            log(count, &cause);
        });
        Self { failures, cause }
    }

    /// Counts one failure, without waiting.
    pub(crate) fn count(&self, cause: &impl fmt::Display) {
        *self.cause.lock() = cause.to_string();
        self.failures.count();
    }
}

impl fmt::Debug for FailureTally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FailureTally").finish_non_exhaustive()
    }
}

/// Lets some lines of one kind be written each second, and counts the others.
pub(crate) struct Allowance {
    start: Instant,
    /// The current second since `start`, and the lines in it so far.
    second: AtomicU64,
    lines: AtomicU64,
    rest: Arc<Tally>,
}

// === impl Allowance ===

impl Allowance {
    /// Lines in one second.
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

impl fmt::Debug for Allowance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Allowance").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::sleep;

    use super::*;

    type Lines = Arc<Mutex<Vec<(Duration, u64)>>>;

    fn tally() -> (Arc<Tally>, Lines) {
        let lines = Lines::default();
        let (kept, start) = (lines.clone(), Instant::now());
        let tally = Tally::new(move |count| kept.lock().push((start.elapsed(), count)));
        (tally, lines)
    }

    #[tokio::test(start_paused = true)]
    async fn at_most_one_line_a_second_and_no_event_is_lost() {
        let (tally, lines) = tally();
        let mut counted = 0;
        for burst in [1_u64, 5_000, 0, 3, 1, 0, 0, 700, 700, 1, 1] {
            for _ in 0..burst {
                tally.count();
                counted += 1;
                if counted % 100 == 0 {
                    sleep(Duration::from_millis(1)).await;
                }
            }
            sleep(Duration::from_millis(450)).await;
        }
        sleep(3 * INTERVAL).await;
        let lines = lines.lock().clone();
        assert_eq!(lines[0].1, 1, "the first one at once: {lines:?}");
        assert_eq!(lines.iter().map(|(_, count)| count).sum::<u64>(), counted);
        for pair in lines.windows(2) {
            assert!(pair[1].0 - pair[0].0 >= INTERVAL, "{lines:?}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn an_allowance_counts_what_it_leaves_out() {
        let left_out = Arc::new(AtomicU64::new(0));
        let counted = left_out.clone();
        let allowance = Allowance::new(move |count| {
            counted.fetch_add(count, Ordering::Relaxed);
        });
        for lines in [3, 1000, 10] {
            let admitted = (0..lines).filter(|_| allowance.admits()).count() as u64;
            assert_eq!(admitted, lines.min(Allowance::LINES));
            sleep(2 * INTERVAL).await;
        }
        assert_eq!(left_out.load(Ordering::Relaxed), 1000 - Allowance::LINES);
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 4)]
    async fn events_of_many_threads_are_all_logged() {
        let (tally, lines) = tally();
        let tasks = (0..8).map(|_| {
            let tally = tally.clone();
            tokio::spawn(async move {
                for at in 0..20_000 {
                    tally.count();
                    if at % 1_000 == 0 {
                        tokio::task::yield_now().await;
                    }
                }
            })
        });
        for task in tasks.collect::<Vec<_>>() {
            task.await.unwrap();
        }
        // Dropping the last reference logs the rest.
        drop(tally);
        let lines = lines.lock().clone();
        assert_eq!(
            lines.iter().map(|(_, count)| count).sum::<u64>(),
            8 * 20_000,
            "{lines:?}"
        );
        assert!(lines.len() <= 4, "{lines:?}");
    }

    #[test]
    fn without_a_runtime_each_event_has_its_line() {
        let kept = Lines::default();
        let lines = kept.clone();
        let tally = Tally::new(move |count| lines.lock().push((INTERVAL, count)));
        tally.count();
        tally.count();
        assert_eq!(*kept.lock(), [(INTERVAL, 1), (INTERVAL, 1)]);
    }
}
