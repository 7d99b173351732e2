//! The task that owns a session: what it knows are plain fields, and one loop reads, writes and watches the time.
//!
//! Nothing in it waits for anything else: a server that does not read cannot prevent this side from reading, and vice
//! versa. If reconnecting is enabled, a lost connection and its session are restored before anything else is sent.

mod link;
mod reconnecting;
mod session;

use std::sync::Arc;
use std::time::Duration;

use futures_util::SinkExt;
use futures_util::future::BoxFuture;
use tokio::sync::{Semaphore, mpsc};
use tokio::time::timeout;

use super::calls::Calls;
use super::reconnect::{SessionLog, should_reconnect};
use super::shared::{Outgoing, Shared};
use super::{Client, End, Note, Received, Reconnect, Settings};
use crate::game::transport::connection::{Address, Connection};
use link::Link;

/// The time limit for sending the last messages and the close frame.
const CLOSE_GRACE: Duration = Duration::from_secs(2);

pub(super) struct Driver {
    shared: Arc<Shared>,
    settings: Settings,
    /// How and where to reconnect; `None` if a lost connection ends the session.
    reconnect: Option<(Reconnect, Address)>,
    commands: mpsc::UnboundedReceiver<Outgoing>,
    /// The next of `commands`, until it may be written.
    held: Option<Outgoing>,
    /// Commands of this task itself, ahead of all others.
    own: mpsc::UnboundedReceiver<Outgoing>,
    own_client: Client,
    calls: Calls,
    /// The number of messages received.
    position: u64,
    /// Keep-alives that have not been answered yet.
    pings: u32,
    /// Whether the server has warned that this session is idle, and no activity was sent since.
    idle_warning: bool,
    log: SessionLog,
    /// Restores the session over a new connection. Until it is done, only the client's own commands are written.
    restoring: Option<BoxFuture<'static, Result<Vec<Note>, End>>>,
    /// The attempts to reconnect since the last session that lasted.
    failed: u32,
    closing: bool,
}

impl Driver {
    pub(super) fn new(
        shared: Arc<Shared>,
        settings: Settings,
        reconnect: Option<(Reconnect, Address)>,
        commands: mpsc::UnboundedReceiver<Outgoing>,
        position: u64,
    ) -> Self {
        let (own_sender, own) = mpsc::unbounded_channel();
        let slots = Arc::new(Semaphore::new(1));
        Self {
            own_client: Client::new(shared.clone(), own_sender, slots),
            shared,
            settings,
            reconnect,
            commands,
            held: None,
            own,
            calls: Calls::default(),
            position,
            pings: 0,
            idle_warning: false,
            log: SessionLog::default(),
            restoring: None,
            failed: 0,
            closing: false,
        }
    }

    pub(super) async fn run(mut self, mut connection: Connection) {
        loop {
            let mut link = Link::new(connection, &self.settings);
            let Err(end) = self.drive(&mut link).await;
            let reconnect = self.reconnect.clone();
            let Some((policy, address)) = reconnect.filter(|_| should_reconnect(&end)) else {
                // A close frame is still sent, or answered. A caller of `close` waits for that, as the
                // process may exit next; otherwise the end is reported immediately.
                if !matches!(end, End::Closed) {
                    self.finish(&end);
                }
                let _ = timeout(CLOSE_GRACE, link.connection.close()).await;
                return self.finish(&end);
            };
            self.lost(&end, &policy, link);
            connection = match self.connected(&policy, &address, end).await {
                Ok(connection) => connection,
                Err(end) => return self.finish(&end),
            };
            self.restoring = Some(self.restore());
        }
    }

    fn finish(&mut self, end: &End) {
        self.shared.finish(end);
        self.calls.lose(end);
        self.drop_queued();
    }

    /// Ends the calls whose commands were not written.
    fn drop_queued(&mut self) {
        self.held = None;
        self.commands.close();
        while self.commands.try_recv().is_ok() {}
    }

    /// Whether no command waits, and none can come any more.
    fn is_unused(&self) -> bool {
        self.held.is_none() && self.commands.is_closed() && self.commands.is_empty()
    }

    fn note(&self, note: Note) {
        let received = Received::note(self.position, note);
        self.shared.events.push(received);
    }
}

impl Drop for Driver {
    /// Ends the session even if the task is dropped, as by a runtime that shuts down.
    fn drop(&mut self) {
        self.finish(&End::Closed);
    }
}
