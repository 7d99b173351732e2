//! Commands from JSON, as `portreeve game connect` reads them.

use std::collections::BTreeSet;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value};

use crate::game::runtime::decode::Decode;
use crate::game::runtime::describe::{Description, FieldDescription, Label, ValueKind};
use crate::game::runtime::encode::{append_field, append_number};
use crate::game::runtime::scalar::{Bool, Double, Int32, Int64, Scalar, Sint32, Uint32, Uint64};
use crate::game::schema::command::{Command, CommandContainer};

/// Why JSON cannot be turned into a command: the text names the message and the field, and says what they may be.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct JsonCommandError(String);

impl Command {
    /// Reads the protobuf JSON of a [`CommandContainer`], and its `cmd_id` if it has one.
    ///
    /// It is stricter than a server, so that a typo is not silently ignored: what is not in the schema is an error, and a
    /// member that occurs twice. It refuses these forms of the mapping: names in lowerCamelCase, enums as numbers, whole
    /// numbers with a point or an exponent, doubles as text, base64 that is URL-safe or lacks its padding.
    ///
    /// ```
    /// use portreeve::game::Command;
    ///
    /// let (command, cmd_id) = Command::from_json(
    ///     r#"{"cmd_id":"7","room_id":1,"room_command":[{"[Command_RoomSay.ext]":{"message":"hi"}}]}"#,
    /// )?;
    /// assert_eq!(command.to_vec(7), Command::room_say(1, "hi").to_vec(7));
    /// assert_eq!(cmd_id, Some(7));
    ///
    /// let error = Command::from_json(r#"{"session_command":[{"[Command_Pin.ext]":{}}]}"#);
    /// assert!(error.unwrap_err().to_string().starts_with("`SessionCommand` has no `[Command_Pin.ext]`"));
    /// # Ok::<(), portreeve::game::client::JsonCommandError>(())
    /// ```
    ///
    /// # Errors
    /// [`JsonCommandError`] if it is not such JSON.
    pub fn from_json(json: &str) -> Result<(Self, Option<u64>), JsonCommandError> {
        let object = read_object(json)?;
        let bytes = message_from_json(CommandContainer::DESCRIPTION, &object)?;
        check_commands(&object)?;
        let container = CommandContainer::parse(&bytes);
        let container = container.map_err(|error| JsonCommandError(error.to_string()))?;
        Ok((Self::from_container(&container), container.cmd_id))
    }
}

/// The object of this text. A member that is the second of its name in an object is an error: a parser drops the first.
pub(in crate::game) fn read_object(json: &str) -> Result<Map<String, Value>, JsonCommandError> {
    let no = |problem| Err(JsonCommandError(format!("not a JSON object: {problem}")));
    let object = serde_json::from_str(json).or_else(|error| no(error.to_string()))?;
    let (mut rest, mut text, mut open) = (json, String::new(), Vec::<BTreeSet<String>>::new());
    while let Some(at) = rest.find(['{', '}', '"', ':']) {
        let mut texts = serde_json::Deserializer::from_str(&rest[at..]).into_iter::<String>();
        let mut length = 1;
        match rest.as_bytes()[at] {
            b'{' => open.push(BTreeSet::new()),
            b'}' => drop(open.pop()),
            b':' if open.last_mut().is_some_and(|names| !names.insert(text.clone())) => {
                return no(format!("`{text:.100}` occurs twice in the same object"));
            }
            b'"' => {
                text = texts.next().and_then(Result::ok).unwrap_or_default();
                length = texts.byte_offset().max(1);
            }
            _ => {}
        }
        rest = &rest[at + length..];
    }
    Ok(object)
}

pub(in crate::game) fn message_from_json(
    description: &'static Description,
    object: &Map<String, Value>,
) -> Result<Vec<u8>, JsonCommandError> {
    let mut out = Vec::new();
    let Description { name, fields, .. } = description;
    let payloads = description.payloads;
    let known = || {
        let fields = fields.iter().map(|known| known.field.name);
        fields.chain(payloads.iter().map(|payload| payload.name))
    };
    let is_unknown = |name: &&String| known().all(|known| known != *name);
    if let Some(unknown) = object.keys().find(is_unknown) {
        let known = match known().collect::<Vec<_>>().join(", ") {
            none if none.is_empty() => "no fields".to_owned(),
            known => known,
        };
        // A long name is cut off.
        return Err(JsonCommandError(format!("`{name}` has no `{unknown:.100}`; it has {known}")));
    }
    for known in *fields {
        let field = known.field.name;
        let value = object.get(field).filter(|value| !value.is_null());
        match (value, known.label) {
            // A server would drop the command without an answer.
            (None, Label::Required) => {
                return Err(JsonCommandError(format!(
                    "`{name}` lacks the required field `{field}`"
                )));
            }
            (None, _) => {}
            (Some(Value::Array(values)), Label::Repeated) => {
                for value in values {
                    write_field(name, known, value, &mut out)?;
                }
            }
            (Some(_), Label::Repeated) => return Err(wrong(name, field, "an array")),
            (Some(value), _) => write_field(name, known, value, &mut out)?,
        }
    }
    for payload in payloads {
        match object.get(payload.name) {
            None | Some(Value::Null) => {}
            Some(Value::Object(object)) => {
                let nested = message_from_json((payload.message)(), object)?;
                append_field(payload.number, &nested, &mut out);
            }
            Some(_) => return Err(wrong(name, payload.name, "an object")),
        }
    }
    Ok(out)
}

/// Whether a container has commands of one kind, each with one payload: a server executes no more.
fn check_commands(container: &Map<String, Value>) -> Result<(), JsonCommandError> {
    let mut kinds = 0;
    for known in CommandContainer::DESCRIPTION.fields {
        let (ValueKind::Message(of), Some(Value::Array(commands))) =
            (known.kind, container.get(known.field.name))
        else {
            continue;
        };
        kinds += usize::from(!commands.is_empty());
        let Description { name, payloads, .. } = of();
        for command in commands {
            let given = |name| command.get(name).is_some_and(|value| !value.is_null());
            let found = payloads.iter().filter(|it| given(it.name)).count();
            if found != 1 {
                let example = payloads.first().map_or("", |payload| payload.name);
                return Err(JsonCommandError(format!(
                    "`{name}` must contain exactly one command, as in {{\"{example}\":{{}}}}, but it has {found}"
                )));
            }
        }
    }
    if kinds != 1 {
        return Err(JsonCommandError(format!(
            "a container must have commands of exactly one kind, as in {{\"session_command\":[{{\"[Command_Ping.ext]\":{{}}}}]}}, but it has {kinds} kinds"
        )));
    }
    Ok(())
}

fn write_field(
    message: &str,
    known: &FieldDescription,
    value: &Value,
    out: &mut Vec<u8>,
) -> Result<(), JsonCommandError> {
    let field = known.field;
    let no = |expected| wrong(message, field.name, expected);
    let (wire, expected) = match known.kind {
        ValueKind::Message(of) => {
            let object = value.as_object().ok_or_else(|| no("an object"))?;
            append_field(field.number, &message_from_json(of(), object)?, out);
            return Ok(());
        }
        ValueKind::Text => {
            let text = value.as_str().ok_or_else(|| no("a string"))?;
            append_field(field.number, text.as_bytes(), out);
            return Ok(());
        }
        ValueKind::Bytes => {
            let bytes = value.as_str().and_then(|text| STANDARD.decode(text).ok());
            append_field(field.number, &bytes.ok_or_else(|| no("base64"))?, out);
            return Ok(());
        }
        ValueKind::Double => (double(value).map(Double::to_wire), "a number"),
        ValueKind::Bool => (value.as_bool().map(Bool::to_wire), "true or false"),
        ValueKind::Enum(values) => {
            let named = |name: &str| values.iter().find(|(known, _)| *known == name);
            let number = value.as_str().and_then(named);
            let wire = number.map(|(_, number)| Int32::to_wire(*number));
            (wire, "the name of one of its values in the schema")
        }
        ValueKind::Int32 => (integer::<Int32>(value), "a 32-bit integer"),
        ValueKind::Sint32 => (integer::<Sint32>(value), "a 32-bit integer"),
        ValueKind::Uint32 => (integer::<Uint32>(value), "an unsigned 32-bit integer"),
        ValueKind::Int64 => (integer::<Int64>(value), "a 64-bit integer"),
        ValueKind::Uint64 => (integer::<Uint64>(value), "an unsigned 64-bit integer"),
    };
    let wire = wire.ok_or_else(|| no(expected))?;
    append_number(field.number, known.kind.wire_type(), wire, out);
    Ok(())
}

/// The encoded value of a whole number, from a number or a text, in the range of its type.
fn integer<S: Scalar<Value: TryFrom<i128>>>(value: &Value) -> Option<u64> {
    let number = match value {
        Value::Number(number) => number.as_i128()?,
        Value::String(text) => text.parse().ok()?,
        _ => return None,
    };
    number.try_into().ok().map(S::to_wire)
}

fn double(value: &Value) -> Option<f64> {
    match value {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => match text.as_str() {
            "NaN" => Some(f64::NAN),
            "Infinity" => Some(f64::INFINITY),
            "-Infinity" => Some(f64::NEG_INFINITY),
            _ => None,
        },
        _ => None,
    }
}

fn wrong(message: &str, field: &str, expected: &str) -> JsonCommandError {
    JsonCommandError(format!("`{field}` of `{message}` must be {expected}"))
}
