//! Text from outside on a terminal: a name, a path or an answer must not be able to move the cursor, hide a line, or
//! change the direction of the text around it.

use std::borrow::Cow;

/// `text` on one line, with the characters that a terminal interprets written as `\u{202e}`, `\n` or `\t`.
pub(super) fn escape(text: &str) -> Cow<'_, str> {
    escape_by(text, |char, escaped| escaped.extend(char.escape_default()))
}

/// Escapes these characters in a line of JSON, as `\u202e`: they can only occur in strings, whose values stay the same.
/// JSON itself escapes those below U+0020.
pub(super) fn escape_json(line: &mut String) {
    if line.bytes().all(|byte| (b' '..0x7f).contains(&byte)) {
        return;
    }
    let escape = |char| format!("\\u{:04x}", u32::from(char));
    if let Cow::Owned(escaped) = escape_by(line, |char, escaped| *escaped += &escape(char)) {
        *line = escaped;
    }
}

/// A line of JSON, with these characters escaped.
pub(super) fn json_line(value: &serde_json::Value) -> String {
    let mut line = value.to_string();
    escape_json(&mut line);
    line
}

fn escape_by(text: &str, escape: impl Fn(char, &mut String)) -> Cow<'_, str> {
    if !text.contains(is_interpreted) {
        return Cow::Borrowed(text);
    }
    let mut escaped = String::with_capacity(text.len() + text.len() / 8);
    for char in text.chars() {
        if is_interpreted(char) {
            escape(char, &mut escaped);
        } else {
            escaped.push(char);
        }
    }
    Cow::Owned(escaped)
}

/// Control characters (C0, DEL, C1), the marks of bidirectional text (Unicode Standard Annex 9), and the line and
/// paragraph separators, which some tools treat as the end of a line.
fn is_interpreted(char: char) -> bool {
    char.is_control()
        || matches!(
            char,
            '\u{61c}'
                | '\u{200e}'
                | '\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2066}'..='\u{2069}'
        )
}
