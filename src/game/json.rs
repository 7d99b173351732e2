//! The protobuf JSON mapping, with the schema's field names.
//!
//! 64-bit integers are strings, enums their names, bytes base64 with padding, `NaN` and the
//! infinities strings. What is absent or unknown is not written, what is present is, defaults and
//! empty sub-messages too. A payload stands under its extension's name in brackets. Text that is
//! not UTF-8 is written with U+FFFD for each part that is not.

use std::fmt::{self, Write};
use std::io;

use base64::display::Base64Display;
use base64::engine::general_purpose::STANDARD;

use super::error::DecodeError;
use super::message::{Message, Rules};
use super::nested::Nested;
use super::repeated::Repeated;
use super::scalar::{Enumeration, Scalar};
use super::text::Text;
use super::unknown::UnknownFields;
use super::visit::{Field, Visitor};

/// The message as a JSON object.
///
/// # Errors
/// [`DecodeError`] as for [`check`](super::check).
pub fn to_string<'a, M: Message<'a>>(message: &M) -> Result<String, DecodeError> {
    let mut out = String::new();
    match write(message, &mut out) {
        Ok(()) | Err(JsonError::Output(_)) => Ok(out),
        Err(JsonError::Decode(error)) => Err(error),
    }
}

/// Writes the message as a JSON object, piece by piece.
///
/// # Errors
/// [`JsonError::Decode`] as for [`check`](super::check), possibly after a part was written;
/// [`JsonError::Output`] where `out` fails.
pub fn write<'a, M: Message<'a>>(
    message: &M,
    out: &mut dyn Write,
) -> Result<(), JsonError<fmt::Error>> {
    let written = match message.missing() {
        Some(field) => Err(DecodeError::missing::<M>(field).into()),
        None => object(message, out, Rules::FULL),
    };
    written.map_err(|error| match (error, message.origin()) {
        (JsonError::Decode(error), Some(origin)) => error.within(origin).into(),
        (error, _) => error,
    })
}

/// Writes the message as a JSON object to a file, a socket or the like, piece by piece: buffer it.
///
/// # Errors
/// As for [`write()`].
pub fn write_io<'a, M: Message<'a>>(
    message: &M,
    out: &mut dyn io::Write,
) -> Result<(), JsonError<io::Error>> {
    let mut out = Adapter { out, failed: None };
    let written = write(message, &mut out);
    written.map_err(|error| match error {
        JsonError::Decode(error) => JsonError::Decode(error),
        JsonError::Output(error) => {
            JsonError::Output(out.failed.unwrap_or_else(|| io::Error::other(error)))
        }
    })
}

/// Why a message could not be written as JSON.
#[derive(Debug)]
pub enum JsonError<E> {
    /// The message cannot be read.
    Decode(DecodeError),
    /// The output failed.
    Output(E),
}

impl<E: fmt::Display> fmt::Display for JsonError<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Decode(error) => fmt::Display::fmt(error, f),
            Self::Output(error) => write!(f, "cannot write JSON: {error}"),
        }
    }
}

impl<E: std::error::Error + 'static> std::error::Error for JsonError<E> {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Decode(error) => Some(error),
            Self::Output(error) => Some(error),
        }
    }
}

impl<E> From<DecodeError> for JsonError<E> {
    fn from(error: DecodeError) -> Self {
        Self::Decode(error)
    }
}

impl From<fmt::Error> for JsonError<fmt::Error> {
    fn from(error: fmt::Error) -> Self {
        Self::Output(error)
    }
}

/// What a view's `Debug` shows: its JSON, and why it ends where it does.
pub(crate) fn debug<'a, M: Message<'a>>(message: &M, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    write!(f, "{} ", M::NAME)?;
    match object(message, f, Rules::VIEW) {
        Ok(()) => Ok(()),
        Err(JsonError::Decode(error)) => write!(f, "<{error}>"),
        Err(JsonError::Output(error)) => Err(error),
    }
}

struct Adapter<'o> {
    out: &'o mut dyn io::Write,
    failed: Option<io::Error>,
}

impl Write for Adapter<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.out.write_all(text.as_bytes()).map_err(|error| {
            self.failed = Some(error);
            fmt::Error
        })
    }
}

type Done = Result<(), JsonError<fmt::Error>>;

fn object<'a, M: Message<'a>>(message: &M, out: &mut dyn Write, rules: Rules) -> Done {
    out.write_char('{')?;
    message.visit(&mut Object {
        out: &mut *out,
        rules,
        empty: true,
    })?;
    out.write_char('}')?;
    Ok(())
}

/// An object that has been begun.
struct Object<'o> {
    out: &'o mut dyn Write,
    rules: Rules,
    empty: bool,
}

impl Object<'_> {
    fn name(&mut self, field: Field) -> fmt::Result {
        self.out.write_str(if self.empty { "\"" } else { ",\"" })?;
        self.empty = false;
        self.out.write_str(field.name)?;
        self.out.write_str("\":")
    }

    fn array<T>(
        &mut self,
        field: Field,
        values: impl Iterator<Item = T>,
        mut write: impl FnMut(&mut Self, T) -> Done,
    ) -> Done {
        self.name(field)?;
        self.out.write_char('[')?;
        for (index, value) in values.enumerate() {
            if index > 0 {
                self.out.write_char(',')?;
            }
            write(self, value)?;
        }
        self.out.write_char(']')?;
        Ok(())
    }

    fn nested<'a, M: Message<'a>>(&mut self, value: &Nested<'a, M>) -> Done {
        match self.rules.descend(value)? {
            Some((message, rules)) => object(&message, self.out, rules),
            None => Ok(self.out.write_str("{}")?),
        }
    }
}

impl<'a> Visitor<'a> for Object<'_> {
    type Error = JsonError<fmt::Error>;

    fn scalar<S: Scalar>(&mut self, field: Field, value: S::Value) -> Done {
        self.name(field)?;
        Ok(S::write_json(value, self.out)?)
    }

    fn text(&mut self, field: Field, value: Text<'a>) -> Done {
        self.name(field)?;
        Ok(string(&value.to_string_lossy(), self.out)?)
    }

    fn bytes(&mut self, field: Field, value: &'a [u8]) -> Done {
        self.name(field)?;
        Ok(write!(
            self.out,
            "\"{}\"",
            Base64Display::new(value, &STANDARD)
        )?)
    }

    fn enumeration<E: Enumeration>(&mut self, field: Field, value: E) -> Done {
        self.name(field)?;
        Ok(string(value.name(), self.out)?)
    }

    fn message<M: Message<'a>>(&mut self, field: Field, value: &Nested<'a, M>) -> Done {
        self.name(field)?;
        self.nested(value)
    }

    fn scalars<S: Scalar>(&mut self, field: Field, values: &Repeated<'a, S>) -> Done {
        let mut values = values.iter().peekable();
        if values.peek().is_none() {
            // A packed field can be present and hold no number.
            return Ok(());
        }
        self.array(field, values, |object, value| {
            Ok(S::write_json(value, object.out)?)
        })
    }

    fn texts(&mut self, field: Field, values: &Repeated<'a, Text<'a>>) -> Done {
        self.array(field, values.unchecked(), |object, value| {
            Ok(string(&value.to_string_lossy(), object.out)?)
        })
    }

    fn messages<M: Message<'a>>(&mut self, field: Field, values: &Repeated<'a, M>) -> Done {
        self.array(field, values.nested(), |object, value| {
            object.nested(&value)
        })
    }

    fn unknown(&mut self, _: &UnknownFields<'a>) -> Done {
        Ok(())
    }
}

/// Writes a JSON string: RFC 8259 section 7.
pub(crate) fn string(text: &str, out: &mut dyn Write) -> fmt::Result {
    out.write_char('"')?;
    let mut rest = text;
    while let Some(place) = rest
        .bytes()
        .position(|byte| byte < b' ' || byte == b'"' || byte == b'\\')
    {
        let (plain, special) = rest.split_at(place);
        out.write_str(plain)?;
        match special.as_bytes()[0] {
            b'"' => out.write_str("\\\"")?,
            b'\\' => out.write_str("\\\\")?,
            b'\n' => out.write_str("\\n")?,
            b'\r' => out.write_str("\\r")?,
            b'\t' => out.write_str("\\t")?,
            control => write!(out, "\\u{control:04x}")?,
        }
        rest = &special[1..];
    }
    out.write_str(rest)?;
    out.write_char('"')
}
