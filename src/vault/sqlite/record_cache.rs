//! The cache of sealed records, and how it never answers with an old one.
//!
//! `PRAGMA data_version` gives a connection another number after any other connection, of this
//! process or another, has committed. The cache's connection never writes, so an unchanged number
//! says that every record read under it is what is stored now. If the header of the
//! [WAL-index](super::wal_index) is the one from before the number was last asked for, the number
//! is still the same and is not asked for again.
//!
//! A record that had to be read from the file is remembered only if the number is still the one
//! from before the read: then nothing was committed in between, and what was read is current.
//! Anything else could bring a removed record back.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use hashlink::LruCache;
use rusqlite::Connection;

use super::wal_index::{Header, WalIndex};

/// The cache with a connection of its own, which asks for `data_version` and nothing else. `R` is a
/// record: a credential or a binding.
pub(super) struct RecordCache<R>(Mutex<Inner<R>>);

/// A value of `PRAGMA data_version` on the cache's connection.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct DataVersion(i64);

/// What the cache says of a key.
pub(super) enum Lookup<R> {
    /// This is stored now.
    Known(Option<Arc<R>>),
    /// The file has to be asked. With a version, the answer may be remembered under it.
    Unknown(Option<DataVersion>),
}

struct Inner<R> {
    connection: Connection,
    index: Option<WalIndex>,
    /// The number that was last asked for, with the header from before that.
    last: Option<(Header, DataVersion)>,
    records: LruCache<Arc<str>, Entry<R>>,
}

struct Entry<R> {
    version: DataVersion,
    record: Option<Arc<R>>,
}

// === impl RecordCache ===

impl<R> RecordCache<R> {
    /// A cache of up to `capacity` records. Without an `index` each look-up asks for `data_version`.
    pub(super) fn new(connection: Connection, index: Option<WalIndex>, capacity: usize) -> Self {
        // `lookup` runs on async threads, which must not wait for a lock of the file. With no time
        // to wait the pragma fails at once and the answer is `Unknown`: the caller then asks the
        // file on a thread that may wait.
        let _ = connection.busy_timeout(Duration::ZERO);
        Self(Mutex::new(Inner {
            index,
            last: None,
            connection,
            records: LruCache::new(capacity),
        }))
    }

    /// What is stored under `key`, as far as the cache knows.
    pub(super) fn lookup(&self, key: &str) -> Lookup<R> {
        let mut inner = self.inner();
        let Some(version) = inner.data_version() else {
            return Lookup::Unknown(None);
        };
        match inner.records.get(key) {
            Some(entry) if entry.version == version => Lookup::Known(entry.record.clone()),
            _ => Lookup::Unknown(Some(version)),
        }
    }

    /// Remembers what was read from the file after [`Self::lookup`] gave `version`.
    pub(super) fn remember(&self, version: DataVersion, key: Arc<str>, record: Option<Arc<R>>) {
        let mut inner = self.inner();
        if inner.data_version() == Some(version) {
            inner.records.insert(key, Entry { version, record });
        }
    }

    fn inner(&self) -> MutexGuard<'_, Inner<R>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<R> fmt::Debug for RecordCache<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RecordCache").finish_non_exhaustive()
    }
}

// === impl Inner ===

impl<R> Inner<R> {
    /// `None` if the file cannot be asked at this instant.
    fn data_version(&mut self) -> Option<DataVersion> {
        let header = self.index.as_ref().and_then(WalIndex::header);
        match self.last {
            Some((seen, version)) if header == Some(seen) => return Some(version),
            _ => {}
        }
        let mut pragma = self.connection.prepare_cached("PRAGMA data_version").ok()?;
        let version = DataVersion(pragma.query_row([], |row| row.get(0)).ok()?);
        // A commit between the reading of the header and the pragma makes the next header differ.
        self.last = header.map(|header| (header, version));
        Some(version)
    }
}
