use std::fmt;

use crate::game::runtime::error::DecodeError;

/// Why an event was not applied to a [`Table`](super::Table). The table remains usable.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TableError {
    /// The event cannot be read.
    Decode(DecodeError),
    /// The table would exceed its [limit](super::Table::with_limit).
    TooLarge {
        /// The limit in bytes.
        limit: usize,
    },
}

impl fmt::Display for TableError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Decode(error) => write!(f, "cannot read an event of the game: {error}"),
            Self::TooLarge { limit } => write!(
                f,
                "an event of the game was not applied: the table would exceed its limit of {limit} bytes; \
                 use a table with a higher limit"
            ),
        }
    }
}

impl std::error::Error for TableError {}

impl From<DecodeError> for TableError {
    fn from(error: DecodeError) -> Self {
        Self::Decode(error)
    }
}
