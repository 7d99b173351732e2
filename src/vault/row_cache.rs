//! The cache of rows that are looked up for each request.
//!
//! The database says which epoch it is in, and a row is answered in the epoch in which it was looked up and read. A
//! row that was read is remembered only if none in its shard was forgotten since before the read. Anything else could
//! bring a removed row back.

use std::hash::BuildHasher as _;
use std::sync::Arc;

use foldhash::fast::RandomState;
use hashlink::LruCache;
use parking_lot::{Mutex, MutexGuard};

use super::{Row, Table};
use crate::opaque::opaque_debug;

/// Rows of each table that it holds at most, roughly, each of some 400 bytes.
const CAPACITY: usize = 10_000;

/// The number of locks, so that requests on several cores rarely wait for each other.
const SHARDS: usize = 16;

/// Credentials and bindings.
pub(super) struct RowCache {
    hasher: RandomState,
    shards: Box<[Mutex<Shard>]>,
}

struct Shard {
    /// How often a row of it was forgotten.
    forgotten: u64,
    credentials: LruCache<Arc<str>, Entry>,
    bindings: LruCache<Arc<str>, Entry>,
}

struct Entry {
    epoch: u64,
    row: Option<Arc<Row>>,
}

/// The state in which a look-up found nothing.
pub(super) struct Ticket {
    epoch: u64,
    forgotten: u64,
}

// === impl RowCache ===

impl RowCache {
    pub(super) fn new() -> Self {
        let shard = |_| {
            Mutex::new(Shard {
                forgotten: 0,
                credentials: LruCache::new(CAPACITY / SHARDS),
                bindings: LruCache::new(CAPACITY / SHARDS),
            })
        };
        Self { hasher: RandomState::default(), shards: (0..SHARDS).map(shard).collect() }
    }

    /// The row under `key` if it is known, or that there is none. Otherwise the database has to be asked; with a
    /// ticket, its answer may be remembered. `epoch` is `None` if nothing may be answered from memory.
    pub(super) fn lookup(
        &self,
        table: Table,
        key: &str,
        epoch: impl FnOnce() -> Option<u64>,
    ) -> Result<Option<Arc<Row>>, Option<Ticket>> {
        if !matches!(table, Table::Credential | Table::Binding) {
            return Err(None);
        }
        let epoch = epoch().ok_or(None)?;
        let mut shard = self.shard(key);
        let forgotten = shard.forgotten;
        match shard.rows(table).and_then(|rows| rows.get(key)) {
            Some(entry) if entry.epoch == epoch => Ok(entry.row.clone()),
            _ => Err(Some(Ticket { epoch, forgotten })),
        }
    }

    /// Remembers the answer to a read that began after [`Self::lookup`] gave `ticket`.
    pub(super) fn remember(
        &self,
        ticket: Option<Ticket>,
        table: Table,
        key: &str,
        row: Option<Arc<Row>>,
    ) {
        let Some(Ticket { epoch, forgotten }) = ticket else {
            return;
        };
        let mut shard = self.shard(key);
        if shard.forgotten == forgotten
            && let Some(rows) = shard.rows(table)
        {
            rows.insert(key.into(), Entry { epoch, row });
        }
    }

    /// The row under `key` has changed, or may have.
    #[cfg(feature = "postgres")]
    pub(super) fn forget(&self, table: Table, key: &str) {
        let mut shard = self.shard(key);
        shard.forgotten += 1;
        if let Some(rows) = shard.rows(table) {
            rows.remove(key);
        }
    }

    fn shard(&self, key: &str) -> MutexGuard<'_, Shard> {
        let at = self.hasher.hash_one(key) as usize % SHARDS;
        self.shards[at].lock()
    }
}

opaque_debug!(RowCache);

// === impl Shard ===

impl Shard {
    fn rows(&mut self, table: Table) -> Option<&mut LruCache<Arc<str>, Entry>> {
        match table {
            Table::Credential => Some(&mut self.credentials),
            Table::Binding => Some(&mut self.bindings),
            _ => None,
        }
    }
}

#[cfg(test)]
#[path = "../../tests/unit/row_cache.rs"]
mod tests;
