//! A client of the game: a session with a server, as a [`tower::Service`].
//!
//! [`Client`] sends commands and returns their [`Answer`]s; [`Events`] are the other messages of the server. A task
//! behind both drives the connection: it keeps the session alive, stays within the server's [limits](FloodLimits), ends
//! calls that time out, and reports how the connection [ended](End).
//!
//! Every message of the server has a position, which orders answers relative to events.

mod accounts;
mod calls;
mod driver;
mod error;
mod events;
mod flood;
mod from_json;
mod identification;
mod lobby;
mod login;
mod name_rules;
mod note;
mod notice;
mod queue;
mod received;
mod reconnect;
mod replays;
mod save_replay;
mod service;
mod settings;
mod shared;

pub use accounts::{AccountError, Registered, Registration};
pub use error::{CallError, End, LoginError, RefusedError, RequestError, StartError};
pub use events::Events;
pub use flood::FloodLimits;
pub use from_json::JsonCommandError;
pub(in crate::game) use from_json::{message_from_json, read_object};
pub use lobby::{Lobby, LobbyError};
pub use login::{Credentials, Password, hashed_password};
pub use note::{Note, SaveError};
pub use notice::Notice;
pub use queue::SlowReader;
pub use received::{Answer, Event, Received, Role};
pub use reconnect::Reconnect;
pub use replays::Replays;
pub use service::{Client, ResponseFuture};
pub use settings::Settings;

use super::runtime::error::DecodeError;
use super::runtime::extension::Member;
use super::schema::ServerMessage;
use super::schema::event::SessionEventPayload;
use super::transport::pairing::MAX_CMD_ID;

/// The protocol version of this crate.
pub const PROTOCOL: u32 = 14;

/// The first `cmd_id` that a client assigns to calls. Lower ones are for
/// [`call_with_id`](Client::call_with_id) and [`send_raw`](Client::send_raw), so that they never collide.
pub const FIRST_CMD_ID: u64 = 1 << 30;

/// The `cmd_id` of every keep-alive, which calls never have.
const KEEP_ALIVE_ID: u64 = MAX_CMD_ID;

fn session_event<'a, P>(message: &'a [u8]) -> Result<Option<P>, DecodeError>
where
    P: Member<'a, Family = SessionEventPayload<'a>>,
{
    let event = ServerMessage::parse(message)?.session_event()?;
    event.map_or(Ok(None), |event| event.get())
}
