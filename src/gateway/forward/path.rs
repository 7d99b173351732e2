//! The one form in which a path is read, decided on and sent.
//!
//! A path is taken apart once: at its slashes, each segment percent-decoded once. What two readers could read differently is
//! refused: dot segments, empty segments, encoded slashes, backslashes, control characters, bad escapes, and text that is
//! not UTF-8. Rules see the segments, and what is sent is encoded from them, with only the unreserved characters of RFC
//! 3986 as they are. So `;` goes on as `%3B`, and no server takes it for more than a letter.
//!
//! A query is sent as it is, since no rule but that of Talk's chat depends on it. It is refused if it has a parameter that
//! the server reads on any route: a CSRF token, a token that logs in, another method.

use std::fmt::Write as _;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

/// All but the unreserved characters (RFC 3986, section 2.3).
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// The most parameters of a query. PHP ignores those behind its `max_input_vars`, 1,000 by default.
const MAX_PARAMETERS: usize = 500;

/// What no name of a parameter may contain.
const RESERVED: &[&str] = &["token", "_method", "_route", "sabreaction"];

/// A path in canonical form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Path {
    pub(super) segments: Vec<String>,
    pub(super) has_trailing_slash: bool,
}

impl Path {
    /// Reads a path, or says why it is not in a form that every server reads alike.
    pub(crate) fn parse(text: &str) -> Result<Self, &'static str> {
        let text = text.strip_prefix('/').ok_or("it does not begin with a slash")?;
        if !text.bytes().all(|byte| byte.is_ascii_graphic() && !b"?#".contains(&byte)) {
            return Err("it has a character that must be percent-encoded");
        }
        let mut segments = text.split('/').map(decode).collect::<Result<Vec<_>, _>>()?;
        let has_trailing_slash = segments.pop_if(|last| last.is_empty()).is_some();
        if segments.iter().any(String::is_empty) {
            return Err("it has an empty segment");
        }
        Ok(Self { segments, has_trailing_slash })
    }

    /// The path as it is sent.
    pub(crate) fn encode(&self) -> String {
        let mut path = String::new();
        for segment in &self.segments {
            let _ = write!(path, "/{}", utf8_percent_encode(segment, ENCODED));
        }
        if self.has_trailing_slash {
            path.push('/');
        }
        path
    }

    /// The same, with a query.
    pub(super) fn encode_with(&self, query: Option<&str>) -> String {
        self.encode() + &query.map(|query| format!("?{query}")).unwrap_or_default()
    }
}

fn decode(segment: &str) -> Result<String, &'static str> {
    let is_escape = |(at, _)| {
        let digits = segment.as_bytes().get(at + 1..at + 3);
        digits.is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit))
    };
    if !segment.match_indices('%').all(is_escape) {
        return Err("it has a % that is not followed by two hexadecimal digits");
    }
    let text = percent_decode_str(segment).decode_utf8().map_err(|_| "it is not UTF-8")?;
    match &*text {
        "." | ".." => Err("it has a segment . or .."),
        text if text.contains(['/', '\\']) => Err("it has an encoded slash, or a backslash"),
        text if text.contains(char::is_control) => Err("it has a control character"),
        _ => Ok(text.into_owned()),
    }
}

/// Checks that a query has no reserved parameter, whichever character the server separates them by.
pub(super) fn check_query(query: &str) -> Result<(), &'static str> {
    let mut names = query.split(['&', ';']).map(|text| text.split('=').next().unwrap_or_default());
    let is_reserved = |name| {
        let name = decode_parameter(name).to_ascii_lowercase();
        RESERVED.iter().any(|reserved| name.contains(reserved))
    };
    if names.clone().count() > MAX_PARAMETERS {
        Err("its query has too many parameters")
    } else if names.any(is_reserved) {
        Err("its query has a parameter that is not forwarded")
    } else {
        Ok(())
    }
}

/// Whether a query says `name=0`, and nothing else that could be read as this parameter.
pub(super) fn says_zero(query: &str, name: &str) -> bool {
    let parameters = query.split('&').filter(|text| decode_parameter(text).contains(name));
    parameters.eq([format!("{name}=0")])
}

fn decode_parameter(text: &str) -> String {
    percent_decode_str(&text.replace('+', " ")).decode_utf8_lossy().into_owned()
}
