use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use bytes::Bytes;
use tokio::net::TcpListener;
use tokio_util::sync::{CancellationToken, DropGuard};
use zeroize::Zeroizing;

use super::connections::{self, Connections};
use super::world::World;
use super::{Fault, ReceivedCommand};
use crate::game::transport::connection::Address;

/// A game server on loopback. Dropping it stops it and closes all of its connections.
///
/// Its tasks run on the current tokio runtime, which must have I/O and time enabled.
#[derive(Debug)]
pub struct Server {
    connections: Arc<Connections>,
    tcp: SocketAddr,
    websocket: SocketAddr,
    _stop: DropGuard,
}

/// The settings of a [`Server`]. By default it has no accounts, and one room with the number 0.
#[derive(Debug, Default)]
pub struct ServerBuilder {
    accounts: Vec<(String, Zeroizing<String>)>,
    rooms: Vec<String>,
}

// === impl Server ===

impl Server {
    /// Starts a server with one room and no accounts.
    ///
    /// # Errors
    /// Fails if it cannot listen on loopback.
    pub async fn start() -> io::Result<Self> {
        Self::builder().start().await
    }

    /// A server with custom accounts or rooms.
    pub fn builder() -> ServerBuilder {
        ServerBuilder::default()
    }

    /// The address at which it listens for TCP.
    pub fn tcp(&self) -> Address {
        address("tcp", self.tcp)
    }

    /// The address at which it listens for WebSocket.
    pub fn websocket(&self) -> Address {
        address("ws", self.websocket)
    }

    /// Misbehaves from now on. Several faults can be active at once; a fault replaces an earlier one of the
    /// same kind.
    pub fn inject(&self, fault: Fault) {
        self.connections.world().inject(fault);
    }

    /// Removes all faults.
    pub fn recover(&self) {
        self.connections.world().recover();
    }

    /// Drops every connection without notice. Users with an account keep their seats in games.
    pub fn cut(&self) {
        self.connections.world().cut(None);
    }

    /// Drops the connections of one user without notice; returns whether there were any.
    pub fn cut_user(&self, user: &str) -> bool {
        self.connections.world().cut(Some(user)) > 0
    }

    /// Sends a message to all users who are logged in. It does not have to conform to the schema.
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> std::io::Result<()> {
    /// # let server = portreeve::game::testing::Server::start().await?;
    /// // A game event with the number 2027, which the schema does not have: `game_event_container { event_list { … } }`
    /// server.send(b"\x08\x02\x22\x05\x12\x03\xda\x7e\x00");
    /// # Ok(())
    /// # }
    /// ```
    pub fn send(&self, message: &[u8]) {
        self.connections
            .world()
            .send_to_all(&Bytes::copy_from_slice(message));
    }

    /// The names of the users who are logged in, sorted.
    pub fn users(&self) -> Vec<String> {
        self.connections.world().users()
    }

    /// Waits for the next command, in the order of arrival, without keep-alives. The last 10,000 commands are
    /// kept.
    pub async fn next_command(&self) -> ReceivedCommand {
        loop {
            let received = self.connections.received.notified();
            if let Some(command) = self.connections.world().next_command() {
                return command;
            }
            received.await;
        }
    }
}

pub(super) fn address(scheme: &str, at: SocketAddr) -> Address {
    format!("{scheme}://{at}")
        .parse()
        .expect("a socket address is valid")
}

// === impl ServerBuilder ===

impl ServerBuilder {
    /// Adds an account. Nobody can use its name without its password.
    #[must_use]
    pub fn account(mut self, user: &str, password: &str) -> Self {
        let password = Zeroizing::new(password.to_owned());
        self.accounts.push((user.to_owned(), password));
        self
    }

    /// Adds a room. The first one has the number 0. If none is added, there is a room called `Test`.
    #[must_use]
    pub fn room(mut self, name: &str) -> Self {
        self.rooms.push(name.to_owned());
        self
    }

    /// Starts the server.
    ///
    /// # Errors
    /// Fails if it cannot listen on loopback.
    pub async fn start(mut self) -> io::Result<Server> {
        if self.rooms.is_empty() {
            self.rooms.push("Test".to_owned());
        }
        let world = World::new(self.accounts, self.rooms);
        let connections = Arc::new(Connections::new(world));
        let stop = CancellationToken::new();
        let tcp = TcpListener::bind(("127.0.0.1", 0)).await?;
        let websocket = TcpListener::bind(("127.0.0.1", 0)).await?;
        let server = Server {
            connections: connections.clone(),
            tcp: tcp.local_addr()?,
            websocket: websocket.local_addr()?,
            _stop: stop.clone().drop_guard(),
        };
        tokio::spawn(connections::accept(
            tcp,
            false,
            connections.clone(),
            stop.clone(),
        ));
        tokio::spawn(connections::accept(websocket, true, connections, stop));
        Ok(server)
    }
}
