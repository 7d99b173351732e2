//! The store in memory.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use super::permit_lease::LocalLease;
use super::time::{from_millis, to_millis};
use super::{
    BindOutcome, BindingRecord, FlowGrant, FlowRecord, FlowSwap, PermitLease, Record, Reseal,
    Store, StoreError,
};

/// Keeps sealed records in memory, for embedding and tests. Clones share the records.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use futures_util::TryStreamExt as _;
/// use portreeve::vault::{AppPassword, Keyring, MemoryStore, Vault};
///
/// let vault = Vault::new(Keyring::generate()?, MemoryStore::new());
/// let password = AppPassword::new("aaaaa-bbbbb-ccccc-ddddd-eeeee")?;
/// vault.put("bob", "bob", &password).await?;
/// vault.put("alice", "alice", &password).await?;
///
/// let listed: Vec<_> = vault.list().try_collect().await?;
/// assert_eq!(listed.iter().map(|it| it.user_id()).collect::<Vec<_>>(), ["alice", "bob"]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default)]
pub struct MemoryStore {
    tables: Arc<Mutex<Tables>>,
    is_leased: Arc<AtomicBool>,
}

#[derive(Debug, Default)]
struct Tables {
    records: BTreeMap<Arc<str>, Arc<Record>>,
    flows: BTreeMap<Arc<str>, FlowRecord>,
    refused: Vec<SystemTime>,
    bearer_servers: BTreeSet<Box<str>>,
    bindings: BTreeMap<Arc<str>, Arc<BindingRecord>>,
}

// === impl MemoryStore ===

impl MemoryStore {
    /// An empty store.
    pub fn new() -> Self {
        Self::default()
    }

    fn tables(&self) -> MutexGuard<'_, Tables> {
        // Each change is one insertion or removal: a panic leaves nothing half done.
        self.tables.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Store for MemoryStore {
    async fn record(&self, user_id: &str) -> Result<Option<Arc<Record>>, StoreError> {
        Ok(self.tables().records.get(user_id).cloned())
    }

    async fn put(&self, record: Record, grant: Option<FlowSwap>) -> Result<bool, StoreError> {
        let mut tables = self.tables();
        if grant.is_some_and(|swap| !tables.swap(swap)) {
            return Ok(false);
        }
        let user_id = record.user_id.clone();
        tables.records.insert(user_id, Arc::new(record));
        Ok(true)
    }

    async fn remove(&self, user_id: &str) -> Result<bool, StoreError> {
        Ok(self.tables().records.remove(user_id).is_some())
    }

    async fn mark(
        &self,
        user_id: &str,
        revision: u64,
        suspended_at: Option<SystemTime>,
    ) -> Result<bool, StoreError> {
        let mut tables = self.tables();
        let Some(record) = tables.records.get_mut(user_id) else {
            return Ok(false);
        };
        if record.revision != revision {
            return Ok(false);
        }
        let record = Arc::make_mut(record);
        record.suspended_at = suspended_at;
        record.refusals = match suspended_at {
            Some(_) => record.refusals.saturating_add(1),
            None => 0,
        };
        Ok(true)
    }

    async fn put_refused_login(
        &self,
        at: SystemTime,
        forget_before: SystemTime,
    ) -> Result<(), StoreError> {
        let mut tables = self.tables();
        tables.refused.retain(|it| *it >= forget_before);
        tables.refused.push(from_millis(to_millis(at)));
        Ok(())
    }

    async fn refused_logins(&self, since: SystemTime) -> Result<Vec<SystemTime>, StoreError> {
        let tables = self.tables();
        let refused = tables.refused.iter().copied();
        Ok(refused.filter(|it| *it >= since).collect())
    }

    async fn put_bearer_server(&self, server: &str) -> Result<(), StoreError> {
        self.tables().bearer_servers.insert(server.into());
        Ok(())
    }

    async fn is_bearer_server(&self, server: &str) -> Result<bool, StoreError> {
        Ok(self.tables().bearer_servers.contains(server))
    }

    fn lease_permits(&self) -> Option<Box<dyn PermitLease>> {
        LocalLease::acquire(&self.is_leased)
    }

    async fn page(
        &self,
        after: Option<&str>,
        limit: usize,
    ) -> Result<Vec<Arc<Record>>, StoreError> {
        let tables = self.tables();
        let records = tables.records.range::<str, _>(range_after(after));
        Ok(records.take(limit).map(|(_, it)| it.clone()).collect())
    }

    async fn reseal(&self, mut batch: Vec<Reseal>) -> Result<Vec<Reseal>, StoreError> {
        let mut tables = self.tables();
        batch.retain_mut(
            |reseal| match tables.records.get_mut(&reseal.from.user_id) {
                Some(record) if record.sealed == reseal.from.sealed => {
                    Arc::make_mut(record).sealed = std::mem::take(&mut reseal.to);
                    false
                }
                _ => true,
            },
        );
        Ok(batch)
    }

    async fn flow(&self, flow_id: &str) -> Result<Option<FlowRecord>, StoreError> {
        Ok(self.tables().flows.get(flow_id).cloned())
    }

    async fn put_flow(&self, flow: FlowRecord, limit: usize) -> Result<(), StoreError> {
        let mut tables = self.tables();
        let mut others: Vec<_> = tables
            .flows
            .values()
            .filter(|other| other.user_id == flow.user_id && !other.holds_password)
            .map(|other| (other.expires_at, other.flow_id.clone()))
            .collect();
        others.sort();
        let surplus = (others.len() + 1).saturating_sub(limit);
        for (_, flow_id) in others.into_iter().take(surplus) {
            tables.flows.remove(&flow_id);
        }
        tables.flows.insert(flow.flow_id.clone(), flow);
        Ok(())
    }

    async fn swap_flow(&self, swap: FlowSwap) -> Result<bool, StoreError> {
        Ok(self.tables().swap(swap))
    }

    async fn flow_page(
        &self,
        after: Option<&str>,
        limit: usize,
    ) -> Result<Vec<FlowRecord>, StoreError> {
        let tables = self.tables();
        let flows = tables.flows.range::<str, _>(range_after(after));
        Ok(flows.take(limit).map(|(_, it)| it.clone()).collect())
    }

    async fn remove_flow(&self, flow_id: &str, sealed: &[u8]) -> Result<bool, StoreError> {
        let mut tables = self.tables();
        let unchanged = tables
            .flows
            .get(flow_id)
            .is_some_and(|flow| *flow.sealed == *sealed);
        if unchanged {
            tables.flows.remove(flow_id);
        }
        Ok(unchanged)
    }

    async fn remove_expired_flows(&self, now: SystemTime) -> Result<u64, StoreError> {
        let mut tables = self.tables();
        let before = tables.flows.len();
        let keep = |flow: &FlowRecord| flow.holds_password || flow.expires_at > now;
        tables.flows.retain(|_, flow| keep(flow));
        Ok((before - tables.flows.len()) as u64)
    }

    async fn binding(&self, person_id: &str) -> Result<Option<Arc<BindingRecord>>, StoreError> {
        Ok(self.tables().bindings.get(person_id).cloned())
    }

    async fn bind(
        &self,
        binding: BindingRecord,
        grant: Option<FlowGrant>,
    ) -> Result<BindOutcome, StoreError> {
        let mut tables = self.tables();
        let outcome = tables.outcome(&binding);
        if !matches!(outcome, BindOutcome::Bound | BindOutcome::Already) {
            return Ok(outcome);
        }
        if let Some(FlowGrant { record, swap }) = grant {
            if !tables.swap(swap) {
                return Ok(BindOutcome::FlowChanged);
            }
            let user_id = record.user_id.clone();
            tables.records.insert(user_id, Arc::new(record));
        }
        if outcome == BindOutcome::Bound {
            let person_id = binding.person_id.clone();
            tables.bindings.insert(person_id, Arc::new(binding));
        }
        Ok(outcome)
    }

    async fn unbind(&self, person_id: &str) -> Result<bool, StoreError> {
        Ok(self.tables().bindings.remove(person_id).is_some())
    }

    async fn binding_page(
        &self,
        after: Option<&str>,
        limit: usize,
    ) -> Result<Vec<BindingRecord>, StoreError> {
        let tables = self.tables();
        let bindings = tables.bindings.range::<str, _>(range_after(after));
        Ok(bindings
            .take(limit)
            .map(|(_, it)| BindingRecord::clone(it))
            .collect())
    }

    async fn reseal_binding(
        &self,
        from: &BindingRecord,
        to: Box<[u8]>,
    ) -> Result<bool, StoreError> {
        match self.tables().bindings.get_mut(&from.person_id) {
            Some(binding) if binding.sealed == from.sealed => {
                Arc::make_mut(binding).sealed = to;
                Ok(true)
            }
            _ => Ok(false),
        }
    }

    async fn scrub(&self) -> Result<(), StoreError> {
        Ok(())
    }

    async fn ready(&self) -> Result<(), StoreError> {
        Ok(())
    }
}

// === impl Tables ===

impl Tables {
    /// What binding them would come to now.
    fn outcome(&self, binding: &BindingRecord) -> BindOutcome {
        match self.bindings.get(&binding.person_id) {
            Some(bound) if bound.user_id == binding.user_id => BindOutcome::Already,
            Some(_) => BindOutcome::PersonTaken,
            None => match self
                .bindings
                .values()
                .any(|it| it.user_id == binding.user_id)
            {
                true => BindOutcome::AccountTaken,
                false => BindOutcome::Bound,
            },
        }
    }

    fn swap(&mut self, swap: FlowSwap) -> bool {
        match self.flows.get_mut(&swap.flow_id) {
            Some(flow) if flow.sealed == swap.from => {
                flow.sealed = swap.to;
                flow.holds_password = swap.holds_password;
                true
            }
            _ => false,
        }
    }
}

fn range_after(after: Option<&str>) -> (Bound<&str>, Bound<&str>) {
    (
        after.map_or(Bound::Unbounded, Bound::Excluded),
        Bound::Unbounded,
    )
}
