//! Why a filter is refused.

use std::fmt;

/// The characters of a path that a fault shows.
const MAX_SHOWN: usize = 200;

/// Why a filter is refused, and the path in it that is at fault.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{path}{}{reason}", if path.is_empty() { "" } else { ": " })]
pub struct FilterFault {
    path: String,
    reason: &'static str,
}

impl FilterFault {
    /// The keys and positions that lead to the fault, from the outside in, as `$or[1].user.uid`;
    /// empty for the filter as a whole.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// What is wrong there, as the end of a sentence that begins with the path.
    pub fn reason(&self) -> &'static str {
        self.reason
    }

    pub(super) fn at(path: impl fmt::Display, reason: &'static str) -> Self {
        Self {
            path: shown(path),
            reason,
        }
    }
}

/// A path or another text of a caller: it may be long, and hold what would garble a terminal.
pub(super) fn shown(text: impl fmt::Display) -> String {
    let text = text.to_string();
    let shown = text.chars().take(MAX_SHOWN);
    let shown = shown.map(|c| if c.is_control() { '\u{fffd}' } else { c });
    shown.collect()
}
