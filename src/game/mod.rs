//! The `Response` protocol of the card-game server Servatrice: a zero-copy reader, and a writer.
//!
//! To pair an answer with its command, read the head of the answer. Its payload is found, but not
//! touched:
//!
//! ```
//! use portreeve::game::pairing::{Answer, Pairing};
//! use portreeve::game::{Response, ResponseCode};
//!
//! let mut commands = Pairing::new();
//! let cmd_id = commands.wait("list users");
//! // … send the command with this id, and receive a frame:
//! let frame = b"\x08\x00\x12\x0f\x08\x00\x10\x01\xca\x3e\x08\x0a\x06\x0a\x04anna";
//! # assert_eq!(cmd_id, 0);
//!
//! let response = Response::parse_enveloped(frame)?.expect("an answer, not an event");
//! assert_eq!(response.code(), Some(ResponseCode::RespOk));
//! assert_eq!(commands.answer(response.cmd_id()), Answer::For("list users"));
//! # Ok::<(), portreeve::game::DecodeError>(())
//! ```
//!
//! Payloads are views of the same bytes, with a getter for each field of the schema: nothing is
//! copied and nothing is allocated, whatever the size.
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
//! The names live as long as the bytes of the frame, not as long as the views. Errors borrow
//! nothing, so that `?` works into any error type.
//!
//! | to | look at |
//! |---|---|
//! | read an answer, or any message of a server | [`Response`], [`ServerMessage`], [`payload`] |
//! | keep an answer after its frame is gone | [`OwnedResponse`] |
//! | know at once whether all of a message can be read | [`check()`], [`check_with_text()`] |
//! | cut a connection or a recording into messages | [`frame`] |
//! | give each answer to the task that awaits it | [`pairing`] |
//! | print a message, or look at each of its fields | [`json`], [`visit`] |
//! | write a message | [`Message::to_vec`], [`frame::append`] |
//! | talk to a server | `client`, on a `connection` (feature `game-client`) |
//!
//! The rules are those of protobuf, syntax proto2, and of Google's libraries where those rules are
//! silent: fields in any order, the last one wins, sub-messages sent twice are merged, what is
//! unknown is kept.
//!
//! Inside there are three rooms: the protobuf *runtime*, which knows no message; the *schema*,
//! which declares the messages on top of it; and the *transport*, which cuts and pairs them.

#[cfg(feature = "game-client")]
pub mod client;
mod runtime;
mod schema;
mod transport;

pub use runtime::check::{check, check_with_text};
pub use runtime::error::{DecodeError, Fault, TextError};
pub use runtime::extension::{Extended, Family, Member};
pub use runtime::message::Message;
pub use runtime::nested::Nested;
pub use runtime::repeated::{Element, Iter, Repeated};
pub use runtime::required::Required;
pub use runtime::rules::MAX_DEPTH;
pub use runtime::text::Text;
pub use runtime::unknown::{UnknownField, UnknownFields, UnknownIter, UnknownValue};
pub use runtime::{json, scalar, visit, wire};
pub use schema::command::{Command, CommandContainer, CommandKind};
pub use schema::payload::{Kind, Payload};
pub use schema::replay::GameReplay;
pub use schema::response::{Extension, Extensions, OwnedResponse, Response};
pub use schema::response_code::ResponseCode;
pub use schema::server_message::{MessageType, ServerMessage};
pub use schema::{command, context, event, info, payload};
#[cfg(feature = "game-client")]
pub use transport::connection;
pub use transport::{frame, pairing};
