use std::sync::Arc;
use std::sync::atomic::Ordering;

use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

use super::{Driver, Outbox};
use crate::game::client::identification::identified;
use crate::game::client::reconnect::should_reconnect;
use crate::game::client::{CallError, Client, End, LoginError, Note, Reconnect, StartError};
use crate::game::schema::command::Command;
use crate::game::transport::connection::{Address, Connection};

impl Driver {
    /// Cleans up after a lost connection, before reconnecting.
    pub(super) fn lost(&self, end: &End, was_ready: bool) {
        let shared = &self.shared;
        shared.calls.lose_written(end);
        shared.pings.store(0, Ordering::Relaxed);
        shared.idle_warning.store(false, Ordering::Relaxed);
        self.log.lost();
        // A failed attempt belongs to the same gap.
        if was_ready {
            self.note(Note::Gap(end.clone()));
        }
    }

    /// Reconnects: tries until it succeeds or no attempt is left.
    ///
    /// # Errors
    /// How the session ends.
    pub(super) async fn connected(
        &self,
        policy: &Reconnect,
        address: &Address,
        lost: End,
        outbox: &mut Outbox,
        failed: &mut u32,
    ) -> Result<Connection, End> {
        let mut last = StartError::Ended(lost);
        loop {
            if *failed >= policy.attempts || matches!(last, StartError::Protocol { .. }) {
                return Err(End::Unreachable {
                    attempts: *failed,
                    last: Arc::new(last),
                });
            }
            let attempt = async {
                sleep(policy.delay(*failed)).await;
                self.attempt(address).await
            };
            let attempt = tokio::select! {
                () = self.shared.close.cancelled() => return Err(End::Closed),
                attempt = attempt => attempt,
            };
            let unused = outbox.commands.is_closed() && outbox.commands.is_empty();
            if unused && outbox.held.is_none() {
                return Err(End::Closed);
            }
            *failed = failed.saturating_add(1);
            match attempt {
                Ok(connection) => return Ok(connection),
                Err(StartError::Ended(end)) if !should_reconnect(&end) => return Err(end),
                Err(error) => last = error,
            }
        }
    }

    async fn attempt(&self, address: &Address) -> Result<Connection, StartError> {
        // What a server sends before its identification is not held back by a full queue.
        self.shared.events.wait_for_capacity().await;
        let mut connection = self.settings.connector.connect(address).await?;
        let position = self.messages.load(Ordering::Relaxed);
        let events = &self.shared.events;
        let silence = self.settings.keep_alive * super::SILENT_INTERVALS;
        let (position, _) = identified(&mut connection, events, position, silence).await?;
        self.messages.store(position + 1, Ordering::Relaxed);
        Ok(connection)
    }

    /// Restores the session over a new connection, then waits forever.
    ///
    /// The server gives seats in games back by itself after the login, before it does anything else.
    pub(super) async fn restore(&self, ready: &CancellationToken, failed: &mut u32) -> End {
        if !ready.is_cancelled() {
            let (login, commands) = self.log.commands();
            let note = |note| self.note(note);
            if let Err(end) = restore(&self.own_client(), login, commands, note).await {
                return end;
            }
            self.note(Note::Restored);
            ready.cancel();
        }
        if let Some((policy, _)) = &self.reconnect {
            sleep(policy.longest_delay).await;
            *failed = 0;
        }
        std::future::pending().await
    }
}

/// # Errors
/// How the connection ends, if the session cannot be restored over it.
async fn restore(
    client: &Client,
    login: Option<Command>,
    commands: Vec<(Option<u32>, Command)>,
    note: impl Fn(Note),
) -> Result<(), End> {
    let begun = Instant::now();
    let no_answer = |error| match error {
        // The driver reports how the connection ended.
        CallError::NotSent(end) | CallError::Unknown(end) => end,
        _ => End::Silent(begun.elapsed()),
    };
    if let Some(login) = login {
        let answer = client.send(login).await.map_err(no_answer)?;
        let refused = |refused| End::LoginRefused(Arc::new(LoginError::Refused(refused)));
        answer.accepted().map_err(refused)?;
    }
    // Once the last one is answered, the seats have been given back.
    for (room_id, command) in commands.into_iter().chain([(None, Command::ping())]) {
        let kind = command.kinds().next();
        let answer = client.send(command).await.map_err(no_answer)?;
        if let (Err(refused), Some(command)) = (answer.accepted(), kind) {
            note(Note::NotRestored {
                command,
                room_id,
                refused,
            });
        }
    }
    Ok(())
}
