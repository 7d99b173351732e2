//! The embedded store: a SQLite file of the vault, which is small and precious, and beside it one of [deliveries](deliveries),
//! which is large and passes. Whatever becomes of the latter, the former goes on: no connection and no transaction has both.
//!
//! | connection to the vault | role |
//! |---|---|
//! | [data version](data_version) | finds out whether anything was committed since a row was read |
//! | reader | reads the rows that the cache does not have |
//! | writer | makes every change, one transaction each, synced before it is acknowledged |
//!
//! Several processes may use one file at once (the commands beside the gateway), on one machine:
//! SQLite's write-ahead log does not work over a network file system.

mod data_version;
mod deliveries;
mod error;
mod permits;
mod schema;
mod store;
mod wal_index;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use rusqlite::Connection;
use tokio::sync::Mutex;

pub use error::SqliteOpenError;

use self::data_version::DataVersion;
use self::permits::PermitFile;
use self::schema::Sharing;
use self::wal_index::WalIndex;
use super::row_cache::RowCache;
use super::schema::Part;
use super::{Inspection, StoreError, StoreObserver};

/// Keeps sealed records in a SQLite file. Clones share the connections.
///
/// A change is on disk when the call returns, and is seen at once by every process that has the file open.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use portreeve::vault::{AppPassword, Keyring, SqliteStore, Vault};
///
/// # let dir = tempfile::tempdir()?;
/// # let dir = dir.path();
/// let store = SqliteStore::open(dir.join("portreeve.db")).await?;
/// let vault = Vault::new(Keyring::read_or_create(dir.join("vault.key"))?, store);
/// vault.put("alice", "alice", &AppPassword::new("aaaaa-bbbbb-ccccc-ddddd-eeeee")?).await?;
/// assert!(vault.credential("alice").await?.is_some());
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct SqliteStore {
    path: Arc<Path>,
    cache: Arc<RowCache>,
    /// `None` while this process alone may use the file.
    data_version: Option<Arc<DataVersion>>,
    reader: Arc<Mutex<Connection>>,
    writer: Arc<Mutex<Connection>>,
    permits: Arc<PermitFile>,
    /// Notified of each operation that reads or writes the file.
    pub observer: Option<Arc<dyn StoreObserver>>,
}

impl SqliteStore {
    /// Opens the file at `path`; makes it with mode 0600, and its directory with mode 0700, if they are missing.
    ///
    /// On Linux one descriptor of the file's `-shm` companion then stays open until the process
    /// ends, however often the file is opened. Other code of the process must not open and close
    /// these files except through SQLite: closing them would drop SQLite's locks.
    ///
    /// If the disk is full, records can be read, and no other process can use the file.
    ///
    /// # Errors
    /// If it cannot be made or opened, belongs to another program, or was written by another version of this one.
    pub async fn open(path: impl Into<PathBuf>) -> Result<Self, SqliteOpenError> {
        let path: PathBuf = path.into();
        let opening = tokio::task::spawn_blocking(move || Self::open_blocking(&path));
        opening.await.expect("opening a store does not panic")
    }

    fn open_blocking(path: &Path) -> Result<Self, SqliteOpenError> {
        let (writer, sharing) = schema::open(path)?;
        let index = WalIndex::shown_by(&writer);
        let writer = Arc::new(Mutex::new(writer));
        let (reader, data_version) = match sharing {
            Sharing::Shared => {
                let connect = || schema::connect(path, Part::Vault, sharing);
                let data_version = DataVersion::new(connect()?, index);
                let reader = Mutex::new(connect()?);
                (Arc::new(reader), Some(Arc::new(data_version)))
            }
            Sharing::Alone => {
                tracing::warn!(
                    database = %path.display(),
                    "the disk of the database is full: credentials can be read, and stored again once there is room. \
                     No other process can use the database until this one has been restarted with room on the disk"
                );
                (writer.clone(), None)
            }
        };
        Ok(Self {
            path: path.into(),
            cache: Arc::new(RowCache::new()),
            data_version,
            reader,
            writer,
            permits: Arc::new(PermitFile::beside(path)),
            observer: None,
        })
    }

    /// The file of deliveries beside that of the vault at `path`: `deliveries.db` in the same directory.
    pub fn deliveries_of(path: &Path) -> PathBuf {
        schema::path_of(path, Part::Deliveries)
    }

    /// Looks at the records of the file at `path`, and of that of deliveries beside it, without changing anything; `None`
    /// if both are missing or empty.
    ///
    /// # Errors
    /// As [`Self::open`], for the vault's file. What is wrong with the other one is in [`Inspection::without_deliveries`].
    pub fn inspect_blocking(path: &Path) -> Result<Option<Inspection>, SqliteOpenError> {
        schema::inspect(path)
    }

    /// Writes a consistent copy of the vault's file at `path`, as of one instant, to the new file at `to`, while others use
    /// it. The copy has mode 0600, and nothing of what was removed or replaced before.
    ///
    /// # Errors
    /// As [`Self::open`], and [`SqliteOpenError::Create`] if the copy cannot be made or already exists.
    pub fn back_up_blocking(path: &Path, to: &Path) -> Result<(), SqliteOpenError> {
        schema::back_up(path, Part::Vault, to)
    }

    /// The same for the file of deliveries beside each of the two.
    ///
    /// # Errors
    /// As [`Self::back_up_blocking`].
    pub fn back_up_deliveries_blocking(path: &Path, to: &Path) -> Result<(), SqliteOpenError> {
        schema::back_up(path, Part::Deliveries, to)
    }

    async fn run<T: Send + 'static>(
        &self,
        connection: &Arc<Mutex<Connection>>,
        action: &'static str,
        work: impl FnOnce(&mut Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T, StoreError> {
        let path = self.path.clone();
        let work = move |connection: &mut Connection| {
            work(connection).map_err(|source| error::store_error(&path, action, source))
        };
        on_thread(connection, action, self.observer.as_deref(), work).await
    }
}

/// Does `work` with a connection that it has alone.
async fn on_thread<C: Send + 'static, T: Send + 'static>(
    connection: &Arc<Mutex<C>>,
    action: &'static str,
    observer: Option<&dyn StoreObserver>,
    work: impl FnOnce(&mut C) -> Result<T, StoreError> + Send + 'static,
) -> Result<T, StoreError> {
    // Locked first, and the work moved to a blocking thread then: a call that waits for the connection occupies no thread.
    let mut connection = Arc::clone(connection).lock_owned().await;
    let ended = tokio::task::spawn_blocking(move || work(&mut connection)).await;
    let done = match ended {
        // The runtime shuts down, and drops whoever waits: nothing has failed.
        Err(stopped) if stopped.is_cancelled() => std::future::pending().await,
        done => done.unwrap_or_else(|stopped| Err(StoreError::new(action, stopped))),
    };
    if let Some(observer) = observer {
        observer.store_operation(action, done.is_ok());
    }
    done
}
