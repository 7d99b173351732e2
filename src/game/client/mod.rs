//! A client of the game: a session with a server, as a [`tower::Service`].
//!
//! [`Client`] takes commands and gives their [`Answer`]s; [`Events`] are the other messages of the
//! server. Behind both a task drives the connection: it keeps the session alive, keeps within the
//! server's [limits](FloodLimits), ends calls that take too long, and tells how the connection
//! [ended](End).
//!
//! ```text
//!   commands ──▶ Client ──▶ queue ──▶ flood limits ──▶ ┐
//!                  ▲                    signs of life ─▶ ├──▶ Connection ──▶ server
//!   answers  ◀─────┴──── pairing by cmd_id ◀──────────── ┤       TCP, WebSocket
//!   Events   ◀────────── queue ◀──────────────────────── ┘
//! ```
//!
//! Every message of the server has a position, so that an answer has its place among the events.

mod accounts;
mod builder;
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
mod service;
mod session_state;

pub use accounts::{AccountError, Registered, Registration};
pub use builder::ClientBuilder;
pub use error::{CallError, End, LoginError, Refused, StartError};
pub use events::Events;
pub use flood::FloodLimits;
pub use from_json::JsonCommandError;
pub use lobby::{Lobby, LobbyError};
pub use login::{Credentials, hashed_password};
pub use note::{Note, SaveError};
pub use notice::Notice;
pub use queue::SlowReader;
pub use received::{Answer, Received, Role};
pub use reconnect::Reconnect;
pub use service::{Client, ResponseFuture};

use super::transport::pairing::MAX_CMD_ID;

/// The version of the protocol that this crate speaks.
pub const PROTOCOL: u32 = 14;

/// The `cmd_id` that a client counts its calls from. Those below are for
/// [`call_as`](Client::call_as) and [`post`](Client::post), so that the two never meet.
pub const FIRST_CMD_ID: u64 = 1 << 30;

/// The `cmd_id` of every sign of life: the one that calls never have.
const KEEP_ALIVE_ID: u64 = MAX_CMD_ID;
