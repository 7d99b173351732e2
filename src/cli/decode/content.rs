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
use portreeve::game::payload::PayloadKind;
use portreeve::game::{
    DecodeError, GameReplay, Message, MessageType, Response, ServerMessage, Text, UnknownValue,
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
/// The maximum number of unknown fields whose numbers and sizes are shown.
const UNKNOWN: usize = 10;

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

    pub(super) fn type_name(&self) -> &'static str {
        match &self.view {
            View::Server(message) => message.message_type().name(),
            View::Response(_) => MessageType::Response.name(),
            View::Command(_) => COMMAND,
            View::Replay(_) => REPLAY,
        }
    }

    pub(super) fn describe(&self, line: &mut String) -> Result<(), DecodeError> {
        match &self.view {
            View::Replay(replay) => describe_replay(replay, line),
            _ => describe(&self.whole, line),
        }
    }

    /// Reports the schema's names of everything in it: payload, commands, events and their context.
    pub(super) fn names(&self, report: &mut dyn FnMut(&'static str)) -> Result<(), DecodeError> {
        names(&self.whole, report)
    }
}

fn names(of: &AnyMessage<'_>, report: &mut dyn FnMut(&'static str)) -> Result<(), DecodeError> {
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

fn is_payload(field: &str) -> bool {
    field.starts_with('[')
}

fn kind_of(extension: &str) -> &'static str {
    KINDS.get(extension).copied().unwrap_or_default()
}

pub(super) fn all_names() -> impl Iterator<Item = &'static str> {
    let types = MessageType::ALL.iter().map(|kind| kind.name());
    let kinds = KINDS.values().copied();
    types.chain([COMMAND, REPLAY]).chain(kinds)
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
            "context" => {
                let mut kind = "";
                if let Value::Message(context) = value {
                    names(&context, &mut |name| kind = name)?;
                }
                if !kind.is_empty() {
                    let _ = write!(line, "({kind}) ");
                }
                continue;
            }
            _ => continue,
        };
        line.push_str(before);
        write_value(value, 0, line);
        line.push_str(after);
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
        summarize(&game, &["creator_info", "host_info"], line);
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
    out.push_str(if cut.len() < text.len() { "…" } else { "" });
    out.push('"');
}
