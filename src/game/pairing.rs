//! Pairing: which answer is for whom.
//!
//! A command carries a `cmd_id`, its answer carries it back. [`Pairing`] remembers who waits for
//! which, whatever waiting means to its user; [`Calls`] lets tasks wait. Neither reads or writes:
//! the caller sends the command with the id that it got, and hands in each answer.

use std::collections::{HashMap, HashSet, VecDeque};

#[cfg(feature = "game-tokio")]
mod calls;

#[cfg(feature = "game-tokio")]
pub use calls::{Call, Calls, ConnectionLost, Undelivered};

/// The highest id that a server gives back unchanged: it keeps 32 bits, with a sign.
pub const MAX_CMD_ID: u64 = i32::MAX as u64;

/// How many answered ids are remembered, to tell a second answer from one that nobody asked for.
const REMEMBERED: usize = 1024;

/// Who waits for the answer to which command.
///
/// ```
/// use portreeve::game::pairing::{Answer, Pairing};
///
/// let mut pairing = Pairing::new();
/// let id = pairing.wait("the login");
/// assert_eq!(pairing.answer(id), Answer::For("the login"));
/// assert_eq!(pairing.answer(id), Answer::Duplicate);
/// assert_eq!(pairing.answer(77), Answer::Unmatched);
///
/// pairing.wait("the room");
/// assert_eq!(pairing.lost().collect::<Vec<_>>(), [(1, "the room")]);
/// ```
#[derive(Clone, Debug)]
pub struct Pairing<W> {
    next: u64,
    waiting: HashMap<u64, W>,
    answered: HashSet<u64>,
    /// The answered ids in order of their answers.
    order: VecDeque<u64>,
}

/// Whom an answer is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer<W> {
    /// For this one, who waits no more.
    For(W),
    /// For nobody: it was answered before.
    Duplicate,
    /// For nobody: nobody waits for it. So it is for an answer that comes after somebody gave up
    /// waiting, and for one to a command without a `cmd_id`.
    Unmatched,
}

impl<W> Pairing<W> {
    /// Nobody waits; ids begin with 0.
    pub fn new() -> Self {
        Self {
            next: 0,
            waiting: HashMap::new(),
            answered: HashSet::new(),
            order: VecDeque::new(),
        }
    }

    /// Remembers who waits, and gives the id to send the command with: the next one up to
    /// [`MAX_CMD_ID`] that nobody waits for, then from 0 again.
    pub fn wait(&mut self, waiter: W) -> u64 {
        while self.waiting.contains_key(&self.next) {
            self.next = after(self.next);
        }
        let id = self.next;
        self.next = after(id);
        self.waiting.insert(id, waiter);
        if self.answered.remove(&id) {
            self.order.retain(|&answered| answered != id);
        }
        id
    }

    /// Finds out whom the answer with this id is for.
    pub fn answer(&mut self, cmd_id: u64) -> Answer<W> {
        let Some(waiter) = self.waiting.remove(&cmd_id) else {
            return if self.answered.contains(&cmd_id) {
                Answer::Duplicate
            } else {
                Answer::Unmatched
            };
        };
        if self.order.len() == REMEMBERED
            && let Some(oldest) = self.order.pop_front()
        {
            self.answered.remove(&oldest);
        }
        self.order.push_back(cmd_id);
        self.answered.insert(cmd_id);
        Answer::For(waiter)
    }

    /// Gives up waiting: an answer will be [`Answer::Unmatched`].
    pub fn forget(&mut self, cmd_id: u64) -> Option<W> {
        self.waiting.remove(&cmd_id)
    }

    /// How many wait.
    pub fn len(&self) -> usize {
        self.waiting.len()
    }

    /// Whether nobody waits.
    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// The connection is lost: everybody who waits, in no order, with the ids, which begin with 0
    /// again. Nobody waits afterwards.
    pub fn lost(&mut self) -> impl Iterator<Item = (u64, W)> + use<W> {
        let lost = std::mem::take(self);
        lost.waiting.into_iter()
    }
}

impl<W> Default for Pairing<W> {
    fn default() -> Self {
        Self::new()
    }
}

fn after(id: u64) -> u64 {
    if id >= MAX_CMD_ID { 0 } else { id + 1 }
}
