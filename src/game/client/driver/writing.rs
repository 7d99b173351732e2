use std::pin::pin;
use std::sync::atomic::Ordering;
use std::time::Duration;

use futures_util::SinkExt;
use tokio::time::{Instant, sleep_until, timeout};
use tokio_util::sync::CancellationToken;

use super::{Driver, Messages, Outbox};
use crate::game::client::flood::Flood;
use crate::game::client::session_state::Outgoing;
use crate::game::client::{End, KEEP_ALIVE_ID};
use crate::game::schema::command::{Command, CommandContainer, CommandKind, SessionCommandKind};
use crate::game::transport::connection::ConnectionError;

/// The time limit for writing one message: enough for the largest over a slow line.
const WRITE_LIMIT: Duration = Duration::from_secs(120);

/// The time for which closing waits for replays.
const REPLAY_GRACE: Duration = Duration::from_secs(10);

/// The next action of the writer.
enum Next {
    Send(Outgoing),
    Ping,
    /// Start over: a command may have been dropped, or may now be sent.
    Again,
    /// The last handle is gone.
    NoHandle,
    Close,
    /// No replay is left to be saved, or waiting for them took too long.
    Settled,
}

impl Driver {
    /// Writes until the connection ends or is no longer used. Until the session is `ready`, only the client's
    /// own commands are written.
    pub(super) async fn write(
        &self,
        sink: &mut Messages,
        outbox: &mut Outbox,
        ready: &CancellationToken,
    ) -> End {
        let mut flood = Flood::new(self.settings.flood_limits);
        let mut handles = true;
        let mut closing = false;
        let mut settled = pin!(self.settled());
        let mut ping_at = Instant::now() + self.settings.keep_alive;
        loop {
            let Outbox {
                own,
                commands,
                held,
            } = &mut *outbox;
            held.take_if(|held| !self.is_wanted(held));
            if !handles && held.is_none() && self.shared.calls.len() == 0 {
                self.shared.close.cancel();
            }
            let is_ready = ready.is_cancelled();
            let until = held.as_ref().filter(|_| is_ready).map(|held| {
                flood
                    .wait(held.weight, Instant::now())
                    .unwrap_or_else(Instant::now)
            });
            let next = tokio::select! {
                () = self.shared.close.cancelled(), if !closing => Next::Close,
                () = &mut settled, if closing => Next::Settled,
                Some(own) = own.recv() => Next::Send(own),
                () = sleep_until(until.unwrap_or(ping_at)), if until.is_some() => {
                    match held.take().filter(|held| self.is_wanted(held)) {
                        Some(held) => Next::Send(held),
                        // Dropped while it waited.
                        None => Next::Again,
                    }
                }
                () = sleep_until(ping_at) => Next::Ping,
                next = commands.recv(), if handles && held.is_none() && is_ready => match next {
                    Some(next) => {
                        *held = Some(next);
                        Next::Again
                    }
                    None => Next::NoHandle,
                },
                () = ready.cancelled(), if !is_ready => Next::Again,
                () = self.shared.call_ended.notified(), if held.is_some() || !handles => Next::Again,
            };
            let message = match next {
                Next::Again => continue,
                Next::NoHandle => {
                    handles = false;
                    continue;
                }
                Next::Close => {
                    self.write_rest(sink, outbox, &mut flood, is_ready).await;
                    (closing, handles) = (true, false);
                    continue;
                }
                Next::Settled => return End::Closed,
                Next::Ping => {
                    self.shared.pings.fetch_add(1, Ordering::Relaxed);
                    Command::ping().to_vec(KEEP_ALIVE_ID).into()
                }
                Next::Send(command) => {
                    let now = Instant::now();
                    flood.sent(command.weight, now);
                    self.is_written(&command, now);
                    command.bytes.clone()
                }
            };
            let written = tokio::select! {
                written = timeout(WRITE_LIMIT, sink.send(message)) => written,
                () = self.close_grace_elapsed() => return End::Closed,
            };
            match written {
                Ok(Ok(())) => ping_at = Instant::now() + self.settings.keep_alive,
                Ok(Err(error)) => return self.cannot_write(error).await,
                Err(_) => return End::Silent(WRITE_LIMIT),
            }
        }
    }

    /// Writes the queued commands before closing, as far as the flood limits allow now.
    async fn write_rest(
        &self,
        sink: &mut Messages,
        outbox: &mut Outbox,
        flood: &mut Flood,
        is_ready: bool,
    ) {
        outbox.commands.close();
        let mut next = outbox.held.take();
        if !is_ready {
            return;
        }
        while let Some(command) = next.take().or_else(|| outbox.commands.try_recv().ok()) {
            if !self.is_wanted(&command) {
                continue;
            }
            let now = Instant::now();
            if flood.wait(command.weight, now).is_some() {
                return;
            }
            self.is_written(&command, now);
            flood.sent(command.weight, now);
            let written = timeout(super::CLOSE_GRACE, sink.send(command.bytes.clone()));
            if !matches!(written.await, Ok(Ok(()))) {
                return;
            }
        }
    }

    /// Records that a command is being written.
    fn is_written(&self, command: &Outgoing, now: Instant) {
        if self.reconnect.is_some() {
            self.log.sent(&command.bytes);
        }
        if let Some(replays) = &self.replays {
            replays.sent(&command.bytes);
        }
        if is_activity(&command.bytes) {
            self.shared.idle_warning.store(false, Ordering::Relaxed);
        }
        if let Some(cmd_id) = command.cmd_id {
            let deadline = now + self.settings.call_timeout;
            self.shared.calls.is_written(cmd_id, deadline);
        }
    }

    /// Waits until closing need not wait for replays any longer.
    async fn settled(&self) {
        if let Some(replays) = &self.replays {
            // Fails if it takes too long; what is left is reported when the session ends.
            let _ = timeout(REPLAY_GRACE, replays.settled()).await;
        }
    }

    /// Whether a caller still waits for the answer.
    fn is_wanted(&self, command: &Outgoing) -> bool {
        command
            .cmd_id
            .is_none_or(|cmd_id| self.shared.calls.is_awaited(cmd_id))
    }

    /// Waits for the close request, and then for the time by which a message that is being written may delay the
    /// close.
    async fn close_grace_elapsed(&self) {
        self.shared.close.cancelled().await;
        tokio::time::sleep(super::CLOSE_GRACE).await;
    }

    /// A server often explains why it ends a connection: gives the reader time to receive that first.
    async fn cannot_write(&self, error: ConnectionError) -> End {
        tokio::time::sleep(super::CLOSE_GRACE).await;
        End::failed(error)
    }
}

/// Whether a server counts a command as activity: session commands are not, except private messages.
fn is_activity(container: &[u8]) -> bool {
    let session = |kind| matches!(kind, CommandKind::Session(kind) if kind != SessionCommandKind::UserMessage);
    CommandContainer::parse(container).is_ok_and(|container| !container.kinds().all(session))
}
