//! The messages of a client: a [`CommandContainer`] with commands of one kind.
//!
//! [`Command`](crate::game::Command) creates one from a message of this module.
//!
//! Defined as in `proto/command.proto` and `proto/command/`. Items newer than the recorded server say so.

mod outgoing;

pub use super::generated::command::*;
pub use outgoing::{CardMove, Command, CommandKind};
