//! The messages of a server, encoded.

use bytes::Bytes;

use crate::game::runtime::encode::append_field;
use crate::game::runtime::error::{DecodeError, TextError};
use crate::game::runtime::extension::{Family, Member};
use crate::game::runtime::message::Message;
use crate::game::runtime::nested::Nested;
use crate::game::schema::event::{
    GameEvent, GameEventContainer, GameEventPayload, RoomEvent, RoomEventPayload,
    SessionEventPayload,
};
use crate::game::schema::payload::Payload;
use crate::game::schema::response::Response;
use crate::game::schema::{MessageType, ResponseCode, ServerMessage};

/// `GameEventContainer.event_list`.
const EVENT_LIST: u32 = 2;

/// The answer to a command.
pub(super) struct Reply {
    code: ResponseCode,
    /// The field of its payload; empty if it has none.
    extension: Vec<u8>,
}

/// Why a command is not executed.
#[derive(Debug)]
pub(super) enum Failure {
    Refused(ResponseCode),
    /// Its payload cannot be read.
    Unreadable,
}

impl From<ResponseCode> for Failure {
    fn from(code: ResponseCode) -> Self {
        Self::Refused(code)
    }
}

impl From<DecodeError> for Failure {
    fn from(_: DecodeError) -> Self {
        Self::Unreadable
    }
}

impl From<TextError> for Failure {
    fn from(_: TextError) -> Self {
        Self::Unreadable
    }
}

impl From<ResponseCode> for Reply {
    fn from(code: ResponseCode) -> Self {
        Self {
            code,
            extension: Vec::new(),
        }
    }
}

impl Reply {
    pub(super) fn with<'a, P>(code: ResponseCode, payload: &P) -> Self
    where
        P: Member<'a, Family = Payload<'a>>,
    {
        Self {
            code,
            extension: extension(payload),
        }
    }

    /// The answer to the command with this `cmd_id`.
    pub(super) fn to_message(&self, cmd_id: u64) -> Bytes {
        let mut response = Response::new(cmd_id, self.code).to_vec();
        response.extend(&self.extension);
        enveloped(&ServerMessage {
            message_type: Some(MessageType::Response),
            response: Nested::from_bytes(&response),
            ..ServerMessage::default()
        })
    }
}

pub(super) fn session_event<'a, P>(payload: &P) -> Bytes
where
    P: Member<'a, Family = SessionEventPayload<'a>>,
{
    enveloped(&ServerMessage {
        message_type: Some(MessageType::SessionEvent),
        session_event: Nested::from_bytes(&extension(payload)),
        ..ServerMessage::default()
    })
}

pub(super) fn room_event<'a, P>(room: u32, payload: &P) -> Bytes
where
    P: Member<'a, Family = RoomEventPayload<'a>>,
{
    let mut event = RoomEvent {
        room_id: i32::try_from(room).ok(),
        ..RoomEvent::default()
    }
    .to_vec();
    event.extend(extension(payload));
    enveloped(&ServerMessage {
        message_type: Some(MessageType::RoomEvent),
        room_event: Nested::from_bytes(&event),
        ..ServerMessage::default()
    })
}

/// An event of a game, and its context; `player` is `None` if no player caused it.
pub(super) fn game_event<'a, P>(
    game: u32,
    player: Option<i32>,
    payload: &P,
    context: Option<&[u8]>,
) -> Bytes
where
    P: Member<'a, Family = GameEventPayload<'a>>,
{
    let mut event = GameEvent {
        player_id: player,
        ..GameEvent::default()
    }
    .to_vec();
    event.extend(extension(payload));
    let mut container = GameEventContainer {
        game_id: Some(game),
        context: context.map_or(Nested::ABSENT, Nested::from_bytes),
        ..GameEventContainer::default()
    }
    .to_vec();
    append_field(EVENT_LIST, &event, &mut container);
    enveloped(&ServerMessage {
        message_type: Some(MessageType::GameEventContainer),
        game_event_container: Nested::from_bytes(&container),
        ..ServerMessage::default()
    })
}

/// The field of an extension.
pub(super) fn extension<'a, P: Member<'a>>(payload: &P) -> Vec<u8> {
    let mut out = Vec::new();
    append_field(P::Family::number(P::KIND), &payload.to_vec(), &mut out);
    out
}

fn enveloped(message: &ServerMessage<'_>) -> Bytes {
    Bytes::from(message.to_vec())
}
