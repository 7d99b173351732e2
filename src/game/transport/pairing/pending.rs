use std::collections::{HashMap, VecDeque};

/// The highest id that a server gives back unchanged: it keeps 32 bits, with a sign.
pub const MAX_CMD_ID: u64 = i32::MAX as u64;

/// How many ids that are no longer in flight are remembered, to tell a second answer and one that
/// comes too late from one to no command.
const REMEMBERED: usize = 1024;

/// The room for commands in flight that is kept when there are few.
const KEPT_CAPACITY: usize = 1024;

/// The commands that are in flight, each with a value that tells what to do with its answer.
///
/// ```
/// use portreeve::game::pairing::{Match, Pairing};
///
/// let mut pairing = Pairing::new();
/// let id = pairing.wait("the login");
/// assert_eq!(pairing.answer(id), Match::For("the login"));
/// assert_eq!(pairing.answer(id), Match::Duplicate);
/// assert_eq!(pairing.answer(77), Match::Unmatched);
///
/// let id = pairing.wait("the list");
/// pairing.forget(id);
/// assert_eq!(pairing.answer(id), Match::Forgotten);
///
/// pairing.wait("the room");
/// assert_eq!(pairing.lost().collect::<Vec<_>>(), [(2, "the room")]);
/// ```
///
/// Memory goes by the commands in flight. Of those that are not, the last 1,024 are remembered.
#[derive(Clone, Debug)]
pub struct Pairing<W> {
    first: u64,
    next: u64,
    waiting: HashMap<u64, W>,
    gone: HashMap<u64, Gone>,
    /// The ids in `gone`, the oldest first.
    order: VecDeque<u64>,
}

/// How a command came to be no longer in flight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Gone {
    Answered,
    Forgotten,
}

/// Which command an answer belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Match<W> {
    /// To the command with this value, which is in flight no longer.
    For(W),
    /// To a command that was answered before.
    Duplicate,
    /// To a command that was [forgotten](Pairing::forget) before its answer came.
    Forgotten,
    /// To no command known: it had no `cmd_id`, was never sent, or is long gone.
    Unmatched,
}

impl<W> Pairing<W> {
    /// No command is in flight; ids begin with 0.
    pub fn new() -> Self {
        Self::counting_from(0)
    }

    /// The same with ids that begin with `first`, at most [`MAX_CMD_ID`]: those below are left to
    /// [`wait_as`](Self::wait_as).
    pub fn counting_from(first: u64) -> Self {
        let first = first.min(MAX_CMD_ID);
        Self {
            first,
            next: first,
            waiting: HashMap::new(),
            gone: HashMap::new(),
            order: VecDeque::new(),
        }
    }

    /// Remembers `waiter`, and gives the id to send the command with: the next one up to
    /// [`MAX_CMD_ID`] that is not in flight, then from the first again.
    pub fn wait(&mut self, waiter: W) -> u64 {
        while self.waiting.contains_key(&self.next) {
            self.next = self.after(self.next);
        }
        let id = self.next;
        self.next = self.after(id);
        self.insert(id, waiter);
        id
    }

    /// Remembers `waiter` for a command that has an id already.
    ///
    /// # Errors
    /// `waiter`, if a command with this id is in flight.
    pub fn wait_as(&mut self, id: u64, waiter: W) -> Result<(), W> {
        if self.waiting.contains_key(&id) {
            return Err(waiter);
        }
        self.insert(id, waiter);
        Ok(())
    }

    /// Finds the command that the answer with this id belongs to.
    pub fn answer(&mut self, cmd_id: u64) -> Match<W> {
        match self.remove(cmd_id, Gone::Answered) {
            Some(waiter) => Match::For(waiter),
            None => match self.gone.get_mut(&cmd_id) {
                Some(Gone::Answered) => Match::Duplicate,
                Some(gone) => {
                    *gone = Gone::Answered;
                    Match::Forgotten
                }
                None => Match::Unmatched,
            },
        }
    }

    /// Forgets a command, and gives what was remembered of it: an answer to it will be
    /// [`Match::Forgotten`].
    pub fn forget(&mut self, cmd_id: u64) -> Option<W> {
        self.remove(cmd_id, Gone::Forgotten)
    }

    /// Whether the command with this id is in flight.
    pub fn is_waiting(&self, cmd_id: u64) -> bool {
        self.waiting.contains_key(&cmd_id)
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
    /// flight afterwards, and ids begin with the first again.
    pub fn lost(&mut self) -> impl Iterator<Item = (u64, W)> + use<W> {
        let lost = std::mem::replace(self, Self::counting_from(self.first));
        lost.waiting.into_iter()
    }
}

impl<W> Pairing<W> {
    fn insert(&mut self, id: u64, waiter: W) {
        self.waiting.insert(id, waiter);
        if self.gone.remove(&id).is_some() {
            self.order.retain(|&gone| gone != id);
        }
    }

    fn after(&self, id: u64) -> u64 {
        if id >= MAX_CMD_ID { self.first } else { id + 1 }
    }

    fn remove(&mut self, cmd_id: u64, how: Gone) -> Option<W> {
        let waiter = self.waiting.remove(&cmd_id)?;
        // Room for a crowd is given back when the crowd is gone.
        if self.waiting.capacity() > KEPT_CAPACITY
            && self.waiting.len() < self.waiting.capacity() / 8
        {
            self.waiting
                .shrink_to(KEPT_CAPACITY.max(self.waiting.len() * 2));
        }
        if self.order.len() == REMEMBERED
            && let Some(oldest) = self.order.pop_front()
        {
            self.gone.remove(&oldest);
        }
        self.order.push_back(cmd_id);
        self.gone.insert(cmd_id, how);
        Some(waiter)
    }
}

impl<W> Default for Pairing<W> {
    fn default() -> Self {
        Self::new()
    }
}
