use std::fmt;
use std::sync::Arc;

use bytes::Bytes;

use super::{Note, RefusedError};
use crate::game::runtime::check::check_with_text;
use crate::game::runtime::error::DecodeError;
use crate::game::schema::ResponseCode;
use crate::game::schema::ServerMessage;
use crate::game::schema::event::{GameEventContainer, RoomEventPayload, SessionEventPayload};
use crate::game::schema::response::OwnedResponse;

/// The answer to a command, owned and checked: getters of anything read from it do not fail.
///
/// Its [`position`](Self::position) orders it relative to the [events](Received).
#[derive(Clone)]
#[non_exhaustive]
pub struct Answer {
    /// The number of the message, counted from 0. Events with a lower position arrived before it.
    pub position: u64,
    /// The code, and the payload if there is one.
    pub response: OwnedResponse<Bytes>,
}

/// A message of the server other than the answer to a call, usually an event.
#[derive(Clone)]
pub struct Received {
    /// The number of the message, from 0 across all connections of the session; that of a [`Note`] is the next one's.
    pub position: u64,
    /// Its role.
    pub role: Role,
    /// The bytes of the message.
    pub bytes: Bytes,
    note: Option<Arc<Note>>,
}

/// What a [`Received`] is about. It was checked as a whole: getters of anything read from it do not fail.
#[derive(Debug)]
#[non_exhaustive]
pub enum Event<'a> {
    /// Something about the session: rooms, users, private messages, games that were joined.
    Session(SessionEventPayload<'a>),
    /// Something in a room.
    Room {
        /// The number of the room.
        room_id: i32,
        /// What happened.
        event: RoomEventPayload<'a>,
    },
    /// What happened in a game, which a [`Table`](crate::game::table::Table) applies.
    Game {
        /// The number of the game.
        game_id: i32,
        /// The events; [`payloads`](GameEventContainer::payloads) lists them with their players.
        events: GameEventContainer<'a>,
    },
    /// Not of the server: a note of the client.
    Note(&'a Note),
    /// Anything else: an answer, an event that the schema does not have, bytes that cannot be read.
    Unknown,
}

/// The role of a message of the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Role {
    /// An event.
    Event,
    /// An answer that was also returned to its call; only with
    /// [`answers_among_events`](super::Settings::answers_among_events).
    Answer,
    /// An answer that belongs to no call: to a command [sent as it is](super::Client::send_raw), or sent in error.
    Unmatched,
    /// A second answer to the same command.
    Duplicate,
    /// The answer to a call that was dropped or timed out.
    Abandoned,
    /// Not a message of the server, but a [`Note`] of the client; it has no bytes.
    Note,
    /// Bytes that are not a message, or an answer whose `cmd_id` cannot be read.
    Unreadable,
}

// === impl Answer ===

impl Answer {
    /// The answer if its code is `RespOk`.
    ///
    /// # Errors
    /// [`RefusedError`] if it has another code.
    pub fn into_accepted(self) -> Result<Self, RefusedError> {
        match self.response.code() {
            Some(ResponseCode::RespOk) => Ok(self),
            _ => Err(RefusedError::from_answer(&self.response)),
        }
    }
}

impl fmt::Debug for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#{} {:?}", self.position, self.response)
    }
}

// === impl Received ===

impl Received {
    pub(super) fn new(position: u64, role: Role, bytes: Bytes) -> Self {
        Self { position, role, bytes, note: None }
    }

    pub(super) fn note(position: u64, note: Note) -> Self {
        Self { note: Some(Arc::new(note)), ..Self::new(position, Role::Note, Bytes::new()) }
    }

    /// The note of the client; `None` if this is a message of the server.
    pub fn as_note(&self) -> Option<&Note> {
        self.note.as_deref()
    }

    /// What it is about.
    pub fn event(&self) -> Event<'_> {
        match self.as_note() {
            Some(note) => Event::Note(note),
            None if self.role != Role::Event => Event::Unknown,
            None => self.read().ok().flatten().unwrap_or(Event::Unknown),
        }
    }

    fn read(&self) -> Result<Option<Event<'_>>, DecodeError> {
        check_with_text::<ServerMessage<'_>>(&self.bytes)?;
        let message = self.message()?;
        if let Some(event) = message.session_event()? {
            return Ok(event.payload()?.map(Event::Session));
        }
        if let Some(room) = message.room_event()? {
            let room_id = room.room_id();
            return Ok(room.payload()?.map(|event| Event::Room { room_id, event }));
        }
        let events = message.game_event_container()?;
        Ok(events.map(|events| Event::Game { game_id: events.game_id(), events }))
    }

    /// The message.
    ///
    /// # Errors
    /// [`DecodeError`] if the bytes are not a message. Its contents, such as an answer without a `cmd_id`
    /// ([`Role::Unreadable`], too), are read on access.
    pub fn message(&self) -> Result<ServerMessage<'_>, DecodeError> {
        ServerMessage::parse(&self.bytes)
    }
}

impl fmt::Debug for Received {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#{} {:?} ", self.position, self.role)?;
        if let Some(note) = &self.note {
            return note.fmt(f);
        }
        match self.message() {
            Ok(message) => message.fmt(f),
            Err(error) => write!(f, "<{error}>"),
        }
    }
}
