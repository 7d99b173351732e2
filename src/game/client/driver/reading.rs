use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use bytes::Bytes;
use futures_util::StreamExt;
use futures_util::stream::SplitStream;
use tokio::time::{Instant, timeout_at};

use super::Driver;
use crate::game::client::{
    Answer, CallError, End, KEEP_ALIVE_ID, Note, Notice, Received, Role, SaveError, session_event,
};
use crate::game::schema::event::{Notification, NotifyUser};
use crate::game::schema::response::{OwnedResponse, Response};
use crate::game::transport::connection::Connection;

/// The time limit for a server to close a connection after announcing it.
const CLOSING: Duration = Duration::from_secs(5);

impl Driver {
    /// Reads until the connection ends.
    pub(super) async fn read(&self, stream: &mut SplitStream<Connection>) -> End {
        // Everything up to the identification has been read already.
        let mut position = self.messages.load(Ordering::Relaxed);
        let mut closing: Option<(Notice, Instant)> = None;
        loop {
            self.shared.events.wait_for_capacity().await;
            let next = match &closing {
                None => stream.next().await,
                Some((_, until)) => timeout_at(*until, stream.next()).await.unwrap_or(None),
            };
            let bytes = match (next, closing.take()) {
                (Some(Ok(bytes)), notice) => {
                    closing = notice;
                    bytes
                }
                (_, Some((notice, _))) => return End::by_server(notice),
                (Some(Err(error)), None) => return self.idle_or(End::failed(error)),
                (None, None) => return self.idle_or(End::hung_up()),
            };
            if let Some(notice) = self.received(position, bytes) {
                closing = Some((notice, Instant::now() + CLOSING));
            }
            position += 1;
            self.messages.store(position, Ordering::Relaxed);
        }
    }

    /// Dispatches a message; returns the notice if the server announces that it will close the connection.
    fn received(&self, position: u64, bytes: Bytes) -> Option<Notice> {
        let (role, notice) = match Response::parse_enveloped(&bytes) {
            Ok(Some(response)) => {
                let cmd_id = response.cmd_id();
                if self.reconnect.is_some() {
                    self.log.answered(cmd_id, response.code());
                }
                if cmd_id == KEEP_ALIVE_ID && self.shared.is_keep_alive() {
                    return None;
                }
                (self.answered(position, cmd_id, &bytes), None)
            }
            Ok(None) => {
                if is_idle_warning(&bytes) {
                    self.shared.idle_warning.store(true, Ordering::Relaxed);
                }
                self.queue_replays(&bytes);
                (Role::Event, Notice::of(&bytes))
            }
            Err(_) => (Role::Unreadable, None),
        };
        if role != Role::Answer || self.settings.answers_among_events {
            let received = Received::new(position, role, bytes);
            self.shared.events.push(received);
        }
        notice
    }

    /// Queues the replays that the message announces to be saved.
    fn queue_replays(&self, bytes: &[u8]) {
        let Some(replays) = &self.replays else { return };
        for replay_id in replays.received(bytes) {
            let error = Arc::new(SaveError::TooMany);
            self.note(Note::ReplayNotSaved { replay_id, error });
        }
    }

    /// A server that hangs up after warning of idleness does so because of it.
    fn idle_or(&self, end: End) -> End {
        match end {
            End::HungUp { .. } if self.shared.idle_warning.load(Ordering::Relaxed) => End::Idle,
            end => end,
        }
    }

    fn answered(&self, position: u64, cmd_id: u64, bytes: &Bytes) -> Role {
        let answer = match OwnedResponse::parse_enveloped(bytes.clone()) {
            Ok(Some(response)) => Ok(Answer::new(position, response)),
            Ok(None) => return Role::Unreadable,
            Err(error) => Err(CallError::Damaged(error)),
        };
        self.shared.calls.deliver(cmd_id, answer)
    }
}

/// Whether a server warns that it will close the idle connection.
fn is_idle_warning(bytes: &[u8]) -> bool {
    let notification = session_event::<NotifyUser<'_>>(bytes);
    matches!(notification, Ok(Some(event)) if event.r#type == Some(Notification::IdleWarning))
}
