use std::io;
use std::time::Duration;

use super::Address;
use crate::game::transport::frame::{FrameError, ReadError};

/// Why no connection could be made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConnectError {
    /// The server cannot be reached.
    #[error("cannot reach the game server at {address}: {error}")]
    Io {
        /// The server.
        address: Address,
        /// Why.
        #[source]
        error: io::Error,
    },
    /// TLS failed: the certificate is not trusted, or the server speaks no TLS there.
    #[error("cannot talk TLS to the game server at {address}: {error}")]
    Tls {
        /// The server.
        address: Address,
        /// Why.
        #[source]
        error: io::Error,
    },
    /// The server does not speak WebSocket there.
    #[error("the game server at {address} does not accept WebSocket: {problem}")]
    Handshake {
        /// The server.
        address: Address,
        /// What it did instead.
        problem: String,
    },
    /// It took too long.
    #[error("the game server at {address} did not let us in within {limit:?}")]
    Timeout {
        /// The server.
        address: Address,
        /// How long was waited.
        limit: Duration,
    },
}

/// Why a connection cannot go on.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConnectionError {
    /// Reading or writing failed.
    #[error("the connection to the game server failed: {0}")]
    Io(#[from] io::Error),
    /// What came over TCP cannot be cut into messages.
    #[error("cannot read from the game server: {0}")]
    Frame(#[from] FrameError),
    /// What came over WebSocket breaks its rules, or a message was longer than the limit.
    #[error("cannot read from the game server: {0}")]
    WebSocket(String),
    /// The server closed the WebSocket with a code (RFC 6455, section 7.4; 1005 if it sent none).
    #[error("the game server closed the connection with code {code} {text:?}")]
    Closed {
        /// The code.
        code: u16,
        /// What the server says to it.
        text: String,
    },
    /// A message to the server is longer than it accepts; it was not sent.
    #[error("a message of {length} bytes is longer than the {limit} that the game server accepts")]
    TooLong {
        /// Its length in bytes.
        length: usize,
        /// The limit in bytes.
        limit: usize,
    },
}

// === impl ConnectionError ===

impl From<ReadError> for ConnectionError {
    fn from(error: ReadError) -> Self {
        match error {
            ReadError::Frame(error) => Self::Frame(error),
            ReadError::Io(error) => Self::Io(error),
        }
    }
}
