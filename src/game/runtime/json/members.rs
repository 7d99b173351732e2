use std::fmt::{self, Write};

use base64::display::Base64Display;
use base64::engine::general_purpose::STANDARD;

use super::error::JsonError;
use crate::game::runtime::fields::{AnyMessage, Field, Value};
use crate::game::runtime::unknown::UnknownFields;

type Done = Result<(), JsonError>;

/// Writes fields as members of a JSON object. The caller writes the braces.
///
/// It is for objects with additional members, for messages of any type, and for unknown fields; otherwise use
/// [`to_string`](super::to_string).
///
/// ```
/// use portreeve::game::fields::AnyMessage;
/// use portreeve::game::info::User;
/// use portreeve::game::json::Members;
///
/// // Field 99 is unknown.
/// let user = AnyMessage::new::<User<'_>>(b"\x0a\x03ann\x98\x06\x2a");
/// let mut line = String::from("{\"from\":\"lobby\"");
/// let mut unknown = Vec::new();
/// let mut collect = |path: &[&str], fields: &portreeve::game::UnknownFields<'_>| {
///     unknown.extend(fields.iter().map(|field| (path.join("/"), field.number)));
/// };
/// let mut members = Members::after_others(&mut line).on_unknown(&mut collect);
/// for (field, value) in user.fields()? {
///     members.write_member(field, value)?;
/// }
/// members.report_unknown(&user.fields()?.unknown());
/// line.push('}');
/// assert_eq!(line, r#"{"from":"lobby","name":"ann"}"#);
/// assert_eq!(unknown, [(String::new(), 99)]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Members<'o> {
    out: &'o mut dyn Write,
    /// Whether the object has no members yet.
    empty: bool,
    /// Whether secrets are masked.
    masked: bool,
    unknown: Option<OnUnknown<'o>>,
}

/// Where unknown fields are reported to.
struct OnUnknown<'o> {
    report: &'o mut ReportUnknown<'o>,
    /// Names of the fields down to the message that is written.
    path: Vec<&'static str>,
}

type ReportUnknown<'o> = dyn FnMut(&[&'static str], &UnknownFields<'_>) + 'o;

// === impl Members ===

impl<'o> Members<'o> {
    /// Members of an object without other members before them.
    pub fn new(out: &'o mut dyn Write) -> Self {
        Self {
            out,
            empty: true,
            masked: false,
            unknown: None,
        }
    }

    /// Members of an object that already has others.
    pub fn after_others(out: &'o mut dyn Write) -> Self {
        Self {
            empty: false,
            ..Self::new(out)
        }
    }

    /// Writes `"***"` instead of passwords, tokens and other secrets ([`Field::secret`]).
    ///
    /// ```
    /// use portreeve::game::Message;
    /// use portreeve::game::command::Login;
    /// use portreeve::game::fields::AnyMessage;
    /// use portreeve::game::json::{self, Members};
    ///
    /// let login = Login { password: Some("s3cret".into()), ..Login::default() };
    /// let bytes = login.to_vec();
    /// let mut line = String::new();
    /// Members::new(&mut line).masked().write_object(&AnyMessage::new::<Login<'_>>(&bytes))?;
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

    /// Also reports the unknown fields of every message that is written as an object, after its known ones, with
    /// the names of the fields on the path to it.
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
    /// [`JsonError::Decode`] as for [`check`](crate::game::check()), possibly after a part was written;
    /// [`JsonError::Output`] if the output fails.
    pub fn write_object(mut self, message: &AnyMessage<'_>) -> Done {
        self.object(message).map_err(|error| match error {
            JsonError::Decode(error) => error.within(message.root()).into(),
            error => error,
        })
    }

    /// Writes a field as a member; an empty list is left out.
    ///
    /// # Errors
    /// As of [`write_object`](Self::write_object).
    pub fn write_member(&mut self, field: Field, value: Value<'_>) -> Done {
        let Value::List(list) = value else {
            self.name(field)?;
            return self.value(field, value);
        };
        let mut list = list.peekable();
        if list.peek().is_none() {
            // A packed field can be present and hold no number.
            return Ok(());
        }
        self.name(field)?;
        let mut before = '[';
        for value in list {
            self.out.write_char(before)?;
            self.value(field, value)?;
            before = ',';
        }
        Ok(self.out.write_char(']')?)
    }

    /// Reports the unknown fields of the message whose members are written.
    pub fn report_unknown(&mut self, fields: &UnknownFields<'_>) {
        if let Some(OnUnknown { report, path }) = &mut self.unknown
            && !fields.is_empty()
        {
            report(path, fields);
        }
    }

    pub(super) fn object(&mut self, message: &AnyMessage<'_>) -> Done {
        let fields = message.fields()?;
        let unknown = fields.unknown();
        self.out.write_char('{')?;
        self.empty = true;
        for (field, value) in fields {
            self.write_member(field, value)?;
        }
        self.report_unknown(&unknown);
        self.empty = false;
        Ok(self.out.write_char('}')?)
    }

    fn name(&mut self, field: Field) -> fmt::Result {
        self.out.write_str(if self.empty { "\"" } else { ",\"" })?;
        self.empty = false;
        self.out.write_str(field.name)?;
        self.out.write_str("\":")
    }

    fn value(&mut self, field: Field, value: Value<'_>) -> Done {
        match value {
            Value::Number(number) => number.write_json(self.out)?,
            Value::Text(_) if self.masked && field.secret => self.out.write_str("\"***\"")?,
            Value::Text(text) => string(&text.to_string_lossy(), self.out)?,
            Value::Bytes(bytes) => {
                let base64 = Base64Display::new(bytes, &STANDARD);
                write!(self.out, "\"{base64}\"")?;
            }
            Value::Enum(name) => string(name, self.out)?,
            // The state is not restored after an error, as the output is incomplete anyway.
            Value::Message(message) => {
                if let Some(unknown) = &mut self.unknown {
                    unknown.path.push(field.name);
                }
                self.object(&message)?;
                if let Some(unknown) = &mut self.unknown {
                    unknown.path.pop();
                }
            }
            // The elements of a list are no lists.
            Value::List(_) => {}
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
fn string(text: &str, out: &mut dyn Write) -> fmt::Result {
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
