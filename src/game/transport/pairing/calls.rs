use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::sync::oneshot;

use super::pending::{Answer, Pairing};

/// Tasks that wait for answers.
///
/// The task that owns the connection keeps this; others get a [`Call`] each. What an answer is,
/// `T`, is up to the caller: the bytes of the response, or what was read from them.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// use portreeve::game::pairing::{Calls, Undelivered};
///
/// let mut calls = Calls::new();
/// let (id, call) = calls.call();
/// calls.deliver(id, "done").unwrap();
/// assert_eq!(call.await, Ok("done"));
/// assert_eq!(calls.deliver(id, "again"), Err(Undelivered::Duplicate("again")));
///
/// let (_, call) = calls.call();
/// drop(calls);
/// assert!(call.await.is_err());
/// # }
/// ```
#[derive(Debug)]
pub struct Calls<T>(Pairing<oneshot::Sender<T>>);

/// The future of an answer, made by [`Calls::call`]. Dropping it abandons the call.
#[derive(Debug)]
#[must_use = "an answer that nobody waits for is undelivered"]
pub struct Call<T>(oneshot::Receiver<T>);

/// The connection was lost before the answer came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConnectionLost;

/// An answer that no task waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Undelivered<T> {
    /// It belongs to no call.
    Unmatched(T),
    /// Its call was answered before.
    Duplicate(T),
    /// The [`Call`] was dropped.
    Abandoned(T),
}

// === impl Calls ===

impl<T> Calls<T> {
    /// No call is in flight; ids begin with 0.
    pub fn new() -> Self {
        Self(Pairing::new())
    }

    /// The id to send a command with, and the future of its answer.
    pub fn call(&mut self) -> (u64, Call<T>) {
        let (sender, receiver) = oneshot::channel();
        (self.0.wait(sender), Call(receiver))
    }

    /// Hands an answer to the task that waits for it.
    ///
    /// # Errors
    /// [`Undelivered`] with the answer, if no task waits for it.
    pub fn deliver(&mut self, cmd_id: u64, answer: T) -> Result<(), Undelivered<T>> {
        match self.0.answer(cmd_id) {
            Answer::For(task) => task.send(answer).map_err(Undelivered::Abandoned),
            Answer::Duplicate => Err(Undelivered::Duplicate(answer)),
            Answer::Unmatched => Err(Undelivered::Unmatched(answer)),
        }
    }

    /// The connection is lost: every call ends with [`ConnectionLost`]. Dropping does the same.
    pub fn lost(&mut self) {
        self.0.lost().for_each(drop);
    }

    /// How many calls are in flight.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether no call is in flight.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl<T> Default for Calls<T> {
    fn default() -> Self {
        Self::new()
    }
}

// === impl Call ===

impl<T> Future for Call<T> {
    type Output = Result<T, ConnectionLost>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        Pin::new(&mut self.0)
            .poll(context)
            .map_err(|_| ConnectionLost)
    }
}

// === impl ConnectionLost ===

impl fmt::Display for ConnectionLost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the connection to the game server was lost before the answer came")
    }
}

impl std::error::Error for ConnectionLost {}
