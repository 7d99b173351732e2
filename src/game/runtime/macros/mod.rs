//! The definition of messages.
//!
//! What is printed from `proto/` is in words close to the schema's:
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
//! name as `, json "name"`, and what does not belong into a log has `, is secret`. An envelope ends
//! with `100 to max: Payloads`, the family of what extends it.

pub(crate) mod construct;
pub(crate) mod field;
pub(crate) mod impls;
pub(crate) mod message;
pub(crate) mod support;

pub(crate) use impls::message_impls;
pub(crate) use message::message;
