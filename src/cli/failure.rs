//! Why a command failed.

use std::error::Error;
use std::fmt;

use clap::ArgMatches;
use portreeve::deliveries::QueueError;
use portreeve::vault::{StoreError, VaultError};

use crate::config::{ConfigError, Sources};

/// Why a command failed: the lines for standard error, one for each fault, possibly none, and the exit code.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(super) line: String,
    pub(super) code: u8,
    pub(super) is_effect_unknown: bool,
}

// === impl Failure ===

impl Failure {
    /// A failure with this line, and exit code 1.
    pub(crate) fn new(line: impl fmt::Display) -> Self {
        // On one line, even if the message of a cause has several.
        let line = line.to_string().replace(['\n', '\r'], " ");
        Self {
            line,
            code: 1,
            is_effect_unknown: false,
        }
    }

    /// All of `faults`, a line each, and exit code 2 if the command line alone was wrong.
    pub(super) fn all(faults: impl IntoIterator<Item = ConfigError>) -> Self {
        let all: Vec<_> = faults.into_iter().map(Self::from).collect();
        let lines: Vec<_> = all.iter().map(|failure| failure.line.as_str()).collect();
        Self {
            line: lines.join("\n"),
            code: all.iter().map(|failure| failure.code).min().unwrap_or(1),
            is_effect_unknown: false,
        }
    }

    /// A result that the exit code expresses, without a line.
    pub(super) fn silent(code: u8) -> Self {
        Self {
            code,
            ..Self::new("")
        }
    }

    /// Adds the file from which settings were read although nothing names it.
    pub(super) fn name_file(&mut self, mut matches: &ArgMatches) {
        while let Some((_, deeper)) = matches.subcommand() {
            matches = deeper;
        }
        let found = Sources::found_file(matches, |name| std::env::var_os(name));
        if let Some(path) = found.map(|path| path.display().to_string())
            && !self.line.is_empty()
            && !self.line.contains(&path)
        {
            self.line += &format!(" (with the settings in {path})");
        }
    }

    /// A fault of the command line, and exit code 2.
    pub(super) fn usage(line: impl fmt::Display) -> Self {
        Self {
            code: 2,
            ..Self::new(line)
        }
    }
}

/// Of exit code 2 if the command line is wrong.
impl<E: Error + 'static> From<E> for Failure {
    fn from(error: E) -> Self {
        let any: &dyn Error = &error;
        if any
            .downcast_ref()
            .is_some_and(ConfigError::is_of_command_line)
        {
            return Self::usage(error);
        }
        let store = match (any.downcast_ref(), any.downcast_ref()) {
            (Some(VaultError::Store(store)), _) | (_, Some(QueueError::Store(store))) => {
                Some(store)
            }
            _ => None,
        };
        let is_effect_unknown = store.is_some_and(StoreError::is_effect_unknown);
        Self {
            is_effect_unknown,
            ..Self::new(error)
        }
    }
}
