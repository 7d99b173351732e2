//! The cache of sealed records, and how it never answers with one that is older than a second.
//!
//! The database announces each change ([`super::listener`]). While a gateway hears that, the rows that it has
//! read are those stored, except for announcements on their way; and four times a second it renews a
//! [`FreshnessLease`] by checking that it still hears. Without the lease the cache answers nothing.
//!
//! A row that was read is remembered only if no change in its shard was announced since before the read.
//! Anything else could bring a removed record back.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use hashlink::LruCache;

use super::super::Row;
use super::super::lookup::Lookup;
use super::super::sharded::Sharded;

/// The time until which the cache may answer.
#[derive(Debug)]
pub(super) struct FreshnessLease {
    start: Instant,
    /// Nanoseconds since the start.
    until: AtomicU64,
}

/// The rows of one table.
pub(super) struct RecordCache {
    freshness: Arc<FreshnessLease>,
    shards: Sharded<Shard>,
}

/// The number of changes of a shard that had been announced when a lookup found nothing.
pub(super) struct Ticket(u64);

struct Shard {
    changes: u64,
    records: LruCache<Arc<str>, Option<Arc<Row>>>,
}

// === impl FreshnessLease ===

impl FreshnessLease {
    pub(super) fn new() -> Self {
        Self {
            start: Instant::now(),
            until: AtomicU64::new(0),
        }
    }

    pub(super) fn holds(&self) -> bool {
        // SeqCst, as in the stores below: no lookup that follows a withdrawal misses it.
        self.since_start(Instant::now()) < self.until.load(Ordering::SeqCst)
    }

    /// Everything announced before `asked` has been heard: the cache may answer for `time` from then.
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

impl RecordCache {
    /// A cache of up to `capacity` records, roughly.
    pub(super) fn new(freshness: Arc<FreshnessLease>, capacity: usize) -> Self {
        let shard = |capacity| Shard {
            changes: 0,
            records: LruCache::new(capacity),
        };
        Self {
            freshness,
            shards: Sharded::new(capacity, shard),
        }
    }

    /// The row under `key`, if the cache knows it.
    pub(super) fn lookup(&self, key: &str) -> Lookup<Ticket> {
        if !self.freshness.holds() {
            return Lookup::Unknown(None);
        }
        let mut shard = self.shards.of(key);
        match shard.records.get(key) {
            Some(record) => Lookup::Known(record.clone()),
            None => Lookup::Unknown(Some(Ticket(shard.changes))),
        }
    }

    /// Remembers the answer of the database to a read that began after [`Self::lookup`] gave `ticket`.
    pub(super) fn remember(&self, ticket: Ticket, key: &str, record: Option<Arc<Row>>) {
        let mut shard = self.shards.of(key);
        if shard.changes == ticket.0 {
            shard.records.insert(key.into(), record);
        }
    }

    /// The row under `key` has changed, or may have.
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

impl fmt::Debug for RecordCache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RecordCache").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cache() -> (Arc<FreshnessLease>, RecordCache) {
        let freshness = Arc::new(FreshnessLease::new());
        freshness.extend(Instant::now(), Duration::from_secs(3600));
        (freshness.clone(), RecordCache::new(freshness, 100))
    }

    fn row(number: i64) -> Arc<Row> {
        Arc::new(Row::new("alice".into(), "alice".into(), number))
    }

    fn ticket(cache: &RecordCache, key: &str) -> Ticket {
        match cache.lookup(key) {
            Lookup::Unknown(Some(ticket)) => ticket,
            _ => panic!("it is known, or the lease has ended"),
        }
    }

    #[test]
    fn a_row_read_before_a_change_is_not_remembered() {
        let (_, cache) = cache();
        let before = ticket(&cache, "alice");
        cache.forget("alice");
        cache.remember(before, "alice", Some(row(1)));
        let after = ticket(&cache, "alice");
        cache.remember(after, "alice", Some(row(2)));
        assert!(matches!(cache.lookup("alice"), Lookup::Known(Some(it)) if it.number == 2));
        cache.forget("alice");
        let before = ticket(&cache, "alice");
        cache.clear();
        cache.remember(before, "alice", None);
        ticket(&cache, "alice");
    }

    #[test]
    fn a_cache_without_the_lease_answers_nothing() {
        let (freshness, cache) = cache();
        let before = ticket(&cache, "alice");
        cache.remember(before, "alice", None);
        assert!(matches!(cache.lookup("alice"), Lookup::Known(None)));
        freshness.withdraw();
        assert!(matches!(cache.lookup("alice"), Lookup::Unknown(None)));
        let second = Duration::from_secs(1);
        freshness.extend(Instant::now() - second, second);
        assert!(matches!(cache.lookup("alice"), Lookup::Unknown(None)));
        freshness.extend(Instant::now(), second);
        assert!(matches!(cache.lookup("alice"), Lookup::Known(None)));
    }
}
