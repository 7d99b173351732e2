//! The lines of a script.

use std::collections::BTreeSet;

use serde_json::{Map, Value};
use zeroize::Zeroizing;

use super::ScriptError;
use crate::game::client::{JsonCommandError, message_from_json, read_object};
use crate::game::runtime::decode::Decode;
use crate::game::runtime::fields::AnyMessage;
use crate::game::runtime::json::Writer;
use crate::game::runtime::message::Message;
use crate::game::schema::ServerMessage;
use crate::game::schema::command::CommandContainer;
use crate::game::testing::world::NO_CMD_ID;

/// The value that matches any other, or none.
const ANY: &str = "***";

/// What the client says about itself: it differs between versions, and identifies the user.
const OF_THE_CLIENT: [&str; 3] = ["clientid", "clientver", "clientfeatures"];

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Line {
    /// `> JSON`: the client sends this command.
    Command(Value),
    /// `< JSON`: the server sends this message.
    Message(Map<String, Value>),
    /// `-`: the server closes the connection.
    Close,
}

/// The lines of a script, each with its number.
pub(super) fn parse(script: &str) -> Result<Vec<(usize, Line)>, ScriptError> {
    let mut lines = Vec::new();
    let mut commands = BTreeSet::new();
    for (line, text) in (1..).zip(script.lines()) {
        let wrong = |problem: String| ScriptError { line, problem };
        let text = text.trim();
        let (head, json) = text.split_at(text.chars().next().map_or(0, char::len_utf8));
        let object = || read_object(json).map_err(|error| wrong(format!("is {error}")));
        let parsed = match (head, json) {
            ("" | "#", _) => continue,
            (">", _) => {
                let command = Value::Object(object()?);
                commands.insert(cmd_id(&command));
                Line::Command(command)
            }
            ("<", _) => {
                let message = object()?;
                let no = |error| wrong(format!("is not a message of a server: {error}"));
                encode(&message).map_err(no)?;
                let answers = message.get("response").map(cmd_id);
                if let Some(id) = answers.filter(|id| !commands.contains(id)) {
                    return Err(wrong(format!(
                        "answers the command {id}, and no command before it has that `cmd_id`"
                    )));
                }
                Line::Message(message)
            }
            ("-", "") => Line::Close,
            _ => return Err(wrong("must begin with `>`, `<` or `#`, or be `-`".into())),
        };
        lines.push((line, parsed));
    }
    Ok(lines)
}

pub(super) fn encode(message: &Map<String, Value>) -> Result<Vec<u8>, JsonCommandError> {
    message_from_json(ServerMessage::DESCRIPTION, message)
}

/// The `cmd_id` of a command or an answer, a number or a text; [`NO_CMD_ID`] for a command without one.
pub(super) fn cmd_id(json: &Value) -> String {
    match json.get("cmd_id") {
        Some(Value::String(id)) => id.clone(),
        Some(id) => id.to_string(),
        None => NO_CMD_ID.to_string(),
    }
}

/// The JSON of a command, without secrets and what the client says about itself.
pub(super) fn command(container: &CommandContainer<'_>) -> Option<Value> {
    let mut json = masked(container)?;
    hide(&mut json);
    Some(json)
}

pub(super) fn masked<'a, M: Message<'a>>(message: &M) -> Option<Value> {
    let bytes = Zeroizing::new(message.to_vec());
    let mut text = String::new();
    let mut writer = Writer::new(&mut text).masked();
    writer.object(&AnyMessage::new::<M>(&bytes)).ok()?;
    serde_json::from_str(&text).ok()
}

fn hide(json: &mut Value) {
    match json {
        Value::Object(members) => {
            for (name, value) in members {
                if OF_THE_CLIENT.contains(&name.as_str()) {
                    *value = ANY.into();
                } else {
                    hide(value);
                }
            }
        }
        Value::Array(values) => values.iter_mut().for_each(hide),
        _ => {}
    }
}

/// Whether a command is as expected, apart from its `cmd_id`.
pub(super) fn is_expected(expected: &Value, found: &Value) -> bool {
    let without_id = |command: &Value| {
        let mut command = command.clone();
        let members = command.as_object_mut();
        members.map(|members| members.remove("cmd_id"));
        command
    };
    matches(&without_id(expected), Some(&without_id(found)))
}

fn matches(expected: &Value, found: Option<&Value>) -> bool {
    match (expected, found) {
        (Value::String(any), _) if any == ANY => true,
        (Value::Object(expected), Some(Value::Object(found))) => {
            let mut members = expected.iter();
            members.all(|(name, value)| matches(value, found.get(name)))
                && found.keys().all(|name| expected.contains_key(name))
        }
        (Value::Array(expected), Some(Value::Array(found))) => {
            let mut both = expected.iter().zip(found);
            expected.len() == found.len() && both.all(|(one, other)| matches(one, Some(other)))
        }
        (expected, found) => Some(expected) == found,
    }
}
