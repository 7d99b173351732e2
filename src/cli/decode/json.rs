//! One JSON object a message.

use std::fmt::{self, Write};

use portreeve::game::scalar::{Enumeration, Scalar};
use portreeve::game::visit::{Field, Visitor};
use portreeve::game::{
    DecodeError, Message, MessageType, Nested, Repeated, Response, ServerMessage, Text,
    UnknownFields, UnknownValue, check, json,
};

use super::input::Item;
use super::{Kind, unreadable};

/// Makes `line` the object of this message; `false` where the message cannot be read.
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
    let mut unknown = Unknown::default();
    match kind {
        Kind::Response => {
            let response = Response::parse(bytes)?;
            member(line, "response", &response)?;
            response.visit(&mut unknown)?;
        }
        Kind::Server => {
            let message = ServerMessage::parse(bytes)?;
            // The depth counts from here on.
            check(&message)?;
            let kind = message.message_type();
            if kind != MessageType::Response || !message.response.is_present() {
                push(line, format_args!(",\"type\":\"{kind}\""));
            }
            if let Some(response) = message.response()? {
                member(line, "response", &response)?;
            }
            if let Some(event) = message.session_event()? {
                member(line, "session_event", &event)?;
            }
            if let Some(events) = message.game_event_container()? {
                member(line, "game_event_container", &events)?;
            }
            if let Some(event) = message.room_event()? {
                member(line, "room_event", &event)?;
            }
            message.visit(&mut unknown)?;
        }
    }
    if !unknown.list.is_empty() {
        push(line, format_args!(",\"unknown\":[{}]", unknown.list));
    }
    Ok(())
}

fn member<'a, M: Message<'a>>(
    line: &mut String,
    name: &str,
    message: &M,
) -> Result<(), DecodeError> {
    push(line, format_args!(",\"{name}\":"));
    match json::write(message, line) {
        Ok(()) | Err(json::JsonError::Output(_)) => Ok(()),
        Err(json::JsonError::Decode(error)) => Err(error),
    }
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

/// Lists what the schema does not have: where it is, its number, and its size or value.
#[derive(Default)]
struct Unknown {
    /// The objects, with commas between.
    list: String,
    /// Names of the fields down to the message that is visited.
    path: Vec<&'static str>,
}

impl<'a> Visitor<'a> for Unknown {
    type Error = DecodeError;

    fn scalar<S: Scalar>(&mut self, _: Field, _: S::Value) -> Result<(), DecodeError> {
        Ok(())
    }

    fn text(&mut self, _: Field, _: Text<'a>) -> Result<(), DecodeError> {
        Ok(())
    }

    fn bytes(&mut self, _: Field, _: &'a [u8]) -> Result<(), DecodeError> {
        Ok(())
    }

    fn enumeration<E: Enumeration>(&mut self, _: Field, _: E) -> Result<(), DecodeError> {
        Ok(())
    }

    fn message<M: Message<'a>>(
        &mut self,
        field: Field,
        value: &Nested<'a, M>,
    ) -> Result<(), DecodeError> {
        self.path.push(field.name);
        if let Some(message) = value.get()? {
            message.visit(self)?;
        }
        self.path.pop();
        Ok(())
    }

    fn scalars<S: Scalar>(&mut self, _: Field, _: &Repeated<'a, S>) -> Result<(), DecodeError> {
        Ok(())
    }

    fn texts(&mut self, _: Field, _: &Repeated<'a, Text<'a>>) -> Result<(), DecodeError> {
        Ok(())
    }

    fn messages<M: Message<'a>>(
        &mut self,
        field: Field,
        values: &Repeated<'a, M>,
    ) -> Result<(), DecodeError> {
        values
            .nested()
            .try_for_each(|value| self.message(field, &value))
    }

    fn unknown(&mut self, fields: &UnknownFields<'a>) -> Result<(), DecodeError> {
        let path = self.path.join("/");
        for field in fields.iter() {
            let comma = if self.list.is_empty() { "" } else { "," };
            let number = field.number;
            push(
                &mut self.list,
                format_args!("{comma}{{\"in\":\"{path}\",\"field\":{number},"),
            );
            match field.value {
                UnknownValue::Varint(value) => {
                    push(&mut self.list, format_args!("\"varint\":\"{value}\"}}"));
                }
                UnknownValue::Fixed64(value) => {
                    push(&mut self.list, format_args!("\"fixed64\":\"{value}\"}}"));
                }
                UnknownValue::Fixed32(value) => {
                    push(&mut self.list, format_args!("\"fixed32\":{value}}}"));
                }
                UnknownValue::Delimited(bytes) => {
                    let size = bytes.len();
                    push(&mut self.list, format_args!("\"size\":{size}}}"));
                }
                UnknownValue::Group(bytes) => {
                    let size = bytes.len();
                    push(&mut self.list, format_args!("\"group_size\":{size}}}"));
                }
            }
        }
        Ok(())
    }
}
