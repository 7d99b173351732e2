//! Looking at a database without a key, and without changing it.

use std::collections::BTreeMap;

use super::KeyId;

/// The records of a database, as far as they can be seen without a key.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Inspection {
    /// The version of its tables.
    pub schema_version: u32,
    /// How many credentials, bindings, receipts and targets of deliveries were sealed with each key. Those
    /// that are damaged may be missing; login flows, which end within minutes, are.
    pub sealed_with: BTreeMap<KeyId, u64>,
}

impl Inspection {
    pub(super) fn new(schema_version: u32) -> Self {
        Self {
            schema_version,
            sealed_with: BTreeMap::new(),
        }
    }

    /// Adds `count` records whose sealed bytes begin with `header`.
    pub(super) fn add(&mut self, header: &[u8], count: u64) {
        if let Some(key) = super::cipher::key_id_of_header(header) {
            *self.sealed_with.entry(key).or_default() += count;
        }
    }
}
