//! The schema: the messages and enums of the card game's protocol. They are printed from the files of
//! `proto/` (see [`generated`]); what is here besides is written by hand.

#[cfg(test)]
mod against_proto;
pub mod command;
mod envelope;
pub mod event;
mod generated;
pub mod payload;
pub(super) mod response;

pub use generated::response::ResponseCode;
pub use generated::root::{GameReplay, MessageType, ServerMessage};

/// What a player did, as the events of a [`GameEventContainer`](event::GameEventContainer) belong
/// together.
///
/// Defined as in `proto/event/context.proto`.
pub mod context {
    pub use super::generated::context::*;
}

/// What payloads, commands and events are made of: users, rooms, games, cards and so on.
///
/// Defined as in the files of `proto/info/`.
pub mod info {
    pub use super::generated::info::*;
}
