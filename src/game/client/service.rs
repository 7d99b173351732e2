use std::fmt;
use std::future::ready;
use std::sync::Arc;
use std::task::{self, Context, Poll};

use bytes::Bytes;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc, oneshot};
use tokio_util::sync::PollSemaphore;
use tower::{Service, ServiceExt};
use zeroize::Zeroizing;

use super::flood::Weight;
use super::shared::{Outgoing, Shared};
use super::{Answer, CallError, End, FIRST_CMD_ID, RequestError, session_event};
use crate::game::schema::command::Command;
use crate::game::schema::event::ServerIdentification;

/// A session with a game server: a [`tower::Service`] from commands to their answers.
///
/// Clones share the connection. It is closed by [`close`](Self::close), or without any clone and call in flight.
///
/// `poll_ready` waits while [`max_in_flight`](super::Settings::max_in_flight) calls are in flight, and fails once the
/// connection has ended. `call` panics before `poll_ready` has succeeded, of which [`send`](Self::send) takes care.
///
/// A call can be dropped at any time. If its command has not been written yet, it never will be; otherwise its answer is
/// among the events, as [`Role::Abandoned`](super::Role::Abandoned).
pub struct Client {
    shared: Arc<Shared>,
    commands: mpsc::UnboundedSender<Outgoing>,
    slots: PollSemaphore,
    slot: Option<OwnedSemaphorePermit>,
}

/// The future of an [`Answer`]. Its command is queued even if this is never polled; if it is dropped, see [`Client`].
pub type ResponseFuture = BoxFuture<'static, Result<Answer, CallError>>;

impl Client {
    pub(super) fn new(
        shared: Arc<Shared>,
        commands: mpsc::UnboundedSender<Outgoing>,
        slots: Arc<Semaphore>,
    ) -> Self {
        Self { shared, commands, slots: PollSemaphore::new(slots), slot: None }
    }

    /// Sends a command and waits for its answer: a shorthand for calling the service.
    ///
    /// # Errors
    /// [`CallError`] if there is no answer. A refusal by the server is an answer.
    pub async fn send(&self, command: Command) -> Result<Answer, CallError> {
        self.clone().oneshot(command).await
    }

    /// Sends a command that is to be accepted, and waits for its answer.
    ///
    /// # Errors
    /// [`RequestError`] if there is no answer, or the server refuses.
    pub async fn request(&self, command: Command) -> Result<Answer, RequestError> {
        Ok(self.send(command).await?.into_accepted()?)
    }

    /// Sends a `CommandContainer` unchanged, with its own `cmd_id`. Its answer is among the events, as
    /// [`Role::Unmatched`](super::Role::Unmatched): this is for bridges, whose other side pairs answers with commands.
    ///
    /// It is queued and counted like any command; this method waits until there is room for it. If calls are made as
    /// well, its `cmd_id` should be below [`FIRST_CMD_ID`](super::FIRST_CMD_ID), so that no call takes its answer.
    ///
    /// # Errors
    /// [`CallError::NotSent`] if the connection has ended, [`CallError::TooLong`] if the server would refuse it.
    pub async fn send_raw(&self, container: &[u8]) -> Result<(), CallError> {
        let ended = || self.shared.not_sent();
        self.check_length(container.len())?;
        let slot = self.shared.slots.clone().acquire_owned().await;
        // For a moment after the end there are places left.
        let slot = slot.ok().filter(|_| self.shared.end().is_none());
        let outgoing = Outgoing {
            call: None,
            // Zeroized once it is written, like that of a call.
            bytes: Bytes::from_owner(Zeroizing::new(container.to_vec())),
            weight: Weight::measure(container),
            _slot: Arc::new(slot.ok_or_else(ended)?),
        };
        self.commands.send(outgoing).map_err(|_| ended())
    }

    /// Like `call` of the [`Service`], and after `poll_ready` too, but with a given `cmd_id`. It must be
    /// below [`FIRST_CMD_ID`](super::FIRST_CMD_ID) and not belong to a command in flight.
    ///
    /// # Panics
    /// If `poll_ready` has not succeeded since the last call, as `call` does.
    pub fn call_with_id(&mut self, cmd_id: u64, command: Command) -> ResponseFuture {
        if cmd_id < FIRST_CMD_ID {
            self.begin(cmd_id, command)
        } else {
            ready(Err(CallError::CmdId { cmd_id })).boxed()
        }
    }

    /// The identification that the server sent at the start of the first connection.
    pub fn server(&self) -> ServerIdentification<'_> {
        // It was read before the session began.
        session_event(&self.shared.identification).ok().flatten().unwrap_or_default()
    }

    /// Sends the queued commands as far as the flood limits allow, then closes the connection. Calls in
    /// flight end with [`CallError::Unknown`] or [`CallError::NotSent`].
    pub async fn close(&self) {
        self.begin_close();
        self.shared.ended().await;
    }

    pub(super) fn begin_close(&self) {
        self.shared.close.cancel();
    }

    /// Waits for the end of the connection.
    pub async fn ended(&self) -> End {
        self.shared.ended().await
    }

    fn begin(&mut self, cmd_id: u64, command: Command) -> ResponseFuture {
        let slot = self.slot.take();
        let slot = Arc::new(slot.expect("`poll_ready` must succeed before `call`"));
        let bytes = Zeroizing::new(command.to_vec(cmd_id));
        if let Err(error) = self.check_length(bytes.len()) {
            return ready(Err(error)).boxed();
        }
        let (caller, outcome) = oneshot::channel();
        // If the receiver is gone, the session has ended, and so has the call.
        let _ = self.commands.send(Outgoing {
            call: Some((cmd_id, caller)),
            weight: Weight::measure(&bytes),
            bytes: Bytes::from_owner(bytes),
            _slot: slot.clone(),
        });
        let shared = self.shared.clone();
        // Keep the session open, and the call's place taken, until there is an outcome.
        let held = (self.commands.clone(), slot);
        outcome
            .map(move |outcome| {
                drop(held);
                outcome.unwrap_or_else(|_| Err(shared.not_sent()))
            })
            .boxed()
    }

    fn check_length(&self, length: usize) -> Result<(), CallError> {
        let limit = self.shared.send_limit;
        (length <= limit).then_some(()).ok_or(CallError::TooLong { length, limit })
    }
}

impl Service<Command> for Client {
    type Response = Answer;
    type Error = CallError;
    type Future = ResponseFuture;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), CallError>> {
        if let Some(end) = self.shared.end() {
            return Poll::Ready(Err(CallError::NotSent(end)));
        }
        if self.slot.is_none() {
            self.slot = task::ready!(self.slots.poll_acquire(cx));
        }
        let is_ready = self.slot.is_some();
        Poll::Ready(is_ready.then_some(()).ok_or_else(|| self.shared.not_sent()))
    }

    fn call(&mut self, command: Command) -> ResponseFuture {
        self.begin(self.shared.next_cmd_id(), command)
    }
}

/// The slot that `poll_ready` acquired is not shared.
impl Clone for Client {
    fn clone(&self) -> Self {
        Self::new(self.shared.clone(), self.commands.clone(), self.slots.clone_inner())
    }
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shared = &self.shared;
        f.debug_struct("Client")
            .field("in_flight", &(shared.max_in_flight - shared.slots.available_permits()))
            .field("end", &shared.end())
            .finish_non_exhaustive()
    }
}
