//! The one form in which a path is read, decided on and sent.
//!
//! A path is taken apart once: at its slashes, each segment percent-decoded once. What two readers could read differently is
//! refused: dot segments, empty segments, encoded slashes, backslashes, control characters, bad escapes, and text that is
//! not UTF-8. Rules see the segments, and what is sent is encoded from them, with only the unreserved characters of RFC
//! 3986 as they are. So `;` goes on as `%3B`, and no server takes it for more than a letter.
//!
//! A query is sent as it is, since no rule but that of Talk's chat depends on it. It is refused if it has a parameter that
//! the server reads on any route: a CSRF token, a token that logs in, another method.

use std::borrow::Cow;

use http::uri::{InvalidUri, PathAndQuery};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

/// All but the unreserved characters (RFC 3986, section 2.3), and slashes, which are between segments.
const ENCODED: &AsciiSet =
    &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~').remove(b'/');

/// The most parameters of a query. PHP ignores those behind its `max_input_vars`, 1,000 by default.
const MAX_PARAMETERS: usize = 500;

/// What no name of a parameter may contain.
const RESERVED: &[&str] = &["token", "_method", "_route", "sabreaction"];

/// A path in canonical form, and its query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Path {
    /// Decoded, with slashes between them, of which none has one. The root has none.
    pub(super) segments: String,
    pub(super) has_trailing_slash: bool,
    pub(super) query: Option<String>,
}

impl Path {
    /// Reads a path, or says why it is not in a form that every server reads alike.
    pub(crate) fn parse(text: &str) -> Result<Self, &'static str> {
        // As in `has`.
        if !text.bytes().fold(true, |all, byte| all & byte.is_ascii_graphic() & (byte != b'#')) {
            return Err("it has a character that must be percent-encoded");
        }
        let split = if has(text, b'?') { text.split_once('?') } else { None };
        let (path, query) = split.map_or((text, None), |(path, it)| (path, Some(it)));
        let path = path.strip_prefix('/').ok_or("it does not begin with a slash")?;
        let has_trailing_slash = path.is_empty() || path.ends_with('/');
        let segments = decode(path)?;
        Ok(Self { segments, has_trailing_slash, query: query.map(str::to_owned) })
    }

    pub(crate) fn encode(&self) -> String {
        let slash = if self.has_trailing_slash && !self.segments.is_empty() { "/" } else { "" };
        let query = self.query.iter().flat_map(|query| ["?", query]);
        let path = utf8_percent_encode(&self.segments, ENCODED).chain([slash]);
        ["/"].into_iter().chain(path).chain(query).collect()
    }

    /// The same for one that `came` as this: itself, if nothing of it is encoded otherwise.
    pub(super) fn to_send(&self, came: &PathAndQuery) -> Result<PathAndQuery, InvalidUri> {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/-._~".contains(&byte);
        if came.path().bytes().all(is_plain) { Ok(came.clone()) } else { self.encode().try_into() }
    }

    /// Checks that the query has no reserved parameter, whichever character the server separates them by.
    pub(super) fn check_query(&self) -> Result<(), &'static str> {
        let parameters = self.query.iter().flat_map(|query| query.split(['&', ';']));
        let is_reserved = |parameter: &str| {
            let name = decode_parameter(parameter.split('=').next().unwrap_or_default());
            // PHP puts an underscore in the place of a dot.
            let name = name.to_ascii_lowercase().replace('.', "_");
            RESERVED.iter().any(|reserved| name.contains(reserved))
        };
        if parameters.clone().count() > MAX_PARAMETERS {
            return Err("its query has too many parameters");
        }
        let is_forwarded = !parameters.into_iter().any(is_reserved);
        is_forwarded.then_some(()).ok_or("its query has a parameter that is not forwarded")
    }

    /// Whether the query says `name=0`, and nothing else that could be read as this parameter.
    pub(super) fn says_zero(&self, name: &str) -> bool {
        let parameters = self.query.iter().flat_map(|query| query.split('&'));
        parameters.filter(|text| decode_parameter(text).contains(name)).eq([format!("{name}=0")])
    }
}

/// Whether `byte` is in `text`; without an early exit, so that many bytes are checked at a time.
fn has(text: &str, byte: u8) -> bool {
    text.bytes().fold(false, |any, other| any | (other == byte))
}

/// The segments of a path, which may end in a slash.
fn decode(path: &str) -> Result<String, &'static str> {
    let mut text = Cow::Borrowed(path);
    if has(path, b'%') {
        let is_escape =
            |text: &str| text.bytes().take(2).filter(u8::is_ascii_hexdigit).count() == 2;
        if !path.split('%').skip(1).all(is_escape) {
            return Err("it has a % that is not followed by two hexadecimal digits");
        }
        text = percent_decode_str(path).decode_utf8().map_err(|_| "it is not UTF-8")?;
    }
    let is_decoded = text.len() < path.len();
    let slashes = |text: &str| text.matches('/').count();
    if has(&text, b'\\') || is_decoded && slashes(&text) > slashes(path) {
        return Err("it has an encoded slash, or a backslash");
    }
    if is_decoded && text.contains(char::is_control) {
        return Err("it has a control character");
    }
    let mut segments = text.into_owned();
    segments.truncate(segments.strip_suffix('/').unwrap_or(&segments).len());
    // Without it, nothing is between the slashes of the root.
    let mut names = segments.as_bytes().split(|byte| *byte == b'/').filter(|_| !path.is_empty());
    let fault = names.find_map(|name| match name {
        b"" => Some("it has an empty segment"),
        b"." | b".." => Some("it has a segment . or .."),
        _ => None,
    });
    fault.map_or(Ok(segments), Err)
}

fn decode_parameter(text: &str) -> String {
    percent_decode_str(&text.replace('+', " ")).decode_utf8_lossy().into_owned()
}
