use std::io;
use std::sync::Arc;

use bytes::Bytes;
use futures_util::{SinkExt, StreamExt};
use parking_lot::Mutex;
use tokio::sync::{Notify, mpsc};
use tokio::time::sleep;
use tokio_util::sync::{CancellationToken, DropGuard};
use zeroize::Zeroizing;

use super::Fault;
use super::fault::Faults;
use super::listeners::{Listeners, begin};
use super::world::World;
use crate::game::schema::command::Command;
use crate::game::transport::connection::{Address, Connection, ConnectionError};

/// A game server on loopback. Dropping it stops it and closes all of its connections.
///
/// Its tasks run on the current tokio runtime, which must have I/O and time enabled.
#[derive(Debug)]
pub struct Server {
    shared: Arc<Shared>,
    tcp: Address,
    websocket: Address,
    _stop: DropGuard,
}

/// The settings of a [`Server`]. By default it has no accounts, and one room with the number 0.
#[derive(Debug, Default)]
pub struct ServerBuilder {
    accounts: Vec<(String, Zeroizing<String>)>,
    rooms: Vec<String>,
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

/// What all connections share.
#[derive(Debug)]
struct Shared {
    world: Mutex<World>,
    /// Notified when a command arrives.
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

    /// The address at which it listens for TCP.
    pub fn tcp(&self) -> Address {
        self.tcp.clone()
    }

    /// The address at which it listens for WebSocket.
    pub fn websocket(&self) -> Address {
        self.websocket.clone()
    }

    /// Misbehaves from now on. Several faults can be active at once; a fault replaces an earlier one of the
    /// same kind.
    pub fn inject(&self, fault: Fault) {
        self.shared.world.lock().faults.add(fault);
    }

    /// Removes all faults.
    pub fn recover(&self) {
        self.shared.world.lock().faults = Faults::default();
    }

    /// Drops every connection without notice. Users with an account keep their seats in games.
    pub fn cut(&self) {
        self.shared.world.lock().cut(None);
    }

    /// Drops the connections of one user without notice; returns whether there were any.
    pub fn cut_user(&self, user: &str) -> bool {
        self.shared.world.lock().cut(Some(user)) > 0
    }

    /// Sends a message to all users who are logged in. It does not have to conform to the schema.
    pub fn send(&self, message: &[u8]) {
        let message = Bytes::copy_from_slice(message);
        let world = self.shared.world.lock();
        world.send_to(|session| session.user.is_some(), &message);
    }

    /// The names of the users who are logged in, sorted.
    pub fn users(&self) -> Vec<String> {
        self.shared.world.lock().users()
    }

    /// Waits for the next command, in the order of arrival, without keep-alives. The last 10,000 commands are
    /// kept.
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

    /// Starts the server.
    ///
    /// # Errors
    /// Fails if it cannot listen on loopback.
    pub async fn start(mut self) -> io::Result<Server> {
        if self.rooms.is_empty() {
            self.rooms.push("Test".to_owned());
        }
        let shared = Arc::new(Shared {
            world: Mutex::new(World::new(self.accounts, self.rooms)),
            received: Notify::new(),
        });
        let listeners = Listeners::bind().await?;
        let (tcp, websocket) = listeners.addresses()?;
        let stop = CancellationToken::new();
        let accepting = accept(listeners, shared.clone(), stop.clone());
        tokio::spawn(stop.clone().run_until_cancelled_owned(accepting));
        Ok(Server {
            shared,
            tcp,
            websocket,
            _stop: stop.drop_guard(),
        })
    }
}

// === impl Shared ===

impl Shared {
    /// Serves a connection until the client leaves, or is disconnected.
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
                let delay = self.world.lock().faults.delay;
                if !delay.is_zero() {
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
        if shared.world.lock().faults.refuse_connections {
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
