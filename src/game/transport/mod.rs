//! The transport: how messages follow each other on a connection, and which answer belongs to
//! which command.

#[cfg(feature = "game-client")]
pub mod connection;
pub mod frame;
pub mod pairing;
