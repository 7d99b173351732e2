//! Where a server listens, and the handshake of a connection.

use std::io;
use std::net::{Ipv4Addr, SocketAddr, SocketAddrV4};

use futures_util::StreamExt;
use tokio::io::AsyncWriteExt;
use tokio::net::{TcpListener, TcpStream};

use crate::game::CommandContainer;
use crate::game::client::PROTOCOL;
use crate::game::transport::connection::{Address, Connection, Io, accept_websocket};
use crate::game::transport::frame::{DEFAULT_LIMIT, greeting};

pub(super) const LOOPBACK: SocketAddr = SocketAddr::V4(SocketAddrV4::new(Ipv4Addr::LOCALHOST, 0));

#[derive(Debug)]
pub(super) struct Listeners {
    tcp: TcpListener,
    websocket: TcpListener,
}

impl Listeners {
    /// At this address for TCP, and at the next port for WebSocket; at any ports if the port is 0.
    pub(super) async fn bind(mut address: SocketAddr) -> io::Result<Self> {
        let tcp = TcpListener::bind(address).await?;
        let next = address.port().checked_add(1).filter(|next| *next > 1);
        address.set_port(next.unwrap_or(0));
        let websocket = TcpListener::bind(address).await?;
        Ok(Self { tcp, websocket })
    }

    pub(super) fn addresses(&self) -> io::Result<(Address, Address)> {
        let address = |scheme, listener: &TcpListener| {
            let address = format!("{scheme}://{}", listener.local_addr()?);
            address.parse().map_err(io::Error::other)
        };
        Ok((address("tcp", &self.tcp)?, address("ws", &self.websocket)?))
    }

    pub(super) async fn accept(&self) -> (TcpStream, bool) {
        loop {
            let (accepted, websocket) = tokio::select! {
                accepted = self.tcp.accept() => (accepted, false),
                accepted = self.websocket.accept() => (accepted, true),
            };
            // An error concerns one connection, which its client abandoned.
            if let Ok((stream, _)) = accepted {
                let _ = stream.set_nodelay(true);
                return (stream, websocket);
            }
        }
    }
}

/// Performs the handshake that precedes the identification of the server; `None` if the client disconnects.
pub(super) async fn begin(mut stream: impl Io + 'static, websocket: bool) -> Option<Connection> {
    if websocket {
        return accept_websocket(stream).await.ok();
    }
    stream.write_all(&greeting(PROTOCOL)).await.ok()?;
    let mut connection = Connection::tcp(stream, DEFAULT_LIMIT);
    // The first container without an id starts the session; what comes before is ignored.
    loop {
        let message = connection.next().await?.ok()?;
        if CommandContainer::parse(&message).is_ok_and(|it| it.cmd_id.is_none()) {
            return Some(connection);
        }
    }
}
