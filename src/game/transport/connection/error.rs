use std::io;
use std::time::Duration;

use rustls::CertificateError;

use super::Address;
use crate::game::transport::frame::{FrameError, ReadError};
use crate::tls::PemError;

/// Why connecting failed.
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
    /// TLS failed: the certificate is not trusted, or the server does not use TLS on this port.
    #[error("TLS to the game server at {address} failed: {}{error}", in_words(.error))]
    Tls {
        /// The server.
        address: Address,
        /// Why.
        #[source]
        error: io::Error,
    },
    /// The server does not accept WebSocket connections on this port.
    #[error("the WebSocket handshake with the game server at {address} failed: {problem}")]
    Handshake {
        /// The server.
        address: Address,
        /// How it responded.
        problem: String,
        /// What that means for another attempt.
        cause: HandshakeCause,
    },
    /// It took too long.
    #[error("connecting to the game server at {address} took longer than {limit:?}")]
    Timeout {
        /// The server.
        address: Address,
        /// The time limit.
        limit: Duration,
    },
}

/// Why a WebSocket handshake failed, as far as it matters for another attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum HandshakeCause {
    /// The answer of a web server or a proxy.
    Status {
        /// Its status.
        status: u16,
        /// After which time it asks to be tried again (`Retry-After` in seconds).
        retry_after: Option<Duration>,
    },
    /// The connection ended within the handshake.
    Interrupted,
    /// The peer does not speak WebSocket as it should.
    Protocol,
}

/// Why certificates cannot be trusted.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CaError {
    /// The text is not PEM (RFC 7468), or contains no certificate.
    #[error(transparent)]
    Pem(#[from] PemError),
    /// It contains a certificate that cannot be a trust anchor.
    #[error("a certificate cannot be used as a trust anchor: {0}")]
    Certificate(#[from] rustls::Error),
}

/// Why a connection failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConnectionError {
    /// Reading or writing failed.
    #[error("the connection to the game server failed: {0}")]
    Io(#[from] io::Error),
    /// The data received over TCP cannot be split into messages.
    #[error("cannot read from the game server: {0}")]
    Frame(#[from] FrameError),
    /// A message from the server is longer than the limit, in bytes.
    #[error(
        "a message of the game server is longer than the limit of {0} bytes; to receive it, raise that \
         (`Connector::message_limit`, `--message-limit`)"
    )]
    MessageLimit(usize),
    /// The data received over WebSocket violates the protocol.
    #[error("cannot read from the game server: {0}")]
    WebSocket(String),
    /// The server closed the WebSocket with a code (RFC 6455, section 7.4; 1005 if it sent none).
    #[error("the game server closed the connection with code {code} {text:?}")]
    Closed {
        /// The code.
        code: u16,
        /// The reason of the server.
        text: String,
    },
    /// A message is longer than the server accepts; it was not sent.
    #[error(
        "the message was not sent: it has {length} bytes, and the game server accepts at most {limit}"
    )]
    TooLong {
        /// Its length in bytes.
        length: usize,
        /// The limit in bytes.
        limit: usize,
    },
}

// === impl ConnectError ===

impl ConnectError {
    /// Whether the peer's certificate was refused, and by that whether it speaks TLS.
    pub(in crate::game) fn is_untrusted(&self) -> bool {
        let Self::Tls { error, .. } = self else {
            return false;
        };
        let error = error.get_ref().and_then(|error| error.downcast_ref());
        matches!(error, Some(rustls::Error::InvalidCertificate(_)))
    }

    /// Whether a request in plain text failed as at a server for TLS, which answers it with an alert or with a status.
    pub(in crate::game) fn may_be_tls(&self) -> bool {
        use HandshakeCause::{Protocol, Status};
        let Self::Handshake { cause, .. } = self else {
            return false;
        };
        matches!(cause, Protocol | Status { status: 400, .. })
    }

    /// Whether another attempt may succeed; after a session (`was_reached`), the name and the path are known to exist.
    pub(in crate::game) fn may_pass(&self, was_reached: bool) -> bool {
        match self {
            Self::Timeout { .. } => true,
            // A failed connection has a number of the system. A failed look-up has none, and nothing else but the text
            // of the C library (glibc's and musl's `EAI_AGAIN`).
            Self::Io { error, .. } => {
                let text = error.to_string();
                let again = ["emporary failure", "Try again"];
                let again = again.iter().any(|again| text.contains(again));
                was_reached || error.raw_os_error().is_some() || again
            }
            Self::Tls { error, .. } => match error.get_ref() {
                _ if self.is_untrusted() => false,
                Some(inner) if inner.is::<rustls::Error>() => was_reached,
                _ => true,
            },
            Self::Handshake { cause, .. } => match cause {
                HandshakeCause::Interrupted => true,
                HandshakeCause::Protocol => was_reached,
                HandshakeCause::Status { status, .. } => match status {
                    429 | 500 | 502..=504 | 520..=524 => true,
                    // A proxy may answer that while what is behind it starts.
                    404 => was_reached,
                    _ => false,
                },
            },
        }
    }

    /// After which time the server asks to be tried again.
    pub(in crate::game) fn retry_after(&self) -> Option<Duration> {
        let Self::Handshake { cause: HandshakeCause::Status { retry_after, .. }, .. } = self else {
            return None;
        };
        *retry_after
    }
}

// === impl ConnectionError ===

impl From<ReadError> for ConnectionError {
    fn from(error: ReadError) -> Self {
        match error {
            ReadError::Frame(FrameError::TooLong { limit, .. }) => Self::MessageLimit(limit),
            ReadError::Frame(error) => Self::Frame(error),
            ReadError::Io(error) => Self::Io(error),
        }
    }
}

/// A description of a TLS error, which precedes the message of the library.
fn in_words(error: &io::Error) -> &'static str {
    use CertificateError::*;
    let inner = error.get_ref().and_then(|error| error.downcast_ref());
    match inner {
        Some(rustls::Error::InvalidCertificate(wrong)) => match wrong {
            // The signature is wrong if an authority of the same name is trusted.
            UnknownIssuer | BadSignature => "no trusted authority signed its certificate: ",
            Expired | ExpiredContext { .. } => "its certificate has expired: ",
            NotValidYet | NotValidYetContext { .. } => "its certificate is not valid yet: ",
            NotValidForName | NotValidForNameContext { .. } => {
                "its certificate is for another name: "
            }
            _ => "",
        },
        Some(rustls::Error::InvalidMessage(_)) => "it does not use TLS on this port: ",
        _ => "",
    }
}
