//! Connections for statements on other tables than the store's, so that neither waits for the other's.

use std::sync::Arc;

use tokio::sync::Notify;
use tokio_postgres::Row;
use tokio_postgres::types::{ToSql, Type};

use super::error::Failure;
use super::pool::Pool;
use super::statement::Kind;
use super::{PostgresStore, Shared};
use crate::vault::StoreError;

/// Connections at most: half of them for changes.
const CONNECTIONS: usize = 6;

/// A parameter and its type.
pub(crate) type Parameter<'a> = (&'a (dyn ToSql + Sync), Type);

/// A pool beside that of a store.
#[derive(Clone, Debug)]
pub(crate) struct SidePool {
    store: PostgresStore,
    pool: Arc<Pool>,
}

// === impl SidePool ===

impl SidePool {
    pub(crate) fn beside(store: &PostgresStore) -> Self {
        let Shared { connector, .. } = &*store.shared;
        let patience = store.timeout.mul_f32(0.8);
        Self {
            pool: Pool::new(connector.clone(), CONNECTIONS, patience),
            store: store.clone(),
        }
    }

    /// Is notified of what other gateways announce.
    pub(crate) fn changed(&self) -> &Arc<Notify> {
        &self.store.shared.deliveries
    }

    pub(crate) async fn change(
        &self,
        action: &'static str,
        sql: &str,
        parameters: &[Parameter<'_>],
    ) -> Result<Vec<Row>, StoreError> {
        let (store, pool) = (&self.store, &self.pool);
        store
            .run_on(pool, action, sql, parameters, Kind::Write)
            .await
    }

    pub(crate) async fn read(
        &self,
        action: &'static str,
        sql: &str,
        parameters: &[Parameter<'_>],
    ) -> Result<Vec<Row>, StoreError> {
        let (store, pool) = (&self.store, &self.pool);
        store
            .run_on(pool, action, sql, parameters, Kind::Read)
            .await
    }

    pub(crate) fn fault(&self, action: &str, error: tokio_postgres::Error) -> StoreError {
        self.store.fault(action, Failure::Statement(error))
    }
}
