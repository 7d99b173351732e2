//! Recorded sessions as scripts: text that says what a client sends and what the server answers.

mod line;
mod play;
mod record;

pub use play::{Script, ScriptedServer};
pub(in crate::game::testing) use record::is_ping;
pub use record::record;

/// Why a client did not act as a [`Script`] says, or why a text is no script.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line} of the script {problem}")]
#[non_exhaustive]
pub struct ScriptError {
    /// The number of the line, from 1.
    pub line: usize,
    /// What is wrong with it, or what it expects and what the client did instead, without secrets.
    pub problem: String,
}
