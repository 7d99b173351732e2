use std::io;
use std::mem::discriminant;
use std::net::SocketAddr;
use std::sync::Arc;

use bytes::Bytes;
use futures_util::{SinkExt, StreamExt};
use parking_lot::Mutex;
use tokio::sync::{Notify, mpsc};
use tokio::time::sleep;
use tokio_util::sync::{CancellationToken, DropGuard};
use zeroize::Zeroizing;

use super::Fault;
use super::listeners::{LOOPBACK, Listeners, begin};
use super::world::World;
use crate::game::schema::command::Command;
use crate::game::transport::connection::{Address, Connection, ConnectionError};

/// A game server, on loopback by default. Dropping it stops it and closes all of its connections.
///
/// Its tasks run on the current tokio runtime, which must have I/O and time enabled.
#[derive(Debug)]
pub struct Server {
    shared: Arc<Shared>,
    /// The address at which it listens for TCP.
    pub tcp: Address,
    /// The address at which it listens for WebSocket.
    pub websocket: Address,
    _stop: DropGuard,
}

/// The settings of a [`Server`]. By default it has no accounts, and one room with the number 0.
#[derive(Debug, Default)]
pub struct ServerBuilder {
    accounts: Vec<(String, Zeroizing<String>)>,
    rooms: Vec<String>,
    address: Option<SocketAddr>,
}

/// A command that the server received.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ReceivedCommand {
    /// The name of the user who sent it; `None` before the login.
    pub user: Option<String>,
    /// The command.
    pub command: Command,
}

#[derive(Debug)]
struct Shared {
    world: Mutex<World>,
    received: Notify,
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

    /// Misbehaves from now on. Several faults can be active at once; a fault replaces an earlier one of the same kind.
    pub fn inject(&self, fault: Fault) {
        let faults = &mut self.shared.world.lock().faults;
        faults.retain(|known| discriminant(known) != discriminant(&fault));
        faults.push(fault);
    }

    /// Removes all faults.
    pub fn recover(&self) {
        self.shared.world.lock().faults.clear();
    }

    /// Drops every connection without notice.
    pub fn cut(&self) {
        self.shared.world.lock().cut();
    }

    /// Sends a message to all users who are logged in. It does not have to conform to the schema.
    pub fn send(&self, message: &[u8]) {
        let message = Bytes::copy_from_slice(message);
        self.shared.world.lock().send_to(|session| session.user.is_some(), &message);
    }

    /// The names of the users who are logged in, sorted.
    pub fn users(&self) -> Vec<String> {
        self.shared.world.lock().users()
    }

    /// Waits for the next command, in the order of arrival, without keep-alives. The last 10,000 commands are kept.
    pub async fn next_command(&self) -> ReceivedCommand {
        loop {
            let received = self.shared.received.notified();
            if let Some(command) = self.shared.world.lock().commands.pop_front() {
                return command;
            }
            received.await;
        }
    }
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

    /// Listens at this address for TCP, and its next port for WebSocket: whoever reaches them may log in.
    #[must_use]
    pub fn listen(mut self, address: SocketAddr) -> Self {
        self.address = Some(address);
        self
    }

    /// Starts the server.
    ///
    /// # Errors
    /// Fails if it cannot listen there.
    pub async fn start(mut self) -> io::Result<Server> {
        if self.rooms.is_empty() {
            self.rooms.push("Test".to_owned());
        }
        let shared = Arc::new(Shared {
            world: Mutex::new(World::new(self.accounts, self.rooms)),
            received: Notify::new(),
        });
        let listeners = Listeners::bind(self.address.unwrap_or(LOOPBACK)).await?;
        let (tcp, websocket) = listeners.addresses()?;
        let stop = CancellationToken::new();
        let accepting = accept(listeners, shared.clone(), stop.clone());
        tokio::spawn(stop.clone().run_until_cancelled_owned(accepting));
        Ok(Server { shared, tcp, websocket, _stop: stop.drop_guard() })
    }
}

// === impl Shared ===

impl Shared {
    async fn serve(&self, connection: Connection) {
        let (sender, mut outgoing) = mpsc::unbounded_channel::<Bytes>();
        let cut = CancellationToken::new();
        let session = self.world.lock().connect(sender, cut.clone());
        let (mut sink, mut stream) = connection.split();
        let read = async {
            while let Some(Ok(message)) = stream.next().await {
                self.world.lock().receive(session, &message);
                self.received.notify_waiters();
            }
        };
        let write = async {
            while let Some(message) = outgoing.recv().await {
                let delay = self.world.lock().fault(|fault| match fault {
                    Fault::Delay(delay) => Some(*delay),
                    _ => None,
                });
                if let Some(delay) = delay {
                    sleep(delay).await;
                }
                sink.send(message).await?;
            }
            sink.close().await?;
            Ok::<(), ConnectionError>(())
        };
        tokio::select! {
            () = read => {}
            _ = write => {}
            () = cut.cancelled() => {}
        }
        self.world.lock().disconnect(session);
    }
}

async fn accept(listeners: Listeners, shared: Arc<Shared>, stop: CancellationToken) {
    loop {
        let (stream, websocket) = listeners.accept().await;
        let refuses = |world: &World| world.faults.contains(&Fault::RefuseConnections);
        if refuses(&shared.world.lock()) {
            continue;
        }
        let shared = shared.clone();
        tokio::spawn(stop.clone().run_until_cancelled_owned(async move {
            if let Some(connection) = begin(stream, websocket).await {
                shared.serve(connection).await;
            }
        }));
    }
}
