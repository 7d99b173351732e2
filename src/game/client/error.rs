//! How a connection ends, and why a session, a call or a login fails: in one file, since each can cause another.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;

use super::notice::Notice;
use super::{FIRST_CMD_ID, name_rules};
use crate::game::runtime::error::DecodeError;
use crate::game::schema::ResponseCode;
use crate::game::schema::event::CloseReason;
use crate::game::schema::payload::Payload;
use crate::game::schema::response::OwnedResponse;
use crate::game::transport::connection::{Address, ConnectError, ConnectionError, Scheme};

/// How a connection ended.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum End {
    /// It was closed by this side.
    #[error("the connection to the game server was closed")]
    Closed,
    /// The server is shutting down.
    #[error("the game server is shutting down{}", .0.details())]
    Shutdown(Notice),
    /// The user is banned.
    #[error("the user is banned from the game server{}", .0.details())]
    Banned(Notice),
    /// The server rejects the user: too many connections, too many users, or a name that it does not accept.
    #[error("the game server rejected the user{}", .0.details())]
    Refused(Notice),
    /// The server kicked the user: logged in elsewhere, demoted, or another reason.
    #[error("the game server ended the session{}", .0.details())]
    Kicked(Notice),
    /// The server closed the connection because the user was idle, as it had warned. Only chat and actions count.
    #[error(
        "the game server closed the connection because the user was idle, as it had warned (IDLEWARNING)"
    )]
    Idle,
    /// The server closed the connection without a reason, as after a long silence of the client, or when it crashes.
    #[error("the game server closed the connection {}", close_frame(*code, text))]
    HungUp {
        /// The code of the WebSocket's close frame, if there was one.
        code: Option<u16>,
        /// Its text.
        text: String,
    },
    /// No message arrived from the server for this long, despite keep-alives.
    #[error("no message was received from the game server for {0:?}")]
    Silent(Duration),
    /// The server did not take a message within this time while it was being written.
    #[error("the game server did not take a message that was being written to it for {0:?}")]
    NotTaken(Duration),
    /// The client reconnected, and could not repeat the commands that [restore](super::Settings::reconnect) the session.
    #[error("reconnected to the game server, and the session could not be restored: {0}")]
    NotRestored(#[source] Arc<CallError>),
    /// The connection was lost, and [reconnecting](super::Settings::reconnect) failed.
    #[error(
        "the connection to the game server was lost, and reconnecting failed after {attempts} attempts: {last}"
    )]
    Unreachable {
        /// The number of attempts.
        attempts: u32,
        /// Why the last one failed.
        #[source]
        last: Arc<StartError>,
    },
    /// The client reconnected, and the server refused the login.
    #[error(
        "reconnected to the game server after the connection was lost: the game server refused the login: {}",
        .0.describe()
    )]
    LoginRefused(RefusedError),
    /// Reading or writing failed, or the data received is invalid.
    #[error(transparent)]
    Failed(Arc<ConnectionError>),
}

/// Why a session could not be started.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StartError {
    /// No connection could be made.
    #[error(transparent)]
    Connect(#[from] ConnectError),
    /// The connection ended before the server identified itself.
    #[error("the connection ended before the game server identified itself: {0}")]
    Ended(#[source] End),
    /// The server identified itself, and the connection was lost later; only in [`End::Unreachable`].
    #[error("the last connection was lost: {0}")]
    Lost(#[source] End),
    /// The peer does not identify itself as a game server.
    #[error(
        "the peer is not a game server, as it did not identify itself; check the address and the port"
    )]
    NoServer,
    /// The address is for TCP, and the server expects WebSocket there; or for WebSocket, and it expects TLS.
    #[error(
        "the game server at {address} expects {} on this port: use {websocket}",
        if address.scheme() == Scheme::Tcp { "WebSocket" } else { "TLS" }
    )]
    ExpectsWebSocket {
        /// The address.
        address: Address,
        /// The address for WebSocket.
        websocket: Address,
    },
    /// The server speaks another version of the protocol.
    #[error(
        "the game server uses version {found} of the protocol; this client supports only version {expected}"
    )]
    Protocol {
        /// The version of the server.
        found: u32,
        /// The version of this crate.
        expected: u32,
    },
}

/// Why a call has no answer.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CallError {
    /// The connection ended before the command was written, so the server has not executed it.
    #[error("the command was not sent: {0}")]
    NotSent(#[source] End),
    /// The connection ended after the command was written. Whether the server executed it is unknown.
    #[error("no answer to the command, which the server may have executed: {0}")]
    Unknown(#[source] End),
    /// No answer arrived in time. Whether the server executed the command is unknown; a late answer is
    /// among the events as [`Role::Abandoned`](super::Role::Abandoned).
    #[error("no answer to command {cmd_id} within {limit:?}")]
    Timeout {
        /// The `cmd_id` of the command.
        cmd_id: u64,
        /// The timeout, counted from when the command was sent.
        limit: Duration,
    },
    /// The answer cannot come, since 32 MiB of the events before it have not been read for 5 seconds (see
    /// [`SlowReader::Wait`](super::SlowReader::Wait)); for the rest as after a timeout. Read them in a task of its own.
    #[error(
        "no answer to command {cmd_id}: the events that came before it have not been read; read them in another task"
    )]
    Unread {
        /// The `cmd_id` of the command.
        cmd_id: u64,
    },
    /// The command is longer than the server accepts. It was not sent.
    #[error(
        "the command was not sent: it has {length} bytes, and the game server accepts at most {limit}"
    )]
    TooLong {
        /// Its length in bytes.
        length: usize,
        /// The limit in bytes.
        limit: usize,
    },
    /// The `cmd_id` belongs to a command in flight, or is out of the range of
    /// [`call_with_id`](super::Client::call_with_id). The command was not sent.
    #[error(
        "the command was not sent: `cmd_id` {cmd_id} must be below {FIRST_CMD_ID} and not belong to a command in flight"
    )]
    CmdId {
        /// The `cmd_id`.
        cmd_id: u64,
    },
    /// The answer is invalid.
    #[error("the answer to the command is invalid: {0}")]
    Damaged(#[source] DecodeError),
}

/// A server refused a command.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the game server refused the command: {}", self.describe())]
#[non_exhaustive]
pub struct RefusedError {
    /// The code; `None` if this crate does not know it.
    pub code: Option<ResponseCode>,
    /// The reason that the server gives for refusing a login or a registration: the text of a ban, or the
    /// rules for names, which error messages describe in words. Otherwise empty.
    pub reason: String,
    /// When a ban ends, in seconds since 1970, if the server says so.
    pub until: Option<u64>,
}

/// Why a command was not accepted.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RequestError {
    /// There was no answer.
    #[error(transparent)]
    Call(#[from] CallError),
    /// The server refused.
    #[error(transparent)]
    Refused(#[from] RefusedError),
}

/// Why a login failed.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LoginError {
    /// There was no answer.
    #[error("cannot log in: {0}")]
    Call(#[from] CallError),
    /// A password was given, but the server has no account with that name. It would let the user in as a guest.
    #[error(
        "cannot log in: the game server has no account with that name; omit the password to log in as a guest"
    )]
    NoAccount,
    /// The server refused.
    #[error("the game server refused the login: {}", .0.describe())]
    Refused(RefusedError),
}

// === impl End ===

impl End {
    /// The notice that the server sent, if any.
    pub fn notice(&self) -> Option<&Notice> {
        match self {
            Self::Shutdown(notice)
            | Self::Banned(notice)
            | Self::Refused(notice)
            | Self::Kicked(notice) => Some(notice),
            _ => None,
        }
    }

    pub(super) fn failed(error: ConnectionError) -> Self {
        match error {
            ConnectionError::Closed { code, text } => Self::HungUp { code: Some(code), text },
            error => Self::Failed(Arc::new(error)),
        }
    }

    /// The end of a connection that the server closed without a close frame.
    pub(super) fn hung_up() -> Self {
        Self::HungUp { code: None, text: String::new() }
    }

    pub(super) fn by_server(notice: Notice) -> Self {
        match notice.reason {
            Some(CloseReason::ServerShutdown) => Self::Shutdown(notice),
            Some(CloseReason::Banned) => Self::Banned(notice),
            Some(
                CloseReason::TooManyConnections
                | CloseReason::UserLimitReached
                | CloseReason::UsernameInvalid,
            ) => Self::Refused(notice),
            _ => Self::Kicked(notice),
        }
    }
}

fn close_frame(code: Option<u16>, text: &str) -> String {
    match code {
        Some(code) => format!("with code {code} {text:?}"),
        None => "without giving a reason".to_owned(),
    }
}

// === impl CallError ===

impl CallError {
    /// Whether the command was written, so that the server may have executed it.
    pub fn was_sent(&self) -> bool {
        !matches!(self, Self::NotSent(_) | Self::TooLong { .. } | Self::CmdId { .. })
    }
}

// === impl RefusedError ===

impl RefusedError {
    pub(super) fn from_answer(answer: &OwnedResponse<Bytes>) -> Self {
        let (reason, until) = match answer.payload() {
            Some(Payload::Login(login)) => (login.denied_reason_str(), login.denied_end_time),
            Some(Payload::Register(denied)) => (denied.denied_reason_str(), denied.denied_end_time),
            _ => (Ok(""), None),
        };
        Self {
            code: answer.code(),
            // The answer was checked, and with it that this is UTF-8.
            reason: reason.unwrap_or_default().to_owned(),
            until,
        }
    }

    pub(super) fn describe(&self) -> String {
        let name = self.code.map_or("an unknown code", ResponseCode::name);
        let rules = (self.code == Some(ResponseCode::RespUsernameInvalid))
            .then(|| name_rules::in_words(&self.reason))
            .flatten();
        match rules.as_deref().unwrap_or(&self.reason) {
            "" => name.to_owned(),
            reason => format!("{name}: {reason}"),
        }
    }
}
