//! The items that nearly every client program needs: `use portreeve::game::prelude::*;`.
//!
//! It does not contain the messages, as several share a name, such as `command::JoinRoom` and `event::JoinRoom`.

pub use super::client::{
    Answer, CallError, Client, Credentials, End, Event, Events, Note, Received, Reconnect,
    RefusedError, RequestError, Role, Settings,
};
pub use super::connection::Address;
pub use super::{CardMove, Command, Message, ResponseCode, ServerMessage};
pub use futures_util::StreamExt;
