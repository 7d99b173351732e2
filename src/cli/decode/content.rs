//! A message of any kind: everything that depends on the kind, and its content on one line, for people.

use std::fmt::Write as _;

use portreeve::game::command::{
    AdminCommandKind, CommandContainer, DeveloperCommandKind, GameCommandKind,
    ModeratorCommandKind, RoomCommandKind, SessionCommandKind,
};
use portreeve::game::context::ContextKind;
use portreeve::game::event::{GameEventContainer, GameEventKind, RoomEventKind, SessionEventKind};
use portreeve::game::fields::{AnyMessage, Value};
use portreeve::game::json::Writer;
use portreeve::game::payload::PayloadKind;
use portreeve::game::{
    DecodeError, GameReplay, Message, MessageType, Response, ServerMessage, Text, UnknownFields,
};

use crate::cli::terminal::escape;

const COMMAND: &str = "COMMAND";
const REPLAY: &str = "REPLAY";

/// The maximum length of a text in a summary, in characters.
const TEXT: usize = 60;
/// The length after which further fields of a summary are cut off, in bytes.
const ALL: usize = 400;
/// The levels of sub-messages that a summary shows.
const DEPTH: u32 = 2;
/// The maximum number of unknown fields whose numbers are shown.
const UNKNOWN: usize = 10;

/// A callback for the unknown fields of each message, with the names of the fields on the path to it.
pub(super) type OnUnknown<'o> = dyn FnMut(&[&'static str], &UnknownFields<'_>) + 'o;

/// The kind of message that the bytes contain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MessageKind {
    Server,
    Response,
    Command,
    Replay,
}

/// A message whose envelope was read.
pub(super) struct Content<'a> {
    pub(super) view: View<'a>,
    /// The same message, unread.
    pub(super) whole: AnyMessage<'a>,
}

/// The envelope of a message.
pub(super) enum View<'a> {
    Server(ServerMessage<'a>),
    Response(Response<'a>),
    Command(CommandContainer<'a>),
    Replay(GameReplay<'a>),
}

// === impl Content ===

impl<'a> Content<'a> {
    pub(super) fn parse(bytes: &'a [u8], kind: MessageKind) -> Result<Self, DecodeError> {
        match kind {
            MessageKind::Server => Self::parse_as(bytes, View::Server),
            MessageKind::Response => Self::parse_as(bytes, View::Response),
            MessageKind::Command => Self::parse_as(bytes, View::Command),
            MessageKind::Replay => Self::parse_as(bytes, View::Replay),
        }
    }

    #[inline(always)]
    fn parse_as<M: Message<'a>>(
        bytes: &'a [u8],
        view: impl FnOnce(M) -> View<'a>,
    ) -> Result<Self, DecodeError> {
        let view = view(M::parse(bytes)?);
        let whole = AnyMessage::new::<M>(bytes);
        Ok(Self { view, whole })
    }

    /// The answer, if it is one.
    pub(super) fn response(&self) -> Result<Option<Response<'a>>, DecodeError> {
        match &self.view {
            View::Response(response) => Ok(Some(*response)),
            View::Server(message) => message.response(),
            View::Command(_) | View::Replay(_) => Ok(None),
        }
    }

    /// The number that pairs commands and answers.
    pub(super) fn cmd_id(&self) -> Result<Option<u64>, DecodeError> {
        match &self.view {
            View::Command(container) => Ok(container.cmd_id),
            _ => Ok(self.response()?.map(|response| response.cmd_id())),
        }
    }

    /// The name of its type.
    pub(super) fn type_name(&self) -> &'static str {
        match &self.view {
            View::Server(message) => message.message_type().name(),
            View::Response(_) => MessageType::Response.name(),
            View::Command(_) => COMMAND,
            View::Replay(_) => REPLAY,
        }
    }

    /// Appends it to a JSON object that already has other members.
    pub(super) fn write_json<'o>(
        &self,
        line: &'o mut String,
        on_unknown: &'o mut OnUnknown<'o>,
    ) -> Result<(), DecodeError> {
        if let View::Server(message) = &self.view {
            let kind = message.message_type();
            // That of an answer is shown by its member.
            if kind != MessageType::Response || !message.response.is_present() {
                // Writing to memory does not fail.
                let _ = write!(line, ",\"type\":\"{kind}\"");
            }
            let mut members = Writer::new(line).on_unknown(on_unknown);
            return members.members(&self.whole, &["message_type"]);
        }
        line.push_str(match &self.view {
            View::Command(_) => ",\"command\":",
            View::Replay(_) => ",\"replay\":",
            _ => ",\"response\":",
        });
        let mut object = Writer::new(line).on_unknown(on_unknown);
        object.object(&self.whole)
    }

    /// Appends its description for a table.
    pub(super) fn describe(&self, line: &mut String) -> Result<(), DecodeError> {
        match &self.view {
            View::Response(response) => describe_answer(response, line),
            View::Command(container) => describe_commands(container, line)?,
            View::Replay(replay) => describe_replay(replay, line)?,
            View::Server(message) => {
                if let Some(response) = message.response()? {
                    describe_answer(&response, line);
                }
                if let Some(event) = message.session_event()? {
                    describe_envelope(event.kind().map(|kind| kind.name()), &event, line);
                }
                if let Some(event) = message.room_event()? {
                    let _ = write!(line, "room {}: ", event.room_id());
                    describe_envelope(event.kind().map(|kind| kind.name()), &event, line);
                }
                if let Some(container) = message.game_event_container()? {
                    describe_game_events(&container, line)?;
                }
            }
        }
        Ok(())
    }

    /// The name of the context of its events.
    pub(super) fn context(&self) -> Result<Option<&'static str>, DecodeError> {
        let View::Server(message) = &self.view else {
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
        if let Some(kind) = self.response()?.and_then(|response| response.kind()) {
            report(kind.name());
        }
        match &self.view {
            View::Response(_) => {}
            View::Command(container) => container.kinds().for_each(|kind| report(kind.name())),
            View::Replay(replay) => {
                for container in replay.event_list() {
                    event_names(&container?, report)?;
                }
            }
            View::Server(message) => {
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

fn describe_answer(response: &Response<'_>, line: &mut String) {
    describe_envelope(response.kind().map(|kind| kind.name()), response, line);
}

fn describe_commands(
    container: &CommandContainer<'_>,
    line: &mut String,
) -> Result<(), DecodeError> {
    if let Some(room) = container.room_id {
        let _ = write!(line, "room {room}: ");
    }
    if let Some(game) = container.game_id {
        let _ = write!(line, "game {game}: ");
    }
    let start = line.len();
    macro_rules! each {
        ($($list:ident)*) => {$(
            for command in container.$list() {
                separate(line, start);
                let command = command?;
                describe_envelope(command.kind().map(|kind| kind.name()), &command, line);
            }
        )*};
    }
    each!(session_command game_command room_command moderator_command admin_command developer_command);
    Ok(())
}

fn describe_game_events(
    container: &GameEventContainer<'_>,
    line: &mut String,
) -> Result<(), DecodeError> {
    if let Some(game) = container.game_id {
        let _ = write!(line, "game {game}: ");
    }
    if let Some(context) = container.context()?
        && let Some(kind) = context.kind()
    {
        let _ = write!(line, "({kind}) ");
    }
    if let Some(judge) = container.forced_by_judge {
        let _ = write!(line, "by judge {judge}: ");
    }
    let start = line.len();
    for event in container.event_list() {
        separate(line, start);
        let event = event?;
        if let Some(player) = event.player_id {
            let _ = write!(line, "player {player} ");
        }
        describe_envelope(event.kind().map(|kind| kind.name()), &event, line);
    }
    Ok(())
}

fn describe_replay(replay: &GameReplay<'_>, line: &mut String) -> Result<(), DecodeError> {
    let mut events = 0;
    for container in replay.event_list() {
        events += container?.event_list.len();
    }
    let _ = write!(
        line,
        "replay {}: {} s, {events} events ",
        replay.replay_id(),
        replay.duration_seconds()
    );
    if let Some(game) = replay.game_info()? {
        summarize(&game, &["creator_info", "host_info"], line);
    }
    Ok(())
}

fn separate(line: &mut String, start: usize) {
    if line.len() > start {
        line.push_str("; ");
    }
}

/// Appends the payload of an envelope: its name and fields, and the numbers of unknown fields.
fn describe_envelope<'a, M: Message<'a>>(name: Option<&str>, envelope: &M, line: &mut String) {
    if let Some(name) = name {
        line.push_str(name);
        line.push(' ');
    }
    summarize_payload(envelope, &[], line);
    line.truncate(line.trim_end().len());
}

/// Appends the fields of the payload of an envelope, except those in `without`, and the numbers of unknown fields.
pub(super) fn summarize_payload<'a, M: Message<'a>>(
    envelope: &M,
    without: &[&str],
    out: &mut String,
) {
    let bytes = envelope.to_vec();
    // The message was checked before.
    let Ok(fields) = AnyMessage::new::<M>(&bytes).fields() else {
        return;
    };
    let unknown = fields.unknown();
    for (field, value) in fields {
        if let Value::Message(payload) = value
            && field.name.starts_with('[')
        {
            write_fields(&payload, without, DEPTH, out);
        }
    }
    for field in unknown.iter().take(UNKNOWN) {
        let _ = write!(out, "{} ", field.number);
    }
}

/// Appends the fields of a message to `out`, except those in `without`.
pub(super) fn summarize<'a, M: Message<'a>>(message: &M, without: &[&str], out: &mut String) {
    let bytes = message.to_vec();
    write_fields(&AnyMessage::new::<M>(&bytes), without, DEPTH, out);
}

/// Writes `name=value` for each field, sub-messages in braces. Of lists of messages it shows the number, of bytes the
/// size, and of secrets nothing.
fn write_fields(message: &AnyMessage<'_>, without: &[&str], depth: u32, out: &mut String) {
    let mut is_first = out.is_empty() || out.ends_with([' ', '{']);
    // The message was checked before.
    let fields = message.fields().into_iter().flatten();
    for (field, value) in fields.filter(|(field, _)| !without.contains(&field.name)) {
        if out.len() > ALL {
            if !out.ends_with('…') {
                out.push_str(" …");
            }
            return;
        }
        if !is_first {
            out.push(' ');
        }
        is_first = false;
        out.push_str(field.name);
        out.push('=');
        match value {
            Value::Text(_) if field.secret => out.push_str("***"),
            Value::List(list) => {
                let count = list.clone().count();
                let limit = match list.clone().next() {
                    Some(Value::Message(_)) => {
                        let _ = write!(out, "[{count}]");
                        continue;
                    }
                    Some(Value::Text(_)) => TEXT / 4,
                    _ => TEXT,
                };
                for (index, value) in list.take(limit).enumerate() {
                    out.push_str(if index > 0 { "," } else { "" });
                    write_value(value, depth, out);
                }
            }
            value => write_value(value, depth, out),
        }
    }
}

fn write_value(value: Value<'_>, depth: u32, out: &mut String) {
    // Writing to memory does not fail.
    match value {
        Value::Number(number) => number.write_json(out),
        Value::Text(text) => quote(text, out),
        Value::Bytes(bytes) => drop(write!(out, "<{} bytes>", bytes.len())),
        Value::Enum(name) => out.push_str(name),
        Value::Message(message) => match depth.checked_sub(1) {
            Some(depth) => {
                out.push('{');
                write_fields(&message, &[], depth, out);
                out.push('}');
            }
            None => out.push_str("{…}"),
        },
        _ => {}
    }
}

/// Appends the text in quotation marks on one line, cut off if it is long.
fn quote(text: Text<'_>, out: &mut String) {
    let text = text.to_string_lossy();
    let cut: String = text.chars().take(TEXT).collect();
    out.push('"');
    out.push_str(&escape(&cut));
    out.push_str(if cut.len() < text.len() {
        "…\""
    } else {
        "\""
    });
}
