//! Conditions that bound the size of a value in the server's job queue (docs/API.md, section 4.9).
//!
//! Patterns count bytes: the server applies them without the flag `u`. A missing value passes all but
//! [`few`].

use serde_json::{Value, json};

/// All ASCII characters that take one character in JSON.
const PLAIN: &str = r" !#-.0-\[\]-~";

/// At most `most` bytes, each of which takes one character: no quotation mark, slash or backslash, and
/// nothing outside ASCII.
pub(super) fn plain(most: usize) -> Value {
    json!({"$ne": format!("/[^{PLAIN}]|.{{{}}}/s", most + 1)})
}

/// At most `most` bytes, each of which takes three characters at most: no control characters. A Cyrillic
/// letter is two bytes.
pub(super) fn text(most: usize) -> Value {
    json!({"$ne": format!(r"/[\x00-\x1f]|.{{{}}}/s", most + 1)})
}

/// Like [`text`], but with line breaks and tabs.
pub(super) fn text_of_lines(most: usize) -> Value {
    json!({"$ne": format!(r"/[\x00-\x08\x0b\x0c\x0e-\x1f]|.{{{}}}/s", most + 1)})
}

/// Like [`text_of_lines`], but only ASCII, so that each byte takes two characters at most.
pub(super) fn ascii_lines(most: usize) -> Value {
    json!({"$ne": format!(r"/[^\t\n\r -~]|.{{{}}}/s", most + 1)})
}

/// Each element of a list is a text of at most `most` bytes without characters of `class`.
pub(super) fn in_no_element(class: &str, most: usize) -> Value {
    json!({"$not": {"$e": format!("/{class}|.{{{}}}/s", most + 1)}})
}

/// A text of several lines: at most `most` bytes, of which at most `escaped` take more than one
/// character, and at most `wide` are outside ASCII. No control characters except line breaks and tabs.
/// PCRE accepts no expression of more than 64 KiB, so that only some hundreds of a class can be counted.
pub(super) fn lines(path: &str, (most, escaped, wide): (usize, usize, usize)) -> Value {
    json!({"$and": [
        {path: {"$ne": format!("/.{{{}}}/s", most + 1)}},
        {path: few(&format!("[{PLAIN}]"), &format!("[^{PLAIN}]"), escaped)},
        {path: few(r"[\t\n\r -~]", r"[\x80-\xff]", wide)},
    ]})
}

/// A list of at most `most` objects.
pub(super) fn list(most: usize) -> Value {
    match most {
        0 => json!({"$lte": []}),
        most => json!({"$lt": vec![0; most + 1]}),
    }
}

/// At most `most` characters of `class` among those of `others`.
fn few(others: &str, class: &str, most: usize) -> Value {
    format!(r"/\A(?:{others}*{class}){{0,{most}}}{others}*\z/").into()
}

/// Bounds on the names of the user, with at most `display_name` bytes of the displayed one, and
/// `conditions`.
pub(super) fn with_user(display_name: usize, conditions: Value) -> Value {
    let mut filter = json!({
        "user.uid": plain(64),
        "user.displayName": text(display_name),
    });
    if let (Value::Object(filter), Value::Object(conditions)) = (&mut filter, conditions) {
        filter.extend(conditions);
    }
    filter
}
