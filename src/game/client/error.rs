use std::time::Duration;

use super::{End, FIRST_CMD_ID};
use crate::game::runtime::error::DecodeError;
use crate::game::transport::connection::ConnectError;

/// Why a call has no answer.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CallError {
    /// The connection ended before the command was written: the server has not carried it out.
    #[error("the command was not sent: {0}")]
    NotSent(#[source] End),
    /// The connection ended after the command was written. Whether the server carried it out is not
    /// known.
    #[error("no answer to the command, which the server may have carried out: {0}")]
    Unknown(#[source] End),
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
    /// The `cmd_id` is that of a command in flight, or none that [`call_as`](super::Client::call_as)
    /// takes. The command was not sent.
    #[error(
        "`cmd_id` {cmd_id} cannot be used: it must be below {FIRST_CMD_ID}, and no command that waits for its answer may have it"
    )]
    CmdId {
        /// The `cmd_id`.
        cmd_id: u64,
    },
    /// The answer came, but cannot be read.
    #[error("the answer to the command: {0}")]
    Damaged(#[source] DecodeError),
}

// === impl CallError ===

impl CallError {
    /// Whether the command was written, so that the server may have carried it out.
    pub fn was_sent(&self) -> bool {
        match self {
            Self::NotSent(_) | Self::TooLong { .. } | Self::CmdId { .. } => false,
            Self::Unknown(_) | Self::Timeout { .. } | Self::Damaged(_) => true,
        }
    }
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
