//! Why the lines of a replay end early.

use std::io;

use portreeve::game::DecodeError;

/// Why the rows or states of a replay end early.
pub(super) enum Fault {
    /// The replay cannot be read.
    Replay(DecodeError),
    /// The table cannot take an event.
    Table(String),
    /// The output cannot be written.
    Output(io::Error),
}

// === impl Fault ===

impl From<DecodeError> for Fault {
    fn from(error: DecodeError) -> Self {
        Self::Replay(error)
    }
}
