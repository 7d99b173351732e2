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
    /// No proof from before this time lets calls go ahead side by side.
    distrusted: AtomicU64,
}

/// What is known of a password.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Proof {
    /// It worked within the last [`FRESH`].
    Fresh,
    /// It worked within the last hour.
    Recent,
    /// Nothing that counts any more.
    None,
}

/// How long a proof lets calls go ahead side by side. If the password is revoked at the server,
/// each call that starts within this time is a refused login; so it is short. A user who calls all
/// the time renews the proof with each call.
pub(super) const FRESH: Duration = Duration::from_millis(250);

/// How long a password that worked is likely to work still.
pub(super) const RECENT: Duration = Duration::from_secs(60 * 60);

/// How long it is not worth noting again that a password works.
const NOTED: Duration = Duration::from_secs(10 * 60);

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
            distrusted: AtomicU64::new(0),
        }
    }

    pub(super) fn proof(&self, revision: u64) -> Proof {
        match self
            .find(revision)
            .map(|entry| entry.load(Ordering::Relaxed))
        {
            Some(seen) => {
                let age = self.now().saturating_sub(time(seen));
                let is_trusted = time(seen) > self.distrusted.load(Ordering::Relaxed);
                if age < millis(FRESH) && is_trusted {
                    Proof::Fresh
                } else if age < millis(RECENT) {
                    Proof::Recent
                } else {
                    Proof::None
                }
            }
            None => Proof::None,
        }
    }

    /// It worked just now; whether that is worth noting in the store, as it is every ten minutes.
    pub(super) fn worked(&self, revision: u64) -> bool {
        self.note(revision, self.now(), COARSE)
    }

    /// It worked as far as is known, but the next call must be a single try, as after an answer
    /// that nobody read.
    pub(super) fn good_but_stale(&self, revision: u64) {
        self.note(revision, self.now() - millis(FRESH), 1);
    }

    /// A password was refused that was to work: perhaps many were revoked at once. The next call
    /// with each other one is a single try, however short ago it worked.
    pub(super) fn distrust(&self) {
        self.distrusted.store(self.now(), Ordering::Relaxed);
    }

    /// It does not work any more.
    pub(super) fn forget(&self, revision: u64) {
        if let Some(entry) = self.find(revision) {
            entry.store(0, Ordering::Relaxed);
        }
    }

    /// Sets the time of an entry, unless that differs by less than `coarse`; whether ten minutes
    /// have begun since, or nothing was known.
    fn note(&self, revision: u64, now: u64, coarse: u64) -> bool {
        let value = tag(revision) << TIME_BITS | now;
        match self.find(revision) {
            Some(entry) => {
                let before = time(entry.load(Ordering::Relaxed));
                let is_distrusted = before <= self.distrusted.load(Ordering::Relaxed);
                if now.abs_diff(before) < coarse && !is_distrusted {
                    return false;
                }
                entry.store(value, Ordering::Relaxed);
                // Each password has its ten minutes begin at another time.
                let period = |time: u64| (time + revision % millis(NOTED)) / millis(NOTED);
                period(now) > period(before)
            }
            None => {
                let set = self.set(revision);
                let oldest = set.iter().min_by_key(|it| time(it.load(Ordering::Relaxed)));
                oldest.unwrap_or(&set[0]).store(value, Ordering::Relaxed);
                true
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

    /// Starts above `FRESH`, so that there is a time before it that is not fresh.
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
        assert_eq!(proofs.proof(5 << 50), Proof::Recent);
        tokio::time::advance(RECENT - FRESH).await;
        assert_eq!(proofs.proof(5 << 50), Proof::None);
        proofs.worked(5 << 50);
        assert_eq!(proofs.proof(5 << 50), Proof::Fresh);
        proofs.forget(5 << 50);
        assert_eq!(proofs.proof(5 << 50), Proof::None);
        proofs.good_but_stale(5 << 50);
        assert_eq!(proofs.proof(5 << 50), Proof::Recent);
        proofs.worked(5 << 50);
        tokio::time::advance(FRESH - Duration::from_millis(1)).await;
        proofs.good_but_stale(5 << 50);
        assert_eq!(proofs.proof(5 << 50), Proof::Recent);
    }

    #[tokio::test(start_paused = true)]
    async fn a_refusal_makes_all_proofs_stale() {
        let proofs = Proofs::new();
        proofs.worked(5 << 50);
        proofs.distrust();
        assert_eq!(proofs.proof(5 << 50), Proof::Recent);
        tokio::time::advance(Duration::from_millis(1)).await;
        proofs.worked(5 << 50);
        assert_eq!(proofs.proof(5 << 50), Proof::Fresh);
    }

    #[tokio::test(start_paused = true)]
    async fn it_is_worth_noting_every_ten_minutes() {
        let proofs = Proofs::new();
        assert!(proofs.worked(5 << 50));
        let mut noted = 0;
        for _ in 0..600 {
            tokio::time::advance(Duration::from_secs(6)).await;
            noted += usize::from(proofs.worked(5 << 50));
        }
        assert_eq!(noted, 6);
        assert!(proofs.worked(6 << 50), "another one");
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
