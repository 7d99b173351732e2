//! The cache of sealed records, and how it is kept true.
//!
//! `PRAGMA data_version` gives a connection another number after any other connection, of this
//! process or another, has committed. The front connection never writes, so a number that did not
//! change says that every record read under it is what is stored now. Where the header of the
//! [WAL-index](super::wal_index) is the one from before the number was read last, the number is
//! still the same and is not asked for.
//!
//! A record that was read from the file while the cache did not hold it is remembered only where
//! the number is still the one from before the read: then nothing was committed in between, and
//! what was read is current. Anything else could bring a removed record back.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hashlink::LruCache;
use rusqlite::Connection;

use super::Record;
use super::wal_index::{Header, WalIndex};

/// The cache with its own connection, which looks at `data_version` and does nothing else.
pub(super) struct Front(Mutex<Inner>);

/// A value of `PRAGMA data_version` on the front connection.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct DataVersion(i64);

/// What the cache says of a user.
pub(super) enum Lookup {
    /// This is stored now.
    Known(Option<Arc<Record>>),
    /// The file has to be asked. With a version, the answer may be remembered under it.
    Unknown(Option<DataVersion>),
}

struct Inner {
    connection: Connection,
    index: Option<WalIndex>,
    /// The number that was read last, with the header from before that.
    last: Option<(Header, DataVersion)>,
    cache: LruCache<Arc<str>, Entry>,
}

struct Entry {
    version: DataVersion,
    record: Option<Arc<Record>>,
}

impl Front {
    pub(super) fn new(connection: Connection, capacity: usize) -> Self {
        // A writer never makes a reader wait in WAL mode; what else would make this connection
        // wait must not hold up an async thread: the reader waits in its stead.
        let _ = connection.busy_timeout(std::time::Duration::ZERO);
        Self(Mutex::new(Inner {
            index: WalIndex::of(&connection),
            last: None,
            connection,
            cache: LruCache::new(capacity),
        }))
    }

    pub(super) fn lookup(&self, user_id: &str) -> Lookup {
        let mut inner = self.inner();
        let Some(version) = inner.data_version() else {
            return Lookup::Unknown(None);
        };
        match inner.cache.get(user_id) {
            Some(entry) if entry.version == version => Lookup::Known(entry.record.clone()),
            _ => Lookup::Unknown(Some(version)),
        }
    }

    /// Remembers what was read from the file after [`Self::lookup`] gave `version`.
    pub(super) fn remember(
        &self,
        version: DataVersion,
        user_id: Arc<str>,
        record: Option<Arc<Record>>,
    ) {
        let mut inner = self.inner();
        if inner.data_version() == Some(version) {
            inner.cache.insert(user_id, Entry { version, record });
        }
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inner {
    /// `None` where the file cannot be asked at this instant.
    fn data_version(&mut self) -> Option<DataVersion> {
        let header = self.index.as_ref().and_then(WalIndex::header);
        match self.last {
            Some((seen, version)) if header == Some(seen) => return Some(version),
            _ => {}
        }
        let mut pragma = self.connection.prepare_cached("PRAGMA data_version").ok()?;
        let version = DataVersion(pragma.query_row([], |row| row.get(0)).ok()?);
        // What is committed after the header was read makes the next one differ.
        self.last = header.map(|header| (header, version));
        Some(version)
    }
}

impl fmt::Debug for Front {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Front").finish_non_exhaustive()
    }
}
