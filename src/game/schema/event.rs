//! The unsolicited messages of a server: a [`SessionEvent`], a [`RoomEvent`], or a [`GameEventContainer`] with
//! events of one game.
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
//! Or by its type:
//!
//! ```
//! use portreeve::game::event::ServerIdentification;
//! use portreeve::game::{MessageType, ServerMessage};
//!
//! let message = ServerMessage::parse(b"\x08\x01\x1a\x08\xa2\x1f\x05\x0a\x03den")?;
//! assert_eq!(message.message_type(), MessageType::SessionEvent);
//! let event = message.session_event()?.expect("it is present");
//! let server = event.get::<ServerIdentification>()?.expect("it is present");
//! assert_eq!(server.server_name()?, "den");
//! assert!(message.response()?.is_none());
//! # Ok::<(), portreeve::game::DecodeError>(())
//! ```
//!
//! Some are partial: [`ListRooms`], [`ListGames`] and [`PlayerPropertiesChanged`] contain only changes, to be
//! merged into the known state.
//!
//! Defined as in `proto/event.proto` and the files of `proto/event/`. Items that are newer than the server
//! whose messages were recorded say so.

pub use super::generated::event::*;
