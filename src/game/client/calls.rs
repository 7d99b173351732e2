//! The calls in flight, from when they are queued until they are answered.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{Notify, oneshot};
use tokio::time::Instant;

use super::{Answer, CallError, End, FIRST_CMD_ID, KEEP_ALIVE_ID, Role};
use crate::game::transport::pairing::{Match, Pairing};

/// What a caller gets. The channel is closed without one if the session ends before the command is written.
pub(super) type Outcome = Result<Answer, CallError>;

/// The calls in flight. A caller is gone if it has dropped the receiver of its outcome.
#[derive(Debug)]
pub(super) struct Calls {
    state: Mutex<State>,
    /// Notified when a command is written and no other one has a deadline.
    deadline_added: Notify,
}

#[derive(Debug)]
struct State {
    waiting: Pairing<oneshot::Sender<Outcome>>,
    /// When the calls whose commands were written time out, in order.
    deadlines: VecDeque<(Instant, u64)>,
    /// No more calls begin.
    ended: bool,
}

// === impl Calls ===

impl Calls {
    pub(super) fn new() -> Self {
        Self {
            state: Mutex::new(State {
                waiting: Pairing::counting_from(FIRST_CMD_ID),
                deadlines: VecDeque::new(),
                ended: false,
            }),
            deadline_added: Notify::new(),
        }
    }

    /// Begins a call; returns its `cmd_id`.
    pub(super) fn register(&self) -> (u64, oneshot::Receiver<Outcome>) {
        let (sender, outcome) = oneshot::channel();
        let mut state = self.lock();
        let mut cmd_id = state.waiting.register(sender);
        if cmd_id == KEEP_ALIVE_ID
            && let Some(sender) = state.waiting.forget(cmd_id)
        {
            cmd_id = state.waiting.register(sender);
        }
        state.reject_if_ended(cmd_id);
        (cmd_id, outcome)
    }

    /// Begins a call that has a `cmd_id`; `None` if one with this id is in flight.
    pub(super) fn register_with_id(&self, cmd_id: u64) -> Option<oneshot::Receiver<Outcome>> {
        let (sender, outcome) = oneshot::channel();
        let mut state = self.lock();
        state.waiting.register_with_id(cmd_id, sender).ok()?;
        state.reject_if_ended(cmd_id);
        Some(outcome)
    }

    /// Whether the caller still waits.
    pub(super) fn is_awaited(&self, cmd_id: u64) -> bool {
        let state = self.lock();
        let caller = state.waiting.get(cmd_id);
        caller.is_some_and(|caller| !caller.is_closed())
    }

    /// Forgets a call if its caller is gone.
    pub(super) fn forget_dropped(&self, cmd_id: u64) {
        let mut state = self.lock();
        let caller = state.waiting.get(cmd_id);
        // Another call may have this id by now.
        if caller.is_some_and(oneshot::Sender::is_closed) {
            state.waiting.forget(cmd_id);
        }
    }

    /// Passes an answer to its caller; returns the role that the message has by that.
    pub(super) fn deliver(&self, cmd_id: u64, outcome: Outcome) -> Role {
        let found = self.lock().waiting.answer(cmd_id);
        match found {
            Match::For(caller) => match caller.send(outcome) {
                Ok(()) => Role::Answer,
                Err(_) => Role::Abandoned,
            },
            Match::Duplicate => Role::Duplicate,
            Match::Forgotten => Role::Abandoned,
            Match::Unmatched => Role::Unmatched,
        }
    }

    /// Records that the command of a call is being written.
    pub(super) fn is_written(&self, cmd_id: u64, deadline: Instant) {
        let mut state = self.lock();
        let State {
            waiting, deadlines, ..
        } = &mut *state;
        // Answered calls are removed before the queue would grow, so that its size depends on the calls in
        // flight and not on the commands of the last half minute.
        if deadlines.len() == deadlines.capacity() {
            deadlines.retain(|&(_, cmd_id)| waiting.get(cmd_id).is_some());
        }
        if deadlines.is_empty() {
            self.deadline_added.notify_one();
        }
        deadlines.push_back((deadline, cmd_id));
    }

    /// Ends the calls that have timed out; returns the next deadline.
    pub(super) fn expire(&self, now: Instant, limit: Duration) -> Option<Instant> {
        loop {
            let (cmd_id, caller) = {
                let mut state = self.lock();
                let &(deadline, cmd_id) = state.deadlines.front()?;
                if deadline > now {
                    return Some(deadline);
                }
                state.deadlines.pop_front();
                (cmd_id, state.waiting.forget(cmd_id))
            };
            // Calls that were answered are no longer waiting.
            if let Some(caller) = caller {
                resolve_locally(caller, CallError::Timeout { cmd_id, limit });
            }
        }
    }

    /// Waits for the first deadline.
    pub(super) async fn deadline_added(&self) {
        self.deadline_added.notified().await;
    }

    /// The connection was lost: the outcome of the written commands is unknown. The others stay queued.
    pub(super) fn lose_written(&self, end: &End) {
        let callers: Vec<_> = {
            let mut state = self.lock();
            let written = std::mem::take(&mut state.deadlines).into_iter();
            written
                .filter_map(|(_, cmd_id)| state.waiting.forget(cmd_id))
                .collect()
        };
        for caller in callers {
            resolve_locally(caller, CallError::Unknown(end.clone()));
        }
    }

    /// The session has ended: all calls end, and those that begin from now on.
    pub(super) fn end(&self, end: &End) {
        self.lose_written(end);
        let waiting = {
            let mut state = self.lock();
            state.ended = true;
            state.waiting.lost()
        };
        drop(waiting);
    }

    pub(super) fn len(&self) -> usize {
        self.lock().waiting.len()
    }

    /// No code that can panic runs under this lock, and no caller is woken.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

// === impl State ===

impl State {
    fn reject_if_ended(&mut self, cmd_id: u64) {
        if self.ended {
            self.waiting.forget(cmd_id);
        }
    }
}

/// Ends a call without an answer. One that comes later is abandoned.
fn resolve_locally(caller: oneshot::Sender<Outcome>, error: CallError) {
    // The caller may be gone.
    let _ = caller.send(Err(error));
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A call that is dropped is forgotten at once, and a late answer to it is reported as such.
    #[test]
    fn dropped_calls_leave_no_memory_behind() {
        let calls = Calls::new();
        let left = allocation_counter::measure(|| {
            let crowd: Vec<_> = (0..100_000).map(|_| calls.register()).collect();
            for (cmd_id, outcome) in crowd {
                drop(outcome);
                calls.forget_dropped(cmd_id);
            }
        });
        assert_eq!(calls.len(), 0);
        assert!(left.bytes_current < 256 << 10, "{}", left.bytes_current);
        let late = Err(CallError::CmdId { cmd_id: 0 });
        let role = calls.deliver(FIRST_CMD_ID + 99_999, late);
        assert_eq!(role, Role::Abandoned);
    }

    /// The future of an earlier call does not end a later one with its id.
    #[test]
    fn a_dropped_call_does_not_end_another_one() {
        let calls = Calls::new();
        let first = calls.register_with_id(7).unwrap();
        let answer = || Err(CallError::CmdId { cmd_id: 7 });
        assert_eq!(calls.deliver(7, answer()), Role::Answer);
        let mut second = calls.register_with_id(7).unwrap();
        assert!(calls.register_with_id(7).is_none());
        drop(first);
        calls.forget_dropped(7);
        assert!(calls.is_awaited(7));
        assert_eq!(calls.deliver(7, answer()), Role::Answer);
        assert!(second.try_recv().unwrap().is_err());
    }

    #[test]
    fn calls_after_the_end_of_the_session_end_at_once() {
        let calls = Calls::new();
        let (_, mut before) = calls.register();
        calls.end(&End::Closed);
        let (_, mut after) = calls.register();
        let closed = Err(oneshot::error::TryRecvError::Closed);
        assert_eq!(before.try_recv().map(|_| ()), closed);
        assert_eq!(after.try_recv().map(|_| ()), closed);
        assert_eq!(calls.len(), 0);
    }
}
