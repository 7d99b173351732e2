//! The schema: the messages and enums of the card game's protocol. Those in [`generated`] are printed from the
//! files of `proto/`; the rest is written by hand.

pub mod command;
mod envelope;
pub mod event;
mod generated;
pub mod payload;
pub(super) mod response;

pub use generated::response::ResponseCode;
pub use generated::root::{GameReplay, MessageType, ServerMessage};

/// Contexts: the action of a player that the events of a [`GameEventContainer`](event::GameEventContainer) belong to.
///
/// Defined as in `proto/event/context.proto`.
pub mod context {
    pub use super::generated::context::*;
}

/// The parts of payloads, commands and events: users, rooms, games, cards and so on.
///
/// Defined as in the files of `proto/info/`.
pub mod info {
    pub use super::generated::info::*;
}
