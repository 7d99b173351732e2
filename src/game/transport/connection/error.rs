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
    /// The data received over WebSocket violates the protocol, or a message exceeds the limit.
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

// === impl ConnectionError ===

impl From<ReadError> for ConnectionError {
    fn from(error: ReadError) -> Self {
        match error {
            ReadError::Frame(error) => Self::Frame(error),
            ReadError::Io(error) => Self::Io(error),
        }
    }
}

/// A description of a TLS error, which precedes the message of the library.
fn in_words(error: &io::Error) -> &'static str {
    use CertificateError as Wrong;
    let inner = error.get_ref().and_then(|error| error.downcast_ref());
    match inner {
        Some(rustls::Error::InvalidCertificate(wrong)) => match wrong {
            // The signature is wrong if an authority of the same name is trusted.
            Wrong::UnknownIssuer | Wrong::BadSignature => {
                "no trusted authority signed its certificate: "
            }
            Wrong::Expired | Wrong::ExpiredContext { .. } => "its certificate has expired: ",
            Wrong::NotValidYet | Wrong::NotValidYetContext { .. } => {
                "its certificate is not valid yet: "
            }
            Wrong::NotValidForName | Wrong::NotValidForNameContext { .. } => {
                "its certificate is for another name: "
            }
            _ => "",
        },
        Some(rustls::Error::InvalidMessage(_)) => "it does not use TLS on this port: ",
        _ => "",
    }
}
