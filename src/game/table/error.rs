use crate::game::runtime::error::DecodeError;

/// Why an event was not applied to a [`Table`](super::Table). The table remains usable.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TableError {
    /// The event cannot be read.
    #[error("cannot read an event of the game: {0}")]
    Decode(#[from] DecodeError),
    /// The table would exceed its [limit](super::Table::with_limit).
    #[error(
        "an event of the game was not applied: the table would exceed its limit of {limit} bytes; use a table \
         with a higher limit"
    )]
    TooLarge {
        /// The limit in bytes.
        limit: usize,
    },
}
