//! The tables of deliveries in the file. They are changed by the connection that makes the vault's own changes: in one
//! process these wait for each other in turn, which those of two connections would not.

use std::path::Path;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use futures_util::future::{FutureExt as _, ready};
use rusqlite::types::{FromSql, FromSqlResult, ToSqlOutput, ValueRef};
use rusqlite::{Connection, ToSql, params_from_iter};
use tokio::sync::{Mutex, Notify};

use super::error::{SqliteOpenError, store_error};
use super::{SqliteStore, schema};
use crate::vault::deliveries::{
    CHANGE, DeliveryTables, DeliveryTransaction, Lock, READ, SqlRow, SqlValue, Work,
};
use crate::vault::{StoreError, StoreFuture};

#[derive(Debug)]
struct Tables {
    store: SqliteStore,
    /// So that long reads keep nobody waiting.
    reader: Arc<Mutex<Connection>>,
    changed: Arc<Notify>,
}

/// The one transaction of a connection: what is not committed is undone.
struct Transaction<'c> {
    connection: &'c mut Connection,
    path: Arc<Path>,
    now: i64,
    announces: bool,
}

// === impl SqliteStore ===

impl SqliteStore {
    /// The tables of deliveries.
    ///
    /// # Errors
    /// If the file cannot be opened once more.
    pub(crate) fn deliveries(&self) -> Result<Arc<dyn DeliveryTables>, SqliteOpenError> {
        let reader = match self.data_version {
            Some(_) => Arc::new(Mutex::new(schema::connect(&self.path)?)),
            None => self.writer.clone(),
        };
        Ok(Arc::new(Tables {
            store: self.clone(),
            reader,
            changed: Arc::default(),
        }))
    }
}

// === impl Tables ===

impl DeliveryTables for Tables {
    fn read(&self, sql: String, values: Vec<SqlValue>) -> StoreFuture<'_, Vec<SqlRow>> {
        let read = move |connection: &mut Connection| rows(connection, &sql, values);
        Box::pin(self.store.run(&self.reader, READ, read))
    }

    fn change(&self, _: Lock, work: Work) -> StoreFuture<'_, ()> {
        let (path, changed) = (self.store.path.clone(), self.changed.clone());
        let data_version = self.store.data_version.clone();
        let change = move |connection: &mut Connection| {
            let now = SystemTime::now().duration_since(UNIX_EPOCH);
            let mut transaction = Transaction {
                connection,
                path,
                now: now.map_or(0, |now| now.as_millis() as i64),
                announces: false,
            };
            transaction.carry_out("BEGIN IMMEDIATE", Vec::new())?;
            let data_version = data_version.as_deref();
            let mark = data_version.and_then(|it| Some((it, it.mark(transaction.connection)?)));
            // Its statements are carried out when they are asked for.
            let done = work(&mut transaction).now_or_never();
            done.ok_or_else(|| StoreError::new(CHANGE, "it waits for something else"))??;
            let commit = || transaction.carry_out("COMMIT", Vec::new()).map(drop);
            // Otherwise each would empty the cache of passwords.
            match mark {
                Some((data_version, mark)) => {
                    data_version.skip(transaction.connection, mark, commit)?;
                }
                None => commit()?,
            }
            if transaction.announces {
                changed.notify_waiters();
            }
            Ok(())
        };
        Box::pin(self.store.run_any(&self.store.writer, CHANGE, change))
    }

    fn changed(&self) -> &Notify {
        &self.changed
    }
}

// === impl Transaction ===

impl Transaction<'_> {
    fn carry_out(&self, sql: &str, values: Vec<SqlValue>) -> Result<Vec<SqlRow>, StoreError> {
        let done = rows(self.connection, sql, values);
        done.map_err(|error| store_error(&self.path, CHANGE, error))
    }
}

impl DeliveryTransaction for Transaction<'_> {
    fn now(&self) -> i64 {
        self.now
    }

    fn run<'a>(&'a mut self, sql: &'a str, values: Vec<SqlValue>) -> StoreFuture<'a, Vec<SqlRow>> {
        Box::pin(ready(self.carry_out(sql, values)))
    }

    fn announce(&mut self) {
        self.announces = true;
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
fn rows(
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
