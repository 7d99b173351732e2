//! One JSON object per message.

use std::fmt::Write;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD as STANDARD;
use portreeve::game::json::Writer;
use portreeve::game::{DecodeError, UnknownFields, UnknownValue};

use super::arguments::MessageKind;
use super::content::{self, Content};
use super::input::Item;
use crate::cli::terminal::escape_json;

/// How many unknown fields of a message are listed: in a deep tree, a path is a thousand times as long as the field.
const LISTED: usize = 100;

/// Appends the object of this message to `line`; returns `false` if it cannot be read.
pub(super) fn line(
    item: &Item<'_>,
    content: Result<Content<'_>, String>,
    line: &mut String,
) -> bool {
    // Writing to memory does not fail.
    let _ = write!(line, "{{\"offset\":{},\"size\":{}", item.offset, item.size);
    let written = content::write(content, line, message);
    if let Err((reason, offset)) = &written {
        let reason = serde_json::Value::from(&**reason);
        let _ = write!(line, ",\"type\":\"UNREADABLE\",\"error\":{reason}");
        if let Some(offset) = offset {
            let _ = write!(line, ",\"error_offset\":{offset}");
        }
    }
    line.push('}');
    escape_json(line);
    written.is_ok()
}

fn message(content: &Content<'_>, line: &mut String) -> Result<(), DecodeError> {
    let mut unknown = Unknown::default();
    let mut add = |path: &[&'static str], fields: &UnknownFields<'_>| unknown.add(path, fields);
    let name = content.type_name()?;
    let _ = write!(line, ",\"type\":\"{name}\"");
    let (begin, end) = match content.kind {
        MessageKind::Command => (",\"command\":{", "}"),
        MessageKind::Replay => (",\"replay\":{", "}"),
        MessageKind::Response => (",\"response\":{", "}"),
        MessageKind::Auto | MessageKind::Server => ("", ""),
    };
    line.push_str(begin);
    let mut writer = Writer::new(line).on_unknown(&mut add);
    let claimed = content.server_message()?.and_then(|message| message.message_type);
    let is_true = claimed.is_none_or(|claimed| claimed.name() == name);
    writer.members(&content.whole, if is_true { &["message_type"] } else { &[] })?;
    line.push_str(end);
    if !unknown.list.is_empty() {
        let _ = write!(line, ",\"unknown\":[{}]", unknown.list.join(","));
    }
    let others = unknown.count.saturating_sub(LISTED);
    if others > 0 {
        let _ = write!(line, ",\"unknown_not_listed\":{others}");
    }
    Ok(())
}

#[derive(Default)]
struct Unknown {
    /// Objects: the path to the message, the number of the field, and its size or value.
    list: Vec<String>,
    count: usize,
}

impl Unknown {
    fn add(&mut self, path: &[&'static str], fields: &UnknownFields<'_>) {
        let room = LISTED.saturating_sub(self.count);
        self.count += fields.iter().count();
        if room == 0 {
            return;
        }
        let path = path.join("/");
        for field in fields.iter().take(room) {
            let number = field.number;
            let base64 =
                |bytes: &[u8]| format!("{},\"bytes\":\"{}\"", bytes.len(), STANDARD.encode(bytes));
            let value = match field.value {
                UnknownValue::Varint(value) => format!("\"varint\":\"{value}\""),
                UnknownValue::Fixed64(value) => format!("\"fixed64\":\"{value}\""),
                UnknownValue::Fixed32(value) => format!("\"fixed32\":{value}"),
                UnknownValue::Delimited(bytes) => format!("\"size\":{}", base64(bytes)),
                UnknownValue::Group(bytes) => format!("\"group_size\":{}", base64(bytes)),
            };
            let object = format!("{{\"in\":\"{path}\",\"field\":{number},{value}}}");
            self.list.push(object);
        }
    }
}
