//! One JSON object a message.

use std::fmt::{self, Write};

use portreeve::game::visit::{Field, Visitor};
use portreeve::game::{
    DecodeError, Message, MessageType, Nested, Response, ServerMessage, UnknownFields,
    UnknownValue, json,
};

use super::input::Item;
use super::{Kind, unreadable};

/// Makes `line` the object of this message; `false` if the message cannot be read.
pub(super) fn line(item: &Item<'_>, kind: Kind, line: &mut String) -> bool {
    line.clear();
    push(
        line,
        format_args!("{{\"offset\":{},\"size\":{}", item.offset, item.size),
    );
    let start = line.len();
    let good = match &item.message {
        Err(_) => {
            error(line, unreadable(item).unwrap_or_default(), None);
            false
        }
        Ok(bytes) => match message(bytes, kind, line) {
            Ok(()) => true,
            Err(wrong) => {
                let wrong = wrong.within(bytes);
                line.truncate(start);
                error(line, &wrong.to_string(), Some(wrong.offset()));
                false
            }
        },
    };
    line.push('}');
    good
}

fn message(bytes: &[u8], kind: Kind, line: &mut String) -> Result<(), DecodeError> {
    let mut unknown = String::new();
    let mut tell = |path: &[&'static str], fields: &UnknownFields<'_>| {
        list(&mut unknown, path, fields);
    };
    let written = match kind {
        Kind::Response => {
            let response = Response::parse(bytes)?;
            line.push_str(",\"response\":");
            json::Members::new(line)
                .on_unknown(&mut tell)
                .write_object(&response)
        }
        Kind::Server => {
            let message = ServerMessage::parse(bytes)?;
            let kind = message.message_type();
            if kind != MessageType::Response || !message.response.is_present() {
                push(line, format_args!(",\"type\":\"{kind}\""));
            }
            message.visit(&mut Envelope(
                json::Members::after_others(line).on_unknown(&mut tell),
            ))
        }
    };
    match written {
        // Writing to memory does not fail.
        Ok(()) | Err(json::JsonError::Output(_)) => {}
        Err(json::JsonError::Decode(error)) => return Err(error),
    }
    if !unknown.is_empty() {
        push(line, format_args!(",\"unknown\":[{unknown}]"));
    }
    Ok(())
}

fn error(line: &mut String, text: &str, offset: Option<usize>) {
    line.push_str(",\"error\":");
    push(line, format_args!("{}", serde_json::Value::from(text)));
    if let Some(offset) = offset {
        push(line, format_args!(",\"error_offset\":{offset}"));
    }
}

/// Writing to memory does not fail.
fn push(line: &mut String, text: fmt::Arguments<'_>) {
    let _ = line.write_fmt(text);
}

/// The members of an envelope, without its type: the line has that in its own words.
struct Envelope<'o>(json::Members<'o>);

impl<'a> Visitor<'a> for Envelope<'_> {
    type Error = json::JsonError<fmt::Error>;

    fn message<M: Message<'a>>(
        &mut self,
        field: Field,
        value: &Nested<'a, M>,
    ) -> Result<(), Self::Error> {
        self.0.message(field, value)
    }

    fn unknown(&mut self, fields: &UnknownFields<'a>) -> Result<(), Self::Error> {
        self.0.unknown(fields)
    }
}

/// Appends what the schema does not have to a list of objects: in which message it is, its number,
/// and its size or value.
fn list(list: &mut String, path: &[&'static str], fields: &UnknownFields<'_>) {
    let path = path.join("/");
    for field in fields.iter() {
        let comma = if list.is_empty() { "" } else { "," };
        let number = field.number;
        push(
            list,
            format_args!("{comma}{{\"in\":\"{path}\",\"field\":{number},"),
        );
        match field.value {
            UnknownValue::Varint(value) => push(list, format_args!("\"varint\":\"{value}\"}}")),
            UnknownValue::Fixed64(value) => push(list, format_args!("\"fixed64\":\"{value}\"}}")),
            UnknownValue::Fixed32(value) => push(list, format_args!("\"fixed32\":{value}}}")),
            UnknownValue::Delimited(bytes) => {
                let size = bytes.len();
                push(list, format_args!("\"size\":{size}}}"));
            }
            UnknownValue::Group(bytes) => {
                let size = bytes.len();
                push(list, format_args!("\"group_size\":{size}}}"));
            }
        }
    }
}
