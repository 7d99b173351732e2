use std::io;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::{FutureExt, SinkExt};
use rustls::ClientConfig;
use rustls::pki_types::ServerName;
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

use super::meter::{Io, Meter};
use super::{Address, CaError, ConnectError, Connection, ConnectionError, Scheme, tls, websocket};
use crate::game::transport::frame::DEFAULT_LIMIT;

/// How long connecting may take if nothing else is said.
const TIMEOUT: Duration = Duration::from_secs(15);

/// How connections are made.
#[derive(Clone, Debug)]
pub struct Connector {
    timeout: Duration,
    limit: usize,
    tls: Option<Arc<ClientConfig>>,
}

impl Connector {
    /// With 15 seconds for connecting, messages of at most
    /// [16 MiB](super::super::frame::DEFAULT_LIMIT), and the system's certificate authorities.
    pub fn new() -> Self {
        Self {
            timeout: TIMEOUT,
            limit: DEFAULT_LIMIT,
            tls: None,
        }
    }

    /// How long connecting may take, TLS and the WebSocket handshake included.
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// How long a message of the server may be, in bytes. A longer one ends the connection.
    #[must_use]
    pub fn message_limit(mut self, limit: usize) -> Self {
        self.limit = limit;
        self
    }

    /// Other settings for TLS, such as other certificate authorities.
    #[must_use]
    pub fn tls(mut self, config: Arc<ClientConfig>) -> Self {
        self.tls = Some(config);
        self
    }

    /// Trusts the certificates in `pem` beside the system's authorities, for `wss`. Takes the place
    /// of what [`tls`](Self::tls) said.
    ///
    /// # Errors
    /// [`CaError`] if there is no certificate in it, or one that nobody can trust.
    pub fn extra_ca(self, pem: &[u8]) -> Result<Self, CaError> {
        let config = tls::config(tls::certificates(pem)?)?;
        Ok(self.tls(config))
    }

    /// Connects to a server, up to where it can be talked to.
    // What it awaits owns what it needs, in a box: of nested futures that borrow, the compiler does
    // not see that they are `Send`.
    ///
    /// # Errors
    /// [`ConnectError`] if the server cannot be reached, refuses, or takes too long.
    pub async fn connect(&self, address: &Address) -> Result<Connection, ConnectError> {
        let reached = self.clone().reach(address.clone()).boxed();
        match timeout(self.timeout, reached).await {
            Ok(connected) => connected,
            Err(_) => Err(self.too_late(address)),
        }
    }

    /// Begins a session over a connection that exists: one through a proxy or a tunnel, or one in
    /// memory. Of `address` the scheme and what a WebSocket request names are used; `wss` stands
    /// for WebSocket over what is encrypted already.
    ///
    /// # Errors
    /// [`ConnectError`] if the server refuses or takes too long.
    pub async fn over(
        &self,
        io: impl Io + 'static,
        address: &Address,
    ) -> Result<Connection, ConnectError> {
        let begun = begin(io, address.clone(), self.limit).boxed();
        match timeout(self.timeout, begun).await {
            Ok(connected) => connected,
            Err(_) => Err(self.too_late(address)),
        }
    }

    fn too_late(&self, address: &Address) -> ConnectError {
        ConnectError::Timeout {
            address: address.clone(),
            limit: self.timeout,
        }
    }

    async fn reach(self, address: Address) -> Result<Connection, ConnectError> {
        let connected = TcpStream::connect((address.host.clone(), address.port)).await;
        // Commands are small, and somebody waits for each answer.
        let connected = connected.and_then(|stream| stream.set_nodelay(true).map(|()| stream));
        let stream = match connected {
            Ok(stream) => stream,
            Err(error) => return Err(ConnectError::Io { address, error }),
        };
        if address.scheme() != Scheme::SecureWebSocket {
            return begin(stream, address, self.limit).await;
        }
        match encrypt(stream, address.host.clone(), self.tls).await {
            Ok(stream) => begin(stream, address, self.limit).await,
            Err(error) => Err(ConnectError::Tls { address, error }),
        }
    }
}

impl Default for Connector {
    fn default() -> Self {
        Self::new()
    }
}

async fn encrypt(
    stream: TcpStream,
    host: String,
    config: Option<Arc<ClientConfig>>,
) -> io::Result<TlsStream<TcpStream>> {
    let config = match config {
        Some(config) => config,
        None => tls::config(Vec::new()).map_err(io::Error::other)?,
    };
    let name = ServerName::try_from(host).map_err(io::Error::other)?;
    TlsConnector::from(config).connect(name, stream).await
}

async fn begin(
    io: impl Io + 'static,
    address: Address,
    limit: usize,
) -> Result<Connection, ConnectError> {
    if address.scheme() != Scheme::Tcp {
        return match websocket::handshake(io, address.clone(), limit).await {
            Ok(stream) => Ok(Connection::websocket(stream, limit)),
            Err(problem) => Err(ConnectError::Handshake { address, problem }),
        };
    }
    let mut connection = Connection::tcp(Meter::new(Box::new(io)), limit);
    // A server waits for a command without `cmd_id`: an empty message is one. What stood in it
    // would be ignored.
    match connection.send(Bytes::new()).await {
        Ok(()) => Ok(connection),
        Err(ConnectionError::Io(error)) => Err(ConnectError::Io { address, error }),
        Err(error) => Err(ConnectError::Io {
            address,
            error: io::Error::other(error),
        }),
    }
}
