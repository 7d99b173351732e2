//! A message of any kind: everything that depends on the kind, and its content on one line, for people.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::sync::LazyLock;

use portreeve::game::command::{
    AdminCommandKind, CommandContainer, DeveloperCommandKind, GameCommandKind,
    ModeratorCommandKind, RoomCommandKind, SessionCommandKind,
};
use portreeve::game::context::ContextKind;
use portreeve::game::event::{GameEventKind, RoomEventKind, SessionEventKind};
use portreeve::game::fields::{AnyMessage, Fields, Value};
use portreeve::game::info::Game;
use portreeve::game::payload::PayloadKind;
use portreeve::game::{
    DecodeError, GameReplay, Message, MessageType, Response, ServerMessage, Text, UnknownValue,
};

use super::arguments::MessageKind;
use crate::cli::terminal::escape;

const COMMAND: &str = "COMMAND";
const REPLAY: &str = "REPLAY";
/// A message of a server with none of the members that the schema has.
const NO_TYPE: &str = "UNKNOWN";

/// The maximum length of a text in a summary, in characters.
const TEXT: usize = 60;
/// The length after which further fields of a summary are cut off, in bytes.
const ALL: usize = 400;
/// The levels of sub-messages that a summary shows.
pub(super) const DEPTH: u32 = 2;
/// The maximum number of unknown fields whose numbers and sizes are shown.
const UNKNOWN: usize = 10;

/// A message that is still to be read.
pub(super) struct Content<'a> {
    pub(super) kind: MessageKind,
    pub(super) whole: AnyMessage<'a>,
}

impl<'a> Content<'a> {
    pub(super) fn new(bytes: &'a [u8], kind: MessageKind) -> Self {
        let whole = match kind {
            MessageKind::Auto | MessageKind::Server => AnyMessage::new::<ServerMessage<'_>>(bytes),
            MessageKind::Response => AnyMessage::new::<Response<'_>>(bytes),
            MessageKind::Command => AnyMessage::new::<CommandContainer<'_>>(bytes),
            MessageKind::Replay => AnyMessage::new::<GameReplay<'_>>(bytes),
        };
        Self { kind, whole }
    }

    /// Its envelope as a view, if it is of this kind.
    pub(super) fn view<M: Message<'a>>(&self, kind: MessageKind) -> Result<Option<M>, DecodeError> {
        let bytes = self.whole.root();
        (self.kind == kind).then(|| M::parse(bytes)).transpose()
    }

    pub(super) fn server_message(&self) -> Result<Option<ServerMessage<'a>>, DecodeError> {
        self.view(MessageKind::Server)
    }

    pub(super) fn response(&self) -> Result<Option<Response<'a>>, DecodeError> {
        match self.server_message()? {
            Some(message) => message.response(),
            None => self.view(MessageKind::Response),
        }
    }

    pub(super) fn cmd_id(&self) -> Result<Option<u64>, DecodeError> {
        match self.view::<CommandContainer<'_>>(MessageKind::Command)? {
            Some(container) => Ok(container.cmd_id),
            None => Ok(self.response()?.map(|response| response.cmd_id())),
        }
    }

    /// What it is. That of a server's message is the first member that it has: no reader relies on the `message_type`.
    pub(super) fn type_name(&self) -> Result<&'static str, DecodeError> {
        let types = MessageType::ALL.iter().map(|it| it.name());
        Ok(match self.kind {
            MessageKind::Command => COMMAND,
            MessageKind::Replay => REPLAY,
            MessageKind::Response => MessageType::Response.name(),
            MessageKind::Auto | MessageKind::Server => {
                let mut members = self.whole.fields()?.map(|(field, _)| field.name);
                let of = |name| types.clone().find(|it| it.eq_ignore_ascii_case(name));
                members.find_map(of).unwrap_or(NO_TYPE)
            }
        })
    }

    /// Appends its content on one line.
    pub(super) fn describe(&self, line: &mut String) -> Result<(), DecodeError> {
        match self.view(MessageKind::Replay)? {
            Some(replay) => describe_replay(&replay, line),
            None => describe(&self.whole, line),
        }
    }
}

/// Appends what `write` makes of a message to `out`; if it cannot be read nothing, but returns why, and at which byte.
pub(super) fn write(
    content: Result<Content<'_>, String>,
    out: &mut String,
    write: impl FnOnce(&Content<'_>, &mut String) -> Result<(), DecodeError>,
) -> Result<(), (String, Option<usize>)> {
    let content = content.map_err(|reason| (reason, None))?;
    let start = out.len();
    write(&content, out).map_err(|error| {
        out.truncate(start);
        let error = error.within(content.whole.root());
        (error.to_string(), Some(error.offset()))
    })
}

/// Reports the schema's names of everything in a message: payload, commands, events and their context.
pub(super) fn names(
    of: &AnyMessage<'_>,
    report: &mut dyn FnMut(&'static str),
) -> Result<(), DecodeError> {
    for (field, value) in of.fields()? {
        match value {
            Value::Message(_) if is_payload(field.name) => report(kind_of(field.name)),
            Value::Message(message) => names(&message, report)?,
            Value::List(values) => {
                for value in values {
                    if let Value::Message(message) = value {
                        names(&message, report)?;
                    }
                }
            }
            _ => {}
        }
    }
    Ok(())
}

/// The schema's names of all payloads, by those of their extensions.
static KINDS: LazyLock<HashMap<&'static str, &'static str>> = LazyLock::new(|| {
    macro_rules! kinds {
        ($($kind:ident)*) => {
            std::iter::empty()$(.chain($kind::ALL.iter().map(|kind| (kind.extension(), kind.name()))))*
        };
    }
    kinds!(
        PayloadKind SessionCommandKind RoomCommandKind GameCommandKind ModeratorCommandKind AdminCommandKind
        DeveloperCommandKind SessionEventKind RoomEventKind GameEventKind ContextKind
    )
    .collect()
});

pub(super) fn is_payload(field: &str) -> bool {
    field.starts_with('[')
}

fn kind_of(extension: &str) -> &'static str {
    KINDS.get(extension).copied().unwrap_or_default()
}

pub(super) fn all_names() -> impl Iterator<Item = &'static str> {
    let types = MessageType::ALL.iter().map(|kind| kind.name());
    let kinds = KINDS.values().copied();
    types.chain([COMMAND, REPLAY, NO_TYPE]).chain(kinds)
}

/// Appends where the payloads of an envelope belong, and each with its fields.
fn describe(envelope: &AnyMessage<'_>, line: &mut String) -> Result<(), DecodeError> {
    let begin = line.len();
    let fields = envelope.fields()?;
    for (field, value) in fields.clone() {
        let (before, after) = match field.name {
            "room_id" => ("room ", ": "),
            "game_id" => ("game ", ": "),
            "player_id" => ("player ", " "),
            "forced_by_judge" => ("by judge ", ": "),
            "context" => ("(", ") "),
            _ => continue,
        };
        let mut place = String::new();
        match value {
            Value::Message(context) => names(&context, &mut |name| place.push_str(name))?,
            value => write_value(value, 0, &mut place),
        }
        // A context that the schema does not have has no name.
        if !place.is_empty() {
            line.extend([before, &place, after]);
        }
    }
    let start = line.len();
    for (field, value) in fields.clone() {
        match value {
            Value::Message(_) if is_payload(field.name) => {
                let _ = write!(line, "{} ", kind_of(field.name));
            }
            Value::Message(message) if field.name != "context" => {
                describe(&message, line)?;
                line.push(' ');
            }
            Value::List(messages) => {
                for message in messages {
                    if line.len() > start {
                        line.push_str("; ");
                    }
                    if let Value::Message(message) = message {
                        describe(&message, line)?;
                    }
                }
            }
            _ => {}
        }
    }
    summarize_payload(fields, &[], line);
    line.truncate(line.trim_end().len().max(begin));
    Ok(())
}

fn describe_replay(replay: &GameReplay<'_>, line: &mut String) -> Result<(), DecodeError> {
    let mut events = 0;
    for container in replay.event_list() {
        events += container?.event_list.len();
    }
    let (id, seconds) = (replay.replay_id(), replay.duration_seconds());
    let _ = write!(line, "replay {id}: {seconds} s, {events} events ");
    if let Some(game) = replay.game_info()? {
        let bytes = game.to_vec();
        let game = AnyMessage::new::<Game<'_>>(&bytes);
        write_fields(&game, &["creator_info", "host_info"], DEPTH, line);
    }
    Ok(())
}

/// Appends the fields of the payload of an envelope, except those in `without`, and the numbers of unknown fields.
pub(super) fn summarize_payload(fields: Fields<'_>, without: &[&str], out: &mut String) {
    let unknown = fields.unknown();
    for (field, value) in fields {
        if let Value::Message(payload) = value
            && is_payload(field.name)
        {
            write_fields(&payload, without, DEPTH, out);
        }
    }
    for field in unknown.iter().take(UNKNOWN) {
        let size = match field.value {
            UnknownValue::Varint(value) => (64 - (value | 1).leading_zeros() as usize).div_ceil(7),
            UnknownValue::Fixed64(_) => 8,
            UnknownValue::Fixed32(_) => 4,
            UnknownValue::Delimited(bytes) | UnknownValue::Group(bytes) => bytes.len(),
        };
        let _ = write!(out, "{}=<{size} bytes> ", field.number);
    }
}

/// Writes `name=value` for each field except those in `without`, sub-messages in braces. Of lists of messages it shows
/// the number, of bytes the size, and of secrets nothing.
pub(super) fn write_fields(
    message: &AnyMessage<'_>,
    without: &[&str],
    depth: u32,
    out: &mut String,
) {
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
        Value::List(list) => {
            let limit = match list.clone().next() {
                Some(Value::Message(_)) => return out.push_str(&format!("[{}]", list.count())),
                Some(Value::Text(_)) => TEXT / 4,
                _ => TEXT,
            };
            for (index, value) in list.take(limit).enumerate() {
                out.push_str(if index > 0 { "," } else { "" });
                write_value(value, depth, out);
            }
        }
        _ => {}
    }
}

fn quote(text: Text<'_>, out: &mut String) {
    let text = text.to_string_lossy();
    let cut: String = text.chars().take(TEXT).collect();
    let more = if cut.len() < text.len() { "…" } else { "" };
    let _ = write!(out, "\"{}{more}\"", escape(&cut));
}
