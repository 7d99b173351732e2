use std::time::Duration;

use super::End;
use crate::game::runtime::error::DecodeError;
use crate::game::transport::connection::ConnectError;

/// Why a call has no answer.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CallError {
    /// The connection ended. Whether the server carried the command out is not known.
    #[error("no answer to the command: {0}")]
    Ended(#[source] End),
    /// No answer came in time. Whether the server carried the command out is not known; an answer
    /// that comes later is among the events as [`Role::Abandoned`](super::Role::Abandoned).
    #[error("no answer to command {cmd_id} within {limit:?}")]
    Timeout {
        /// The `cmd_id` of the command.
        cmd_id: u64,
        /// How long was waited, from when it was sent.
        limit: Duration,
    },
    /// The command is longer than the server accepts. It was not sent.
    #[error("a command of {length} bytes is longer than the {limit} that the game server accepts")]
    TooLong {
        /// Its length in bytes.
        length: usize,
        /// The limit in bytes.
        limit: usize,
    },
    /// The answer came, but cannot be read.
    #[error("the answer to the command: {0}")]
    Damaged(#[source] DecodeError),
}

/// Why a session cannot begin.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StartError {
    /// No connection could be made.
    #[error(transparent)]
    Connect(#[from] ConnectError),
    /// The connection ended before the server said who it is.
    #[error("the game server did not say who it is: {0}")]
    Ended(#[source] End),
    /// What comes is not the server's identification: this is no server of the game.
    #[error("what answers is no game server: it does not say which one it is")]
    NoServer,
    /// The server speaks another version of the protocol.
    #[error("the game server speaks version {found} of the protocol, and not {expected}")]
    Protocol {
        /// Its version.
        found: u32,
        /// The one of this crate.
        expected: u32,
    },
}
