//! The changes of rows that a store makes.

use std::sync::Arc;

use super::{Row, Table};

/// One change of a [commit](super::Store::commit).
#[derive(Clone, Debug)]
pub enum Change {
    /// Stores `row` if the row under its key is the expected one.
    Put {
        /// The table.
        table: Table,
        /// The row.
        row: Arc<Row>,
        /// The row that it replaces.
        expected: Expected,
    },
    /// Removes the row under `key` if there is one, and if it is still `expected`.
    Remove {
        /// The table.
        table: Table,
        /// The key.
        key: Arc<str>,
        /// The row as it was read; `None` for any row.
        expected: Option<Arc<Row>>,
    },
}

/// The row that is expected under a key.
#[derive(Clone, Debug)]
pub enum Expected {
    /// Any row, or none.
    Anything,
    /// None: neither under the key, nor of the owner where owners are unique.
    Nothing,
    /// This row, as it was read.
    Row(Arc<Row>),
}

/// The outcome of a commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Committed {
    /// All changes were made.
    Done,
    /// Nothing was changed, since one change did not find the row that it expects.
    Conflict {
        /// The position of the first such change.
        at: usize,
    },
}

// === impl Change ===

impl Change {
    /// Stores `row` in place of any other.
    pub fn put(table: Table, row: Row) -> Self {
        Self::Put { table, row: Arc::new(row), expected: Expected::Anything }
    }

    /// Stores `row` in place of `from`.
    pub fn replace(table: Table, from: Arc<Row>, row: Row) -> Self {
        Self::Put { table, row: Arc::new(row), expected: Expected::Row(from) }
    }

    /// Stores `row` if there is none under its key.
    pub fn add(table: Table, row: Arc<Row>) -> Self {
        Self::Put { table, row, expected: Expected::Nothing }
    }

    /// Removes `row`.
    pub fn remove(table: Table, row: Arc<Row>) -> Self {
        Self::Remove { table, key: row.key.clone(), expected: Some(row) }
    }

    #[cfg(feature = "postgres")]
    pub(super) fn key(&self) -> (Table, &str) {
        match self {
            Self::Put { table, row, .. } => (*table, &row.key),
            Self::Remove { table, key, .. } => (*table, key),
        }
    }
}

// === impl Committed ===

impl Committed {
    /// Whether the changes were made.
    pub fn is_done(self) -> bool {
        self == Self::Done
    }
}
