//! What a terminal acts on instead of showing it: a name in a recording must not be able to move the
//! cursor, hide a line or turn the direction of the text around it.

use std::fmt::Write as _;

/// Escapes such characters in a line of JSON, as `\u202e`: they can only stand in its strings, whose
/// values stay the same. JSON itself escapes those below U+0020.
pub(super) fn escape(line: &mut String) {
    if line.bytes().all(|byte| (b' '..0x7f).contains(&byte)) || !line.contains(is_acted_on) {
        return;
    }
    let mut escaped = String::with_capacity(line.len() + line.len() / 8);
    for char in line.chars() {
        match is_acted_on(char) {
            // Writing to memory does not fail.
            true => drop(write!(escaped, "\\u{:04x}", u32::from(char))),
            false => escaped.push(char),
        }
    }
    *line = escaped;
}

/// What keeps a table or the statistics on a terminal from being bent by a name.
pub(super) fn printable(text: &str) -> String {
    text.chars()
        .map(|char| if is_acted_on(char) { '\u{fffd}' } else { char })
        .collect()
}

/// Controls (C0, DEL, C1), the marks of bidirectional text (Unicode Standard Annex 9), and the
/// separators of lines and paragraphs, which some tools take for the end of a line.
fn is_acted_on(char: char) -> bool {
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
