//! The tables of deliveries, in a file of their own. It is opened when it is first needed, and tried again with each
//! statement until that succeeds: a gateway goes on without it.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering::SeqCst};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use futures_util::future::{FutureExt as _, ready};
use rusqlite::types::{FromSql, FromSqlResult, ToSqlOutput, ValueRef};
use rusqlite::{Connection, ToSql, params_from_iter};
use tokio::sync::{Mutex, Notify};

use super::error::store_error;
use super::schema::{self, Sharing};
use super::{SqliteStore, on_thread, permits};
use crate::vault::deliveries::{
    CHANGE, DeliveryTables, DeliveryTransaction, Durability, Lock, News, Query, READ, Reader,
    SqlRow, SqlValue, Work,
};
use crate::vault::schema::Part;
use crate::vault::{Records, StoreError, StoreFuture, StoreObserver};

#[derive(Debug)]
struct Tables {
    path: Arc<Path>,
    part: Part,
    observer: Option<Arc<dyn StoreObserver>>,
    writer: Lazy,
    /// So that long reads keep nobody waiting: of the worker, and of others.
    readers: [Lazy; 2],
    seen: Arc<parking_lot::Mutex<Option<Seen>>>,
    news: Arc<[Notify; News::NUMBER]>,
    /// 0 until others can tell whether it is there.
    gateway: Arc<AtomicI64>,
    /// A file beside it, which each process that works on the queue has locked together with the others.
    working: Arc<Mutex<Option<File>>>,
}

/// A connection, once it has been opened.
type Lazy = Arc<Mutex<Option<Connection>>>;

/// The device and the inode of the file that is open, unless it was missed, and when it was seen last. It is looked for once a
/// second.
type Seen = (Option<(u64, u64)>, Instant);

/// The one transaction of a connection: what is not committed is undone.
struct Transaction<'c> {
    connection: &'c mut Connection,
    path: Arc<Path>,
    now: i64,
    announced: Vec<News>,
}

// === impl SqliteStore ===

impl SqliteStore {
    pub(crate) fn deliveries(&self) -> Arc<dyn DeliveryTables> {
        self.tables(Part::Deliveries)
    }

    /// All that both files keep.
    pub fn records(&self) -> Records {
        let [vault, deliveries] = [Part::Vault, Part::Deliveries].map(|part| self.tables(part));
        Records { vault, deliveries }
    }

    fn tables(&self, part: Part) -> Arc<dyn DeliveryTables> {
        Arc::new(Tables {
            path: schema::path_of(&self.path, part).into(),
            part,
            observer: self.observer.clone(),
            writer: Lazy::default(),
            readers: Default::default(),
            seen: Arc::default(),
            news: Arc::default(),
            gateway: Arc::default(),
            working: Arc::default(),
        })
    }
}

// === impl Tables ===

impl Tables {
    async fn run<T: Send + 'static>(
        &self,
        connection: &Lazy,
        action: &'static str,
        work: impl FnOnce(&mut Connection) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let (path, part, seen) = (self.path.clone(), self.part, self.seen.clone());
        let work = move |connection: &mut Option<Connection>| {
            let found = || fs::metadata(&path).ok().map(|it| (it.dev(), it.ino()));
            if let Some((file, at)) = &mut *seen.lock()
                && at.elapsed().as_secs() > 0
            {
                // From then on: its log may have gone, too, and the next file may have the same `-shm`.
                *file = found().filter(|it| Some(*it) == *file);
                if file.is_none() {
                    let error = "it was removed or replaced while it was open: restart the gateway";
                    let action = format!("cannot {action} in {}", path.display());
                    return Err(StoreError::new(action, error));
                }
                *at = Instant::now();
            }
            if let Some(connection) = connection {
                return work(connection);
            }
            let opened = schema::connect(&path, part, Sharing::Shared);
            let opened = connection.insert(opened.map_err(|error| error.during(action))?);
            seen.lock().get_or_insert_with(|| (found(), Instant::now()));
            work(opened)
        };
        on_thread(connection, action, self.observer.as_deref(), work).await
    }
}

impl DeliveryTables for Tables {
    fn read(&self, by: Reader, sql: String, values: Vec<SqlValue>) -> StoreFuture<'_, Vec<SqlRow>> {
        let path = self.path.clone();
        let read = move |connection: &mut Connection| {
            rows(connection, &sql, values).map_err(|error| store_error(&path, READ, error))
        };
        Box::pin(self.run(&self.readers[by as usize], READ, read))
    }

    fn change(&self, _: Lock, durability: Durability, work: Work) -> StoreFuture<'_, ()> {
        let (path, news) = (self.path.clone(), self.news.clone());
        let change = move |connection: &mut Connection| {
            let mut transaction = Transaction { connection, path, now: 0, announced: Vec::new() };
            transaction.set_synchronous(durability)?;
            transaction.carry_out("BEGIN IMMEDIATE", Vec::new())?;
            // Not before: another process may have had its turn meanwhile.
            let now = SystemTime::now().duration_since(UNIX_EPOCH);
            transaction.now = now.map_or(0, |now| now.as_millis() as i64);
            // Its statements are carried out when they are asked for.
            let done = work(&mut transaction).now_or_never();
            done.ok_or_else(|| StoreError::new(CHANGE, "it waits for something else"))??;
            transaction.carry_out("COMMIT", Vec::new())?;
            transaction.announced.iter().for_each(|&of| news[of as usize].notify_waiters());
            Ok(())
        };
        Box::pin(self.run(&self.writer, CHANGE, change))
    }

    fn gateway(&self) -> i64 {
        self.gateway.load(SeqCst)
    }

    /// All of them, if this one alone works on the queue when it begins.
    fn gone(&self, gateways: Vec<i64>) -> StoreFuture<'_, (Vec<i64>, bool)> {
        Box::pin(async move {
            let mut working = self.working.clone().lock_owned().await;
            if working.is_some() {
                return Ok((Vec::new(), false));
            }
            let (path, gateway) = (self.path.clone(), self.gateway.clone());
            let locking = tokio::task::spawn_blocking(move || -> io::Result<bool> {
                let file = permits::open(&permits::beside(&path, "-gateways"))?;
                let is_alone = file.try_lock().is_ok();
                // Whoever comes now waits until it is shared.
                file.lock_shared()?;
                *working = Some(file);
                let number = getrandom::u32().unwrap_or_default() >> 1;
                gateway.store(number.into(), SeqCst);
                Ok(is_alone)
            });
            // Without the file, claims end when their leases do.
            let is_alone = locking.await.is_ok_and(|locked| locked.unwrap_or(false));
            let gone = if is_alone { gateways } else { Vec::new() };
            Ok((gone, false))
        })
    }

    fn news(&self, of: News) -> &Notify {
        &self.news[of as usize]
    }
}

// === impl Transaction ===

impl Transaction<'_> {
    fn carry_out(&self, sql: &str, values: Vec<SqlValue>) -> Result<Vec<SqlRow>, StoreError> {
        rows(self.connection, sql, values).map_err(|error| store_error(&self.path, CHANGE, error))
    }

    fn set_synchronous(&self, durability: Durability) -> Result<(), StoreError> {
        let level = match durability {
            Durability::Synced => "FULL",
            // The log is synced with the next commit of a transaction that has `FULL`.
            Durability::Repeatable => "NORMAL",
        };
        let set = self.connection.pragma_update(None, "synchronous", level);
        set.map_err(|error| store_error(&self.path, CHANGE, error))
    }
}

impl DeliveryTransaction for Transaction<'_> {
    fn now(&self) -> i64 {
        self.now
    }

    fn excludes_all(&self) -> bool {
        true
    }

    fn run_all(&mut self, statements: Vec<Query>) -> StoreFuture<'_, Vec<Vec<SqlRow>>> {
        let done = statements.into_iter().map(|it| self.carry_out(&it.sql, it.values));
        Box::pin(ready(done.collect()))
    }

    fn put(&mut self, sql: String, values: Vec<SqlValue>) -> Result<(), StoreError> {
        self.carry_out(&sql, values).map(drop)
    }

    fn announce(&mut self, news: News) {
        self.announced.push(news);
    }
}

impl Drop for Transaction<'_> {
    fn drop(&mut self) {
        if !self.connection.is_autocommit() {
            _ = self.connection.execute_batch("ROLLBACK");
        }
    }
}

/// Carries out a statement that is written for PostgreSQL: parameters have another sigil, the tables no schema.
pub(super) fn rows(
    connection: &Connection,
    sql: &str,
    values: Vec<SqlValue>,
) -> rusqlite::Result<Vec<SqlRow>> {
    let sql = sql.replace("portreeve.", "").replace('$', "?");
    tracing::trace!(sql);
    let mut statement = connection.prepare_cached(&sql)?;
    let columns = statement.column_count();
    let rows = statement.query(params_from_iter(values))?;
    let row = |row: &rusqlite::Row<'_>| {
        let values = (0..columns).map(|at| row.get(at));
        values.collect::<Result<_, _>>().map(SqlRow)
    };
    rows.mapped(row).collect()
}

impl ToSql for SqlValue {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match self {
            Self::Null => ValueRef::Null,
            Self::Number(number) => ValueRef::Integer(*number),
            Self::Text(text) => ValueRef::Text(text.as_bytes()),
            Self::Bytes(bytes) => ValueRef::Blob(bytes),
        }))
    }
}

impl FromSql for SqlValue {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        Ok(match value {
            ValueRef::Null | ValueRef::Real(_) => Self::Null,
            ValueRef::Integer(number) => Self::Number(number),
            ValueRef::Text(_) => Self::Text(value.as_str()?.to_owned()),
            ValueRef::Blob(bytes) => Self::Bytes(bytes.to_vec()),
        })
    }
}
