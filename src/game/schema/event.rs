//! The unsolicited messages of a server: a [`SessionEvent`], a [`RoomEvent`], or a [`GameEventContainer`] of one game.
//!
//! ```
//! use portreeve::game::ServerMessage;
//! use portreeve::game::event::{RoomEventPayload, RoomSay};
//!
//! let frame = b"\x08\x03\x2a\x0e\x08\x02\xd2\x3e\x09\x0a\x03ann\x12\x02hi";
//! let event = ServerMessage::parse(frame)?.room_event()?.expect("it is one");
//! assert_eq!(event.room_id(), 1);
//! match event.payload()? {
//!     Some(RoomEventPayload::RoomSay(say)) => assert_eq!((say.name()?, say.message()?), ("ann", "hi")),
//!     other => panic!("{other:?}"),
//! }
//! # Ok::<(), portreeve::game::DecodeError>(())
//! ```
//!
//! Some are partial: [`ListRooms`], [`ListGames`] and [`PlayerPropertiesChanged`] have only changes of the known state.
//!
//! Defined as in `proto/event.proto` and `proto/event/`. Items newer than the recorded server say so.

pub use super::generated::event::*;

impl<'a> GameEventContainer<'a> {
    /// The events that can be read and are in the schema, in order; any other is left out, without an error. Each has the
    /// number of the player who caused it, or -1.
    pub fn payloads(&self) -> impl Iterator<Item = (i32, GameEventPayload<'a>)> + use<'a> {
        self.event_list().flatten().filter_map(|event| {
            let payload = event.payload().ok().flatten()?;
            Some((event.player_id(), payload))
        })
    }
}
