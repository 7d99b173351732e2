use std::io;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::future::BoxFuture;
use futures_util::{FutureExt, SinkExt};
use rustls::ClientConfig;
use rustls::pki_types::ServerName;
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

use super::dial::dial;
use super::observer::{Observer, Traffic};
use super::{Address, CaError, ConnectError, Connection, ConnectionError, Io, Scheme, websocket};
use crate::game::transport::frame::DEFAULT_LIMIT;
use crate::tls;

const TIMEOUT: Duration = Duration::from_secs(15);

/// The time limit for finding out what else a server expects.
const PROBE: Duration = Duration::from_secs(5);

/// Makes connections.
#[derive(Clone, Debug)]
pub struct Connector {
    /// The time limit for connecting, including TLS and the WebSocket handshake: 15 seconds by default.
    pub timeout: Duration,
    /// The maximum length of a message from the server, in bytes: [16 MiB](super::super::frame::DEFAULT_LIMIT) by
    /// default. A longer one ends the connection.
    pub message_limit: usize,
    /// Custom TLS settings, such as other certificate authorities than the system's.
    pub tls: Option<Arc<ClientConfig>>,
    observer: Option<Observer>,
}

impl Connector {
    /// Trusts the certificates in `pem` besides the system's authorities, for `wss`. Replaces [`tls`](Self::tls).
    ///
    /// # Errors
    /// [`CaError`] if it contains no certificate, or one that cannot be trusted.
    pub fn extra_ca(mut self, pem: &[u8]) -> Result<Self, CaError> {
        let config = tls::config(tls::trusted_roots(), tls::certificates(pem)?)?;
        self.tls = Some(Arc::new(config));
        Ok(self)
    }

    /// Passes everything that is sent and received to `notify`.
    pub(in crate::game) fn observe(
        mut self,
        notify: impl Fn(Traffic<'_>) + Send + Sync + 'static,
    ) -> Self {
        self.observer = Some(Observer(Arc::new(notify)));
        self
    }

    /// Connects to a server, including the handshake.
    // The future is boxed and owns its data: the compiler does not see that nested futures that borrow are `Send`.
    ///
    /// # Errors
    /// [`ConnectError`] if the server cannot be reached, refuses, or takes too long.
    pub async fn connect(&self, address: &Address) -> Result<Connection, ConnectError> {
        let reached = self.clone().reach(address.clone()).boxed();
        self.within_limit(address, reached).await
    }

    /// Performs the handshake over an existing connection, such as one through a proxy or a tunnel, or one in
    /// memory. Only the scheme of `address` and what a WebSocket request names are used; `wss` means
    /// WebSocket over a connection that is already encrypted.
    ///
    /// # Errors
    /// [`ConnectError`] if the server refuses or takes too long.
    pub async fn over(
        &self,
        io: impl Io + 'static,
        address: &Address,
    ) -> Result<Connection, ConnectError> {
        let begun = begin(io, address.clone(), self.message_limit).boxed();
        self.within_limit(address, begun).await
    }

    /// The address for WebSocket, if a server for that listens at an address for TCP, or one for WebSocket over TLS at
    /// one without. A game server accepts the handshake at any path, which no other web server does.
    pub(in crate::game) async fn expects_websocket(&self, address: &Address) -> Option<Address> {
        let probe = Self { timeout: self.timeout.min(PROBE), observer: None, ..self.clone() };
        if address.scheme() == Scheme::Tcp {
            let plain = address.over(Scheme::WebSocket);
            match probe.connect(&plain).await {
                Ok(_) => return Some(plain),
                Err(error) if error.may_be_tls() => {}
                Err(_) => return None,
            }
        }
        let encrypted = address.over(Scheme::SecureWebSocket);
        match probe.connect(&encrypted).await {
            Err(error) if !error.is_untrusted() => None,
            _ => Some(encrypted),
        }
    }

    async fn within_limit(
        &self,
        address: &Address,
        connected: BoxFuture<'static, Result<Connection, ConnectError>>,
    ) -> Result<Connection, ConnectError> {
        let connected = timeout(self.timeout, connected).await;
        let mut connection = connected.map_err(|_| ConnectError::Timeout {
            address: address.clone(),
            limit: self.timeout,
        })??;
        connection.observer.clone_from(&self.observer);
        if let Some(observer) = &self.observer {
            (observer.0)(Traffic::Connected);
        }
        Ok(connection)
    }

    async fn reach(self, address: Address) -> Result<Connection, ConnectError> {
        let stream = match dial(&address.host, address.port).await {
            Ok(stream) => stream,
            Err(error) => return Err(ConnectError::Io { address, error }),
        };
        if address.scheme() != Scheme::SecureWebSocket {
            return begin(stream, address, self.message_limit).await;
        }
        match encrypt(stream, address.host.clone(), self.tls).await {
            Ok(stream) => begin(stream, address, self.message_limit).await,
            Err(error) => Err(ConnectError::Tls { address, error }),
        }
    }
}

impl Default for Connector {
    fn default() -> Self {
        Self { timeout: TIMEOUT, message_limit: DEFAULT_LIMIT, tls: None, observer: None }
    }
}

async fn encrypt(
    stream: TcpStream,
    host: String,
    config: Option<Arc<ClientConfig>>,
) -> io::Result<TlsStream<TcpStream>> {
    let config = match config {
        Some(config) => config,
        None => {
            let config = tls::config(tls::trusted_roots(), Vec::new());
            Arc::new(config.map_err(io::Error::other)?)
        }
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
        let connected = websocket::handshake(io, &address, limit).await;
        return connected.map_err(|error| websocket::refused(&error, address));
    }
    let mut connection = Connection::tcp(io, limit);
    // A server waits for a command without `cmd_id`, such as an empty message. It would ignore its contents.
    let error = match connection.send(Bytes::new()).await {
        Ok(()) => return Ok(connection),
        Err(ConnectionError::Io(error)) => error,
        Err(error) => io::Error::other(error),
    };
    Err(ConnectError::Io { address, error })
}
