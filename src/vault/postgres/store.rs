//! The operations on the database, each one statement.
//!
//! The cache forgets the rows of an operation before that is acknowledged, even if it failed: it may be unknown
//! whether it was carried out.

use std::sync::Arc;

use super::super::deliveries::{SqlRow, SqlValue};
use super::super::query::{Query, decode, reading, select};
use super::super::row_cache::RowCache;
use super::super::{
    Change, Committed, CredentialCounts, PermitLease, Row, Sealed, Store, StoreError, StoreFuture,
    Table,
};
use super::statement::Kind;
use super::{PostgresStore, permits, statement};

impl PostgresStore {
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
    reading!();

    fn commit(&self, action: &'static str, changes: Vec<Change>) -> StoreFuture<'_, Committed> {
        Box::pin(async move {
            let is_impossible =
                |change: &Change| matches!(change, Change::Remove { key, .. } if contains_nul(key));
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

    fn lease_permits(&self) -> Option<Box<dyn PermitLease>> {
        permits::lease(&self.shared)
    }
}

/// Whether `text` has the one character that no text in PostgreSQL has: nothing is stored under it.
fn contains_nul(text: &str) -> bool {
    text.contains('\0')
}
