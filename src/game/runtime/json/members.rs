use std::fmt::{self, Write};

use base64::display::Base64Display;
use base64::engine::general_purpose::STANDARD;

use super::error::JsonError;
use crate::game::runtime::error::DecodeError;
use crate::game::runtime::message::Message;
use crate::game::runtime::nested::Nested;
use crate::game::runtime::options::DecodeOptions;
use crate::game::runtime::repeated::Repeated;
use crate::game::runtime::scalar::{Enumeration, Scalar};
use crate::game::runtime::text::Text;
use crate::game::runtime::unknown::UnknownFields;
use crate::game::runtime::visit::{Field, Visitor};

type Done = Result<(), JsonError>;

/// A visitor that writes fields as members of a JSON object. The caller writes the braces.
///
/// It is for objects with additional members, and for unknown fields; otherwise use
/// [`write()`](super::write()).
///
/// ```
/// use portreeve::game::Message;
/// use portreeve::game::info::User;
/// use portreeve::game::json::Members;
///
/// // Field 99 is unknown.
/// let user = User::parse(b"\x0a\x03ann\x98\x06\x2a")?;
/// let mut line = String::from("{\"from\":\"lobby\"");
/// let mut unknown = Vec::new();
/// let mut collect = |path: &[&str], fields: &portreeve::game::UnknownFields<'_>| {
///     unknown.extend(fields.iter().map(|field| (path.join("/"), field.number)));
/// };
/// user.visit(&mut Members::after_others(&mut line).on_unknown(&mut collect))?;
/// line.push('}');
/// assert_eq!(line, r#"{"from":"lobby","name":"ann"}"#);
/// assert_eq!(unknown, [(String::new(), 99)]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Members<'o> {
    out: &'o mut dyn Write,
    options: DecodeOptions,
    /// Whether the object has no members yet.
    empty: bool,
    /// Whether secrets are masked.
    masked: bool,
    unknown: Option<OnUnknown<'o>>,
}

/// [`Message::visit`] by [`Members`], which descends to the last level.
///
/// It is not generic, so it is compiled once, in this crate. The generic visit would be compiled, for every message of
/// the schema, in each crate that writes one as JSON.
pub trait VisitMembers {
    /// Passes every field that is present to `members`.
    fn visit_members(&self, members: &mut Members<'_>) -> Done;
}

/// Where unknown fields are reported to.
struct OnUnknown<'o> {
    report: &'o mut ReportUnknown<'o>,
    /// Names of the fields down to the message that is visited.
    path: Vec<&'static str>,
}

type ReportUnknown<'o> = dyn FnMut(&[&'static str], &UnknownFields<'_>) + 'o;

// === impl Members ===

impl<'o> Members<'o> {
    /// Members of an object without other members before them.
    pub fn new(out: &'o mut dyn Write) -> Self {
        Self::with_options(out, DecodeOptions::FULL)
    }

    /// Members of an object that already has others.
    pub fn after_others(out: &'o mut dyn Write) -> Self {
        Self {
            empty: false,
            ..Self::new(out)
        }
    }

    pub(super) fn with_options(out: &'o mut dyn Write, options: DecodeOptions) -> Self {
        Self {
            out,
            options,
            empty: true,
            masked: false,
            unknown: None,
        }
    }

    /// Writes `"***"` instead of passwords, tokens and other secrets ([`Field::secret`]).
    ///
    /// ```
    /// use portreeve::game::Message;
    /// use portreeve::game::command::Login;
    /// use portreeve::game::json::{self, Members};
    ///
    /// let login = Login { password: Some("s3cret".into()), ..Login::default() };
    /// let mut line = String::new();
    /// Members::new(&mut line).masked().write_object(&login)?;
    /// assert_eq!(line, r#"{"password":"***"}"#);
    /// assert_eq!(format!("{login:?}"), r#"Command_Login {"password":"***"}"#);
    /// // Unmasked:
    /// assert_eq!(json::to_string(&login)?, r#"{"password":"s3cret"}"#);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn masked(self) -> Self {
        Self {
            masked: true,
            ..self
        }
    }

    /// Also reports the unknown fields of every message, after its known ones, with the names of the fields on
    /// the path to it.
    #[must_use]
    pub fn on_unknown(self, report: &'o mut ReportUnknown<'o>) -> Self {
        let path = Vec::new();
        Self {
            unknown: Some(OnUnknown { report, path }),
            ..self
        }
    }

    /// Writes a message as an object, with braces.
    ///
    /// # Errors
    /// As for [`write()`](super::write()).
    pub fn write_object<'a, M: Message<'a>>(mut self, message: &M) -> Done {
        let written = match message.missing() {
            Some(field) => Err(DecodeError::missing(field, M::NAME).into()),
            None => self.object(message),
        };
        written.map_err(|error| match (error, message.origin()) {
            (JsonError::Decode(error), Some(origin)) => error.within(origin).into(),
            (error, _) => error,
        })
    }

    pub(super) fn object<'a, M: Message<'a>>(&mut self, message: &M) -> Done {
        self.out.write_char('{')?;
        self.empty = true;
        message.visit_members(self)?;
        self.empty = false;
        self.out.write_char('}')?;
        Ok(())
    }

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

    /// Writes a sub-message. The state is not restored after an error, as the output is incomplete anyway.
    fn nested<'a, M: Message<'a>>(&mut self, field: Field, value: &Nested<'a, M>) -> Done {
        let (outer, mut slot) = (self.options, None);
        let Some((message, options)) = value.descend_into(outer, &mut slot)? else {
            return Ok(self.out.write_str("{}")?);
        };
        self.options = options;
        if let Some(unknown) = &mut self.unknown {
            unknown.path.push(field.name);
        }
        self.object(message)?;
        if let Some(unknown) = &mut self.unknown {
            unknown.path.pop();
        }
        self.options = outer;
        Ok(())
    }
}

impl<'a> Visitor<'a> for Members<'_> {
    type Error = JsonError;

    fn scalar<S: Scalar>(&mut self, field: Field, value: S::Value) -> Done {
        self.name(field)?;
        Ok(value.into().write_json(self.out)?)
    }

    fn text(&mut self, field: Field, value: Text<'a>) -> Done {
        self.name(field)?;
        if self.masked && field.secret {
            return Ok(self.out.write_str("\"***\"")?);
        }
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
        self.nested(field, value)
    }

    fn scalars<S: Scalar>(&mut self, field: Field, values: &Repeated<'a, S>) -> Done {
        let mut values = values.iter().peekable();
        if values.peek().is_none() {
            // A packed field can be present and hold no number.
            return Ok(());
        }
        self.array(field, values, |members, value| {
            Ok(value.into().write_json(members.out)?)
        })
    }

    fn texts(&mut self, field: Field, values: &Repeated<'a, Text<'a>>) -> Done {
        self.array(field, values.unchecked(), |members, value| {
            Ok(string(&value.to_string_lossy(), members.out)?)
        })
    }

    fn messages<M: Message<'a>>(&mut self, field: Field, values: &Repeated<'a, M>) -> Done {
        self.array(field, values.nested(), |members, value| {
            members.nested(field, &value)
        })
    }

    fn unknown(&mut self, fields: &UnknownFields<'a>) -> Done {
        if let Some(OnUnknown { report, path }) = &mut self.unknown {
            report(path, fields);
        }
        Ok(())
    }
}

impl fmt::Debug for Members<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Members").finish_non_exhaustive()
    }
}

/// Writes a JSON string (RFC 8259, section 7).
pub(super) fn string(text: &str, out: &mut dyn Write) -> fmt::Result {
    out.write_char('"')?;
    let mut rest = text;
    while let Some(position) = rest
        .bytes()
        .position(|byte| byte < b' ' || byte == b'"' || byte == b'\\')
    {
        let (plain, special) = rest.split_at(position);
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
