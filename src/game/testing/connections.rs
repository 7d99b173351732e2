//! Connections: accepted, read and written.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use futures_util::{SinkExt, StreamExt};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpListener;
use tokio::sync::{Notify, mpsc};
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use super::world::World;
use crate::game::client::PROTOCOL;
use crate::game::transport::connection::{Connection, ConnectionError, Io};
use crate::game::transport::frame::greeting_of;

/// The state that all connections share.
#[derive(Debug)]
pub(super) struct Connections {
    world: Mutex<World>,
    /// Notified when a command arrives.
    pub(super) received: Notify,
}

// === impl Connections ===

impl Connections {
    pub(super) fn new(world: World) -> Self {
        Self {
            world: Mutex::new(world),
            received: Notify::new(),
        }
    }

    pub(super) fn world(&self) -> MutexGuard<'_, World> {
        self.world.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Accepts connections until `stop` is cancelled.
pub(super) async fn accept(
    listener: TcpListener,
    websocket: bool,
    connections: Arc<Connections>,
    stop: CancellationToken,
) {
    while let Some(accepted) = stop.run_until_cancelled(listener.accept()).await {
        // An error concerns one connection, which its client abandoned.
        let Ok((stream, _)) = accepted else { continue };
        if connections.world().refuses_connections() {
            continue;
        }
        let _ = stream.set_nodelay(true);
        let connections = connections.clone();
        let served = stop.clone().run_until_cancelled_owned(async move {
            if let Some(connection) = begin(stream, websocket).await {
                serve(&connections, connection).await;
            }
        });
        tokio::spawn(served);
    }
}

/// Performs the handshake that precedes the identification of the server; `None` if the client disconnects.
pub(super) async fn begin(mut stream: impl Io + 'static, websocket: bool) -> Option<Connection> {
    if websocket {
        return Connection::accept_websocket(stream).await.ok();
    }
    stream.write_all(&greeting_of(PROTOCOL)).await.ok()?;
    let mut connection = Connection::accept_tcp(stream);
    // The first message starts the session, whatever it contains.
    connection.next().await?.ok()?;
    Some(connection)
}

/// Serves a connection until the client leaves, or is disconnected.
async fn serve(connections: &Connections, connection: Connection) {
    let (sender, mut outgoing) = mpsc::unbounded_channel::<Bytes>();
    let cut = CancellationToken::new();
    let session = connections.world().connect(sender, cut.clone());
    let (mut sink, mut stream) = connection.split();
    let read = async {
        while let Some(Ok(message)) = stream.next().await {
            connections.world().receive(session, &message);
            connections.received.notify_waiters();
        }
    };
    let write = async {
        while let Some(message) = outgoing.recv().await {
            let delay = connections.world().delay();
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
    connections.world().disconnect(session);
}
