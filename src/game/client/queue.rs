use std::collections::VecDeque;
use std::task::{Context, Poll, Waker};

use parking_lot::{Mutex, MutexGuard};
use tokio::sync::Notify;
use tokio::time::Instant;

use super::Received;

/// The maximum number of bytes that are buffered for a slow reader; one more message may exceed it.
const MAX_BYTES: usize = 32 << 20;

/// What a message takes besides its bytes, which would not limit empty ones.
const PER_MESSAGE: usize = 128;

/// The maximum number of notes that a slow reader gets; the oldest ones are dropped.
const MAX_NOTES: usize = 1024;

/// The policy when the reader of [`Events`](super::Events) falls behind and its queue is full.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum SlowReader {
    /// Stops reading from the connection until there is room. Nothing is lost, as the server holds the rest back, and
    /// keep-alives are still sent. While a call waits, only 32 MiB count as full, not the number of messages: its caller
    /// may be who reads the events, and cannot before it has the answer behind them. At 32 MiB a call ends with
    /// [`CallError::Unread`](super::CallError::Unread) if no event is read for 5 seconds.
    #[default]
    Wait,
    /// Drops the oldest events and [counts](super::Events::missed) them; answers do not wait. The client's own
    /// [notes](super::Note) stay: without that of a gap, a reader would believe its rooms to be as before.
    Skip,
}

#[derive(Debug)]
pub(super) struct Queue {
    state: Mutex<State>,
    freed: Notify,
    capacity: usize,
    policy: SlowReader,
}

#[derive(Debug, Default)]
struct State {
    items: VecDeque<Received>,
    bytes: usize,
    /// Since when the bytes are at their limit and nothing was read.
    unread_since: Option<Instant>,
    missed: u64,
    reader: Option<Waker>,
    finished: bool,
    receiver_dropped: bool,
}

// === impl Queue ===

impl Queue {
    pub(super) fn new(capacity: usize, policy: SlowReader) -> Self {
        Self { state: Mutex::default(), freed: Notify::new(), capacity: capacity.max(1), policy }
    }

    /// Whether nothing more is to be read from the connection, given whether a call waits for what would be.
    pub(super) fn is_full(&self, call_waits: impl FnOnce() -> bool) -> bool {
        let state = self.state.lock();
        self.policy == SlowReader::Wait
            && self.is_at_capacity(&state)
            && (state.is_at_byte_limit() || !call_waits())
    }

    /// Since when no answer can come, as nothing more is read from the connection, nor by the reader.
    pub(super) fn unread_since(&self) -> Option<Instant> {
        self.state.lock().unread_since
    }

    pub(super) async fn freed(&self) {
        self.freed.notified().await;
    }

    pub(super) fn push(&self, item: Received) {
        let mut state = self.state.lock();
        if state.receiver_dropped {
            return;
        }
        while self.policy == SlowReader::Skip && self.is_at_capacity(&state) && state.skip() {
            state.missed += 1;
        }
        state.bytes += item.bytes.len();
        state.items.push_back(item);
        if self.policy == SlowReader::Wait && state.is_at_byte_limit() {
            state.unread_since.get_or_insert_with(Instant::now);
        }
        wake(state);
    }

    pub(super) fn finish(&self) {
        let mut state = self.state.lock();
        state.finished = true;
        wake(state);
    }

    pub(super) fn abandon(&self) {
        let mut state = self.state.lock();
        state.receiver_dropped = true;
        state.bytes = 0;
        state.unread_since = None;
        let items = std::mem::take(&mut state.items);
        drop(state);
        drop(items);
        self.freed.notify_one();
    }

    pub(super) fn poll_next(&self, cx: &mut Context<'_>) -> Poll<Option<Received>> {
        let mut state = self.state.lock();
        match state.pop() {
            Some(item) => {
                drop(state);
                self.freed.notify_one();
                Poll::Ready(Some(item))
            }
            None if state.finished => Poll::Ready(None),
            None => {
                state.reader = Some(cx.waker().clone());
                Poll::Pending
            }
        }
    }

    pub(super) fn missed(&self) -> u64 {
        self.state.lock().missed
    }

    fn is_at_capacity(&self, state: &State) -> bool {
        state.items.len() >= self.capacity || state.is_at_byte_limit()
    }
}

// === impl State ===

impl State {
    fn is_at_byte_limit(&self) -> bool {
        self.bytes + self.items.len() * PER_MESSAGE >= MAX_BYTES
    }

    /// Drops the oldest message, or a note if there are too many; `false` if there is nothing to drop.
    fn skip(&mut self) -> bool {
        let message = self.items.iter().position(|item| item.as_note().is_none());
        let oldest = message.or((self.items.len() >= MAX_NOTES).then_some(0));
        let Some(item) = oldest.and_then(|oldest| self.items.remove(oldest)) else {
            return false;
        };
        self.bytes -= item.bytes.len();
        true
    }

    fn pop(&mut self) -> Option<Received> {
        let item = self.items.pop_front()?;
        self.bytes -= item.bytes.len();
        let stays = self.unread_since.is_some() && self.is_at_byte_limit();
        self.unread_since = stays.then(Instant::now);
        Some(item)
    }
}

fn wake(mut state: MutexGuard<'_, State>) {
    let reader = state.reader.take();
    drop(state);
    if let Some(reader) = reader {
        reader.wake();
    }
}
