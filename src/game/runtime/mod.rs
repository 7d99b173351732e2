//! The protobuf runtime: reads, writes and prints messages of any proto2 schema.
//!
//! It is independent of any message. From the bottom up:
//!
//! | module | contents |
//! |---|---|
//! | `fault`, `error` | the possible faults |
//! | `wire` | tags, varints, lengths, and skipping a field |
//! | `scalar`, `text` | the values of single fields |
//! | `fragments`, `raw` | messages in one piece or in several, and their fields as they were sent |
//! | `describe`, `unknown` | the schema as data, and the fields that it does not have |
//! | `decode`, `encode` | reading and writing one message |
//! | `nested`, `repeated`, `extension` | fields that are read on access |
//! | `required` | fields that cannot be omitted |
//! | `message` | a message |
//! | `fields` | a message of any type, walked by its description |
//! | `check`, `json` | what walks all of a message |
//! | `macros` | the definition of messages: what every message goes through is expanded into each |
//!
//! What reads a field is inlined only in optimised builds: in others, it would be a third of the library's code.

pub(super) mod check;
pub(super) mod decode;
pub(super) mod describe;
pub(crate) mod encode;
pub(super) mod error;
pub(super) mod extension;
pub(super) mod fault;
pub mod fields;
pub(super) mod fragments;
pub mod json;
pub(super) mod macros;
pub(super) mod message;
pub(super) mod nested;
pub(super) mod raw;
pub(super) mod repeated;
pub(super) mod required;
pub mod scalar;
mod sealed;
pub(super) mod text;
pub(super) mod unknown;
pub mod wire;
