use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::{BoxFuture, OptionFuture};
use tokio::time::sleep;

use super::Driver;
use super::link::Link;
use crate::game::client::identification::identify;
use crate::game::client::reconnect::{may_pass, should_reconnect};
use crate::game::client::shared::Outgoing;
use crate::game::client::{CallError, End, Note, Reconnect, StartError};
use crate::game::schema::command::Command;
use crate::game::transport::connection::{Address, Connection};

impl Driver {
    pub(super) fn lost(&mut self, end: &End, policy: &Reconnect, link: Link) {
        self.calls.lose(end);
        self.pings = 0;
        self.idle_warning = false;
        self.log.lost();
        // What was queued for the lost connection is repeated over the next one, once the session is restored.
        while self.own.try_recv().is_ok() {}
        // A failed attempt belongs to the same gap.
        if self.restoring.take().is_none() {
            if link.ready_since.elapsed() >= policy.longest_delay {
                self.failed = 0;
            }
            self.note(Note::Gap(end.clone()));
        }
    }

    /// Reconnects: tries until it succeeds or no attempt is left.
    pub(super) async fn connected(
        &mut self,
        policy: &Reconnect,
        address: &Address,
        lost: End,
    ) -> Result<Connection, End> {
        let close = self.shared.close.clone();
        let mut last = StartError::Lost(lost);
        loop {
            if self.failed >= policy.attempts || !may_pass(&last, true) {
                let (attempts, last) = (self.failed, Arc::new(last));
                return Err(End::Unreachable { attempts, last });
            }
            let delay = policy.delay_after(self.failed, &last);
            let attempt = async {
                if !self.is_needed_for(delay).await {
                    return Err(StartError::Ended(End::Closed));
                }
                self.failed = self.failed.saturating_add(1);
                self.attempt(address).await
            };
            let attempt = tokio::select! {
                () = close.cancelled() => return Err(End::Closed),
                attempt = attempt => attempt,
            };
            match attempt {
                Ok(_) if self.is_unused() => return Err(End::Closed),
                Ok(connection) => return Ok(connection),
                Err(StartError::Ended(end)) if !should_reconnect(&end) => return Err(end),
                Err(error) => last = error,
            }
        }
    }

    /// Waits for this long; `false` as soon as nobody needs the session any more.
    async fn is_needed_for(&mut self, delay: Duration) -> bool {
        let mut pause = pin!(sleep(delay));
        loop {
            tokio::select! {
                () = &mut pause => return !self.is_unused(),
                Some(()) = OptionFuture::from(self.held.as_mut().map(Outgoing::abandoned)) => self.held = None,
                command = self.commands.recv(), if self.held.is_none() => match command {
                    Some(command) => self.held = Some(command),
                    None => return false,
                },
            }
        }
    }

    async fn attempt(&mut self, address: &Address) -> Result<Connection, StartError> {
        // What a server sends before its identification is not held back by a full queue. Its number of messages does
        // not count, since calls may wait for the connection.
        while self.shared.events.is_full(|| true) {
            self.shared.events.freed().await;
        }
        let mut connection = self.settings.connector.connect(address).await?;
        let (events, silence) = (&self.shared.events, self.settings.silence());
        let identified = identify(&mut connection, events, self.position, silence).await?;
        self.position = identified.0 + 1;
        Ok(connection)
    }

    /// Restores the session over a new connection; returns what to say about that, or how the connection ends.
    ///
    /// The server gives seats in games back by itself after the login, before it does anything else.
    pub(super) fn restore(&self) -> BoxFuture<'static, Result<Vec<Note>, End>> {
        let ((login, commands), client) = (self.log.commands(), self.own_client.clone());
        let restored = async move {
            let no_answer = |error| match error {
                // The driver reports how the connection ended.
                CallError::NotSent(end) | CallError::Unknown(end) => end,
                error => End::NotRestored(Arc::new(error)),
            };
            if let Some(login) = login {
                let answer = client.send(login).await.map_err(no_answer)?;
                answer.into_accepted().map_err(End::LoginRefused)?;
            }
            let mut notes = Vec::new();
            // Once the last one is answered, the seats have been given back.
            for (room_id, command) in commands.into_iter().chain([(None, Command::ping())]) {
                let kind = command.kinds().next();
                let answer = client.send(command).await.map_err(no_answer)?;
                if let (Err(refused), Some(command)) = (answer.into_accepted(), kind) {
                    notes.push(Note::NotRestored { command, room_id, refused });
                }
            }
            notes.push(Note::Restored);
            Ok(notes)
        };
        restored.boxed()
    }
}
