//! The operations on the file, each one transaction.

use std::sync::Arc;

use rusqlite::{Connection, TransactionBehavior};

use super::super::deliveries::SqlRow;
use super::super::query::{Dialect, Parameters, Query, decode, reading, select};
use super::super::row_cache::RowCache;
use super::super::{
    Change, Committed, CredentialCounts, PermitLease, Row, Sealed, Store, StoreError, StoreFuture,
    Table,
};
use super::SqliteStore;
use super::deliveries::rows;

const DIALECT: Dialect = Dialect {
    storing_if: " WHERE TRUE",
    deleting_if: " WHERE TRUE",
    adding: " ON CONFLICT DO NOTHING",
};

impl SqliteStore {
    fn cache(&self) -> &RowCache {
        &self.cache
    }

    fn epoch(&self) -> Option<u64> {
        self.data_version.as_ref()?.current()
    }

    async fn read(&self, action: &'static str, query: Query) -> Result<Vec<SqlRow>, StoreError> {
        let Query { sql, values } = query;
        let read = move |connection: &mut Connection| rows(connection, &sql, values);
        self.run(&self.reader, action, read).await
    }
}

impl Sealed for SqliteStore {}

impl Store for SqliteStore {
    reading!();

    fn commit(&self, action: &'static str, changes: Vec<Change>) -> StoreFuture<'_, Committed> {
        let work = move |connection: &mut Connection| {
            // A transaction that begins with a read could not wait for another writer.
            let behavior = TransactionBehavior::Immediate;
            let transaction = connection.transaction_with_behavior(behavior)?;
            for (at, change) in changes.iter().enumerate() {
                let mut parameters = Parameters::new(DIALECT);
                let statement = parameters.change(change);
                rows(&transaction, &statement.sql, parameters.values)?;
                if transaction.changes() == 0 && statement.expects.is_some() {
                    // Dropping the transaction undoes the others.
                    return Ok(Committed::Conflict { at });
                }
            }
            transaction.commit()?;
            Ok(Committed::Done)
        };
        Box::pin(self.run(&self.writer, action, work))
    }

    fn lease_permits(&self) -> Option<Box<dyn PermitLease>> {
        self.permits.lease()
    }

    fn scrub(&self) -> StoreFuture<'_, ()> {
        Box::pin(self.run(&self.writer, "empty the write-ahead log", |connection| {
            // A reader of this instant keeps it from being emptied: then a later checkpoint does.
            connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
        }))
    }
}
