//! The protobuf runtime: reads, writes and prints messages of any proto2 schema.
//!
//! It is independent of any message: at the bottom is what reads a value (`wire`, `scalar`, `text`, `fragments`), then what
//! reads a message and its fields, at the top what walks all of one (`check`, `json`).
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
