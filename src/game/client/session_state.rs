use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore, watch};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::queue::Queue;
use super::{Answer, CallError, End, FIRST_CMD_ID};
use crate::game::transport::pairing::Calls;

/// The state that the handles of a session share with its driver.
#[derive(Debug)]
pub(super) struct SessionState {
    pub(super) calls: Calls<Result<Answer, CallError>>,
    pub(super) events: Queue,
    pub(super) deadlines: Deadlines,
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

/// When the calls that were sent time out, in order.
#[derive(Debug, Default)]
pub(super) struct Deadlines {
    sent: Mutex<VecDeque<(Instant, u64)>>,
    pub(super) added: Notify,
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
            calls: Calls::counting_from(FIRST_CMD_ID),
            events,
            deadlines: Deadlines::default(),
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
            self.lost(&end);
            self.calls.lost();
            self.events.finish();
        }
    }

    /// The connection was lost: the outcome of the written commands is unknown. Those still to be written
    /// stay queued.
    pub(super) fn lost(&self, end: &End) {
        for cmd_id in self.deadlines.take() {
            let unknown = CallError::Unknown(end.clone());
            // Calls that were answered are no longer waiting.
            let _ = self.calls.give_up(cmd_id, Err(unknown));
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

// === impl Deadlines ===

impl Deadlines {
    /// Adds the deadline of a call that was sent.
    pub(super) fn add(
        &self,
        deadline: Instant,
        cmd_id: u64,
        calls: &Calls<Result<Answer, CallError>>,
    ) {
        let mut sent = self.sent.lock().unwrap_or_else(PoisonError::into_inner);
        // Answered calls are removed before the queue would grow, so that its size depends on the calls in
        // flight and not on the commands of the last half minute.
        if sent.len() == sent.capacity() {
            sent.retain(|&(_, cmd_id)| calls.is_waiting(cmd_id));
        }
        let first = sent.is_empty();
        sent.push_back((deadline, cmd_id));
        if first {
            self.added.notify_one();
        }
    }

    /// Takes the calls that were sent and may still be in flight.
    fn take(&self) -> impl Iterator<Item = u64> {
        let mut sent = self.sent.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut *sent)
            .into_iter()
            .map(|(_, cmd_id)| cmd_id)
    }

    /// The next deadline, or the call whose deadline has passed.
    pub(super) fn next(&self, now: Instant) -> Option<Result<Instant, u64>> {
        let mut sent = self.sent.lock().unwrap_or_else(PoisonError::into_inner);
        let &(deadline, cmd_id) = sent.front()?;
        if deadline > now {
            return Some(Ok(deadline));
        }
        sent.pop_front();
        Some(Err(cmd_id))
    }
}
