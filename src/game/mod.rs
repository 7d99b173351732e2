//! The `Response` protocol of the card-game server Servatrice: a zero-copy reader, and a writer.
//!
//! [`Response::parse`] reads who is answered and how it went, and finds the payload without
//! touching it. Payloads are views over the same bytes, with a getter for each field of the
//! schema: nothing is copied, nothing allocated, whatever the size.
//!
//! ```
//! use portreeve::game::payload::Payload;
//! use portreeve::game::{Message, Response, ServerMessage};
//!
//! fn answered(frame: &[u8]) -> Result<(), portreeve::game::DecodeError> {
//!     let Some(response) = ServerMessage::parse(frame)?.response()? else {
//!         return Ok(());
//!     };
//!     println!("command {}: {}", response.cmd_id(), response.code_or_default());
//!     match response.payload()? {
//!         Some(Payload::JoinRoom(answer)) => {
//!             if let Some(room) = answer.room_info()? {
//!                 for user in room.user_list() {
//!                     println!("{}", user?.name()?);
//!                 }
//!             }
//!         }
//!         Some(other) => println!("{other:?}"),
//!         None => {}
//!     }
//!     Ok(())
//! }
//! # answered(b"\x12\x04\x08\x07\x10\x01").unwrap();
//! ```
//!
//! The rules are those of protobuf, syntax proto2, and of Google's libraries where those are
//! silent: fields in any order, the last one wins, sub-messages sent twice are merged, what is
//! unknown is kept. What a view hands out lives as long as the bytes, not as long as the view.

mod check;
mod code;
mod define;
mod encode;
mod error;
pub mod event;
pub mod frame;
pub mod info;
pub mod json;
mod merged;
mod message;
mod nested;
pub mod pairing;
pub mod payload;
mod repeated;
mod response;
pub mod scalar;
mod server_message;
mod text;
mod unknown;
pub mod visit;
pub mod wire;

pub use check::check;
pub use code::ResponseCode;
pub use error::{DecodeError, Fault, TextError};
pub use message::Message;
pub use nested::Nested;
pub use payload::{Kind, Payload};
pub use repeated::{Element, Iter, Repeated};
pub use response::{Extension, Extensions, Response};
pub use server_message::{MessageType, ServerMessage};
pub use text::Text;
pub use unknown::{UnknownField, UnknownFields, UnknownIter, UnknownValue};

/// How many levels of sub-messages and groups may lie below the outermost message where a whole
/// message is read: the limit of Google's libraries.
pub const MAX_DEPTH: u32 = 100;

/// What the definitions of messages need.
mod internals {
    pub(crate) use quick_protobuf::{MessageWrite, Result as WriteResult, Writer, WriterBackend};

    pub(crate) use super::error::{DecodeError, Fault, TextError};
    pub(crate) use super::merged::Pieces;
    pub(crate) use super::message::{Message, Rules};
    pub(crate) use super::repeated::{Cursor, Iter};
    pub(crate) use super::scalar::{Int32, Scalar};
    pub(crate) use super::text::Text;
    pub(crate) use super::visit::{Field, Visitor};
    pub(crate) use super::wire::{DELIMITED, Reader, Tag, VARINT, tag};
}
