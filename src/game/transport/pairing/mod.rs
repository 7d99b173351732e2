//! Pairing answers with commands.
//!
//! An answer carries the `cmd_id` of its command. [`Pairing`] stores a value of the caller for each command
//! in flight; [`Calls`] does the same for tasks that await their answers. Neither does any I/O: the caller
//! sends the command with the id that it was given, and passes in each answer.

#[cfg(feature = "game-tokio")]
mod calls;
mod pending;

#[cfg(feature = "game-tokio")]
pub use calls::{Call, Calls, ConnectionLost, Undelivered};
pub use pending::{MAX_CMD_ID, Match, Pairing};
