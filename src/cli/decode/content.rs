//! A message of any of the kinds that can be asked for, and what it is called.

use portreeve::game::command::{
    AdminCommandKind, CommandContainer, DeveloperCommandKind, GameCommandKind,
    ModeratorCommandKind, RoomCommandKind, SessionCommandKind,
};
use portreeve::game::event::{GameEventKind, RoomEventKind, SessionEventKind};
use portreeve::game::payload::Kind as PayloadKind;
use portreeve::game::{DecodeError, GameReplay, MessageType, Response, ServerMessage, check};

use super::Kind;

const COMMAND: &str = "COMMAND";
const REPLAY: &str = "REPLAY";

/// A message whose envelope was read.
pub(super) enum Content<'a> {
    Server(ServerMessage<'a>),
    Response(Response<'a>),
    Command(CommandContainer<'a>),
    Replay(GameReplay<'a>),
}

// === impl Content ===

impl<'a> Content<'a> {
    pub(super) fn parse(bytes: &'a [u8], kind: Kind) -> Result<Self, DecodeError> {
        Ok(match kind {
            Kind::Server => Self::Server(ServerMessage::parse(bytes)?),
            Kind::Response => Self::Response(Response::parse(bytes)?),
            Kind::Command => Self::Command(CommandContainer::parse(bytes)?),
            Kind::Replay => Self::Replay(GameReplay::parse(bytes)?),
        })
    }

    /// Whether all of it can be read.
    pub(super) fn check(&self) -> Result<(), DecodeError> {
        match self {
            Self::Server(message) => check(message),
            Self::Response(response) => response.check(),
            Self::Command(container) => check(container),
            Self::Replay(replay) => check(replay),
        }
    }

    /// The answer, if it is one.
    pub(super) fn response(&self) -> Result<Option<Response<'a>>, DecodeError> {
        match self {
            Self::Response(response) => Ok(Some(*response)),
            Self::Server(message) => message.response(),
            Self::Command(_) | Self::Replay(_) => Ok(None),
        }
    }

    /// The number that pairs commands and answers.
    pub(super) fn cmd_id(&self) -> Result<Option<u64>, DecodeError> {
        match self {
            Self::Command(container) => Ok(container.cmd_id),
            _ => Ok(self.response()?.map(|response| response.cmd_id())),
        }
    }

    /// What kind of message it is.
    pub(super) fn type_name(&self) -> &'static str {
        match self {
            Self::Server(message) => message.message_type().name(),
            Self::Response(_) => MessageType::Response.name(),
            Self::Command(_) => COMMAND,
            Self::Replay(_) => REPLAY,
        }
    }

    /// Tells the names of all that it carries, as the schema has them: payload, commands, events.
    pub(super) fn names(&self, tell: &mut dyn FnMut(&'static str)) -> Result<(), DecodeError> {
        match self {
            Self::Response(response) => {
                if let Some(kind) = response.kind() {
                    tell(kind.name());
                }
            }
            Self::Command(container) => container.kinds().for_each(|kind| tell(kind.name())),
            Self::Replay(replay) => {
                for container in replay.event_list() {
                    for event in container?.event_list() {
                        event?.kind().into_iter().for_each(|kind| tell(kind.name()));
                    }
                }
            }
            Self::Server(message) => {
                if let Some(response) = message.response()? {
                    Self::Response(response).names(tell)?;
                }
                if let Some(event) = message.session_event()? {
                    event.kind().into_iter().for_each(|kind| tell(kind.name()));
                }
                if let Some(event) = message.room_event()? {
                    event.kind().into_iter().for_each(|kind| tell(kind.name()));
                }
                if let Some(container) = message.game_event_container()? {
                    for event in container.event_list() {
                        event?.kind().into_iter().for_each(|kind| tell(kind.name()));
                    }
                }
            }
        }
        Ok(())
    }
}

/// Every name that a message can be found by.
pub(super) fn all_names() -> impl Iterator<Item = &'static str> {
    let types = MessageType::ALL.iter().map(|kind| kind.name());
    types
        .chain([COMMAND, REPLAY])
        .chain(PayloadKind::ALL.iter().map(|kind| kind.name()))
        .chain(SessionCommandKind::ALL.iter().map(|kind| kind.name()))
        .chain(RoomCommandKind::ALL.iter().map(|kind| kind.name()))
        .chain(GameCommandKind::ALL.iter().map(|kind| kind.name()))
        .chain(ModeratorCommandKind::ALL.iter().map(|kind| kind.name()))
        .chain(AdminCommandKind::ALL.iter().map(|kind| kind.name()))
        .chain(DeveloperCommandKind::ALL.iter().map(|kind| kind.name()))
        .chain(SessionEventKind::ALL.iter().map(|kind| kind.name()))
        .chain(RoomEventKind::ALL.iter().map(|kind| kind.name()))
        .chain(GameEventKind::ALL.iter().map(|kind| kind.name()))
}
