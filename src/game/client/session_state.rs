use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use bytes::Bytes;
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore, watch};
use tokio_util::sync::CancellationToken;

use super::calls::Calls;
use super::queue::Queue;
use super::{CallError, End};

/// The state that the handles of a session share with its driver.
#[derive(Debug)]
pub(super) struct SessionState {
    pub(super) calls: Calls,
    pub(super) events: Queue,
    /// One permit for each call.
    pub(super) slots: Arc<Semaphore>,
    /// Notified when a call ends.
    pub(super) call_ended: Notify,
    /// Cancelled to close the connection.
    pub(super) close: CancellationToken,
    /// The server's identification.
    pub(super) identification: Bytes,
    pub(super) send_limit: usize,
    /// Keep-alives that have not been answered yet.
    pub(super) pings: AtomicU32,
    /// Whether the server has warned that this session is idle, and no activity was sent since.
    pub(super) idle_warning: AtomicBool,
    ended: watch::Sender<Option<End>>,
}

/// A command on its way to the wire.
#[derive(Debug)]
pub(super) struct Outgoing {
    /// `None` if no call waits for the answer.
    pub(super) cmd_id: Option<u64>,
    pub(super) bytes: Bytes,
    pub(super) weight: super::flood::Weight,
    /// Held until the command is written.
    pub(super) _slot: Arc<OwnedSemaphorePermit>,
}

// === impl SessionState ===

impl SessionState {
    pub(super) fn new(
        events: Queue,
        max_in_flight: usize,
        identification: Bytes,
        send_limit: usize,
    ) -> Self {
        Self {
            calls: Calls::new(),
            events,
            slots: Arc::new(Semaphore::new(
                max_in_flight.clamp(1, Semaphore::MAX_PERMITS),
            )),
            call_ended: Notify::new(),
            close: CancellationToken::new(),
            identification,
            send_limit,
            pings: AtomicU32::new(0),
            idle_warning: AtomicBool::new(false),
            ended: watch::Sender::new(None),
        }
    }

    /// Whether an answer with the `cmd_id` of keep-alives answers one: a bridge may use that number too.
    pub(super) fn is_keep_alive(&self) -> bool {
        let answered = |pings: u32| pings.checked_sub(1);
        let (set, fetch) = (Ordering::Relaxed, Ordering::Relaxed);
        self.pings.fetch_update(set, fetch, answered).is_ok()
    }

    /// The error of a command that was not written before the end.
    pub(super) fn not_sent(&self) -> CallError {
        CallError::NotSent(self.end().unwrap_or(End::Closed))
    }

    pub(super) fn end(&self) -> Option<End> {
        self.ended.borrow().clone()
    }

    /// Reports that the connection ended; the first reason counts.
    pub(super) fn finish(&self, end: End) {
        let first = self.ended.send_if_modified(|ended| {
            let first = ended.is_none();
            ended.get_or_insert_with(|| end.clone());
            first
        });
        if first {
            self.slots.close();
            self.calls.end(&end);
            self.events.finish();
        }
    }

    pub(super) async fn ended(&self) -> End {
        let mut ended = self.ended.subscribe();
        let end = match ended.wait_for(Option::is_some).await {
            Ok(end) => end.clone(),
            Err(_) => None,
        };
        // The sender lives as long as `self`.
        end.unwrap_or(End::Closed)
    }
}
