//! The calls whose commands were written and that have no answer yet.

use std::collections::VecDeque;
use std::time::Duration;

use tokio::sync::oneshot;
use tokio::time::Instant;

use super::{Answer, CallError, End, Role};
use crate::game::transport::pairing::{Match, Pairing};

/// How long a call waits for an answer that cannot come, since the events before it are not read.
const UNREAD: Duration = Duration::from_secs(5);

/// What a caller gets. The channel is closed without one if the session ends before the command is written.
pub(super) type Outcome = Result<Answer, CallError>;

#[derive(Debug, Default)]
pub(super) struct Calls {
    /// The callers, and when they get a timeout. A caller is gone if it has dropped its receiver.
    waiting: Pairing<(oneshot::Sender<Outcome>, Instant)>,
    /// The timeouts, in order; also of calls that have been answered since.
    deadlines: VecDeque<(Instant, u64)>,
}

impl Calls {
    /// Begins to wait for an answer; returns whether no other command with this `cmd_id` is in flight, not even one that
    /// nobody waits for any more: its answer would be taken for that to this one.
    pub(super) fn begin(
        &mut self,
        cmd_id: u64,
        caller: oneshot::Sender<Outcome>,
        deadline: Instant,
    ) -> bool {
        if self.waiting.is_unanswered(cmd_id) {
            let _ = caller.send(Err(CallError::CmdId { cmd_id }));
            return false;
        }
        self.waiting.insert(cmd_id, (caller, deadline));
        // Before the queue grows, calls that nobody waits for are removed: its size depends on the calls in flight.
        if self.deadlines.len() == self.deadlines.capacity() {
            let mut deadlines = std::mem::take(&mut self.deadlines);
            deadlines.retain(|&(_, cmd_id)| {
                if self.is_abandoned(cmd_id) {
                    self.waiting.forget(cmd_id);
                }
                self.waiting.get(cmd_id).is_some()
            });
            self.deadlines = deadlines;
        }
        self.deadlines.push_back((deadline, cmd_id));
        true
    }

    /// Passes an answer to its caller, and reads it only if one waits; returns the role that the message has.
    pub(super) fn deliver(&mut self, cmd_id: u64, outcome: impl FnOnce() -> Outcome) -> Role {
        match self.waiting.take(cmd_id) {
            Match::For((caller, _)) if caller.is_closed() => Role::Abandoned,
            Match::For((caller, _)) => match caller.send(outcome()) {
                Ok(()) => Role::Answer,
                Err(_) => Role::Abandoned,
            },
            Match::Duplicate => Role::Duplicate,
            Match::Forgotten => Role::Abandoned,
            Match::Unmatched => Role::Unmatched,
        }
    }

    pub(super) fn are_awaited(&self) -> bool {
        let awaited =
            |cmd_id| self.waiting.get(cmd_id).is_some_and(|(caller, _)| !caller.is_closed());
        self.deadlines.iter().rev().any(|&(_, cmd_id)| awaited(cmd_id))
    }

    /// Ends the calls whose time is up, or all if no answer can come since then.
    pub(super) fn expire(&mut self, now: Instant, limit: Duration, unread_since: Option<Instant>) {
        let unread = unread_since.is_some_and(|since| now.duration_since(since) >= UNREAD);
        while let Some(&(deadline, cmd_id)) = self.deadlines.front()
            && (unread || deadline <= now)
        {
            self.deadlines.pop_front();
            // It may have been answered, and its `cmd_id` used again.
            let waiting = self.waiting.get(cmd_id);
            if waiting.is_some_and(|(_, until)| *until == deadline)
                && let Some((caller, _)) = self.waiting.forget(cmd_id)
            {
                let _ = caller.send(Err(match unread_since {
                    Some(_) => CallError::Unread { cmd_id },
                    None => CallError::Timeout { cmd_id, limit },
                }));
            }
        }
    }

    pub(super) fn next_deadline(&self) -> Option<Instant> {
        self.deadlines.front().map(|&(deadline, _)| deadline)
    }

    /// The connection was lost: whether the commands were executed is unknown.
    pub(super) fn lose(&mut self, end: &End) {
        self.deadlines.clear();
        for (_, (caller, _)) in self.waiting.drain() {
            let _ = caller.send(Err(CallError::Unknown(end.clone())));
        }
    }

    fn is_abandoned(&self, cmd_id: u64) -> bool {
        self.waiting.get(cmd_id).is_some_and(|(caller, _)| caller.is_closed())
    }
}
