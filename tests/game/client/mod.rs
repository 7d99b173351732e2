//! The client against a server of the tests: recorded sessions on both transports, servers that
//! misbehave, and time that passes (docs/GAME.md).

mod hostile;
mod limits;
mod recorded;
mod script;
mod server;
mod soak;
