//! A message of any kind: everything that depends on the kind.

use std::fmt::Write as _;

use portreeve::game::command::{
    AdminCommandKind, CommandContainer, DeveloperCommandKind, GameCommandKind,
    ModeratorCommandKind, RoomCommandKind, SessionCommandKind,
};
use portreeve::game::context::ContextKind;
use portreeve::game::event::{GameEventContainer, GameEventKind, RoomEventKind, SessionEventKind};
use portreeve::game::json::{JsonError, Members};
use portreeve::game::payload::PayloadKind;
use portreeve::game::{DecodeError, GameReplay, MessageType, Response, ServerMessage, check};

use super::describe;
use super::envelope::{self, OnUnknown};

const COMMAND: &str = "COMMAND";
const REPLAY: &str = "REPLAY";

/// The kind of message that the bytes contain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MessageKind {
    Server,
    Response,
    Command,
    Replay,
}

/// A message whose envelope was read.
pub(super) enum Content<'a> {
    Server(ServerMessage<'a>),
    Response(Response<'a>),
    Command(CommandContainer<'a>),
    Replay(GameReplay<'a>),
}

/// Evaluates the same expression for a message of any kind.
macro_rules! any {
    ($content:expr, $message:ident => $act:expr) => {
        match $content {
            Content::Server($message) => $act,
            Content::Response($message) => $act,
            Content::Command($message) => $act,
            Content::Replay($message) => $act,
        }
    };
}

// === impl Content ===

impl<'a> Content<'a> {
    pub(super) fn parse(bytes: &'a [u8], kind: MessageKind) -> Result<Self, DecodeError> {
        Ok(match kind {
            MessageKind::Server => Self::Server(ServerMessage::parse(bytes)?),
            MessageKind::Response => Self::Response(Response::parse(bytes)?),
            MessageKind::Command => Self::Command(CommandContainer::parse(bytes)?),
            MessageKind::Replay => Self::Replay(GameReplay::parse(bytes)?),
        })
    }

    /// Checks that all of it can be read.
    pub(super) fn check(&self) -> Result<(), DecodeError> {
        any!(self, message => check(message))
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

    /// The name of its type.
    pub(super) fn type_name(&self) -> &'static str {
        match self {
            Self::Server(message) => message.message_type().name(),
            Self::Response(_) => MessageType::Response.name(),
            Self::Command(_) => COMMAND,
            Self::Replay(_) => REPLAY,
        }
    }

    /// Appends it to a JSON object that already has other members.
    pub(super) fn write_json<'o>(
        &self,
        line: &'o mut String,
        on_unknown: &'o mut OnUnknown<'o>,
    ) -> Result<(), JsonError> {
        let key = match self {
            Self::Server(message) => return envelope::write(message, line, on_unknown),
            Self::Response(_) => ",\"response\":",
            Self::Command(_) => ",\"command\":",
            Self::Replay(_) => ",\"replay\":",
        };
        line.push_str(key);
        let members = Members::new(line).on_unknown(on_unknown);
        any!(self, message => members.write_object(message))
    }

    /// Appends its description for a table.
    pub(super) fn describe(&self, line: &mut String) -> Result<(), DecodeError> {
        match self {
            Self::Response(response) => describe::answer(response, line),
            Self::Command(container) => describe::commands(container, line)?,
            Self::Replay(replay) => describe::recording(replay, line)?,
            Self::Server(message) => {
                if let Some(response) = message.response()? {
                    describe::answer(&response, line);
                }
                if let Some(event) = message.session_event()? {
                    describe::extension(event.kind().map(|kind| kind.name()), &event, line);
                }
                if let Some(event) = message.room_event()? {
                    let _ = write!(line, "room {}: ", event.room_id());
                    describe::extension(event.kind().map(|kind| kind.name()), &event, line);
                }
                if let Some(container) = message.game_event_container()? {
                    describe::game_events(&container, line)?;
                }
            }
        }
        Ok(())
    }

    /// The name of the context of its events.
    pub(super) fn context(&self) -> Result<Option<&'static str>, DecodeError> {
        let Self::Server(message) = self else {
            return Ok(None);
        };
        let Some(container) = message.game_event_container()? else {
            return Ok(None);
        };
        let kind = container.context()?.and_then(|context| context.kind());
        Ok(kind.map(|kind| kind.name()))
    }

    /// Reports the schema's names of everything in it: payload, commands, events.
    pub(super) fn names(&self, report: &mut dyn FnMut(&'static str)) -> Result<(), DecodeError> {
        match self {
            Self::Response(response) => {
                if let Some(kind) = response.kind() {
                    report(kind.name());
                }
            }
            Self::Command(container) => container.kinds().for_each(|kind| report(kind.name())),
            Self::Replay(replay) => {
                for container in replay.event_list() {
                    event_names(&container?, report)?;
                }
            }
            Self::Server(message) => {
                if let Some(response) = message.response()? {
                    Self::Response(response).names(report)?;
                }
                if let Some(kind) = message.session_event()?.and_then(|event| event.kind()) {
                    report(kind.name());
                }
                if let Some(kind) = message.room_event()?.and_then(|event| event.kind()) {
                    report(kind.name());
                }
                if let Some(container) = message.game_event_container()? {
                    event_names(&container, report)?;
                }
            }
        }
        Ok(())
    }
}

fn event_names(
    container: &GameEventContainer<'_>,
    report: &mut dyn FnMut(&'static str),
) -> Result<(), DecodeError> {
    for event in container.event_list() {
        if let Some(kind) = event?.kind() {
            report(kind.name());
        }
    }
    Ok(())
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
        .chain(ContextKind::ALL.iter().map(|kind| kind.name()))
}
