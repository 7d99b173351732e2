use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};

use tokio::sync::oneshot;

use super::pending::{Match, Pairing};

/// The tasks that wait for answers.
///
/// The owner of the connection keeps this, and each waiting task has a [`Call`]. The type of an answer, `T`,
/// is up to the caller: the bytes of the response, or something read from them.
///
/// Memory is proportional to the calls in flight: a [`Call`] that is dropped is forgotten immediately.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// use portreeve::game::pairing::{Calls, Undelivered};
///
/// let calls = Calls::new();
/// let (id, call) = calls.call();
/// calls.deliver(id, "done").unwrap();
/// assert_eq!(call.await, Ok("done"));
/// assert_eq!(calls.deliver(id, "again"), Err(Undelivered::Duplicate("again")));
///
/// let (id, call) = calls.call();
/// drop(call);
/// assert_eq!(calls.deliver(id, "late"), Err(Undelivered::Abandoned("late")));
///
/// let (_, call) = calls.call();
/// drop(calls);
/// assert!(call.await.is_err());
/// # }
/// ```
#[derive(Debug)]
pub struct Calls<T>(Arc<Mutex<State<T>>>);

/// The future of an answer, made by [`Calls::call`]. Dropping it abandons the call.
#[derive(Debug)]
#[must_use = "dropping a call abandons its answer"]
pub struct Call<T> {
    cmd_id: u64,
    answer: oneshot::Receiver<T>,
    state: Arc<Mutex<State<T>>>,
}

/// The connection was lost before the answer arrived.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConnectionLost;

/// An answer that no task waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Undelivered<T> {
    /// The answer belongs to no call.
    Unmatched(T),
    /// Its call has already been answered.
    Duplicate(T),
    /// The [`Call`] was dropped.
    Abandoned(T),
}

#[derive(Debug)]
struct State<T> {
    waiting: Pairing<oneshot::Sender<T>>,
    lost: bool,
}

// === impl Calls ===

impl<T> Calls<T> {
    /// No calls in flight; ids start at 0.
    pub fn new() -> Self {
        Self::counting_from(0)
    }

    /// Like [`new`](Self::new), but ids start at `first`, at most [`MAX_CMD_ID`](super::MAX_CMD_ID); lower
    /// ones are left to [`call_as`](Self::call_as).
    pub fn counting_from(first: u64) -> Self {
        Self(Arc::new(Mutex::new(State {
            waiting: Pairing::counting_from(first),
            lost: false,
        })))
    }

    /// The id to send a command with, and the future of its answer.
    ///
    /// Once the connection is [lost](Self::lost), the future immediately ends with [`ConnectionLost`].
    pub fn call(&self) -> (u64, Call<T>) {
        let (sender, answer) = oneshot::channel();
        let mut state = lock(&self.0);
        let cmd_id = state.waiting.wait(sender);
        (cmd_id, self.begun(cmd_id, answer, state))
    }

    /// The future of the answer to a command that already has an id; `None` if a command with this id is in
    /// flight.
    pub fn call_as(&self, cmd_id: u64) -> Option<Call<T>> {
        let (sender, answer) = oneshot::channel();
        let mut state = lock(&self.0);
        state.waiting.wait_as(cmd_id, sender).ok()?;
        Some(self.begun(cmd_id, answer, state))
    }

    fn begun(
        &self,
        cmd_id: u64,
        answer: oneshot::Receiver<T>,
        mut state: MutexGuard<'_, State<T>>,
    ) -> Call<T> {
        if state.lost {
            state.waiting.forget(cmd_id);
        }
        Call {
            cmd_id,
            answer,
            state: self.0.clone(),
        }
    }

    /// Delivers an answer to the task that waits for it.
    ///
    /// # Errors
    /// [`Undelivered`] with the answer, if no task waits for it.
    pub fn deliver(&self, cmd_id: u64, answer: T) -> Result<(), Undelivered<T>> {
        let found = lock(&self.0).waiting.answer(cmd_id);
        match found {
            Match::For(task) => task.send(answer).map_err(Undelivered::Abandoned),
            Match::Duplicate => Err(Undelivered::Duplicate(answer)),
            Match::Forgotten => Err(Undelivered::Abandoned(answer)),
            Match::Unmatched => Err(Undelivered::Unmatched(answer)),
        }
    }

    /// Ends a call with an `answer` that is not the server's, such as a timeout. If the server answers
    /// later, that answer is [`Undelivered::Abandoned`].
    ///
    /// # Errors
    /// `answer` if no task waits for one.
    pub fn give_up(&self, cmd_id: u64, answer: T) -> Result<(), T> {
        let task = lock(&self.0).waiting.forget(cmd_id);
        match task {
            Some(task) => task.send(answer),
            None => Err(answer),
        }
    }

    /// Whether a task waits for the answer to this command.
    pub fn is_waiting(&self, cmd_id: u64) -> bool {
        lock(&self.0).waiting.is_waiting(cmd_id)
    }

    /// Handles the loss of the connection: every call ends with [`ConnectionLost`], future calls included.
    /// Dropping does the same.
    pub fn lost(&self) {
        let waiting = {
            let mut state = lock(&self.0);
            state.lost = true;
            state.waiting.lost()
        };
        drop(waiting);
    }

    /// The number of calls in flight.
    pub fn len(&self) -> usize {
        lock(&self.0).waiting.len()
    }

    /// Whether no call is in flight.
    pub fn is_empty(&self) -> bool {
        lock(&self.0).waiting.is_empty()
    }
}

impl<T> Default for Calls<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> Drop for Calls<T> {
    fn drop(&mut self) {
        self.lost();
    }
}

// === impl Call ===

impl<T> Call<T> {
    /// The id of the command.
    pub fn cmd_id(&self) -> u64 {
        self.cmd_id
    }
}

impl<T> Future for Call<T> {
    type Output = Result<T, ConnectionLost>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        Pin::new(&mut self.answer)
            .poll(context)
            .map_err(|_| ConnectionLost)
    }
}

impl<T> Drop for Call<T> {
    fn drop(&mut self) {
        // Most calls have been answered, which can be seen without a lock.
        if !self.answer.is_terminated() {
            // Forgets nothing if the answer has arrived but was not polled.
            let forgotten = lock(&self.state).waiting.forget(self.cmd_id);
            drop(forgotten);
        }
    }
}

// === impl ConnectionLost ===

impl fmt::Display for ConnectionLost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the connection to the game server was lost before the answer arrived")
    }
}

impl std::error::Error for ConnectionLost {}

/// No code that can panic runs under this lock.
fn lock<T>(state: &Mutex<State<T>>) -> MutexGuard<'_, State<T>> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}
