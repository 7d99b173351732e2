//! How a connection ends, and why a session, a call or a login fails. All in one file, since each can be the
//! cause of another.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use super::notice::Notice;
use super::{FIRST_CMD_ID, name_rules};
use crate::game::runtime::error::DecodeError;
use crate::game::schema::ResponseCode;
use crate::game::schema::event::CloseReason;
use crate::game::transport::connection::{ConnectError, ConnectionError};

/// How a connection ended.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum End {
    /// It was closed from here.
    Closed,
    /// The server stops.
    Shutdown(Notice),
    /// The user is banned.
    Banned(Notice),
    /// The server does not let the user in: too many connections, too many users, a name that it
    /// does not accept.
    Refused(Notice),
    /// The server threw the user out: logged in elsewhere, rights lost, or another reason.
    Kicked(Notice),
    /// The server closed the connection as idle, as it had warned: signs of life do not count, only
    /// what is said and done.
    Idle,
    /// The server closed the connection and did not say why. It does so after too long a silence, and
    /// when it crashes.
    HungUp {
        /// The code of the WebSocket's close frame, if there was one.
        code: Option<u16>,
        /// Its text.
        text: String,
    },
    /// Nothing came from the server for this long, though it was asked for a sign of life.
    Silent(Duration),
    /// The connection was lost, and could not be [made again](super::ClientBuilder::reconnect).
    Unreachable {
        /// How many attempts there were.
        attempts: u32,
        /// Why the last one failed.
        last: Arc<StartError>,
    },
    /// The connection was lost and made again, and the server refused the login then.
    LoginRefused(Arc<LoginError>),
    /// Reading or writing failed, or what came cannot be read.
    Failed(Arc<ConnectionError>),
}

/// Why a session cannot begin.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StartError {
    /// No connection could be made.
    #[error(transparent)]
    Connect(#[from] ConnectError),
    /// The connection ended before the server said who it is.
    #[error("the game server did not say who it is: {0}")]
    Ended(#[source] End),
    /// What comes is not the server's identification: this is no server of the game.
    #[error("what answers is no game server: it does not say which one it is")]
    NoServer,
    /// The server speaks another version of the protocol.
    #[error("the game server speaks version {found} of the protocol, and not {expected}")]
    Protocol {
        /// Its version.
        found: u32,
        /// The one of this crate.
        expected: u32,
    },
}

/// Why a call has no answer.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CallError {
    /// The connection ended before the command was written: the server has not carried it out.
    #[error("the command was not sent: {0}")]
    NotSent(#[source] End),
    /// The connection ended after the command was written. Whether the server carried it out is not
    /// known.
    #[error("no answer to the command, which the server may have carried out: {0}")]
    Unknown(#[source] End),
    /// No answer came in time. Whether the server carried the command out is not known; an answer
    /// that comes later is among the events as [`Role::Abandoned`](super::Role::Abandoned).
    #[error("no answer to command {cmd_id} within {limit:?}")]
    Timeout {
        /// The `cmd_id` of the command.
        cmd_id: u64,
        /// How long was waited, from when it was sent.
        limit: Duration,
    },
    /// The command is longer than the server accepts. It was not sent.
    #[error("a command of {length} bytes is longer than the {limit} that the game server accepts")]
    TooLong {
        /// Its length in bytes.
        length: usize,
        /// The limit in bytes.
        limit: usize,
    },
    /// The `cmd_id` is that of a command in flight, or none that [`call_as`](super::Client::call_as)
    /// takes. The command was not sent.
    #[error(
        "`cmd_id` {cmd_id} cannot be used: it must be below {FIRST_CMD_ID}, and no command that waits for its answer may have it"
    )]
    CmdId {
        /// The `cmd_id`.
        cmd_id: u64,
    },
    /// The answer came, but cannot be read.
    #[error("the answer to the command: {0}")]
    Damaged(#[source] DecodeError),
}

/// A server refused a command.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the game server refused the command: {}", .code.map_or("an unknown code", ResponseCode::name))]
pub struct Refused {
    /// Its reason; `None` if it is one that this crate does not know.
    pub code: Option<ResponseCode>,
}

/// Why a login failed.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LoginError {
    /// There was no answer.
    #[error("cannot log in: {0}")]
    Call(#[from] CallError),
    /// The server has no account of that name, and a password was given. It would let the user in
    /// as a guest.
    #[error(
        "cannot log in: the game server knows no account of that name; leave out the password to come as a guest"
    )]
    NoAccount,
    /// The server refused.
    #[error("the game server refused the login: {}", refusal(.code, .reason))]
    Refused {
        /// Why; `None` if it is a code that this crate does not know.
        code: Option<ResponseCode>,
        /// Why, as the server says it: the text of a ban, or the rules for names, which the text of
        /// this error has in words; may be empty.
        reason: String,
        /// Until when, in seconds since 1970, if the server says so.
        until: Option<u64>,
    },
}

// === impl End ===

impl End {
    /// What the server said, if it did.
    pub fn notice(&self) -> Option<&Notice> {
        match self {
            Self::Shutdown(notice)
            | Self::Banned(notice)
            | Self::Refused(notice)
            | Self::Kicked(notice) => Some(notice),
            _ => None,
        }
    }

    /// Of a connection on which reading or writing failed.
    pub(super) fn failed(error: ConnectionError) -> Self {
        match error {
            ConnectionError::Closed { code, text } => Self::HungUp {
                code: Some(code),
                text,
            },
            error => Self::Failed(Arc::new(error)),
        }
    }

    /// Of a connection that just stopped.
    pub(super) fn hung_up() -> Self {
        Self::HungUp {
            code: None,
            text: String::new(),
        }
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

impl fmt::Display for End {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (what, notice) = match self {
            Self::Closed => return f.write_str("the connection to the game server was closed"),
            Self::Idle => {
                return f.write_str(
                    "the game server closed the connection because nothing was done in it for long, as it had warned (IDLEWARNING)",
                );
            }
            Self::HungUp { code: None, .. } => {
                return f.write_str("the game server closed the connection and did not say why");
            }
            Self::HungUp {
                code: Some(code),
                text,
            } => {
                return write!(
                    f,
                    "the game server closed the connection with code {code} {text:?}"
                );
            }
            Self::Silent(limit) => {
                return write!(f, "nothing came from the game server for {limit:?}");
            }
            Self::Unreachable { attempts, last } => {
                return write!(
                    f,
                    "the connection to the game server was lost and could not be made again in {attempts} attempts: {last}"
                );
            }
            Self::LoginRefused(error) => {
                return write!(
                    f,
                    "the connection to the game server was lost and made again: {error}"
                );
            }
            Self::Failed(error) => return error.fmt(f),
            Self::Shutdown(notice) => ("the game server stops", notice),
            Self::Banned(notice) => ("the user is banned from the game server", notice),
            Self::Refused(notice) => ("the game server does not let the user in", notice),
            Self::Kicked(notice) => ("the game server ended the session", notice),
        };
        f.write_str(what)?;
        if let Some(reason) = notice.reason {
            write!(f, " ({})", reason.name())?;
        }
        if !notice.text.is_empty() {
            write!(f, ": {:?}", notice.text)?;
        }
        Ok(())
    }
}

impl std::error::Error for End {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Failed(error) => std::error::Error::source(&**error),
            Self::Unreachable { last, .. } => std::error::Error::source(&**last),
            Self::LoginRefused(error) => std::error::Error::source(&**error),
            _ => None,
        }
    }
}

// === impl CallError ===

impl CallError {
    /// Whether the command was written, so that the server may have carried it out.
    pub fn was_sent(&self) -> bool {
        match self {
            Self::NotSent(_) | Self::TooLong { .. } | Self::CmdId { .. } => false,
            Self::Unknown(_) | Self::Timeout { .. } | Self::Damaged(_) => true,
        }
    }
}

// === impl LoginError ===

impl LoginError {
    /// The code of the server's refusal, if it refused with one that this crate knows.
    pub fn code(&self) -> Option<ResponseCode> {
        match self {
            Self::Refused { code, .. } => *code,
            Self::Call(_) | Self::NoAccount => None,
        }
    }
}

/// A refusal in words: the name of its code, and the reason that the server gave.
pub(super) fn refusal(code: &Option<ResponseCode>, reason: &str) -> String {
    let name = code.map_or("an unknown code", ResponseCode::name);
    let rules = (*code == Some(ResponseCode::RespUsernameInvalid))
        .then(|| name_rules::in_words(reason))
        .flatten();
    match rules.as_deref().unwrap_or(reason) {
        "" => name.to_owned(),
        reason => format!("{name}: {reason}"),
    }
}
