//! Recorded sessions as scripts: text that says what a client sends and what the server answers.

mod line;
mod play;
mod record;

pub use play::{Script, ScriptedServer};
pub use record::record;

use std::time::Duration;

/// Why a client did not act as a [`Script`] says, or why a text is no script.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ScriptError {
    /// A line is not one of a script.
    #[error("line {line} of the script: {problem}")]
    Syntax {
        /// The number of the line, from 1.
        line: usize,
        /// What is wrong with it.
        problem: String,
    },
    /// The client sent another command.
    #[error("line {line} of the script expects {expected}, and the client sent {found}")]
    Command {
        /// The number of the line.
        line: usize,
        /// The command in that line.
        expected: String,
        /// The command that was sent, without secrets.
        found: String,
    },
    /// The client sent a command after all that the script expects.
    #[error("the client sent {found} after the end of the script")]
    AfterTheEnd {
        /// The command, without secrets.
        found: String,
    },
    /// The client disconnected too early.
    #[error("the client disconnected before line {line} of the script")]
    Disconnected {
        /// The number of the next line.
        line: usize,
    },
    /// The client did nothing for too long.
    #[error("line {line} of the script expects {expected}, and nothing came within {limit:?}")]
    Silent {
        /// The number of the line.
        line: usize,
        /// What the line expects.
        expected: String,
        /// The time for which it was awaited.
        limit: Duration,
    },
}
