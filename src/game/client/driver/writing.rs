use std::sync::atomic::Ordering;
use std::time::Duration;

use futures_util::SinkExt;
use futures_util::stream::SplitSink;
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep_until, timeout};

use super::{Driver, failed};
use crate::game::client::flood::Flood;
use crate::game::client::shared::Outgoing;
use crate::game::client::{End, KEEP_ALIVE_ID};
use crate::game::schema::command::Command;
use crate::game::transport::connection::{Connection, ConnectionError};

/// How long one message may take to be written: enough for the largest over a slow line.
const WRITE_LIMIT: Duration = Duration::from_secs(120);

type Messages = SplitSink<Connection, bytes::Bytes>;

/// What the writer does next.
enum Next {
    Send(Outgoing),
    Ping,
    /// Look again: a command may have been dropped, or may be sent now.
    Again,
    /// The last handle is gone.
    NoHandle,
    Close,
}

impl Driver {
    /// Writes until the connection ends or nobody wants it any longer.
    pub(super) async fn write(
        &self,
        sink: &mut Messages,
        mut commands: mpsc::UnboundedReceiver<Outgoing>,
        mut flood: Flood,
    ) -> End {
        let mut held: Option<Outgoing> = None;
        let mut handles = true;
        let mut ping_at = Instant::now() + self.keep_alive;
        loop {
            held = held.filter(|held| self.is_wanted(held));
            if !handles && held.is_none() && self.shared.calls.is_empty() {
                return End::Closed;
            }
            let until = held.as_ref().map(|held| {
                flood
                    .wait(held.weight, Instant::now())
                    .unwrap_or_else(Instant::now)
            });
            let next = tokio::select! {
                () = self.shared.close.cancelled() => Next::Close,
                () = sleep_until(until.unwrap_or(ping_at)), if until.is_some() => {
                    match held.take() {
                        Some(held) => Next::Send(held),
                        None => Next::Again,
                    }
                }
                () = sleep_until(ping_at) => Next::Ping,
                next = commands.recv(), if handles && held.is_none() => match next {
                    Some(next) => {
                        held = Some(next);
                        Next::Again
                    }
                    None => Next::NoHandle,
                },
                () = self.shared.call_ended.notified(), if held.is_some() || !handles => Next::Again,
            };
            let message = match next {
                Next::Again => continue,
                Next::NoHandle => {
                    handles = false;
                    continue;
                }
                Next::Close => {
                    self.write_rest(sink, commands, flood, held).await;
                    return End::Closed;
                }
                Next::Ping => {
                    self.shared.pings.fetch_add(1, Ordering::Relaxed);
                    Command::ping().to_vec(KEEP_ALIVE_ID).into()
                }
                Next::Send(command) => {
                    let now = Instant::now();
                    flood.sent(command.weight, now);
                    if let Some(cmd_id) = command.cmd_id {
                        let deadline = now + self.call_timeout;
                        let shared = &self.shared;
                        shared.deadlines.add(deadline, cmd_id, &shared.calls);
                    }
                    command.bytes.clone()
                }
            };
            let written = tokio::select! {
                written = timeout(WRITE_LIMIT, sink.send(message)) => written,
                () = self.close_grace_elapsed() => return End::Closed,
            };
            match written {
                Ok(Ok(())) => ping_at = Instant::now() + self.keep_alive,
                Ok(Err(error)) => return self.cannot_write(error).await,
                Err(_) => return End::Silent(WRITE_LIMIT),
            }
        }
    }

    /// Writes what was queued before the connection is closed, as far as it may be sent now.
    async fn write_rest(
        &self,
        sink: &mut Messages,
        mut commands: mpsc::UnboundedReceiver<Outgoing>,
        mut flood: Flood,
        held: Option<Outgoing>,
    ) {
        commands.close();
        let mut next = held.or_else(|| commands.try_recv().ok());
        while let Some(command) = next.take() {
            next = commands.try_recv().ok();
            if !self.is_wanted(&command) {
                continue;
            }
            let now = Instant::now();
            if flood.wait(command.weight, now).is_some() {
                return;
            }
            flood.sent(command.weight, now);
            let written = timeout(super::CLOSE_GRACE, sink.send(command.bytes.clone()));
            if !matches!(written.await, Ok(Ok(()))) {
                return;
            }
        }
    }

    /// Whether anybody still waits for it, and it is worth being sent.
    fn is_wanted(&self, command: &Outgoing) -> bool {
        command
            .cmd_id
            .is_none_or(|cmd_id| self.shared.calls.is_waiting(cmd_id))
    }

    /// Waits until a message on its way keeps the end waiting for too long.
    async fn close_grace_elapsed(&self) {
        self.shared.close.cancelled().await;
        tokio::time::sleep(super::CLOSE_GRACE).await;
    }

    /// A server that ends a connection often says why before: what can be read is read first.
    async fn cannot_write(&self, error: ConnectionError) -> End {
        tokio::time::sleep(super::CLOSE_GRACE).await;
        failed(error)
    }
}
