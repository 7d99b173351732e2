//! The store that `database_url` names, whichever kind it is.

use std::sync::Arc;
use std::time::SystemTime;

#[cfg(feature = "postgres")]
use portreeve::vault::PostgresStore;
use portreeve::vault::{
    BindOutcome, BindingRecord, CredentialCounts, FlowGrant, FlowRecord, FlowSwap, PermitLease,
    Record, Reseal, SqliteStore, Store, StoreError, StoreObserver,
};

/// The store that `database_url` names.
#[derive(Clone, Debug)]
pub(crate) enum AnyStore {
    Sqlite(SqliteStore),
    #[cfg(feature = "postgres")]
    Postgres(PostgresStore),
}

/// The same call on whichever store it is.
macro_rules! each {
    ($any:expr, $store:ident => $call:expr) => {
        match $any {
            Self::Sqlite($store) => $call,
            #[cfg(feature = "postgres")]
            Self::Postgres($store) => $call,
        }
    };
}

// === impl AnyStore ===

impl AnyStore {
    /// Tells `observer` of each operation that the store does not answer from memory.
    pub(super) fn observed(self, observer: Arc<dyn StoreObserver>) -> Self {
        match self {
            Self::Sqlite(store) => Self::Sqlite(store.observed(observer)),
            #[cfg(feature = "postgres")]
            Self::Postgres(store) => Self::Postgres(store.observed(observer)),
        }
    }
}

impl Store for AnyStore {
    async fn record(&self, user_id: &str) -> Result<Option<Arc<Record>>, StoreError> {
        each!(self, store => store.record(user_id).await)
    }

    async fn put(&self, record: Record, grant: Option<FlowSwap>) -> Result<bool, StoreError> {
        each!(self, store => store.put(record, grant).await)
    }

    async fn remove(&self, user_id: &str) -> Result<bool, StoreError> {
        each!(self, store => store.remove(user_id).await)
    }

    async fn mark(
        &self,
        user_id: &str,
        revision: u64,
        suspended_at: Option<SystemTime>,
    ) -> Result<bool, StoreError> {
        each!(self, store => store.mark(user_id, revision, suspended_at).await)
    }

    async fn put_refused_login(
        &self,
        at: SystemTime,
        forget_before: SystemTime,
    ) -> Result<(), StoreError> {
        each!(self, store => store.put_refused_login(at, forget_before).await)
    }

    async fn refused_logins(&self, since: SystemTime) -> Result<Vec<SystemTime>, StoreError> {
        each!(self, store => store.refused_logins(since).await)
    }

    async fn put_bearer_server(&self, server: &str) -> Result<(), StoreError> {
        each!(self, store => store.put_bearer_server(server).await)
    }

    async fn is_bearer_server(&self, server: &str) -> Result<bool, StoreError> {
        each!(self, store => store.is_bearer_server(server).await)
    }

    fn lease_permits(&self) -> Option<Box<dyn PermitLease>> {
        each!(self, store => store.lease_permits())
    }

    async fn page(
        &self,
        after: Option<&str>,
        limit: usize,
    ) -> Result<Vec<Arc<Record>>, StoreError> {
        each!(self, store => store.page(after, limit).await)
    }

    async fn count(&self) -> Result<CredentialCounts, StoreError> {
        each!(self, store => store.count().await)
    }

    async fn add(&self, records: Vec<Arc<Record>>) -> Result<usize, StoreError> {
        each!(self, store => store.add(records).await)
    }

    async fn reseal(&self, batch: Vec<Reseal>) -> Result<Vec<Reseal>, StoreError> {
        each!(self, store => store.reseal(batch).await)
    }

    async fn flow(&self, flow_id: &str) -> Result<Option<FlowRecord>, StoreError> {
        each!(self, store => store.flow(flow_id).await)
    }

    async fn put_flow(&self, flow: FlowRecord, limit: usize) -> Result<(), StoreError> {
        each!(self, store => store.put_flow(flow, limit).await)
    }

    async fn swap_flow(&self, swap: FlowSwap) -> Result<bool, StoreError> {
        each!(self, store => store.swap_flow(swap).await)
    }

    async fn flow_page(
        &self,
        after: Option<&str>,
        limit: usize,
    ) -> Result<Vec<FlowRecord>, StoreError> {
        each!(self, store => store.flow_page(after, limit).await)
    }

    async fn remove_flow(&self, flow_id: &str, sealed: &[u8]) -> Result<bool, StoreError> {
        each!(self, store => store.remove_flow(flow_id, sealed).await)
    }

    async fn remove_expired_flows(&self, now: SystemTime) -> Result<u64, StoreError> {
        each!(self, store => store.remove_expired_flows(now).await)
    }

    async fn binding(&self, person_id: &str) -> Result<Option<Arc<BindingRecord>>, StoreError> {
        each!(self, store => store.binding(person_id).await)
    }

    async fn bind(
        &self,
        binding: BindingRecord,
        grant: Option<FlowGrant>,
    ) -> Result<BindOutcome, StoreError> {
        each!(self, store => store.bind(binding, grant).await)
    }

    async fn unbind(&self, person_id: &str) -> Result<bool, StoreError> {
        each!(self, store => store.unbind(person_id).await)
    }

    async fn binding_page(
        &self,
        after: Option<&str>,
        limit: usize,
    ) -> Result<Vec<BindingRecord>, StoreError> {
        each!(self, store => store.binding_page(after, limit).await)
    }

    async fn reseal_binding(
        &self,
        from: &BindingRecord,
        to: Box<[u8]>,
    ) -> Result<bool, StoreError> {
        each!(self, store => store.reseal_binding(from, to).await)
    }

    async fn scrub(&self) -> Result<(), StoreError> {
        each!(self, store => store.scrub().await)
    }

    async fn ready(&self) -> Result<(), StoreError> {
        each!(self, store => store.ready().await)
    }
}
