//! Why a command failed.

use std::error::Error;
use std::fmt;
use std::io;
use std::path::Path;

use clap::ArgMatches;
use portreeve::deliveries::QueueError;
use portreeve::identity::TokensFileError;
use portreeve::vault::VaultError;

use crate::config::setting::TOKENS_FILE;
use crate::config::{ConfigError, Sources};
use crate::files;

#[derive(Debug)]
pub(crate) struct Failure {
    pub(super) line: String,
    /// The key of the setting at fault, for each line about one.
    pub(super) settings: Vec<Option<&'static str>>,
    pub(super) code: u8,
    pub(super) is_effect_unknown: bool,
}

impl Failure {
    /// A failure with this line, and exit code 1.
    pub(crate) fn new(line: impl fmt::Display) -> Self {
        // On one line, even if the message of a cause has several.
        let line = line.to_string().replace(['\n', '\r'], " ");
        Self { line, settings: Vec::new(), code: 1, is_effect_unknown: false }
    }

    /// What could not be done to the file at `path`, such as "read".
    pub(super) fn cannot(what: &str, path: &Path) -> impl Fn(io::Error) -> Self {
        move |error| Self::new(format_args!("cannot {what} {}: {error}", path.display()))
    }

    /// All of `faults`, a line each, and exit code 2 if the command line alone was wrong.
    pub(super) fn all(faults: impl IntoIterator<Item = ConfigError>) -> Self {
        let all: Vec<_> = faults.into_iter().map(Self::from).collect();
        let lines: Vec<_> = all.iter().map(|failure| failure.line.as_str()).collect();
        Self {
            line: lines.join("\n"),
            settings: all.iter().flat_map(|it| it.settings.clone()).collect(),
            code: all.iter().map(|failure| failure.code).min().unwrap_or(1),
            is_effect_unknown: false,
        }
    }

    /// A result that the exit code expresses, without a line.
    pub(super) fn silent(code: u8) -> Self {
        Self { code, ..Self::new("") }
    }

    /// Adds where the file of settings has the values that are at fault.
    pub(super) fn name_file(&mut self, mut matches: &ArgMatches) {
        while let Some((_, deeper)) = matches.subcommand() {
            matches = deeper;
        }
        let environment = |name: &str| std::env::var_os(name);
        let Ok(sources) = Sources::new(matches, &environment, files::read_text) else {
            return;
        };
        let mut lines: Vec<_> = self.line.lines().map(str::to_owned).collect();
        for (line, key) in lines.iter_mut().zip(&self.settings) {
            if let Some(place) = key.and_then(|key| sources.place_in_file(key)) {
                *line += &format!(" ({place})");
            }
        }
        self.line = lines.join("\n");
    }

    pub(super) fn usage(line: impl fmt::Display) -> Self {
        Self { code: 2, ..Self::new(line) }
    }
}

/// Of exit code 2 if the command line is wrong.
impl<E: Error + 'static> From<E> for Failure {
    fn from(error: E) -> Self {
        let any: &dyn Error = &error;
        let fault = any.downcast_ref::<ConfigError>();
        if fault.is_some_and(|fault| fault.origin.is_command_line) {
            return Self::usage(error);
        }
        let setting = match any.downcast_ref() {
            Some(TokensFileError::Io { .. }) => Some(TOKENS_FILE.key),
            _ => fault.and_then(|fault| fault.setting),
        };
        let store = match (any.downcast_ref(), any.downcast_ref()) {
            (Some(VaultError::Store(store)), _) | (_, Some(QueueError::Store(store))) => {
                Some(store)
            }
            _ => None,
        };
        let is_effect_unknown = store.is_some_and(|store| store.is_effect_unknown);
        Self { settings: vec![setting], is_effect_unknown, ..Self::new(error) }
    }
}
