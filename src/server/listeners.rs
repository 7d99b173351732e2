//! The sockets of a server, and the next connection on any of them.

use std::future::poll_fn;
use std::io;
use std::net::SocketAddr;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use tokio::net::{TcpListener, UnixListener};

use super::stream::Stream;
use super::{Connections, Tls};

/// Time until `accept` is retried after the process has run out of descriptors.
const ACCEPT_RETRY: Duration = Duration::from_millis(100);

const LOG_INTERVAL: Duration = Duration::from_secs(1);

/// The sockets on which a server accepts connections. They share its bounds and its shutdown.
///
/// A single [`TcpListener`] converts into it by [`From`].
#[derive(Debug, Default)]
#[must_use]
pub struct Listeners {
    sockets: Vec<Socket>,
    /// The socket that is polled first. It rotates, so that a busy socket does not starve the others.
    first: usize,
    /// When it was last logged that a connection could not be accepted.
    last_logged: Option<Instant>,
    /// Counts the connections.
    pub connections: Connections,
}

#[derive(Debug)]
enum Socket {
    Tcp(TcpListener, Option<Tls>),
    Unix(UnixListener),
}

/// A connection from which nothing has been read yet.
pub(super) struct Accepted {
    pub(super) stream: Stream,
    /// `None` over a unix socket.
    pub(super) peer: Option<SocketAddr>,
    pub(super) tls: Option<Tls>,
}

// === impl Listeners ===

impl Listeners {
    /// Adds a TCP socket, without TLS.
    pub fn tcp(self, listener: TcpListener) -> Self {
        self.with(Socket::Tcp(listener, None))
    }

    /// Adds a TCP socket with TLS.
    pub fn tls(self, listener: TcpListener, tls: Tls) -> Self {
        self.with(Socket::Tcp(listener, Some(tls)))
    }

    /// Adds a unix socket. Requests over it have no `SocketAddr` in their extensions, and its connections do not count
    /// towards [`max_connections_per_address`](super::Bounds::max_connections_per_address).
    pub fn unix(self, listener: UnixListener) -> Self {
        self.with(Socket::Unix(listener))
    }

    /// The next connection on any socket. An error of `accept` either concerns a connection that the client has already
    /// closed, or means that the process is out of descriptors: then all it can do is wait.
    pub(super) async fn accept(&mut self) -> Accepted {
        loop {
            match poll_fn(|cx| self.poll_accept(cx)).await {
                Ok(accepted) => return accepted,
                Err(error) if is_of_one_connection(&error) => {}
                Err(error) => {
                    let is_recent = |at: Instant| at.elapsed() < LOG_INTERVAL;
                    if !self.last_logged.is_some_and(is_recent) {
                        self.last_logged = Some(Instant::now());
                        tracing::error!(%error, "no connection can be accepted; retrying (if files run out, raise LimitNOFILE=)");
                    }
                    tokio::time::sleep(ACCEPT_RETRY).await;
                }
            }
        }
    }

    fn poll_accept(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<Accepted>> {
        let count = self.sockets.len();
        for at in (0..count).map(|offset| (self.first + offset) % count) {
            if let Poll::Ready(accepted) = self.sockets[at].poll_accept(cx) {
                self.first = (at + 1) % count;
                return Poll::Ready(accepted);
            }
        }
        Poll::Pending
    }

    fn with(mut self, socket: Socket) -> Self {
        self.sockets.push(socket);
        self
    }
}

impl From<TcpListener> for Listeners {
    fn from(listener: TcpListener) -> Self {
        Self::default().tcp(listener)
    }
}

// === impl Socket ===

impl Socket {
    fn poll_accept(&self, cx: &mut Context<'_>) -> Poll<io::Result<Accepted>> {
        match self {
            Self::Tcp(listener, tls) => listener.poll_accept(cx).map_ok(|(stream, peer)| {
                // Without Nagle's algorithm: an answer is one write, and nothing is gained by delaying it.
                if let Err(error) = stream.set_nodelay(true) {
                    tracing::debug!(%peer, %error, "TCP_NODELAY was not set");
                }
                Accepted { stream: Stream::Tcp(stream), peer: Some(peer), tls: tls.clone() }
            }),
            Self::Unix(listener) => listener.poll_accept(cx).map_ok(|(stream, _)| Accepted {
                stream: Stream::Unix(stream),
                peer: None,
                tls: None,
            }),
        }
    }
}

fn is_of_one_connection(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};
    matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset)
}
