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
    /// Removes the rows with a number below `before` and a count of 0.
    Expire {
        /// The table.
        table: Table,
        /// The lowest number that stays.
        before: i64,
    },
    /// Removes rows of `owner` that have a count of 0, except for the `keep` with the highest numbers.
    Trim {
        /// The table.
        table: Table,
        /// The owner.
        owner: Arc<str>,
        /// How many stay.
        keep: usize,
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
    Done {
        /// How many rows [`Change::Expire`] removed.
        expired: u64,
    },
    /// Nothing was changed, since one change did not find the row that it expects.
    Conflict {
        /// The position of the first such change.
        at: usize,
    },
}

/// A row that [takes the place](super::Store::replace_each) of another one with the same key.
#[derive(Clone, Debug)]
pub struct Replacement {
    /// The row as it was read; `None` if there was none.
    pub from: Option<Arc<Row>>,
    /// The new row.
    pub to: Arc<Row>,
}

// === impl Change ===

impl Change {
    /// Stores `row` in place of any other.
    pub fn put(table: Table, row: Row) -> Self {
        Self::Put {
            table,
            row: Arc::new(row),
            expected: Expected::Anything,
        }
    }

    /// Stores `row` in place of `from`.
    pub fn replace(table: Table, from: Arc<Row>, row: Row) -> Self {
        Self::Put {
            table,
            row: Arc::new(row),
            expected: Expected::Row(from),
        }
    }

    /// The table and the key of the one row that it changes.
    #[cfg(feature = "postgres")]
    pub(super) fn key(&self) -> Option<(Table, &str)> {
        match self {
            Self::Put { table, row, .. } => Some((*table, &row.key)),
            Self::Remove { table, key, .. } => Some((*table, key)),
            Self::Expire { .. } | Self::Trim { .. } => None,
        }
    }
}

// === impl Committed ===

impl Committed {
    /// Whether the changes were made.
    pub fn is_done(self) -> bool {
        matches!(self, Self::Done { .. })
    }
}
