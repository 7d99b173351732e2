//! Pairing answers with commands.
//!
//! An answer carries the `cmd_id` of its command. [`Pairing`] stores a value of the caller for each command in flight.
//! It does no I/O: the caller sends the command with the id that it was given, and passes in each answer.

use std::collections::{HashMap, VecDeque};

/// The highest id that a server returns unchanged: it stores ids as signed 32-bit numbers.
pub const MAX_CMD_ID: u64 = i32::MAX as u64;

/// The number of ids that are remembered after their answer, to tell duplicate and late answers from unknown ones.
const REMEMBERED: usize = 1024;

/// The capacity for commands in flight that is kept when there are few.
const KEPT_CAPACITY: usize = 1024;

/// The commands in flight, each with a value of the caller, such as the handler of its answer.
///
/// The answers in a recording of both directions:
///
/// ```
/// use portreeve::game::frame::Frames;
/// use portreeve::game::pairing::{Match, Pairing};
/// use portreeve::game::{Command, CommandContainer, Message, Response};
///
/// # let (sent, received) = (b"\0\0\0\x0d\xa0\x01\x01\xb2\x06\x07\xca\x3e\x04\x0a\x02hi", b"\0\0\0\x06\x12\x04\x08\x00\x10\x01");
/// let mut pairing = Pairing::default();
/// for frame in Frames::new(sent) {
///     let container = CommandContainer::parse(frame?.message)?;
///     // An error if its `cmd_id` is in use: a client may give all keep-alives the same.
///     let _ = pairing.register_with_id(container.cmd_id(), Command::from_container(&container));
/// }
/// for frame in Frames::new(received) {
///     if let Some(response) = Response::parse_enveloped(frame?.message)?
///         && let Match::For(command) = pairing.take(response.cmd_id())
///     {
///         println!("{command:?}: {:?}", response.code());
///     }
/// }
/// # assert!(pairing.is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// Memory is proportional to the commands in flight. The last 1,024 ids that are no longer in flight are remembered.
#[derive(Clone, Debug)]
pub struct Pairing<W> {
    next: u64,
    waiting: HashMap<u64, W>,
    gone: HashMap<u64, Gone>,
    /// The ids in `gone`, oldest first.
    order: VecDeque<u64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Gone {
    Answered,
    Forgotten,
}

/// The command that an answer belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Match<W> {
    /// The command with this value.
    For(W),
    /// A command that has already been answered.
    Duplicate,
    /// A command that was [forgotten](Pairing::forget) before its answer arrived.
    Forgotten,
    /// No known command: it had no `cmd_id`, was never sent, or is no longer remembered.
    Unmatched,
}

impl<W> Pairing<W> {
    /// Stores `waiter`, and returns the id to send the command with: the next one that is not in flight, up
    /// to [`MAX_CMD_ID`], after which ids start over.
    pub fn register(&mut self, waiter: W) -> u64 {
        while self.waiting.contains_key(&self.next) {
            self.next = after(self.next);
        }
        let id = self.next;
        self.next = after(id);
        self.insert(id, waiter);
        id
    }

    /// Stores `waiter` for a command that already has an id.
    ///
    /// # Errors
    /// `waiter`, if a command with this id is in flight.
    pub fn register_with_id(&mut self, id: u64, waiter: W) -> Result<(), W> {
        if self.waiting.contains_key(&id) {
            return Err(waiter);
        }
        self.insert(id, waiter);
        Ok(())
    }

    /// Whether a command with this id is in flight, or was forgotten and has not been answered since, as far as is known.
    pub fn is_unanswered(&self, id: u64) -> bool {
        self.waiting.contains_key(&id) || self.gone.get(&id) == Some(&Gone::Forgotten)
    }

    /// Takes the command that the answer with this id belongs to: it is no longer in flight.
    pub fn take(&mut self, cmd_id: u64) -> Match<W> {
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

    /// Forgets a command and returns its value. An answer to it will be [`Match::Forgotten`].
    pub fn forget(&mut self, cmd_id: u64) -> Option<W> {
        self.remove(cmd_id, Gone::Forgotten)
    }

    /// The value of the command with this id, if it is in flight.
    pub fn get(&self, cmd_id: u64) -> Option<&W> {
        self.waiting.get(&cmd_id)
    }

    /// The number of commands in flight.
    pub fn len(&self) -> usize {
        self.waiting.len()
    }

    /// Whether no command is in flight.
    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Takes every command in flight with its id, in no particular order, as when the connection is lost. None is in
    /// flight afterwards, and ids start over.
    pub fn drain(&mut self) -> impl Iterator<Item = (u64, W)> + use<W> {
        std::mem::take(self).waiting.into_iter()
    }
}

impl<W> Pairing<W> {
    pub(in crate::game) fn insert(&mut self, id: u64, waiter: W) {
        self.waiting.insert(id, waiter);
        if self.gone.remove(&id).is_some() {
            self.order.retain(|&gone| gone != id);
        }
    }

    fn remove(&mut self, cmd_id: u64, how: Gone) -> Option<W> {
        let waiter = self.waiting.remove(&cmd_id)?;
        // Releases memory after a peak.
        let (waiting, capacity) = (self.waiting.len(), self.waiting.capacity());
        if capacity > KEPT_CAPACITY && waiting < capacity / 8 {
            self.waiting.shrink_to(KEPT_CAPACITY.max(waiting * 2));
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

fn after(id: u64) -> u64 {
    if id >= MAX_CMD_ID { 0 } else { id + 1 }
}

impl<W> Default for Pairing<W> {
    /// No commands in flight; ids start at 0.
    fn default() -> Self {
        Self { next: 0, waiting: HashMap::new(), gone: HashMap::new(), order: VecDeque::new() }
    }
}
