//! The cache of sealed records, and how it never answers with one that is older than a second.
//!
//! The database tells of each change ([`super::listener`]). While a gateway hears that, what it has
//! read is what is stored, but for what is on its way; and it asks itself four times a second whether
//! it still hears ([`Trust`]). A cache that is not trusted answers nothing.
//!
//! What is read from the database is remembered only if nothing of its shard was told to have changed
//! since before the read. Anything else could bring a removed record back.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use hashlink::LruCache;

use super::super::sharded::Sharded;

/// Until when the cache may answer.
#[derive(Debug)]
pub(super) struct Trust {
    start: Instant,
    /// Nanoseconds since the start.
    until: AtomicU64,
}

/// The records. `R` is a credential or a binding.
pub(super) struct RecordCache<R> {
    trust: Arc<Trust>,
    shards: Sharded<Shard<R>>,
}

/// What the cache says of a key.
pub(super) enum Lookup<R> {
    /// This is stored.
    Known(Option<Arc<R>>),
    /// The database has to be asked. With a ticket, the answer may be remembered.
    Unknown(Option<Ticket>),
}

/// The number of changes of a shard that had been told when a lookup found nothing.
pub(super) struct Ticket(u64);

struct Shard<R> {
    changes: u64,
    records: LruCache<Arc<str>, Option<Arc<R>>>,
}

// === impl Trust ===

impl Trust {
    pub(super) fn new() -> Self {
        Self {
            start: Instant::now(),
            until: AtomicU64::new(0),
        }
    }

    pub(super) fn holds(&self) -> bool {
        // With SeqCst as below: what is withdrawn here is withdrawn before what follows there.
        self.since_start(Instant::now()) < self.until.load(Ordering::SeqCst)
    }

    /// All that was told before `asked` has been heard: the cache may answer for `time` from then.
    pub(super) fn extend(&self, asked: Instant, time: Duration) {
        self.until
            .store(self.since_start(asked + time), Ordering::SeqCst);
    }

    pub(super) fn withdraw(&self) {
        self.until.store(0, Ordering::SeqCst);
    }

    fn since_start(&self, at: Instant) -> u64 {
        at.duration_since(self.start).as_nanos() as u64
    }
}

// === impl RecordCache ===

impl<R> RecordCache<R> {
    /// A cache of up to `capacity` records, roughly.
    pub(super) fn new(trust: Arc<Trust>, capacity: usize) -> Self {
        let shard = |capacity| Shard {
            changes: 0,
            records: LruCache::new(capacity),
        };
        Self {
            trust,
            shards: Sharded::new(capacity, shard),
        }
    }

    /// What is stored under `key`, as far as the cache knows.
    pub(super) fn lookup(&self, key: &str) -> Lookup<R> {
        if !self.trust.holds() {
            return Lookup::Unknown(None);
        }
        let mut shard = self.shards.of(key);
        match shard.records.get(key) {
            Some(record) => Lookup::Known(record.clone()),
            None => Lookup::Unknown(Some(Ticket(shard.changes))),
        }
    }

    /// Remembers what was read from the database after [`Self::lookup`] gave `ticket`.
    pub(super) fn remember(&self, ticket: Ticket, key: &str, record: Option<Arc<R>>) {
        let mut shard = self.shards.of(key);
        if shard.changes == ticket.0 {
            shard.records.insert(key.into(), record);
        }
    }

    /// What is stored under `key` has changed, or may have.
    pub(super) fn forget(&self, key: &str) {
        let mut shard = self.shards.of(key);
        shard.changes += 1;
        shard.records.remove(key);
    }

    /// Anything may have changed.
    pub(super) fn clear(&self) {
        for mut shard in self.shards.each() {
            shard.changes += 1;
            shard.records.clear();
        }
    }
}

impl<R> fmt::Debug for RecordCache<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RecordCache").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cache() -> (Arc<Trust>, RecordCache<u32>) {
        let trust = Arc::new(Trust::new());
        trust.extend(Instant::now(), Duration::from_secs(3600));
        (trust.clone(), RecordCache::new(trust, 100))
    }

    fn ticket(cache: &RecordCache<u32>, key: &str) -> Ticket {
        match cache.lookup(key) {
            Lookup::Unknown(Some(ticket)) => ticket,
            _ => panic!("it is known, or the cache is not trusted"),
        }
    }

    #[test]
    fn what_was_read_before_a_change_is_not_remembered() {
        let (_, cache) = cache();
        let before = ticket(&cache, "alice");
        cache.forget("alice");
        cache.remember(before, "alice", Some(Arc::new(1)));
        let after = ticket(&cache, "alice");
        cache.remember(after, "alice", Some(Arc::new(2)));
        assert!(matches!(cache.lookup("alice"), Lookup::Known(Some(it)) if *it == 2));
        cache.forget("alice");
        let before = ticket(&cache, "alice");
        cache.clear();
        cache.remember(before, "alice", None);
        ticket(&cache, "alice");
    }

    #[test]
    fn a_cache_that_is_not_trusted_answers_nothing_and_learns_nothing() {
        let (trust, cache) = cache();
        let before = ticket(&cache, "alice");
        cache.remember(before, "alice", None);
        assert!(matches!(cache.lookup("alice"), Lookup::Known(None)));
        trust.withdraw();
        assert!(matches!(cache.lookup("alice"), Lookup::Unknown(None)));
        let second = Duration::from_secs(1);
        trust.extend(Instant::now() - second, second);
        assert!(matches!(cache.lookup("alice"), Lookup::Unknown(None)));
        trust.extend(Instant::now(), second);
        assert!(matches!(cache.lookup("alice"), Lookup::Known(None)));
    }
}
