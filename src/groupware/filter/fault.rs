//! The reason for refusing a filter.

/// Maximum number of characters of a path that is quoted.
const MAX_CHARACTERS: usize = 200;

/// What follows a reason that would be none in an event of a trusted class.
const UNLESS_TRUSTED: &str = ". No event of this class is known: an operator can list it in trusted_event_classes \
                              (docs/API.md, section 4.4)";

/// Why a filter is refused, and the path of the fault in it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{path}{}{reason}{}", if path.is_empty() { "" } else { ": " }, if *unless_trusted { UNLESS_TRUSTED } else { "" })]
#[non_exhaustive]
pub struct FilterFault {
    /// The path of the fault from the outside in, such as `$or[1].user.uid`; empty for the filter as a whole.
    pub path: String,
    /// The fault, as the end of a sentence that begins with the path.
    pub reason: &'static str,
    /// Whether it is accepted once the operator trusts the event's class.
    pub(super) unless_trusted: bool,
}

impl FilterFault {
    pub(super) fn at(path: impl Into<String>, reason: &'static str) -> Self {
        Self { path: escape_controls(path), reason, unless_trusted: false }
    }
}

/// The path of a member of what is at `outer`, made without the machinery of `format!`: a long filter has thousands.
pub(super) fn member(outer: &str, name: &str) -> String {
    let dot = if outer.is_empty() { "" } else { "." };
    escape_controls([outer, dot, name].concat())
}

/// Truncates a text of a caller, and escapes characters that would garble a terminal.
pub(super) fn escape_controls(text: impl Into<String>) -> String {
    let text = text.into();
    let is_plain = |byte: u8| byte == b' ' || byte.is_ascii_graphic();
    if text.len() <= MAX_CHARACTERS && text.bytes().all(is_plain) {
        return text;
    }
    let plain = |c: char| if c.is_control() { '\u{fffd}' } else { c };
    text.chars().take(MAX_CHARACTERS).map(plain).collect()
}
