//! The operations on the file, each one transaction.

use std::sync::Arc;

use rusqlite::{Connection, OptionalExtension as _, TransactionBehavior, params_from_iter};

use super::super::{
    Change, Committed, CredentialCounts, PermitLease, Row, Store, StoreFuture, Table,
};
use super::SqliteStore;
use super::statement::{DIALECT, apply, decode};

impl SqliteStore {
    /// The epoch of the cache; `None` if the file cannot be asked for it.
    fn epoch(&self) -> Option<u64> {
        self.data_version.as_ref()?.current()
    }
}

impl Store for SqliteStore {
    fn cached(&self, table: Table, key: &str) -> Option<Option<Arc<Row>>> {
        self.cache.lookup(table, key, || self.epoch()).ok()
    }

    fn get<'a>(&'a self, table: Table, key: &'a str) -> StoreFuture<'a, Option<Arc<Row>>> {
        Box::pin(async move {
            let ticket = match self.cache.lookup(table, key, || self.epoch()) {
                Ok(row) => return Ok(row),
                Err(ticket) => ticket,
            };
            let wanted: Box<str> = key.into();
            let (_, action, _) = table.names();
            let reading = self.run(&self.reader, action, move |connection| {
                let query = DIALECT.one(table, &wanted);
                connection
                    .prepare_cached(&query.sql)?
                    .query_row(params_from_iter(query.values), decode)
                    .optional()
            });
            let found = reading.await?.map(Arc::new);
            self.cache.remember(ticket, table, key, found.clone());
            Ok(found)
        })
    }

    fn page<'a>(
        &'a self,
        table: Table,
        owner: Option<&'a str>,
        after: Option<&'a str>,
        limit: usize,
    ) -> StoreFuture<'a, Vec<Arc<Row>>> {
        let (owner, after) = (owner.map(Box::<str>::from), after.map(Box::<str>::from));
        let (_, _, action) = table.names();
        Box::pin(self.run(&self.reader, action, move |connection| {
            let query = DIALECT.page(table, owner.as_deref(), after.as_deref(), limit);
            connection
                .prepare_cached(&query.sql)?
                .query_map(params_from_iter(query.values), |row| {
                    decode(row).map(Arc::new)
                })?
                .collect()
        }))
    }

    fn commit(&self, action: &'static str, changes: Vec<Change>) -> StoreFuture<'_, Committed> {
        let work = move |connection: &mut Connection| {
            // A transaction that begins with a read could not wait for another writer.
            let behavior = TransactionBehavior::Immediate;
            let transaction = connection.transaction_with_behavior(behavior)?;
            for (at, change) in changes.iter().enumerate() {
                if !apply(&transaction, change)? {
                    // Dropping the transaction undoes the others.
                    return Ok(Committed::Conflict { at });
                }
            }
            transaction.commit()?;
            Ok(Committed::Done)
        };
        Box::pin(self.run(&self.writer, action, work))
    }

    fn count(&self) -> StoreFuture<'_, CredentialCounts> {
        Box::pin(
            self.run(&self.reader, "count the credentials", |connection| {
                let mut counts = connection.prepare_cached(&DIALECT.count().sql)?;
                counts.query_row([], |row| {
                    let number = |at| row.get(at).map(i64::cast_unsigned);
                    Ok(CredentialCounts {
                        active: number(0)?,
                        suspended: number(1)?,
                    })
                })
            }),
        )
    }

    fn lease_permits(&self) -> Option<Box<dyn PermitLease>> {
        self.permits.lease()
    }

    fn scrub(&self) -> StoreFuture<'_, ()> {
        Box::pin(
            self.run(&self.writer, "empty the write-ahead log", |connection| {
                // A reader of this instant keeps it from being emptied: then a later checkpoint does.
                connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
            }),
        )
    }
}
