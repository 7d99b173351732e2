//! What nearly every program that talks to a server names: `use portreeve::game::prelude::*;`.
//!
//! The messages themselves are not in it, as several have the same name in different modules, such as
//! `command::JoinRoom` and `event::JoinRoom`.

pub use super::client::{
    Answer, CallError, Client, Credentials, End, Events, Note, Received, Reconnect, Refused, Role,
};
pub use super::connection::Address;
pub use super::{Command, Message, ResponseCode, ServerMessage};
pub use futures_util::StreamExt;
