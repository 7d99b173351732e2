use std::collections::{HashMap, HashSet, VecDeque};

/// The highest id that a server gives back unchanged: it keeps 32 bits, with a sign.
pub const MAX_CMD_ID: u64 = i32::MAX as u64;

/// How many answered ids are remembered, to tell a second answer from one to no command.
const REMEMBERED: usize = 1024;

/// The commands that are in flight, each with a value that tells what to do with its answer.
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

/// Which command an answer belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer<W> {
    /// To the command with this value, which is in flight no longer.
    For(W),
    /// To a command that was answered before.
    Duplicate,
    /// To no command in flight: it was [forgotten](Pairing::forget), had no `cmd_id`, or was never
    /// sent.
    Unmatched,
}

impl<W> Pairing<W> {
    /// No command is in flight; ids begin with 0.
    pub fn new() -> Self {
        Self {
            next: 0,
            waiting: HashMap::new(),
            answered: HashSet::new(),
            order: VecDeque::new(),
        }
    }

    /// Remembers `waiter`, and gives the id to send the command with: the next one up to
    /// [`MAX_CMD_ID`] that is not in flight, then from 0 again.
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

    /// Finds the command that the answer with this id belongs to.
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

    /// Forgets a command: an answer to it will be [`Answer::Unmatched`].
    pub fn forget(&mut self, cmd_id: u64) -> Option<W> {
        self.waiting.remove(&cmd_id)
    }

    /// How many commands are in flight.
    pub fn len(&self) -> usize {
        self.waiting.len()
    }

    /// Whether no command is in flight.
    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// The connection is lost: gives every command in flight, in no order, with its id. None is in
    /// flight afterwards, and ids begin with 0 again.
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
