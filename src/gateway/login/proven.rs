//! Which passwords were seen to work, and how long ago.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::time::Instant;

/// Remembers passwords by the revision of their record, which is random, and nothing of the
/// password. It holds a fixed number of them: one that is pushed out is not known any more, which
/// costs its user a moment of waiting and nothing else.
///
/// The hot path of every call: no lock, one line of the cache.
pub(super) struct Proven {
    sets: Box<[Set]>,
    start: Instant,
}

/// What is known of a password.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Proof {
    /// It worked within the last [`FRESH`].
    Fresh,
    /// It worked once.
    Stale,
    /// Nothing.
    None,
}

/// How long a password that worked is taken to be good without another look. Short, since calls
/// at the same time are what a revoked password must not be tried with; and a user who makes
/// calls all the time proves it with each of them.
pub(super) const FRESH: Duration = Duration::from_millis(250);

/// A tag of 24 bits and the milliseconds since the start in 40; 0 is an empty place.
type Entry = AtomicU64;

#[repr(align(64))]
#[derive(Default)]
struct Set([Entry; 8]);

/// With 8 places each: 65,536 passwords in half a megabyte.
const SETS: usize = 8192;

const TIME_BITS: u32 = 40;

/// Writing the time of each proof would have the cores quarrel over the line.
const COARSE: u64 = 50;

impl Proven {
    pub(super) fn new() -> Self {
        Self {
            sets: (0..SETS).map(|_| Set::default()).collect(),
            start: Instant::now(),
        }
    }

    pub(super) fn proof(&self, revision: u64) -> Proof {
        match self
            .find(revision)
            .map(|entry| entry.load(Ordering::Relaxed))
        {
            Some(seen) if self.now().saturating_sub(time(seen)) < millis(FRESH) => Proof::Fresh,
            Some(_) => Proof::Stale,
            None => Proof::None,
        }
    }

    /// It worked just now.
    pub(super) fn worked(&self, revision: u64) {
        self.note(revision, self.now());
    }

    /// It is good, but the next call is to take a look: what is new was perhaps replaced because
    /// somebody is about to take the old one back.
    pub(super) fn is_good(&self, revision: u64) {
        self.note(revision, 1);
    }

    /// It does not work any more.
    pub(super) fn forget(&self, revision: u64) {
        if let Some(entry) = self.find(revision) {
            entry.store(0, Ordering::Relaxed);
        }
    }

    fn note(&self, revision: u64, now: u64) {
        let value = tag(revision) << TIME_BITS | now;
        match self.find(revision) {
            Some(entry) => {
                if now.abs_diff(time(entry.load(Ordering::Relaxed))) >= COARSE {
                    entry.store(value, Ordering::Relaxed);
                }
            }
            None => {
                let set = self.set(revision);
                let oldest = set.iter().min_by_key(|it| time(it.load(Ordering::Relaxed)));
                oldest.unwrap_or(&set[0]).store(value, Ordering::Relaxed);
            }
        }
    }

    fn find(&self, revision: u64) -> Option<&Entry> {
        let tag = tag(revision);
        self.set(revision)
            .iter()
            .find(|entry| entry.load(Ordering::Relaxed) >> TIME_BITS == tag)
    }

    fn set(&self, revision: u64) -> &[Entry; 8] {
        &self.sets[revision as usize % SETS].0
    }

    /// Begins late enough for the earliest time to be stale.
    fn now(&self) -> u64 {
        let since = millis(self.start.elapsed()) + millis(FRESH) + 1;
        since & ((1 << TIME_BITS) - 1)
    }
}

/// Never 0, which is an empty place.
fn tag(revision: u64) -> u64 {
    revision >> (63 - 24) & 0xff_ffff | 1
}

fn time(entry: u64) -> u64 {
    entry & ((1 << TIME_BITS) - 1)
}

/// As `Duration::as_millis`, without its 128 bits.
fn millis(duration: Duration) -> u64 {
    duration.as_secs() * 1000 + u64::from(duration.subsec_millis())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn design_a_password_is_known_to_be_good_for_a_while() {
        let proven = Proven::new();
        assert_eq!(proven.proof(5 << 50), Proof::None);
        proven.worked(5 << 50);
        assert_eq!(proven.proof(5 << 50), Proof::Fresh);
        assert_eq!(proven.proof(6 << 50), Proof::None);
        tokio::time::advance(FRESH).await;
        assert_eq!(proven.proof(5 << 50), Proof::Stale);
        proven.worked(5 << 50);
        assert_eq!(proven.proof(5 << 50), Proof::Fresh);
        proven.forget(5 << 50);
        assert_eq!(proven.proof(5 << 50), Proof::None);
        proven.is_good(5 << 50);
        assert_eq!(proven.proof(5 << 50), Proof::Stale);
    }

    #[tokio::test(start_paused = true)]
    async fn it_holds_so_many_and_drops_the_oldest() {
        let proven = Proven::new();
        for it in 1..=9_u64 {
            tokio::time::advance(Duration::from_secs(1)).await;
            proven.worked(it << 40);
        }
        assert_eq!(proven.proof(1 << 40), Proof::None);
        assert!((2..=9).all(|it| proven.proof(it << 40) != Proof::None));
    }
}
