//! The definition of messages.
//!
//! A message is declared once, in words close to the schema's:
//!
//! ```text
//! message! {
//!     /// A replay of one game.
//!     pub struct Replay = "ServerInfo_Replay" {
//!         /// Number of the replay.
//!         replay_id: optional sint32 = 1, default -1;
//!         /// Its name.
//!         replay_name: optional string = 2;
//!     }
//! }
//! ```
//!
//! and has a view with getters, the encoder, JSON and the full check. A field is
//! `name: label type = number`, where a type is a scalar of the schema language, `enum Name` or
//! `message Name`; a default follows as `, default value`, a name that differs from the Rust
//! name as `, json "name"`.

mod field;
mod impls;
mod message;

pub(crate) use field::field;
pub(crate) use impls::message_impls;
pub(crate) use message::message;

/// What the expansions of the macros name.
pub(crate) mod support {
    pub(crate) use quick_protobuf::{MessageWrite, Result as WriteResult, Writer, WriterBackend};

    pub(crate) use crate::game::runtime::decode::Decode;
    pub(crate) use crate::game::runtime::encode;
    pub(crate) use crate::game::runtime::error::{DecodeError, Fault, TextError};
    pub(crate) use crate::game::runtime::json;
    pub(crate) use crate::game::runtime::message::Message;
    pub(crate) use crate::game::runtime::nested::Nested;
    pub(crate) use crate::game::runtime::pieces::Pieces;
    pub(crate) use crate::game::runtime::repeated::{Cursor, Element, Iter, Repeated};
    pub(crate) use crate::game::runtime::rules::Rules;
    pub(crate) use crate::game::runtime::scalar::{Int32, Scalar};
    pub(crate) use crate::game::runtime::sealed::Sealed;
    pub(crate) use crate::game::runtime::text::Text;
    pub(crate) use crate::game::runtime::unknown::UnknownFields;
    pub(crate) use crate::game::runtime::visit::{Field, Visitor};
    pub(crate) use crate::game::runtime::wire::{Reader, Tag, WireType};
}
