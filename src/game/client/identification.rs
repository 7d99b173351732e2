//! The server's identification, with which a session begins.

use std::time::Duration;

use bytes::Bytes;
use futures_util::StreamExt;
use tokio::time::{Instant, timeout_at};

use super::queue::Queue;
use super::{End, Notice, PROTOCOL, Received, Role, StartError};
use crate::game::schema::ServerMessage;
use crate::game::schema::event::ServerIdentification;
use crate::game::transport::connection::Connection;

/// The maximum number of events before the identification, and of their bytes in total.
const BEFORE_IDENTIFICATION: u64 = 16;
const BYTES_BEFORE_IDENTIFICATION: usize = 1 << 20;

/// Waits for the identification; returns it with its position, usually `first`. It is among the events too.
pub(super) async fn identify(
    connection: &mut Connection,
    events: &Queue,
    first: u64,
    silence: Duration,
) -> Result<(u64, Bytes), StartError> {
    let until = Instant::now() + silence;
    let mut remaining = BYTES_BEFORE_IDENTIFICATION;
    for position in first..first + BEFORE_IDENTIFICATION {
        let bytes = match timeout_at(until, connection.next()).await {
            Ok(Some(Ok(bytes))) => bytes,
            Ok(Some(Err(error))) => return Err(StartError::Ended(End::failed(error))),
            Ok(None) => return Err(StartError::Ended(End::hung_up())),
            Err(_) => return Err(StartError::Ended(End::Silent(silence))),
        };
        remaining = remaining.checked_sub(bytes.len()).ok_or(StartError::NoServer)?;
        let identified = is_identification(&bytes)?;
        events.push(Received::new(position, Role::Event, bytes.clone()));
        if identified {
            return Ok((position, bytes));
        }
    }
    Err(StartError::NoServer)
}

/// Whether a message is the identification of a compatible server; an error if none can follow.
fn is_identification(bytes: &[u8]) -> Result<bool, StartError> {
    let message = ServerMessage::parse(bytes).map_err(|_| StartError::NoServer)?;
    let event = message.session_event().map_err(|_| StartError::NoServer)?;
    if let Some(notice) = Notice::read(bytes) {
        return Err(StartError::Ended(End::by_server(notice)));
    }
    let in_room = message.room_event.is_present() || message.game_event_container.is_present();
    let server: Option<ServerIdentification<'_>> = match event {
        Some(event) => event.get().map_err(|_| StartError::NoServer)?,
        None if in_room => None,
        // An answer, or a message without an event.
        None => return Err(StartError::NoServer),
    };
    match server.map(|server| server.protocol_version()) {
        None => Ok(false),
        Some(PROTOCOL) => Ok(true),
        Some(found) => Err(StartError::Protocol { found, expected: PROTOCOL }),
    }
}
