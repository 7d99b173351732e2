//! The operations on the file, each one transaction.

use std::sync::Arc;

use rusqlite::{Connection, TransactionBehavior};

use super::super::deliveries::SqlRow;
use super::super::query::{self, Database, Dialect, Parameters, Query};
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

impl Database for SqliteStore {
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
    fn cached(&self, table: Table, key: &str) -> Option<Option<Arc<Row>>> {
        self.cache.lookup(table, key, || self.epoch()).ok()
    }

    fn get<'a>(&'a self, table: Table, key: &'a str) -> StoreFuture<'a, Option<Arc<Row>>> {
        Box::pin(query::get(self, table, key))
    }

    fn page<'a>(
        &'a self,
        table: Table,
        owner: Option<&'a str>,
        after: Option<&'a str>,
        limit: usize,
    ) -> StoreFuture<'a, Vec<Arc<Row>>> {
        Box::pin(query::page(self, table, owner, after, limit))
    }

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

    fn count(&self) -> StoreFuture<'_, CredentialCounts> {
        Box::pin(query::count(self))
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
