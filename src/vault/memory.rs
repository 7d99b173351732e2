//! The store in memory.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use futures_util::future::BoxFuture;

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
    fn cached_record(&self, user_id: &str) -> Option<Option<Arc<Record>>> {
        Some(self.tables().records.get(user_id).cloned())
    }

    fn cached_binding(&self, person_id: &str) -> Option<Option<Arc<BindingRecord>>> {
        Some(self.tables().bindings.get(person_id).cloned())
    }

    fn record<'a>(
        &'a self,
        user_id: &'a str,
    ) -> BoxFuture<'a, Result<Option<Arc<Record>>, StoreError>> {
        Box::pin(async move { Ok(self.tables().records.get(user_id).cloned()) })
    }

    fn put(
        &self,
        record: Record,
        grant: Option<FlowSwap>,
    ) -> BoxFuture<'_, Result<bool, StoreError>> {
        Box::pin(async move {
            let mut tables = self.tables();
            if grant.is_some_and(|swap| !tables.swap(swap)) {
                return Ok(false);
            }
            let user_id = record.user_id.clone();
            tables.records.insert(user_id, Arc::new(record));
            Ok(true)
        })
    }

    fn remove<'a>(&'a self, user_id: &'a str) -> BoxFuture<'a, Result<bool, StoreError>> {
        Box::pin(async move { Ok(self.tables().records.remove(user_id).is_some()) })
    }

    fn mark<'a>(
        &'a self,
        user_id: &'a str,
        revision: u64,
        suspended_at: Option<SystemTime>,
    ) -> BoxFuture<'a, Result<bool, StoreError>> {
        Box::pin(async move {
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
        })
    }

    fn put_refused_login(
        &self,
        at: SystemTime,
        forget_before: SystemTime,
    ) -> BoxFuture<'_, Result<(), StoreError>> {
        Box::pin(async move {
            let mut tables = self.tables();
            tables.refused.retain(|it| *it >= forget_before);
            tables.refused.push(from_millis(to_millis(at)));
            Ok(())
        })
    }

    fn refused_logins(
        &self,
        since: SystemTime,
    ) -> BoxFuture<'_, Result<Vec<SystemTime>, StoreError>> {
        Box::pin(async move {
            let tables = self.tables();
            let refused = tables.refused.iter().copied();
            Ok(refused.filter(|it| *it >= since).collect())
        })
    }

    fn put_bearer_server<'a>(&'a self, server: &'a str) -> BoxFuture<'a, Result<(), StoreError>> {
        Box::pin(async move {
            self.tables().bearer_servers.insert(server.into());
            Ok(())
        })
    }

    fn is_bearer_server<'a>(&'a self, server: &'a str) -> BoxFuture<'a, Result<bool, StoreError>> {
        Box::pin(async move { Ok(self.tables().bearer_servers.contains(server)) })
    }

    fn lease_permits(&self) -> Option<Box<dyn PermitLease>> {
        LocalLease::acquire(&self.is_leased)
    }

    fn page<'a>(
        &'a self,
        after: Option<&'a str>,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<Arc<Record>>, StoreError>> {
        Box::pin(async move {
            let tables = self.tables();
            let records = tables.records.range::<str, _>(range_after(after));
            Ok(records.take(limit).map(|(_, it)| it.clone()).collect())
        })
    }

    fn reseal(&self, mut batch: Vec<Reseal>) -> BoxFuture<'_, Result<Vec<Reseal>, StoreError>> {
        Box::pin(async move {
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
        })
    }

    fn flow<'a>(
        &'a self,
        flow_id: &'a str,
    ) -> BoxFuture<'a, Result<Option<FlowRecord>, StoreError>> {
        Box::pin(async move { Ok(self.tables().flows.get(flow_id).cloned()) })
    }

    fn put_flow(&self, flow: FlowRecord, limit: usize) -> BoxFuture<'_, Result<(), StoreError>> {
        Box::pin(async move {
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
        })
    }

    fn swap_flow(&self, swap: FlowSwap) -> BoxFuture<'_, Result<bool, StoreError>> {
        Box::pin(async move { Ok(self.tables().swap(swap)) })
    }

    fn flow_page<'a>(
        &'a self,
        after: Option<&'a str>,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<FlowRecord>, StoreError>> {
        Box::pin(async move {
            let tables = self.tables();
            let flows = tables.flows.range::<str, _>(range_after(after));
            Ok(flows.take(limit).map(|(_, it)| it.clone()).collect())
        })
    }

    fn remove_flow<'a>(
        &'a self,
        flow_id: &'a str,
        sealed: &'a [u8],
    ) -> BoxFuture<'a, Result<bool, StoreError>> {
        Box::pin(async move {
            let mut tables = self.tables();
            let unchanged = tables
                .flows
                .get(flow_id)
                .is_some_and(|flow| *flow.sealed == *sealed);
            if unchanged {
                tables.flows.remove(flow_id);
            }
            Ok(unchanged)
        })
    }

    fn remove_expired_flows(&self, now: SystemTime) -> BoxFuture<'_, Result<u64, StoreError>> {
        Box::pin(async move {
            let mut tables = self.tables();
            let before = tables.flows.len();
            let keep = |flow: &FlowRecord| flow.holds_password || flow.expires_at > now;
            tables.flows.retain(|_, flow| keep(flow));
            Ok((before - tables.flows.len()) as u64)
        })
    }

    fn binding<'a>(
        &'a self,
        person_id: &'a str,
    ) -> BoxFuture<'a, Result<Option<Arc<BindingRecord>>, StoreError>> {
        Box::pin(async move { Ok(self.tables().bindings.get(person_id).cloned()) })
    }

    fn bind(
        &self,
        binding: BindingRecord,
        grant: Option<FlowGrant>,
    ) -> BoxFuture<'_, Result<BindOutcome, StoreError>> {
        Box::pin(async move {
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
        })
    }

    fn unbind<'a>(&'a self, person_id: &'a str) -> BoxFuture<'a, Result<bool, StoreError>> {
        Box::pin(async move { Ok(self.tables().bindings.remove(person_id).is_some()) })
    }

    fn binding_page<'a>(
        &'a self,
        after: Option<&'a str>,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<BindingRecord>, StoreError>> {
        Box::pin(async move {
            let tables = self.tables();
            let bindings = tables.bindings.range::<str, _>(range_after(after));
            Ok(bindings
                .take(limit)
                .map(|(_, it)| BindingRecord::clone(it))
                .collect())
        })
    }

    fn reseal_binding<'a>(
        &'a self,
        from: &'a BindingRecord,
        to: Box<[u8]>,
    ) -> BoxFuture<'a, Result<bool, StoreError>> {
        Box::pin(async move {
            match self.tables().bindings.get_mut(&from.person_id) {
                Some(binding) if binding.sealed == from.sealed => {
                    Arc::make_mut(binding).sealed = to;
                    Ok(true)
                }
                _ => Ok(false),
            }
        })
    }

    fn scrub(&self) -> BoxFuture<'_, Result<(), StoreError>> {
        Box::pin(async move { Ok(()) })
    }

    fn ready(&self) -> BoxFuture<'_, Result<(), StoreError>> {
        Box::pin(async move { Ok(()) })
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
