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
use crate::game::runtime::message::Message;
use crate::game::schema::ServerMessage;
use crate::game::transport::connection::Address;

/// A server of the game on loopback. It ends, with all of its connections, when it is dropped.
///
/// It needs a tokio runtime with I/O and time; its tasks run there.
#[derive(Debug)]
pub struct Server {
    connections: Arc<Connections>,
    tcp: SocketAddr,
    websocket: SocketAddr,
    _stop: DropGuard,
}

/// What a [`Server`] is before it starts: no accounts, and one room, of number 0.
#[derive(Debug, Default)]
pub struct ServerBuilder {
    accounts: Vec<(String, Zeroizing<String>)>,
    rooms: Vec<String>,
}

// === impl Server ===

impl Server {
    /// Starts a server without accounts, with one room.
    ///
    /// # Errors
    /// No port of loopback can be listened on.
    pub async fn start() -> io::Result<Self> {
        Self::builder().start().await
    }

    /// A server with accounts or rooms of your own.
    pub fn builder() -> ServerBuilder {
        ServerBuilder::default()
    }

    /// Where it listens over TCP.
    pub fn tcp(&self) -> Address {
        address("tcp", self.tcp)
    }

    /// Where it listens over WebSocket.
    pub fn websocket(&self) -> Address {
        address("ws", self.websocket)
    }

    /// Misbehaves from now on. Several faults can be there at once; one of the same kind takes the place
    /// of the one before it.
    pub fn inject(&self, fault: Fault) {
        self.connections.world().inject(fault);
    }

    /// Ends all faults.
    pub fn recover(&self) {
        self.connections.world().recover();
    }

    /// Cuts every connection, without a farewell. Users with an account keep their seats in games.
    pub fn cut(&self) {
        self.connections.world().cut(None);
    }

    /// Cuts the connections of one user, without a farewell; whether there was one.
    pub fn cut_user(&self, user: &str) -> bool {
        self.connections.world().cut(Some(user)) > 0
    }

    /// Sends a message to everybody who is logged in. It need not be one of the schema.
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> std::io::Result<()> {
    /// # let server = portreeve::game::testing::Server::start().await?;
    /// // A game event of number 2027, which nobody knows yet: `game_event_container { event_list { … } }`
    /// server.send(b"\x08\x02\x22\x05\x12\x03\xda\x7e\x00");
    /// # Ok(())
    /// # }
    /// ```
    pub fn send(&self, message: &[u8]) {
        self.connections
            .world()
            .send_to_all(&Bytes::copy_from_slice(message));
    }

    /// Sends a message that was built.
    pub fn send_message(&self, message: &ServerMessage<'_>) {
        self.send(&message.to_vec());
    }

    /// Who is logged in, in the order of their names.
    pub fn users(&self) -> Vec<String> {
        self.connections.world().users()
    }

    /// The next command that came, in the order of their coming; waits for it. Signs of life are not
    /// among them. The last 10,000 are kept.
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

fn address(scheme: &str, at: SocketAddr) -> Address {
    format!("{scheme}://{at}")
        .parse()
        .expect("an address and a port make one")
}

// === impl ServerBuilder ===

impl ServerBuilder {
    /// Adds an account. Its name can be used with its password only.
    #[must_use]
    pub fn account(mut self, user: &str, password: &str) -> Self {
        let password = Zeroizing::new(password.to_owned());
        self.accounts.push((user.to_owned(), password));
        self
    }

    /// Adds a room. The first one has the number 0; without one there is a room `Test`.
    #[must_use]
    pub fn room(mut self, name: &str) -> Self {
        self.rooms.push(name.to_owned());
        self
    }

    /// Starts it.
    ///
    /// # Errors
    /// No port of loopback can be listened on.
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
