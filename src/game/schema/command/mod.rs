//! The messages of a client: a [`CommandContainer`] with commands of one kind.
//!
//! [`Command`](crate::game::Command) creates one from a message of this module. Commands are read like
//! answers:
//!
//! ```
//! use portreeve::game::command::{CommandContainer, Login, SessionCommandPayload};
//!
//! let container = CommandContainer::parse(b"\x08\x05\xa2\x06\x08\xca\x3e\x05\x0a\x03ann")?;
//! assert_eq!(container.cmd_id(), 5);
//! for command in container.session_command() {
//!     if let Some(SessionCommandPayload::Login(login)) = command?.payload()? {
//!         assert_eq!(login.user_name()?, "ann");
//!     }
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Defined as in `proto/command.proto` and the files of `proto/command/`. Items that are newer
//! than the server whose messages were recorded say so.

mod outgoing;

pub use super::generated::command::*;
pub use outgoing::{Command, CommandKind};
