//! The protobuf runtime: reading, writing and showing messages of any proto2 schema.
//!
//! It knows no message of its own. From the ground up:
//!
//! | module | what it is |
//! |---|---|
//! | `wire` | tags, varints, lengths, and skipping a field |
//! | `options`, `error` | how strictly to read, and what can be wrong |
//! | `describe` | the schema as data |
//! | `scalar`, `text` | the values of single fields |
//! | `fragments`, `decode` | reading one message, in one piece or in several |
//! | `nested`, `repeated`, `extension`, `unknown` | fields that are read when asked for |
//! | `required` | fields that cannot be left out |
//! | `message`, `visit` | a message, and what is shown its fields; each names the other |
//! | `check`, `encode`, `json` | what is done by visiting a message |
//! | `macros` | the definition of messages, which puts all of it together |

pub(super) mod check;
pub(super) mod decode;
pub(super) mod describe;
pub(crate) mod encode;
pub(super) mod error;
pub(super) mod extension;
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
