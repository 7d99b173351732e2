//! Which passwords were seen to work, and how long ago.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::time::Instant;

/// When each stored password last worked.
///
/// It is keyed by the revision of the password's record, a random number, and holds nothing of the
/// password itself. The table has a fixed size; the proof of a password that is evicted is lost,
/// and the next call with that password is a single try.
///
/// Every request reads it: no lock, one cache line.
pub(super) struct Proofs {
    sets: Box<[Set]>,
    start: Instant,
}

/// What is known of a password.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Proof {
    /// It worked within the last [`FRESH`].
    Fresh,
    /// It worked some time ago, or was good when it was stored.
    Stale,
    /// Nothing.
    None,
}

/// How long a proof lets calls go ahead side by side. If the password is revoked at the server,
/// each call that starts within this time is a refused login; so it is short. A user who calls all
/// the time renews the proof with each call.
pub(super) const FRESH: Duration = Duration::from_millis(250);

/// A tag of 24 bits and the milliseconds since the start in 40; 0 is an empty entry.
type Entry = AtomicU64;

#[repr(align(64))]
#[derive(Default)]
struct Set([Entry; 8]);

/// With 8 entries each: 65,536 passwords in half a megabyte.
const SETS: usize = 8192;

const TIME_BITS: u32 = 40;

/// A proof is written again only if it is this many milliseconds newer: a write by each request
/// would move the cache line from core to core.
const COARSE: u64 = 50;

// === impl Proofs ===

impl Proofs {
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

    /// It is good as far as is known, but the next call must be a single try, as after an answer
    /// that nobody read.
    pub(super) fn good_but_stale(&self, revision: u64) {
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

    /// Starts above `FRESH`, so that the time 1 is stale from the beginning.
    fn now(&self) -> u64 {
        let since = millis(self.start.elapsed()) + millis(FRESH) + 1;
        since & ((1 << TIME_BITS) - 1)
    }
}

/// Never 0, which is an empty entry.
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
    async fn a_password_is_known_to_be_good_for_a_while() {
        let proofs = Proofs::new();
        assert_eq!(proofs.proof(5 << 50), Proof::None);
        proofs.worked(5 << 50);
        assert_eq!(proofs.proof(5 << 50), Proof::Fresh);
        assert_eq!(proofs.proof(6 << 50), Proof::None);
        tokio::time::advance(FRESH).await;
        assert_eq!(proofs.proof(5 << 50), Proof::Stale);
        proofs.worked(5 << 50);
        assert_eq!(proofs.proof(5 << 50), Proof::Fresh);
        proofs.forget(5 << 50);
        assert_eq!(proofs.proof(5 << 50), Proof::None);
        proofs.good_but_stale(5 << 50);
        assert_eq!(proofs.proof(5 << 50), Proof::Stale);
    }

    #[tokio::test(start_paused = true)]
    async fn a_full_set_evicts_its_oldest_entry() {
        let proofs = Proofs::new();
        for it in 1..=9_u64 {
            tokio::time::advance(Duration::from_secs(1)).await;
            proofs.worked(it << 40);
        }
        assert_eq!(proofs.proof(1 << 40), Proof::None);
        assert!((2..=9).all(|it| proofs.proof(it << 40) != Proof::None));
    }
}
