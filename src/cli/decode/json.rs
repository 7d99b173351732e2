//! One JSON object per message.

use std::fmt::{self, Write};

use portreeve::game::{DecodeError, UnknownFields, UnknownValue};

use super::content::Content;
use super::item::{Item, Unreadable};
use crate::cli::terminal::escape_json;

/// How many unknown fields of a message are listed; the rest is counted. Each is listed with its path, which in a deep
/// tree is a thousand times as long as the field.
const LISTED: usize = 100;

/// Sets `line` to the object of this message; returns `false` if it cannot be read.
pub(super) fn line(
    item: &Item<'_>,
    content: &Result<Content<'_>, Unreadable>,
    line: &mut String,
) -> bool {
    line.clear();
    push(
        line,
        format_args!("{{\"offset\":{},\"size\":{}", item.offset, item.size),
    );
    let start = line.len();
    let mut good = false;
    match content {
        Err(wrong) => error(line, wrong),
        Ok(content) => match message(content, line) {
            Ok(()) => good = true,
            Err(wrong) => {
                line.truncate(start);
                error(
                    line,
                    &Unreadable::new(wrong, item.message.as_ref().map_or(&[], |bytes| bytes)),
                );
            }
        },
    }
    line.push('}');
    escape_json(line);
    good
}

fn message(content: &Content<'_>, line: &mut String) -> Result<(), DecodeError> {
    let mut unknown = Unknown::default();
    let mut add = |path: &[&'static str], fields: &UnknownFields<'_>| unknown.add(path, fields);
    content.write_json(line, &mut add)?;
    if !unknown.list.is_empty() {
        push(line, format_args!(",\"unknown\":[{}]", unknown.list));
    }
    let others = unknown.count.saturating_sub(LISTED);
    if others > 0 {
        push(line, format_args!(",\"unknown_not_listed\":{others}"));
    }
    Ok(())
}

fn error(line: &mut String, wrong: &Unreadable) {
    line.push_str(",\"error\":");
    push(
        line,
        format_args!("{}", serde_json::Value::from(&*wrong.reason)),
    );
    if let Some(offset) = wrong.offset {
        push(line, format_args!(",\"error_offset\":{offset}"));
    }
}

/// Writing to memory does not fail.
fn push(line: &mut String, text: fmt::Arguments<'_>) {
    let _ = line.write_fmt(text);
}

/// The fields that the schema does not have.
#[derive(Default)]
struct Unknown {
    /// Objects separated by commas: the path to the message, the number of the field, and its size or value.
    list: String,
    count: usize,
}

// === impl Unknown ===

impl Unknown {
    fn add(&mut self, path: &[&'static str], fields: &UnknownFields<'_>) {
        let room = LISTED.saturating_sub(self.count);
        if room > 0 {
            self.list(path, fields, room);
        }
        self.count += fields.iter().count();
    }

    fn list(&mut self, path: &[&'static str], fields: &UnknownFields<'_>, room: usize) {
        let path = path.join("/");
        let list = &mut self.list;
        for field in fields.iter().take(room) {
            let comma = if list.is_empty() { "" } else { "," };
            let number = field.number;
            push(
                list,
                format_args!("{comma}{{\"in\":\"{path}\",\"field\":{number},"),
            );
            match field.value {
                UnknownValue::Varint(value) => push(list, format_args!("\"varint\":\"{value}\"}}")),
                UnknownValue::Fixed64(value) => {
                    push(list, format_args!("\"fixed64\":\"{value}\"}}"));
                }
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
}
