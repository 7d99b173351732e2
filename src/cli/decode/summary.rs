//! A short summary of the fields of a message, for people.

use std::convert::Infallible;
use std::fmt::Write as _;

use portreeve::game::scalar::{Enumeration, Scalar};
use portreeve::game::visit::{Field, Visitor};
use portreeve::game::{Message, Nested, Repeated, Text, UnknownFields};

use super::terminal::printable;

/// The maximum length of a text, in characters.
const TEXT: usize = 60;
/// The length after which further fields are cut off, in bytes.
const ALL: usize = 400;
/// The levels of sub-messages that are shown.
const DEPTH: u32 = 2;
/// The maximum number of unknown fields whose numbers are shown.
const UNKNOWN: usize = 10;

/// Writes `name=value` for each field, sub-messages in braces. Of lists of messages it shows the number, of bytes the
/// size, and of secrets nothing.
pub(super) struct Summary<'s> {
    out: &'s mut String,
    /// Fields that are left out.
    without: &'s [&'s str],
    depth: u32,
    first: bool,
}

/// Appends the fields of a message to `out`, except those in `without`.
pub(super) fn summarize<'a, M: Message<'a>>(message: &M, without: &[&str], out: &mut String) {
    let first = out.is_empty() || out.ends_with(' ');
    let depth = DEPTH;
    let mut summary = Summary {
        out,
        without,
        depth,
        first,
    };
    let Ok(()) = message.visit(&mut summary);
}

/// Summarises the extensions of an envelope.
pub(super) struct Payload<'l>(pub(super) &'l mut String);

// === impl Summary ===

impl Summary<'_> {
    /// Writes the name of a field; returns `false` if the field is not shown.
    fn name(&mut self, field: Field) -> bool {
        if self.without.contains(&field.name) {
            return false;
        }
        if self.out.len() > ALL {
            if !self.out.ends_with('…') {
                self.out.push_str(" …");
            }
            return false;
        }
        if !self.first {
            self.out.push(' ');
        }
        self.first = false;
        self.out.push_str(field.name);
        self.out.push('=');
        true
    }

    fn write(&mut self, value: impl std::fmt::Display) {
        // Writing to memory does not fail.
        let _ = write!(self.out, "{value}");
    }
}

impl<'a> Visitor<'a> for Summary<'_> {
    type Error = Infallible;

    fn scalar<S: Scalar>(&mut self, field: Field, value: S::Value) -> Result<(), Infallible> {
        if self.name(field) {
            let _ = value.into().write_json(self.out);
        }
        Ok(())
    }

    fn text(&mut self, field: Field, value: Text<'a>) -> Result<(), Infallible> {
        if self.name(field) {
            if field.secret {
                self.out.push_str("***");
            } else {
                quote(value, self.out);
            }
        }
        Ok(())
    }

    fn bytes(&mut self, field: Field, value: &'a [u8]) -> Result<(), Infallible> {
        if self.name(field) {
            self.write(format_args!("<{} bytes>", value.len()));
        }
        Ok(())
    }

    fn enumeration<E: Enumeration>(&mut self, field: Field, value: E) -> Result<(), Infallible> {
        if self.name(field) {
            self.out.push_str(value.name());
        }
        Ok(())
    }

    fn message<M: Message<'a>>(
        &mut self,
        field: Field,
        value: &Nested<'a, M>,
    ) -> Result<(), Infallible> {
        if !self.name(field) {
            return Ok(());
        }
        let Some(depth) = self.depth.checked_sub(1) else {
            self.out.push_str("{…}");
            return Ok(());
        };
        self.out.push('{');
        if let Ok(Some(message)) = value.get() {
            message.visit(&mut Summary {
                out: self.out,
                without: &[],
                depth,
                first: true,
            })?;
        }
        self.out.push('}');
        Ok(())
    }

    fn scalars<S: Scalar>(
        &mut self,
        field: Field,
        values: &Repeated<'a, S>,
    ) -> Result<(), Infallible> {
        if self.name(field) {
            for (index, value) in values.iter().take(TEXT).enumerate() {
                self.out.push_str(if index > 0 { "," } else { "" });
                let _ = value.into().write_json(self.out);
            }
        }
        Ok(())
    }

    fn texts(&mut self, field: Field, values: &Repeated<'a, Text<'a>>) -> Result<(), Infallible> {
        if self.name(field) {
            for (index, value) in values.unchecked().take(TEXT / 4).enumerate() {
                self.out.push_str(if index > 0 { "," } else { "" });
                quote(value, self.out);
            }
        }
        Ok(())
    }

    fn messages<M: Message<'a>>(
        &mut self,
        field: Field,
        values: &Repeated<'a, M>,
    ) -> Result<(), Infallible> {
        if self.name(field) {
            self.write(format_args!("[{}]", values.len()));
        }
        Ok(())
    }
}

// === impl Payload ===
impl<'a> Visitor<'a> for Payload<'_> {
    type Error = Infallible;

    fn message<M: Message<'a>>(
        &mut self,
        field: Field,
        value: &Nested<'a, M>,
    ) -> Result<(), Infallible> {
        if field.name.starts_with('[')
            && let Ok(Some(message)) = value.get()
        {
            summarize(&message, &[], self.0);
        }
        Ok(())
    }

    fn unknown(&mut self, fields: &UnknownFields<'a>) -> Result<(), Infallible> {
        for field in fields.iter().take(UNKNOWN) {
            let _ = write!(self.0, "{} ", field.number);
        }
        Ok(())
    }
}

/// Appends the text in quotation marks on one line, cut off if it is long.
fn quote(text: Text<'_>, out: &mut String) {
    let text = text.to_string_lossy();
    let cut: String = text.chars().take(TEXT).collect();
    out.push('"');
    out.push_str(&printable(&cut));
    out.push_str(if cut.len() < text.len() {
        "…\""
    } else {
        "\""
    });
}
