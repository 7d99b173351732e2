//! Escaping for this command's output.

pub(super) use crate::cli::terminal::escape_json as escape;

/// `text` for tables and statistics on a terminal.
pub(super) fn printable(text: &str) -> String {
    crate::cli::terminal::escape(text).into_owned()
}
