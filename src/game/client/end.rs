use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use super::{LoginError, StartError};
use crate::game::schema::event::{CloseReason, ConnectionClosed};
use crate::game::transport::connection::ConnectionError;

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

/// What a server says when it closes a connection.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Notice {
    /// The reason; `None` if it is one that this crate does not know.
    pub reason: Option<CloseReason>,
    /// The reason in words; may be empty.
    pub text: String,
    /// Until when, in seconds since 1970; absent for a ban means for ever.
    pub until: Option<u32>,
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

// === impl Notice ===

impl Notice {
    pub(super) fn new(closed: &ConnectionClosed<'_>) -> Self {
        Self {
            reason: closed.reason,
            text: closed
                .reason_str
                .map(|text| String::from_utf8_lossy(text.as_bytes()).into_owned())
                .unwrap_or_default(),
            until: closed.end_time,
        }
    }
}
