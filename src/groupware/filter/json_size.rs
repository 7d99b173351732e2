//! The number of characters that a value takes in the server's job queue.
//!
//! The server writes the whole delivery there by PHP's `json_encode` without options: the result is
//! ASCII, since other characters are written as `\uXXXX` (a Cyrillic letter takes six characters, an
//! emoji twelve), and slashes as `\/`.

use super::node::{Array, Key, Node};

/// The size of the rest of a job's argument: a list around the delivery, the number of the registration,
/// and ten random digits.
pub(super) const AROUND: usize = "[,,\"0123456789\"]".len() + 20;

/// Maximum length of a number with a fraction and an exponent.
const MAX_FLOAT: usize = 24;

/// The number of characters that `text` takes, including its quotation marks.
pub(super) fn of_text(text: &str) -> usize {
    2 + text.chars().map(of_char).sum::<usize>()
}

/// The number of characters that `node` takes.
pub(super) fn of_node(node: &Node) -> usize {
    match node {
        Node::Null | Node::Bool(true) => 4,
        Node::Bool(false) => 5,
        Node::Int(value) => {
            let digits = 1 + value.unsigned_abs().checked_ilog10().unwrap_or(0) as usize;
            digits + usize::from(*value < 0)
        }
        // No event of the server is known to have one.
        Node::Float(_) => MAX_FLOAT,
        Node::Text(text) => of_text(text),
        Node::List(_) | Node::Object(_) => node.array().map_or(0, of_array),
    }
}

fn of_array(array: Array<'_>) -> usize {
    let element = |(key, node): (Key<'_>, &Node)| {
        let key = match key {
            Key::Position(_) => 0,
            Key::Name(name) => of_text(name) + 1,
        };
        key + of_node(node)
    };
    let commas = array.len().saturating_sub(1);
    2 + commas + array.iter().map(element).sum::<usize>()
}

/// The number of characters that `c` takes.
pub(super) fn of_char(c: char) -> usize {
    match c {
        '"' | '\\' | '/' | '\u{8}' | '\u{c}' | '\n' | '\r' | '\t' => 2,
        '\0'..'\u{20}' => 6,
        ..'\u{80}' => 1,
        c => 6 * c.len_utf16(),
    }
}
