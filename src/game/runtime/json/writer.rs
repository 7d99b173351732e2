use std::fmt::{self, Write as _};

use base64::display::Base64Display;
use base64::engine::general_purpose::STANDARD;

use crate::game::runtime::error::DecodeError;
use crate::game::runtime::fields::{AnyMessage, Field, Value};
use crate::game::runtime::unknown::UnknownFields;

/// Appends messages of any type to a text, as JSON objects.
///
/// It is for objects with additional members, and for unknown fields; otherwise use [`to_string`](super::to_string).
pub struct Writer<'o> {
    out: &'o mut String,
    masked: bool,
    on_unknown: Option<&'o mut OnUnknown<'o>>,
    /// Names of the fields down to the message that is written.
    path: Vec<&'static str>,
}

type OnUnknown<'o> = dyn FnMut(&[&'static str], &UnknownFields<'_>) + 'o;

impl<'o> Writer<'o> {
    /// Appends to `out`.
    pub fn new(out: &'o mut String) -> Self {
        Self { out, masked: false, on_unknown: None, path: Vec::new() }
    }

    /// Writes `"***"` instead of passwords, tokens and other secrets ([`Field::secret`]).
    #[must_use]
    pub fn masked(self) -> Self {
        Self { masked: true, ..self }
    }

    /// Also reports the unknown fields of every message, after its known ones, with the names of the fields on
    /// the path to it.
    #[must_use]
    pub fn on_unknown(self, report: &'o mut OnUnknown<'o>) -> Self {
        Self { on_unknown: Some(report), ..self }
    }

    /// Writes a message as an object.
    ///
    /// # Errors
    /// [`DecodeError`] as for [`check`](crate::game::check()), possibly after a part was written.
    pub fn object(&mut self, message: &AnyMessage<'_>) -> Result<(), DecodeError> {
        self.nested(message).map_err(|error| error.within(message.root()))
    }

    /// Writes the fields of a message as members of an object whose braces the caller writes, except those in `without`.
    ///
    /// # Errors
    /// As of [`object`](Self::object).
    pub fn members(&mut self, of: &AnyMessage<'_>, without: &[&str]) -> Result<(), DecodeError> {
        let fields = of.fields()?;
        let unknown = fields.unknown();
        for (field, value) in fields.filter(|(field, _)| !without.contains(&field.name)) {
            self.member(field, value)?;
        }
        if let Some(report) = &mut self.on_unknown
            && !unknown.is_empty()
        {
            report(&self.path, &unknown);
        }
        Ok(())
    }

    pub(super) fn nested(&mut self, message: &AnyMessage<'_>) -> Result<(), DecodeError> {
        self.out.push('{');
        self.members(message, &[])?;
        self.out.push('}');
        Ok(())
    }

    fn member(&mut self, field: Field, value: Value<'_>) -> Result<(), DecodeError> {
        let Value::List(list) = value else {
            self.name(field);
            return self.value(field, value);
        };
        let mut list = list.peekable();
        if list.peek().is_none() {
            // A packed field can be present and hold no number.
            return Ok(());
        }
        self.name(field);
        let mut before = '[';
        for value in list {
            self.out.push(before);
            self.value(field, value)?;
            before = ',';
        }
        self.out.push(']');
        Ok(())
    }

    fn name(&mut self, field: Field) {
        let is_first = self.out.is_empty() || self.out.ends_with('{');
        self.out.push_str(if is_first { "\"" } else { ",\"" });
        self.out.push_str(field.name);
        self.out.push_str("\":");
    }

    fn value(&mut self, field: Field, value: Value<'_>) -> Result<(), DecodeError> {
        match value {
            Value::Number(number) => number.write_json(self.out),
            Value::Text(_) if self.masked && field.secret => self.out.push_str("\"***\""),
            Value::Text(text) => push_string(&text.to_string_lossy(), self.out),
            Value::Bytes(bytes) => {
                let base64 = Base64Display::new(bytes, &STANDARD);
                // Writing to memory does not fail.
                let _ = write!(self.out, "\"{base64}\"");
            }
            Value::Enum(name) => push_string(name, self.out),
            // The path is not restored after an error, as the output is incomplete anyway.
            Value::Message(message) => {
                self.path.push(field.name);
                self.nested(&message)?;
                self.path.pop();
            }
            // The elements of a list are no lists.
            Value::List(_) => {}
        }
        Ok(())
    }
}

impl fmt::Debug for Writer<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Writer").finish_non_exhaustive()
    }
}

/// Appends a JSON string (RFC 8259, section 7).
fn push_string(text: &str, out: &mut String) {
    out.push('"');
    let mut rest = text;
    while let Some(position) =
        rest.bytes().position(|byte| byte < b' ' || byte == b'"' || byte == b'\\')
    {
        let (plain, special) = rest.split_at(position);
        out.push_str(plain);
        match special.as_bytes()[0] {
            b'"' => out.push_str("\\\""),
            b'\\' => out.push_str("\\\\"),
            b'\n' => out.push_str("\\n"),
            b'\r' => out.push_str("\\r"),
            b'\t' => out.push_str("\\t"),
            control => _ = write!(out, "\\u{control:04x}"),
        }
        rest = &special[1..];
    }
    out.push_str(rest);
    out.push('"');
}
