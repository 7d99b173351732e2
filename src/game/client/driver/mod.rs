//! The task that drives a connection: it reads, writes, and watches the time, all three at once.
//!
//! The first of the three that ends says how the connection ended. None waits for another: a server
//! that reads nothing cannot keep this side from reading, nor the other way round.

mod reading;
mod watching;
mod writing;

use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use tokio::sync::mpsc;
use tokio::time::timeout;

use super::End;
use super::flood::Flood;
use super::shared::{Outgoing, Shared};
use crate::game::transport::connection::{Connection, ConnectionError};

/// How many intervals of the keep-alive without a byte are the end, as in the game's own client.
pub(super) const SILENT_INTERVALS: u32 = 5;

pub(super) use reading::close_notice;

/// How long the last words to a server may take.
const CLOSE_GRACE: Duration = Duration::from_secs(2);

/// What drives a connection.
pub(super) struct Driver {
    pub(super) shared: Arc<Shared>,
    pub(super) call_timeout: Duration,
    pub(super) keep_alive: Duration,
    pub(super) answers_among_events: bool,
    /// How many messages came.
    pub(super) messages: AtomicU64,
}

/// Ends the session whatever becomes of the task: a runtime that shuts down drops it.
struct Finish<'d>(&'d Shared);

// === impl Driver ===

impl Driver {
    pub(super) async fn run(
        self,
        connection: Connection,
        commands: mpsc::UnboundedReceiver<Outgoing>,
        flood: Flood,
    ) {
        let finish = Finish(&self.shared);
        let activity = connection.activity();
        let (mut sink, mut stream) = connection.split();
        let end = tokio::select! {
            end = self.read(&mut stream) => end,
            end = self.write(&mut sink, commands, flood) => end,
            end = self.watch(&activity) => end,
        };
        // The last words: a close frame, or the answer to one. Whoever asked for the end waits for
        // them, as the process may end next; others learn of it at once.
        if !matches!(end, End::Closed) {
            self.shared.finish(end.clone());
        }
        let _ = timeout(CLOSE_GRACE, sink.close()).await;
        self.shared.finish(end);
        drop(finish);
    }
}

impl Drop for Finish<'_> {
    fn drop(&mut self) {
        self.0.finish(End::Closed);
    }
}

/// How a connection ended on which reading or writing failed.
pub(super) fn failed(error: ConnectionError) -> End {
    match error {
        ConnectionError::Closed { code, text } => End::HungUp {
            code: Some(code),
            text,
        },
        error => End::Failed(Arc::new(error)),
    }
}

/// How a connection ended that just stopped.
pub(super) fn hung_up() -> End {
    End::HungUp {
        code: None,
        text: String::new(),
    }
}
