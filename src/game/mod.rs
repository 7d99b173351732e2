//! The protocol of the card-game server Servatrice: a zero-copy reader, and a writer.
//!
//! To pair an answer with its command, only the head of the answer has to be read, which locates the payload
//! without reading it:
//!
//! ```
//! use portreeve::game::pairing::{Match, Pairing};
//! use portreeve::game::{Response, ResponseCode};
//!
//! let mut commands = Pairing::new();
//! let cmd_id = commands.register("list users");
//! // … send the command with this id, and receive a frame:
//! let frame = b"\x08\x00\x12\x0f\x08\x00\x10\x01\xca\x3e\x08\x0a\x06\x0a\x04anna";
//! # assert_eq!(cmd_id, 0);
//!
//! let response = Response::parse_enveloped(frame)?.expect("an answer, not an event");
//! assert_eq!(response.code(), Some(ResponseCode::RespOk));
//! assert_eq!(commands.answer(response.cmd_id()), Match::For("list users"));
//! # Ok::<(), portreeve::game::DecodeError>(())
//! ```
//!
//! Payloads are views of the same bytes, with a getter for each field of the schema. Nothing is copied or
//! allocated, whatever the size.
//!
//! ```
//! use portreeve::game::payload::ListUsers;
//! use portreeve::game::{Message, ServerMessage};
//!
//! fn names(frame: &[u8]) -> Result<Vec<&str>, Box<dyn std::error::Error>> {
//!     let mut names = Vec::new();
//!     if let Some(response) = ServerMessage::parse(frame)?.response()?
//!         && let Some(answer) = response.get::<ListUsers>()?
//!     {
//!         for user in answer.user_list() {
//!             names.push(user?.name()?);
//!         }
//!     }
//!     Ok(names)
//! }
//!
//! let frame = b"\x08\x00\x12\x0f\x08\x00\x10\x01\xca\x3e\x08\x0a\x06\x0a\x04anna";
//! assert_eq!(names(frame).unwrap(), ["anna"]);
//! ```
//!
//! Commands are built from messages of the same schema, and events are read like answers:
//!
//! ```
//! use portreeve::game::command::{Activate, CreateGame};
//! use portreeve::game::event::RoomSay;
//! use portreeve::game::{Command, ServerMessage};
//!
//! let say = Command::room_say(1, "hi");
//! let game = Command::room(1, CreateGame { max_players: Some(2), ..CreateGame::default() });
//! // Required fields cannot be left out.
//! let activate = Command::session(Activate::new("ann", "t0ken"));
//! # let _ = (game, activate);
//! assert_eq!(say.to_vec(7), b"\x08\x07\xa0\x01\x01\xb2\x06\x07\xca\x3e\x04\x0a\x02hi");
//!
//! let frame = b"\x08\x03\x2a\x0e\x08\x02\xd2\x3e\x09\x0a\x03ann\x12\x02hi";
//! if let Some(event) = ServerMessage::parse(frame)?.room_event()?
//!     && let Some(said) = event.get::<RoomSay>()?
//! {
//!     assert_eq!((event.room_id(), said.name()?, said.message()?), (1, "ann", "hi"));
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A recorded game, as in a [`ReplayDownload`](payload::ReplayDownload) or a file `replay_7.cor`, is a message
//! too:
//!
//! ```
//! use portreeve::game::GameReplay;
//!
//! let replay = GameReplay::parse(b"\x08\x07\x1a\x02\x20\x00\x1a\x02\x20\x05\x20\x06")?;
//! assert_eq!((replay.replay_id(), replay.duration_seconds()), (7, 6));
//! for events in replay.event_list() {
//!     println!("after {} s", events?.seconds_elapsed());
//! }
//! # Ok::<(), portreeve::game::DecodeError>(())
//! ```
//!
//! In the examples, names borrow from the bytes of the frame and not from the views. Errors borrow nothing, so
//! that `?` converts them to any error type.
//!
//! | to | use |
//! |---|---|
//! | read an answer, or any message of a server | [`Response`], [`ServerMessage`], [`payload`] |
//! | follow events | [`event`], [`context`] |
//! | send a command | [`Command`], [`command`] |
//! | read a recorded game | [`GameReplay`] |
//! | keep the state of a game | [`table`] |
//! | keep an answer after its frame is gone | [`OwnedResponse`] |
//! | check a complete message at once | [`check()`], [`check_with_text()`] |
//! | split a connection or a recording into messages | [`frame`] |
//! | find the command that an answer belongs to | [`pairing`] |
//! | print a message, or walk its fields | [`json`], [`fields`] |
//! | write a message | [`Message::to_vec`], [`frame::append`] |
//! | talk to a server | `client`, on a `connection`; `prelude` (feature `game-client`) |
//! | test a bot without a server | `testing` (feature `game-client`) |
//!
//! The rules are those of protobuf with proto2 syntax, and of Google's libraries where the specification leaves
//! something open: fields come in any order, the last one wins, sub-messages that occur twice are merged,
//! unknown fields are kept.
//!
//! docs/GAME.md describes the protocol: a session, the path of a command, partial
//! updates, and what is newer than the server that was recorded.
//!
//! The implementation has three parts: the protobuf *runtime*, which is independent of any message; the
//! *schema*, the messages, printed from the files of `proto/`; and the *transport*, which splits streams into
//! messages and pairs them.

#[cfg(feature = "game-client")]
pub mod client;
#[cfg(feature = "game-client")]
pub mod prelude;
mod runtime;
mod schema;
pub mod table;
#[cfg(feature = "game-client")]
pub mod testing;
mod transport;

pub use runtime::check::{check, check_with_text};
pub use runtime::error::{DecodeError, Fault};
pub use runtime::extension::{Extended, Family, Member};
pub use runtime::fault::MAX_DEPTH;
pub use runtime::message::Message;
pub use runtime::nested::Nested;
pub use runtime::raw::{UnknownField, UnknownValue};
pub use runtime::repeated::{Element, Iter, Repeated};
pub use runtime::required::Required;
pub use runtime::text::Text;
pub use runtime::unknown::UnknownFields;
pub use runtime::{fields, json, scalar, wire};
pub use schema::command::{Command, CommandContainer, CommandKind};
pub use schema::payload::{Payload, PayloadKind};
pub use schema::response::{OwnedResponse, Response};
pub use schema::{GameReplay, MessageType, ResponseCode, ServerMessage};
pub use schema::{command, context, event, info, payload};
#[cfg(feature = "game-client")]
pub use transport::connection;
pub use transport::{frame, pairing};
