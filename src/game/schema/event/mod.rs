//! What a server sends without being asked: a [`SessionEvent`], a [`RoomEvent`], or a
//! [`GameEventContainer`] with events of one game.
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
//! Several are partial: [`ListRooms`], [`ListGames`] and [`PlayerPropertiesChanged`] say what has
//! changed, to be merged into what is known.
//!
//! Defined as in `proto/event.proto` and the files of `proto/event/`. What is newer than the server
//! whose messages were recorded says so.

mod cards;
mod envelope;
mod family;
mod game;
mod room;
mod session;

pub use cards::{
    AttachCard, ChangeZoneProperties, CreateArrow, CreateToken, DeleteArrow, DestroyCard,
    DrawCards, DumpZone, FlipCard, MoveCard, RevealCards, SetCardAttr, SetCardCounter, Shuffle,
};
pub use envelope::{GameEvent, GameEventContainer, RoomEvent, SessionEvent};
pub use family::{
    GameEventKind, GameEventPayload, RoomEventKind, RoomEventPayload, SessionEventKind,
    SessionEventPayload,
};
pub use game::{
    CreateCastCount, CreateCounter, DelCounter, DeleteCastCount, GameClosed, GameHostChanged,
    GameLogNotice, GameSay, GameStateChanged, Join, Kicked, Leave, LeaveReason, Notice,
    PlayerPropertiesChanged, ReverseTurn, RollDie, SetActivePhase, SetActivePlayer, SetCastCount,
    SetCounter,
};
pub use room::{JoinRoom, LeaveRoom, ListGames, RemoveMessages, RoomMessageType, RoomSay};
pub use session::{
    AddToList, CloseReason, ConnectionClosed, GameJoined, ListRooms, Notification, NotifyUser,
    RemoveFromList, ReplayAdded, ServerCompleteList, ServerIdentification, ServerMessage,
    ServerOptions, ServerShutdown, UserJoined, UserLeft, UserMessage,
};
