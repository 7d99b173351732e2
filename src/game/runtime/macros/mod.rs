//! The definition of messages.
//!
//! The messages printed from `proto/` are in a syntax similar to that of the schema:
//!
//! ```text
//! message! {
//!     Replay = "ServerInfo_Replay", "A replay of one game." {
//!         replay_id: optional sint32 = 1, default -1, "Number of the replay.";
//!         replay_name: optional string = 2, "Its name.";
//!     }
//! }
//! ```
//!
//! Each message gets a view with getters, the encoder, JSON and the full check. A field is `name: label type = number`,
//! where a type is a scalar of the schema language, `enum Name` or `message Name`; a default follows as `, default
//! value`, a name that differs from the Rust name as `, json "name"`, secrets have `, is secret`, and last comes the
//! documentation. An envelope ends with `100 to max: Payloads`, the family of its extensions.

pub(crate) mod construct;
pub(crate) mod field;
pub(crate) mod impls;
pub(crate) mod message;
pub(crate) mod support;

pub(crate) use impls::message_impls;
pub(crate) use message::message;
