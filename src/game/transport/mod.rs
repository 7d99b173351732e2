//! The transport: splitting connections into messages, and pairing answers with commands.

#[cfg(feature = "game-client")]
pub mod connection;
pub mod frame;
pub mod pairing;
