use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use bytes::Bytes;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, SetOnce, oneshot};
use tokio_util::sync::CancellationToken;

use super::calls::Outcome;
use super::queue::Queue;
use super::{CallError, End, FIRST_CMD_ID, KEEP_ALIVE_ID};

/// What the handles of a session and its task share.
#[derive(Debug)]
pub(super) struct Shared {
    pub(super) events: Queue,
    pub(super) max_in_flight: usize,
    pub(super) slots: Arc<Semaphore>,
    /// Cancelled to close the connection.
    pub(super) close: CancellationToken,
    pub(super) identification: Bytes,
    pub(super) send_limit: usize,
    calls: AtomicU64,
    ended: SetOnce<End>,
}

#[derive(Debug)]
pub(super) struct Outgoing {
    /// Its `cmd_id`, and who waits for the answer; `None` if nobody does.
    pub(super) call: Option<(u64, oneshot::Sender<Outcome>)>,
    pub(super) bytes: Bytes,
    pub(super) weight: super::flood::Weight,
    /// Held until the command is written.
    pub(super) _slot: Arc<OwnedSemaphorePermit>,
}

// === impl Outgoing ===

impl Outgoing {
    /// Whether anybody still waits for the answer, if anybody ever did.
    pub(super) fn is_wanted(&self) -> bool {
        self.call.as_ref().is_none_or(|(_, caller)| !caller.is_closed())
    }

    /// Waits until nobody waits for the answer any more.
    pub(super) async fn abandoned(&mut self) {
        match &mut self.call {
            Some((_, caller)) => caller.closed().await,
            None => std::future::pending().await,
        }
    }
}

// === impl Shared ===

impl Shared {
    pub(super) fn new(
        events: Queue,
        max_in_flight: usize,
        identification: Bytes,
        send_limit: usize,
    ) -> Self {
        let max_in_flight = max_in_flight.clamp(1, Semaphore::MAX_PERMITS);
        Self {
            events,
            max_in_flight,
            slots: Arc::new(Semaphore::new(max_in_flight)),
            close: CancellationToken::new(),
            identification,
            send_limit,
            calls: AtomicU64::new(0),
            ended: SetOnce::new(),
        }
    }

    /// The `cmd_id` of the next call. After a billion they start over.
    pub(super) fn next_cmd_id(&self) -> u64 {
        let calls = self.calls.fetch_add(1, Ordering::Relaxed);
        FIRST_CMD_ID + calls % (KEEP_ALIVE_ID - FIRST_CMD_ID)
    }

    pub(super) fn not_sent(&self) -> CallError {
        CallError::NotSent(self.end().unwrap_or(End::Closed))
    }

    pub(super) fn end(&self) -> Option<End> {
        self.ended.get().cloned()
    }

    /// Reports how the session ended, unless it has ended before.
    pub(super) fn finish(&self, end: &End) {
        if self.ended.set(end.clone()).is_ok() {
            self.slots.close();
            self.events.finish();
        }
    }

    pub(super) async fn ended(&self) -> End {
        self.ended.wait().await.clone()
    }
}
