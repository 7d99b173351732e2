//! The protobuf runtime: reads, writes and prints messages of any proto2 schema.
//!
//! It is independent of any message. From the bottom up:
//!
//! | module | contents |
//! |---|---|
//! | `wire` | tags, varints, lengths, and skipping a field |
//! | `options`, `fault`, `error` | how strictly to read, and the possible faults |
//! | `describe` | the schema as data |
//! | `scalar`, `text` | the values of single fields |
//! | `fragments`, `decode` | reading one message, in one piece or in several |
//! | `nested`, `repeated`, `extension`, `unknown` | fields that are read on access |
//! | `required` | fields that cannot be omitted |
//! | `message`, `visit` | a message, and visitors of its fields, which refer to each other |
//! | `check`, `encode`, `json` | the visitors |
//! | `macros` | the definition of messages, which combines all of them |

pub(super) mod check;
pub(super) mod decode;
pub(super) mod describe;
pub(crate) mod encode;
pub(super) mod error;
pub(super) mod extension;
mod fault;
pub(super) mod fragments;
pub mod json;
pub(super) mod macros;
pub(super) mod message;
pub(super) mod nested;
pub(super) mod options;
pub(super) mod repeated;
pub(super) mod required;
pub mod scalar;
mod sealed;
pub(super) mod text;
pub(super) mod unknown;
pub mod visit;
pub mod wire;
