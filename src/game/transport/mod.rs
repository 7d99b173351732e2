//! The transport: how messages follow each other on a connection, and which answer belongs to
//! which command.

pub mod frame;
pub mod pairing;
