//! The cache of sealed records, and how it never answers with an old one.
//!
//! `PRAGMA data_version` gives a connection another number after any other connection, of this
//! process or another, has committed. The connection that asks for it never writes, so an unchanged
//! number means that every record read under it is the one stored now. If the header of the
//! [WAL-index](super::wal_index) is the one from before the number was last asked for, the number
//! is still the same and is not asked for again. That is nearly always so, and takes no lock.
//!
//! A record that had to be read from the file is remembered only if the number is still the one
//! from before the read: then nothing was committed in between, and what was read is current.
//! Anything else could bring a removed record back.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use arc_swap::ArcSwapOption;
use hashlink::LruCache;
use rusqlite::Connection;

use super::super::Row;
use super::super::lookup::Lookup;
use super::super::sharded::Sharded;
use super::wal_index::{Header, WalIndex};

/// The rows of one table.
pub(super) struct RecordCache {
    versions: Arc<Versions>,
    records: Sharded<LruCache<Arc<str>, Entry>>,
}

/// Finds out whether anything was committed, on a connection that is used for nothing else.
pub(super) struct Versions {
    connection: Mutex<Connection>,
    index: Option<WalIndex>,
    /// The number that was last asked for, with the header from before that.
    last: ArcSwapOption<(Header, DataVersion)>,
}

/// A value of `PRAGMA data_version` on that connection.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct DataVersion(i64);

struct Entry {
    version: DataVersion,
    record: Option<Arc<Row>>,
}

// === impl RecordCache ===

impl RecordCache {
    /// A cache of up to `capacity` records, roughly.
    pub(super) fn new(versions: Arc<Versions>, capacity: usize) -> Self {
        Self {
            versions,
            records: Sharded::new(capacity, LruCache::new),
        }
    }

    /// The row under `key`, if the cache knows it.
    pub(super) fn lookup(&self, key: &str) -> Lookup<DataVersion> {
        let Some(version) = self.versions.current() else {
            return Lookup::Unknown(None);
        };
        match self.records.of(key).get(key) {
            Some(entry) if entry.version == version => Lookup::Known(entry.record.clone()),
            _ => Lookup::Unknown(Some(version)),
        }
    }

    /// Remembers the answer of the file to a read that began after [`Self::lookup`] gave `version`.
    pub(super) fn remember(&self, version: DataVersion, key: Arc<str>, record: Option<Arc<Row>>) {
        if self.versions.current() == Some(version) {
            let entry = Entry { version, record };
            self.records.of(&key).insert(key.clone(), entry);
        }
    }
}

impl fmt::Debug for RecordCache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RecordCache").finish_non_exhaustive()
    }
}

// === impl Versions ===

impl Versions {
    /// Without an `index` each look-up asks for `data_version`.
    pub(super) fn new(connection: Connection, index: Option<WalIndex>) -> Self {
        // It is asked on async threads, which must not wait for a lock of the file. With no time to
        // wait the pragma fails at once and the caller asks the file, on a thread that may wait.
        let _ = connection.busy_timeout(Duration::ZERO);
        Self {
            connection: Mutex::new(connection),
            index,
            last: ArcSwapOption::empty(),
        }
    }

    /// `None` if the file cannot be asked at this instant.
    fn current(&self) -> Option<DataVersion> {
        let header = self.index.as_ref().and_then(WalIndex::header);
        if let Some((seen, version)) = self.last.load().as_deref()
            && header == Some(*seen)
        {
            return Some(*version);
        }
        let connection = self.connection.lock();
        let connection = connection.unwrap_or_else(PoisonError::into_inner);
        let mut pragma = connection.prepare_cached("PRAGMA data_version").ok()?;
        let version = DataVersion(pragma.query_row([], |row| row.get(0)).ok()?);
        // A commit between the reading of the header and the pragma makes the next header differ.
        self.last
            .store(header.map(|header| Arc::new((header, version))));
        Some(version)
    }
}
