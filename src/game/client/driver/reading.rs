use std::sync::atomic::Ordering;
use std::time::Duration;

use bytes::Bytes;
use futures_util::StreamExt;
use futures_util::stream::SplitStream;
use tokio::time::{Instant, timeout_at};

use super::{Driver, failed, hung_up};
use crate::game::client::end::Notice;
use crate::game::client::{Answer, CallError, End, KEEP_ALIVE_ID, Received, Role};
use crate::game::schema::ServerMessage;
use crate::game::schema::event::ConnectionClosed;
use crate::game::schema::response::{OwnedResponse, Response};
use crate::game::transport::connection::Connection;
use crate::game::transport::pairing::Undelivered;

/// How long a server may take to close a connection after it said that it would.
const CLOSING: Duration = Duration::from_secs(5);

impl Driver {
    /// Reads until the connection ends.
    pub(super) async fn read(&self, stream: &mut SplitStream<Connection>) -> End {
        // What came up to the identification was read before.
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
                (Some(Err(error)), None) => return failed(error),
                (None, None) => return hung_up(),
            };
            if let Some(notice) = self.received(position, bytes) {
                closing = Some((notice, Instant::now() + CLOSING));
            }
            position += 1;
            self.messages.store(position, Ordering::Relaxed);
        }
    }

    /// Hands a message to whom it is for; gives the server's last words, if they are that.
    fn received(&self, position: u64, bytes: Bytes) -> Option<Notice> {
        let (role, notice) = match Response::parse_enveloped(&bytes) {
            Ok(Some(response)) => {
                let cmd_id = response.cmd_id();
                if cmd_id == KEEP_ALIVE_ID && self.shared.is_sign_of_life() {
                    return None;
                }
                (self.answered(position, cmd_id, &bytes), None)
            }
            Ok(None) => (Role::Event, close_notice(&bytes)),
            Err(_) => (Role::Unreadable, None),
        };
        if role != Role::Answer || self.answers_among_events {
            let received = Received::new(position, role, bytes);
            self.shared.events.push(received);
        }
        notice
    }

    fn answered(&self, position: u64, cmd_id: u64, bytes: &Bytes) -> Role {
        let answer = match OwnedResponse::parse_enveloped(bytes.clone()) {
            Ok(Some(response)) => Ok(Answer::new(position, response)),
            Ok(None) => return Role::Unreadable,
            Err(error) => Err(CallError::Damaged(error)),
        };
        match self.shared.calls.deliver(cmd_id, answer) {
            Ok(()) => Role::Answer,
            Err(Undelivered::Unmatched(_)) => Role::Unmatched,
            Err(Undelivered::Duplicate(_)) => Role::Duplicate,
            Err(Undelivered::Abandoned(_)) => Role::Abandoned,
        }
    }
}

/// What a server says before it closes the connection, if this is it.
pub(in crate::game::client) fn close_notice(bytes: &[u8]) -> Option<Notice> {
    let event = ServerMessage::parse(bytes).ok()?.session_event().ok()??;
    let closed = event.get::<ConnectionClosed<'_>>().ok()?;
    closed.as_ref().map(Notice::new)
}
