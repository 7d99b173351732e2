//! The operations on the database, each one statement.
//!
//! The cache forgets the rows of an operation before that is acknowledged, even if it failed: it may be unknown
//! whether it was carried out.

use std::sync::Arc;

use super::super::deliveries::{SqlRow, SqlValue};
use super::super::query::{self, Database, Query};
use super::super::row_cache::RowCache;
use super::super::{
    Change, Committed, CredentialCounts, PermitLease, Row, Sealed, Store, StoreError, StoreFuture,
    Table,
};
use super::statement::Kind;
use super::{PostgresStore, permits, statement};

impl Database for PostgresStore {
    fn cache(&self) -> &RowCache {
        &self.shared.cache
    }

    fn epoch(&self) -> Option<u64> {
        self.shared.freshness.epoch()
    }

    async fn read(&self, action: &'static str, query: Query) -> Result<Vec<SqlRow>, StoreError> {
        let has_nul =
            |value: &SqlValue| matches!(value, SqlValue::Text(text) if contains_nul(text));
        if query.values.iter().any(has_nul) {
            return Ok(Vec::new());
        }
        self.run(&self.shared.pool, action, &query, Kind::Read).await
    }
}

impl Sealed for PostgresStore {}

impl Store for PostgresStore {
    fn cached(&self, table: Table, key: &str) -> Option<Option<Arc<Row>>> {
        self.cache().lookup(table, key, || self.epoch()).ok()
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
        Box::pin(async move {
            let is_impossible = |change: &Change| match change {
                Change::Remove { key, .. } => contains_nul(key),
                _ => false,
            };
            if let Some(at) = changes.iter().position(is_impossible) {
                return Ok(Committed::Conflict { at });
            }
            let query = statement::commit(&changes);
            let pool = &self.shared.pool;
            let done = self.run(pool, action, &query, Kind::Write).await;
            for (table, key) in changes.iter().map(Change::key) {
                self.shared.cache.forget(table, key);
            }
            let failed = done?.first().map_or(0, |row| row.number(0));
            // Negative if none did.
            Ok(usize::try_from(failed).map_or(Committed::Done, |at| Committed::Conflict { at }))
        })
    }

    fn count(&self) -> StoreFuture<'_, CredentialCounts> {
        Box::pin(query::count(self))
    }

    fn lease_permits(&self) -> Option<Box<dyn PermitLease>> {
        permits::lease(&self.shared)
    }
}

/// Whether `text` has the one character that no text in PostgreSQL has: nothing is stored under it.
fn contains_nul(text: &str) -> bool {
    text.contains('\0')
}
