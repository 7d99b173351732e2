//! The table of errors (`src/gateway/error`), read from its source.

use serde_json::{Deserializer, Value};

const SOURCE: &str = include_str!("../../src/gateway/error/mod.rs");

/// How an answer begins, up to its message or, for the last two, what comes before that.
const ANSWERS: [&str; 10] = [
    "=> ",
    "bad_request(",
    "forbidden(",
    "internal(",
    "not_found(",
    "provisioning_required(",
    "rejected(",
    "timeout(",
    "rejection(RejectionReason::",
    "row(StatusCode::",
];

/// The rows of the table. One with advice ends in it.
pub(crate) fn rows() -> impl Iterator<Item = &'static str> {
    let (_, table) = SOURCE.split_once("\nerrors! {").expect("the table begins");
    let (table, _) = table.split_once("\n}").expect("the table ends");
    table.split(";\n")
}

/// The literals with which the messages of a row begin, in its order, and whether each is a whole message.
pub(crate) fn messages(row: &str) -> Vec<(String, bool)> {
    let mut found = Vec::new();
    for answer in ANSWERS {
        for (at, _) in row.match_indices(answer) {
            let mut rest = &row[at + answer.len()..];
            match answer {
                "rejection(RejectionReason::" => rest = rest.split_once(", ").expect("a reason").1,
                "row(StatusCode::" => rest = rest.split_once("\", ").expect("a title").1,
                _ => {}
            }
            let composed = rest.strip_prefix("format!(");
            if let Some(text) = literal(composed.unwrap_or(rest)) {
                found.push((at, text, composed.is_none()));
            }
        }
    }
    found.sort();
    found.into_iter().map(|(_, text, is_whole)| (text, is_whole)).collect()
}

/// The literal that `source` begins with. Rust's are the same in JSON.
pub(crate) fn literal(source: &str) -> Option<String> {
    let mut values = Deserializer::from_str(source).into_iter::<Value>();
    values.next()?.ok()?.as_str().map(str::to_owned)
}
