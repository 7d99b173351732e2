//! Conditions that bound what a value takes in the server's job queue (docs/API.md, section 4.9).
//!
//! Patterns go by bytes: the server applies them without the flag `u`. A missing value passes all but
//! [`few`].

use serde_json::{Value, json};

/// All characters of ASCII that take one character in JSON.
const PLAIN: &str = r" !#-.0-\[\]-~";

/// For classes that no filter bounds, or none that is of use.
pub(super) fn nothing(_: super::super::JobLimit) -> Option<Value> {
    None
}

/// At most so many bytes, each of which takes one character: no quotation mark, slash or backslash, and nothing
/// outside ASCII.
pub(super) fn plain(most: usize) -> Value {
    json!({"$ne": format!("/[^{PLAIN}]|.{{{}}}/s", most + 1)})
}

/// At most so many bytes, each of which takes three characters at most: no control characters. A Cyrillic letter
/// is two bytes.
pub(super) fn text(most: usize) -> Value {
    json!({"$ne": format!(r"/[\x00-\x1f]|.{{{}}}/s", most + 1)})
}

/// As [`text`], with line breaks and tabulators.
pub(super) fn text_of_lines(most: usize) -> Value {
    json!({"$ne": format!(r"/[\x00-\x08\x0b\x0c\x0e-\x1f]|.{{{}}}/s", most + 1)})
}

/// As [`text_of_lines`], of ASCII, so that each byte takes two characters at most.
pub(super) fn ascii_lines(most: usize) -> Value {
    json!({"$ne": format!(r"/[^\t\n\r -~]|.{{{}}}/s", most + 1)})
}

/// That a text has none of a class of characters, and at most so many bytes, in each element of a list.
pub(super) fn in_no_element(class: &str, most: usize) -> Value {
    json!({"$not": {"$e": format!("/{class}|.{{{}}}/s", most + 1)}})
}

/// A text of lines: at most so many bytes. PCRE takes no expression of more than 64 KiB, so that only some hundred can be
/// counted of a class. Such as take more than one character are `escaped` at most, of them
/// outside ASCII `wide`. Other control characters than the ends of lines and tabulators are not allowed.
pub(super) fn lines(path: &str, (most, escaped, wide): (usize, usize, usize)) -> Value {
    json!({"$and": [
        {path: {"$ne": format!("/.{{{}}}/s", most + 1)}},
        {path: few(&format!("[{PLAIN}]"), &format!("[^{PLAIN}]"), escaped)},
        {path: few(r"[\t\n\r -~]", r"[\x80-\xff]", wide)},
    ]})
}

/// A list of at most so many objects.
pub(super) fn list(most: usize) -> Value {
    match most {
        0 => json!({"$lte": []}),
        most => json!({"$lt": vec![0; most + 1]}),
    }
}

/// At most so many characters of one class among those of another.
fn few(others: &str, class: &str, most: usize) -> Value {
    format!(r"/\A(?:{others}*{class}){{0,{most}}}{others}*\z/").into()
}

/// The names of the user, of at most so many bytes; and `conditions`.
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
