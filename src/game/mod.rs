//! The protocol of the card-game server Servatrice: a client, the state of a game, and a zero-copy reader and writer.
//!
//! - `client` (feature `game-client`) is a session with a server: send a [`Command`], get its answer, read events.
//! - [`table`] keeps the state of a game from its events, live or recorded.
//! - `testing` (feature `game-client`) is a server for the tests of a bot.
//!
//! ```no_run
//! # #[cfg(feature = "game-client")]
//! # async fn listen() -> Result<(), Box<dyn std::error::Error>> {
//! use portreeve::game::event::RoomEventPayload;
//! use portreeve::game::prelude::*;
//!
//! let (client, mut events) = Client::connect(&"wss://server.example".parse()?).await?;
//! client.login(&Credentials::guest("greeter")).await?;
//! client.request(Command::join_room(0)).await?;
//! while let Some(received) = events.next().await {
//!     if let Event::Room { room_id, event: RoomEventPayload::RoomSay(say) } = received.event() {
//!         println!("{} in room {room_id}: {}", say.name()?, say.message()?);
//!     }
//! }
//! # Ok(())
//! # }
//! ```
//!
//! Messages are views of the bytes they came in, with a getter for each field of the schema. Nothing is copied or
//! allocated, whatever the size; what is read borrows from the bytes of the frame, not from the views; errors do not.
//!
//! | to | use |
//! |---|---|
//! | talk to a server | `client`, on a `connection`; `prelude` |
//! | keep the state of a game | [`table`] |
//! | test a bot without a server | `testing` |
//! | read an answer, or any message of a server | [`Response`], [`ServerMessage`], [`payload`] |
//! | follow events | [`event`], [`context`] |
//! | build a command | [`Command`], [`command`] |
//! | read a recorded game, such as a file `replay_7.cor` | [`GameReplay`] |
//! | keep an answer after its frame is gone | [`OwnedResponse`] |
//! | check a complete message at once | [`check()`], [`check_with_text()`] |
//! | split a connection or a recording into messages | [`frame`] |
//! | find the command that an answer belongs to | [`pairing`] |
//! | print a message | [`json`] |
//! | write a message | [`Message::to_vec`], [`frame::append`] |
//!
//! The rules are those of protobuf with proto2 syntax, and of Google's libraries where the specification leaves
//! something open: fields come in any order, the last one wins, sub-messages that occur twice are merged,
//! unknown fields are kept. docs/GAME.md describes the protocol, docs/ARCHITECTURE.md ("The reader") the
//! implementation: the protobuf *runtime*, the *schema*, printed from the files of `proto/`, and the *transport*.

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
pub use runtime::json;
pub use runtime::message::Message;
pub use runtime::nested::Nested;
pub use runtime::raw::{UnknownField, UnknownValue};
pub use runtime::repeated::{Element, Iter, Repeated};
pub use runtime::required::Required;
pub use runtime::text::Text;
pub use runtime::unknown::UnknownFields;
#[doc(hidden)]
pub use runtime::{fields, scalar, wire};
pub use schema::command::{CardMove, Command, CommandContainer, CommandKind};
pub use schema::payload::{Payload, PayloadKind};
pub use schema::response::{OwnedResponse, Response};
pub use schema::{GameReplay, MessageType, ResponseCode, ServerMessage};
pub use schema::{command, context, event, info, payload};
#[cfg(feature = "game-client")]
pub use transport::connection;
pub use transport::{frame, pairing};
