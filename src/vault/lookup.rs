//! The answer of a cache of rows.

use std::sync::Arc;

use super::Row;

/// The answer for a key.
pub(super) enum Lookup<T> {
    /// The row that is stored.
    Known(Option<Arc<Row>>),
    /// The database has to be asked. With a `T`, the cache may remember its answer.
    Unknown(Option<T>),
}

// === impl Lookup ===

impl<T> Lookup<T> {
    pub(super) fn known(self) -> Option<Option<Arc<Row>>> {
        match self {
            Self::Known(row) => Some(row),
            Self::Unknown(_) => None,
        }
    }
}
