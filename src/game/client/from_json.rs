//! Commands from JSON, as `portreeve game connect` reads them.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value};

use crate::game::runtime::decode::Decode;
use crate::game::runtime::describe::{Description, FieldDescription, Label, ValueKind};
use crate::game::runtime::encode::{append_field, append_number};
use crate::game::runtime::error::DecodeError;
use crate::game::runtime::scalar::{Bool, Double, Int32, Int64, Scalar, Sint32, Uint32, Uint64};
use crate::game::schema::command::{Command, CommandContainer};

/// Why JSON cannot be turned into a command.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum JsonCommandError {
    /// It is not a JSON object.
    #[error("not a JSON object: {0}")]
    Syntax(String),
    /// The schema has no field with this name in this message.
    #[error("`{message}` has no `{field}`; it has {known}")]
    UnknownField {
        /// The message.
        message: &'static str,
        /// The name.
        field: String,
        /// The names of its fields.
        known: String,
    },
    /// A field has an invalid value.
    #[error("`{field}` of `{message}` must be {expected}")]
    Value {
        /// The message.
        message: &'static str,
        /// The field.
        field: &'static str,
        /// The values that are valid.
        expected: &'static str,
    },
    /// A required field is missing: a server would drop the command without an answer.
    #[error("`{message}` lacks the required field `{field}`")]
    Missing {
        /// The message.
        message: &'static str,
        /// The field.
        field: &'static str,
    },
    /// A command must contain exactly one message, which determines its kind; it has none or several.
    #[error(
        "`{message}` must contain exactly one command, as in {{\"{example}\":{{}}}}, but it has {found}"
    )]
    OneCommand {
        /// The message.
        message: &'static str,
        /// The name of one that is allowed.
        example: &'static str,
        /// The number of commands that it has.
        found: usize,
    },
    /// It contains no command, or commands of several kinds, of which a server executes only one.
    #[error(
        "a container must have commands of exactly one kind, as in {{\"session_command\":[{{\"[Command_Ping.ext]\":{{}}}}]}}, but it has {0} kinds"
    )]
    Kinds(usize),
    /// The encoded command cannot be read back.
    #[error(transparent)]
    Decode(#[from] DecodeError),
}

impl Command {
    /// Reads the protobuf JSON of a [`CommandContainer`], and its `cmd_id` if it has one.
    ///
    /// It is stricter than a server: anything that is not in the schema is an error, so that a typo is not
    /// silently ignored.
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
        let object: Map<String, Value> = serde_json::from_str(json)
            .map_err(|error| JsonCommandError::Syntax(error.to_string()))?;
        let bytes = message_from_json(CommandContainer::DESCRIPTION, &object)?;
        check_commands(&object)?;
        let container = CommandContainer::parse(&bytes)?;
        let kinds = [
            container.session_command.is_empty(),
            container.game_command.is_empty(),
            container.room_command.is_empty(),
            container.moderator_command.is_empty(),
            container.admin_command.is_empty(),
            container.developer_command.is_empty(),
        ];
        match kinds.iter().filter(|empty| !**empty).count() {
            1 => Ok((Self::from_container(&container), container.cmd_id)),
            kinds => Err(JsonCommandError::Kinds(kinds)),
        }
    }
}

/// The bytes of a message, from its protobuf JSON.
///
/// # Errors
/// [`JsonCommandError`] if it is not that message.
pub(in crate::game) fn message_from_json(
    description: &'static Description,
    object: &Map<String, Value>,
) -> Result<Vec<u8>, JsonCommandError> {
    let mut bytes = Vec::new();
    write_message(description, object, &mut bytes)?;
    Ok(bytes)
}

/// Whether each command of a container has exactly one payload.
fn check_commands(container: &Map<String, Value>) -> Result<(), JsonCommandError> {
    for known in CommandContainer::DESCRIPTION.fields {
        let (ValueKind::Message(of), Some(Value::Array(commands))) =
            (known.kind, container.get(known.field.name))
        else {
            continue;
        };
        let description = of();
        for command in commands {
            let payloads = description.payloads.iter();
            let given = payloads.filter(|payload| {
                command
                    .get(payload.name)
                    .is_some_and(|value| !value.is_null())
            });
            let found = given.count();
            if let ([first, ..], true) = (description.payloads, found != 1) {
                return Err(JsonCommandError::OneCommand {
                    message: description.name,
                    example: first.name,
                    found,
                });
            }
        }
    }
    Ok(())
}

fn write_message(
    description: &'static Description,
    object: &Map<String, Value>,
    out: &mut Vec<u8>,
) -> Result<(), JsonCommandError> {
    let message = description.name;
    for name in object.keys() {
        let mut fields = description.fields.iter().map(|known| known.field.name);
        let mut payloads = description.payloads.iter().map(|payload| payload.name);
        if !fields.any(|known| known == name) && !payloads.any(|known| known == name) {
            return Err(unknown_field(description, name));
        }
    }
    for known in description.fields {
        let name = known.field.name;
        let value = object.get(name).filter(|value| !value.is_null());
        match (value, known.label) {
            (None, Label::Required) => {
                let field = name;
                return Err(JsonCommandError::Missing { message, field });
            }
            (None, _) => {}
            (Some(Value::Array(values)), Label::Repeated) => {
                for value in values {
                    write_field(message, known, value, out)?;
                }
            }
            (Some(_), Label::Repeated) => return Err(wrong(message, name, "an array")),
            (Some(value), _) => write_field(message, known, value, out)?,
        }
    }
    for payload in description.payloads {
        match object.get(payload.name) {
            None | Some(Value::Null) => {}
            Some(Value::Object(object)) => {
                write_nested(payload.number, (payload.message)(), object, out)?;
            }
            Some(_) => return Err(wrong(message, payload.name, "an object")),
        }
    }
    Ok(())
}

fn write_field(
    message: &'static str,
    known: &FieldDescription,
    value: &Value,
    out: &mut Vec<u8>,
) -> Result<(), JsonCommandError> {
    let field = known.field;
    let no = |expected| wrong(message, field.name, expected);
    let wire = match known.kind {
        ValueKind::Message(of) => {
            let object = value.as_object().ok_or_else(|| no("an object"))?;
            return write_nested(field.number, of(), object, out);
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
        ValueKind::Double => double(value)
            .map(Double::to_wire)
            .ok_or_else(|| no("a number"))?,
        ValueKind::Bool => value
            .as_bool()
            .map(Bool::to_wire)
            .ok_or_else(|| no("true or false"))?,
        ValueKind::Enum(values) => value
            .as_str()
            .and_then(|name| values.iter().find(|(known, _)| *known == name))
            .map(|(_, number)| Int32::to_wire(*number))
            .ok_or_else(|| no("the name of one of its values in the schema"))?,
        ValueKind::Int32 => integer::<Int32>(value).ok_or_else(|| no("a 32-bit integer"))?,
        ValueKind::Sint32 => integer::<Sint32>(value).ok_or_else(|| no("a 32-bit integer"))?,
        ValueKind::Uint32 => {
            integer::<Uint32>(value).ok_or_else(|| no("an unsigned 32-bit integer"))?
        }
        ValueKind::Int64 => integer::<Int64>(value).ok_or_else(|| no("a 64-bit integer"))?,
        ValueKind::Uint64 => {
            integer::<Uint64>(value).ok_or_else(|| no("an unsigned 64-bit integer"))?
        }
    };
    append_number(field.number, known.kind.wire_type(), wire, out);
    Ok(())
}

fn write_nested(
    number: u32,
    description: &'static Description,
    object: &Map<String, Value>,
    out: &mut Vec<u8>,
) -> Result<(), JsonCommandError> {
    append_field(number, &message_from_json(description, object)?, out);
    Ok(())
}

/// The encoded value of a whole number, from a number or a text, in the range of its type.
fn integer<S: Scalar<Value: TryFrom<i128>>>(value: &Value) -> Option<u64> {
    let number = match value {
        Value::Number(number) => number
            .as_i64()
            .map(i128::from)
            .or_else(|| number.as_u64().map(i128::from))?,
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

fn wrong(message: &'static str, field: &'static str, expected: &'static str) -> JsonCommandError {
    JsonCommandError::Value {
        message,
        field,
        expected,
    }
}

fn unknown_field(description: &Description, field: &str) -> JsonCommandError {
    let fields = description.fields.iter().map(|known| known.field.name);
    let payloads = description.payloads.iter().map(|payload| payload.name);
    let known: Vec<_> = fields.chain(payloads).collect();
    JsonCommandError::UnknownField {
        message: description.name,
        // Long names are truncated in the message.
        field: field.chars().take(100).collect(),
        known: match known.join(", ") {
            none if none.is_empty() => "no fields".into(),
            known => known,
        },
    }
}
