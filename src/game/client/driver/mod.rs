//! The task that drives a connection: it reads, writes, and watches the time, all at once.
//!
//! The first of them to end determines how the connection ended. They do not wait for each other: a server
//! that does not read cannot prevent this side from reading, and vice versa. If reconnecting is enabled, a
//! lost connection and its session are restored before anything else is sent.

mod reading;
mod reconnecting;
mod watching;
mod writing;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use futures_util::stream::SplitSink;
use futures_util::{SinkExt, StreamExt};
use tokio::sync::mpsc;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use super::reconnect::SessionLog;
use super::replays::Replays;
use super::session_state::{Outgoing, SessionState};
use super::settings::Settings;
use super::{Client, End, Note, Received, Reconnect};
use crate::game::transport::connection::{Address, Connection};

/// The number of keep-alive intervals without a byte after which the connection ends, as in the official client.
pub(super) const SILENT_INTERVALS: u32 = 5;

/// The time limit for sending the last messages and the close frame.
const CLOSE_GRACE: Duration = Duration::from_secs(2);

type Messages = SplitSink<Connection, bytes::Bytes>;

/// Drives a connection, and those that replace it.
pub(super) struct Driver {
    pub(super) shared: Arc<SessionState>,
    pub(super) settings: Settings,
    /// The number of messages received.
    pub(super) messages: AtomicU64,
    /// Takes the commands of the client itself.
    pub(super) own: mpsc::UnboundedSender<Outgoing>,
    /// How and where to reconnect; `None` if a lost connection ends the session.
    pub(super) reconnect: Option<(Reconnect, Address)>,
    /// The replays that are to be saved; `None` if none are.
    pub(super) replays: Option<Replays>,
    pub(super) log: SessionLog,
}

/// The commands that wait to be written.
pub(super) struct Outbox {
    /// Commands of the client itself, ahead of all others.
    pub(super) own: mpsc::UnboundedReceiver<Outgoing>,
    pub(super) commands: mpsc::UnboundedReceiver<Outgoing>,
    /// The next of `commands`, while it waits for the flood limits.
    pub(super) held: Option<Outgoing>,
}

/// Ends the session even if the task is dropped, as by a runtime that shuts down.
struct Finish<'d>(&'d Driver);

// === impl Driver ===

impl Driver {
    pub(super) async fn run(self, mut connection: Connection, mut outbox: Outbox) {
        let _finish = Finish(&self);
        // The user of the client sets up the session of the first connection.
        let mut ready = CancellationToken::new();
        ready.cancel();
        let mut failed = 0;
        loop {
            let (end, mut sink) = self
                .session(connection, &mut outbox, &ready, &mut failed)
                .await;
            let reconnect = self.reconnect.as_ref();
            let reconnect = reconnect.filter(|_| super::reconnect::should_reconnect(&end));
            let Some((policy, address)) = reconnect else {
                // A close frame is still sent, or answered. A caller of `close` waits for that, as the
                // process may exit next; otherwise the end is reported immediately.
                if !matches!(end, End::Closed) {
                    self.finish(end.clone());
                }
                let _ = timeout(CLOSE_GRACE, sink.close()).await;
                return self.finish(end);
            };
            drop(sink);
            self.lost(&end, ready.is_cancelled());
            connection = match self
                .connected(policy, address, end, &mut outbox, &mut failed)
                .await
            {
                Ok(connection) => connection,
                Err(end) => return self.finish(end),
            };
            ready = CancellationToken::new();
        }
    }

    /// One connection, until it ends.
    async fn session(
        &self,
        connection: Connection,
        outbox: &mut Outbox,
        ready: &CancellationToken,
        failed: &mut u32,
    ) -> (End, Messages) {
        let activity = connection.activity();
        let (mut sink, mut stream) = connection.split();
        let end = tokio::select! {
            end = self.read(&mut stream) => end,
            end = self.write(&mut sink, outbox, ready) => end,
            end = self.watch(&activity) => end,
            end = self.restore(ready, failed) => end,
            end = self.save_replays(ready) => end,
        };
        (end, sink)
    }

    /// Saves replays whenever the session is ready.
    async fn save_replays(&self, ready: &CancellationToken) -> End {
        ready.cancelled().await;
        if let Some(replays) = &self.replays {
            let note = |note| self.note(note);
            replays.save(&self.own_client(), note).await;
        }
        std::future::pending().await
    }

    /// Ends the session; the replays that are left are not saved.
    fn finish(&self, end: End) {
        if let Some(replays) = &self.replays {
            let notes = replays.give_up(&end);
            notes.into_iter().for_each(|note| self.note(note));
        }
        self.shared.finish(end);
    }

    /// Adds a note of the client to the events.
    fn note(&self, note: Note) {
        let position = self.messages.load(Ordering::Relaxed);
        self.shared.events.push(Received::note(position, note));
    }

    /// A client whose commands go ahead of all others.
    fn own_client(&self) -> Client {
        Client::own(self.shared.clone(), self.own.clone())
    }
}

impl Drop for Finish<'_> {
    fn drop(&mut self) {
        self.0.finish(End::Closed);
    }
}
