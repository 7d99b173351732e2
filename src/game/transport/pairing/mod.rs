//! Pairing: which answer belongs to which command.
//!
//! A command carries a `cmd_id`, and its answer carries it back. [`Pairing`] remembers a value of
//! the caller's for each command that is in flight; [`Calls`] does so for tasks that await their
//! answers. Neither reads or writes: the caller sends the command with the id that it got, and
//! hands in each answer.

#[cfg(feature = "game-tokio")]
mod calls;
mod pending;

#[cfg(feature = "game-tokio")]
pub use calls::{Call, Calls, ConnectionLost, Undelivered};
pub use pending::{MAX_CMD_ID, Match, Pairing};
