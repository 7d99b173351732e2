//! The operations on the database, each one statement.
//!
//! The cache forgets the rows of an operation before that is acknowledged, even if it failed: it may be unknown
//! whether it was carried out.

use std::sync::Arc;

use tokio_postgres::Error;

use super::super::query::Query;
use super::super::{
    Change, Committed, CredentialCounts, PermitLease, Row, Store, StoreError, StoreFuture, Table,
};
use super::error::Failure;
use super::statement::{DIALECT, Kind, decode};
use super::{PostgresStore, permits, statement};

impl PostgresStore {
    /// Decodes the rows that `action` read.
    fn decode<T>(
        &self,
        action: &str,
        rows: &[tokio_postgres::Row],
        decode: impl Fn(&tokio_postgres::Row) -> Result<T, Error>,
    ) -> Result<Vec<T>, StoreError> {
        let decoded = rows.iter().map(decode).collect::<Result<_, _>>();
        decoded.map_err(|error| self.fault(action, Failure::Statement(error)))
    }

    /// The rows that `query` finds.
    async fn select(
        &self,
        action: &'static str,
        query: Query<'_>,
    ) -> Result<Vec<Arc<Row>>, StoreError> {
        let rows = self.run(action, &query, Kind::Read).await?;
        self.decode(action, &rows, |row| decode(row).map(Arc::new))
    }
}

impl Store for PostgresStore {
    fn cached(&self, table: Table, key: &str) -> Option<Option<Arc<Row>>> {
        let epoch = || self.shared.freshness.epoch();
        self.shared.cache.lookup(table, key, epoch).ok()
    }

    fn get<'a>(&'a self, table: Table, key: &'a str) -> StoreFuture<'a, Option<Arc<Row>>> {
        Box::pin(async move {
            let cache = &self.shared.cache;
            let ticket = match cache.lookup(table, key, || self.shared.freshness.epoch()) {
                Ok(row) => return Ok(row),
                Err(ticket) => ticket,
            };
            if contains_nul(key) {
                return Ok(None);
            }
            let (_, action, _) = table.names();
            let found = self.select(action, DIALECT.one(table, key)).await?.pop();
            cache.remember(ticket, table, key, found.clone());
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
        Box::pin(async move {
            if owner.is_some_and(contains_nul) {
                return Ok(Vec::new());
            }
            let (_, _, action) = table.names();
            let query = DIALECT.page(table, owner, after, limit);
            self.select(action, query).await
        })
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
            let done = self.run(action, &query, Kind::Write).await;
            for (table, key) in changes.iter().map(Change::key) {
                self.shared.cache.forget(table, key);
            }
            let failed = self.decode(action, &done?, |row| row.try_get::<_, i32>(0))?;
            Ok(match failed.first() {
                Some(-1) => Committed::Done,
                Some(at) => Committed::Conflict {
                    at: at.cast_unsigned() as usize,
                },
                None => Committed::Conflict { at: 0 },
            })
        })
    }

    fn count(&self) -> StoreFuture<'_, CredentialCounts> {
        Box::pin(async move {
            let action = "count the credentials";
            let rows = self.run(action, &DIALECT.count(), Kind::Read).await?;
            let counted = self.decode(action, &rows, |row| {
                Ok(CredentialCounts {
                    active: row.try_get::<_, i64>(0)?.cast_unsigned(),
                    suspended: row.try_get::<_, i64>(1)?.cast_unsigned(),
                })
            })?;
            Ok(counted.into_iter().next().unwrap_or_default())
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
