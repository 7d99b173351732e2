//! The server's word who it is, which a session begins with.

use std::time::Duration;

use bytes::Bytes;
use futures_util::StreamExt;
use tokio::time::{Instant, timeout_at};

use super::queue::Queue;
use super::{End, Notice, PROTOCOL, Received, Role, StartError};
use crate::game::schema::ServerMessage;
use crate::game::schema::event::ServerIdentification;
use crate::game::transport::connection::Connection;

/// How many events may come before the server says who it is.
const BEFORE_IDENTIFICATION: u64 = 16;

/// Waits until the server says who it is; gives that message, and its position. It is the first
/// as a rule, with the position `first`. Whatever comes before is among the events, as it is itself.
///
/// # Errors
/// [`StartError`] if it does not say so within this silence, or is none that can be talked to.
pub(super) async fn identified(
    connection: &mut Connection,
    events: &Queue,
    first: u64,
    silence: Duration,
) -> Result<(u64, Bytes), StartError> {
    let until = Instant::now() + silence;
    for position in first..first + BEFORE_IDENTIFICATION {
        let bytes = match timeout_at(until, connection.next()).await {
            Ok(Some(Ok(bytes))) => bytes,
            Ok(Some(Err(error))) => return Err(StartError::Ended(End::failed(error))),
            Ok(None) => return Err(StartError::Ended(End::hung_up())),
            Err(_) => return Err(StartError::Ended(End::Silent(silence))),
        };
        let identified = is_identification(&bytes)?;
        events.push(Received::new(position, Role::Event, bytes.clone()));
        if identified {
            return Ok((position, bytes));
        }
    }
    Err(StartError::NoServer)
}

/// Whether a message tells which server it is, and it is one that can be talked to.
///
/// # Errors
/// It is none of a server of the game, one of another protocol, or the server's last.
fn is_identification(bytes: &[u8]) -> Result<bool, StartError> {
    let message = ServerMessage::parse(bytes).map_err(|_| StartError::NoServer)?;
    let event = message.session_event().map_err(|_| StartError::NoServer)?;
    if let Some(notice) = Notice::of(bytes) {
        return Err(StartError::Ended(End::by_server(notice)));
    }
    let server = match event.map(|event| event.get::<ServerIdentification<'_>>()) {
        Some(Ok(Some(server))) => server,
        Some(Ok(None)) => return Ok(false),
        // An answer to nothing, or what has no event in it.
        None if message.room_event.is_present() || message.game_event_container.is_present() => {
            return Ok(false);
        }
        None | Some(Err(_)) => return Err(StartError::NoServer),
    };
    match server.protocol_version() {
        PROTOCOL => Ok(true),
        found => Err(StartError::Protocol {
            found,
            expected: PROTOCOL,
        }),
    }
}
