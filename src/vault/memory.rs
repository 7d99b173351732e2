//! The store in memory.

use std::collections::{BTreeMap, HashMap};
use std::ops::Bound;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};

use parking_lot::RwLock;

use super::{
    Change, Committed, CredentialCounts, Expected, PermitLease, Row, Sealed, Store, StoreError,
    StoreFuture, Table,
};

/// Keeps sealed rows in memory, for embedding and tests. Clones share the rows.
#[derive(Clone, Debug, Default)]
pub struct MemoryStore {
    tables: Arc<RwLock<Tables>>,
    is_leased: Arc<AtomicBool>,
}

#[derive(Debug, Default)]
struct Tables(HashMap<Table, BTreeMap<Arc<str>, Arc<Row>>>);

/// A lease of a store that all its gateways reach through clones.
#[derive(Debug)]
struct LocalLease(Arc<AtomicBool>);

// === impl MemoryStore ===

impl MemoryStore {
    /// An empty store.
    pub fn new() -> Self {
        Self::default()
    }
}

impl Sealed for MemoryStore {}

impl Store for MemoryStore {
    fn cached(&self, table: Table, key: &str) -> Option<Option<Arc<Row>>> {
        Some(self.tables.read().get(table, key).cloned())
    }

    fn get<'a>(&'a self, table: Table, key: &'a str) -> StoreFuture<'a, Option<Arc<Row>>> {
        Box::pin(async move { Ok(self.tables.read().get(table, key).cloned()) })
    }

    fn page<'a>(
        &'a self,
        table: Table,
        owner: Option<&'a str>,
        after: Option<&'a str>,
        limit: usize,
    ) -> StoreFuture<'a, Vec<Arc<Row>>> {
        Box::pin(async move {
            let tables = self.tables.read();
            let after = after.map_or(Bound::Unbounded, Bound::Excluded);
            let all = tables.0.get(&table).into_iter();
            let rest = all.flat_map(|rows| rows.range::<str, _>((after, Bound::Unbounded)));
            let own = rest.filter(|(_, row)| owner.is_none_or(|owner| *row.owner == *owner));
            Ok(own.take(limit).map(|(_, row)| row.clone()).collect())
        })
    }

    fn commit(&self, action: &'static str, changes: Vec<Change>) -> StoreFuture<'_, Committed> {
        Box::pin(async move {
            let mut tables = self.tables.write();
            if changes.iter().any(|change| tables.is_of_pruned_key(change)) {
                return Err(StoreError::new(action, "the key that sealed it has been pruned"));
            }
            if let Some(at) = changes.iter().position(|change| !tables.allows(change)) {
                return Ok(Committed::Conflict { at });
            }
            changes.into_iter().for_each(|change| tables.apply(change));
            Ok(Committed::Done)
        })
    }

    fn count(&self) -> StoreFuture<'_, CredentialCounts> {
        Box::pin(async move {
            let tables = self.tables.read();
            let all = tables.rows(Table::Credential).count() as u64;
            let suspended = tables.rows(Table::Credential).filter(|row| row.since.is_some());
            let suspended = suspended.count() as u64;
            Ok(CredentialCounts { active: all - suspended, suspended })
        })
    }

    fn lease_permits(&self) -> Option<Box<dyn PermitLease>> {
        let was_leased = self.is_leased.swap(true, SeqCst);
        (!was_leased).then(|| Box::new(LocalLease(self.is_leased.clone())) as _)
    }
}

// === impl Tables ===

impl Tables {
    fn get(&self, table: Table, key: &str) -> Option<&Arc<Row>> {
        self.0.get(&table)?.get(key)
    }

    fn rows(&self, table: Table) -> impl Iterator<Item = &Arc<Row>> {
        self.0.get(&table).into_iter().flat_map(BTreeMap::values)
    }

    /// Whether `change` finds the row that it expects.
    fn allows(&self, change: &Change) -> bool {
        match change {
            Change::Put { table, row, expected } => {
                let found = self.get(*table, &row.key);
                match expected {
                    Expected::Anything => true,
                    Expected::Row(from) => found == Some(from),
                    Expected::Nothing => found.is_none() && !self.is_owner_taken(*table, row),
                }
            }
            Change::Remove { table, key, expected } => {
                let found = self.get(*table, key);
                found.is_some_and(|row| expected.as_ref().is_none_or(|it| it == row))
            }
        }
    }

    /// Whether `change` stores what was sealed with a key that has been taken away.
    fn is_of_pruned_key(&self, change: &Change) -> bool {
        let Change::Put { table, row, .. } = change else {
            return false;
        };
        let mut keys = self.rows(Table::SealingKey);
        let stays = self.get(*table, &row.key).is_some_and(|stored| stored.sealed == row.sealed);
        *table != Table::SealingKey
            && !stays
            && keys.any(|key| key.count > 0 && row.sealed.starts_with(&key.sealed))
    }

    /// Whether owners are unique in `table` and another row has that of `row`.
    fn is_owner_taken(&self, table: Table, row: &Row) -> bool {
        table.has_unique_owner() && self.rows(table).any(|it| it.owner == row.owner)
    }

    fn apply(&mut self, change: Change) {
        match change {
            Change::Put { table, row, .. } => {
                self.0.entry(table).or_default().insert(row.key.clone(), row);
            }
            Change::Remove { table, key, .. } => {
                self.0.entry(table).or_default().remove(&key);
            }
        }
    }
}

// === impl LocalLease ===

impl PermitLease for LocalLease {}

impl Drop for LocalLease {
    fn drop(&mut self) {
        self.0.store(false, SeqCst);
    }
}
