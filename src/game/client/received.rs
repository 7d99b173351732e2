use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use bytes::Bytes;

use super::{Note, Refused};
use crate::game::runtime::error::DecodeError;
use crate::game::schema::ResponseCode;
use crate::game::schema::ServerMessage;
use crate::game::schema::response::OwnedResponse;

/// The answer to a command, owned and checked: no getter of what is read from it fails.
///
/// It is an [`OwnedResponse`]; its [`position`](Self::position) tells where it stood among the
/// [events](Received).
#[derive(Clone)]
pub struct Answer {
    position: u64,
    response: OwnedResponse<Bytes>,
}

/// A message of the server that was not the answer to a call: an event as a rule.
#[derive(Clone)]
pub struct Received {
    position: u64,
    role: Role,
    bytes: Bytes,
    note: Option<Arc<Note>>,
}

/// What a message of the server is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Role {
    /// An event.
    Event,
    /// An answer that a call got too; shown if
    /// [asked for](super::ClientBuilder::answers_among_events).
    Answer,
    /// An answer to no command of a call: to one that was [posted](super::Client::post), or a
    /// server's mistake.
    Unmatched,
    /// A second answer to the same command.
    Duplicate,
    /// The answer to a call that was dropped or ran into its timeout.
    Abandoned,
    /// No message of the server, but a [`Note`] of the client; its bytes are none.
    Note,
    /// Bytes that are no message, or an answer of which not even the `cmd_id` can be read.
    Unreadable,
}

// === impl Answer ===

impl Answer {
    pub(super) fn new(position: u64, response: OwnedResponse<Bytes>) -> Self {
        Self { position, response }
    }

    /// Which message of the connection it was, counted from 0. An event with a lower position came
    /// before it.
    pub fn position(&self) -> u64 {
        self.position
    }

    /// The answer if its code is `RespOk`.
    ///
    /// # Errors
    /// [`Refused`] with the code if it is another one.
    pub fn accepted(self) -> Result<Self, Refused> {
        match self.code() {
            Some(ResponseCode::RespOk) => Ok(self),
            code => Err(Refused { code }),
        }
    }
}

impl Deref for Answer {
    type Target = OwnedResponse<Bytes>;

    fn deref(&self) -> &OwnedResponse<Bytes> {
        &self.response
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
        Self {
            position,
            role,
            bytes,
            note: None,
        }
    }

    pub(super) fn note(position: u64, note: Note) -> Self {
        Self {
            note: Some(Arc::new(note)),
            ..Self::new(position, Role::Note, Bytes::new())
        }
    }

    /// What the client itself says here; `None` if it is a message of the server.
    pub fn as_note(&self) -> Option<&Note> {
        self.note.as_deref()
    }

    /// Which message of the session it was, counted from 0 over all its connections. A [`Note`] has
    /// the position of the message that comes next.
    pub fn position(&self) -> u64 {
        self.position
    }

    /// What it is.
    pub fn role(&self) -> Role {
        self.role
    }

    /// The message.
    ///
    /// # Errors
    /// [`DecodeError`] if the bytes are none, and so [`Role::Unreadable`]. What is in the message is
    /// read when it is asked for.
    pub fn message(&self) -> Result<ServerMessage<'_>, DecodeError> {
        ServerMessage::parse(&self.bytes)
    }

    /// The bytes of the message.
    pub fn bytes(&self) -> &Bytes {
        &self.bytes
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
