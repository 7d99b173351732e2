//! Faults of the settings, and where they are.

use std::fmt;

use super::setting::Setting;

/// A setting is invalid. The message is one line, which names it and says what would be valid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}: {problem}", origin.name)]
pub(crate) struct ConfigError {
    pub(crate) origin: Origin,
    problem: String,
    /// That of [`of`](Self::of), whose name does not say where its value comes from.
    pub(crate) setting: Option<&'static str>,
}

/// The source of a value, described so that an operator finds it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Origin {
    pub(crate) name: String,
    pub(crate) is_command_line: bool,
}

#[derive(Debug, Default)]
pub(crate) struct Faults(pub(crate) Vec<ConfigError>);

// === impl ConfigError ===

impl ConfigError {
    /// An error of `setting` that is not about a single value.
    pub(crate) fn of(setting: &Setting, problem: impl fmt::Display) -> Self {
        let flag = setting.flag().map(|flag| format!("{flag}, "));
        let names = flag.unwrap_or_default() + setting.env;
        Self { setting: Some(setting.key), ..Self::named(names, problem) }
    }

    /// An error of the settings or variables in `names`.
    pub(crate) fn named(names: String, problem: impl fmt::Display) -> Self {
        Origin::of(names).error(problem)
    }
}

// === impl Origin ===

impl Origin {
    pub(super) fn of(name: impl Into<String>) -> Self {
        Self { name: name.into(), is_command_line: false }
    }

    pub(super) fn error(self, problem: impl fmt::Display) -> ConfigError {
        ConfigError { origin: self, problem: problem.to_string(), setting: None }
    }
}

// === impl Faults ===

impl Faults {
    pub(crate) fn keep<T>(&mut self, result: Result<T, ConfigError>) -> Option<T> {
        result.map_err(|fault| self.add(fault)).ok()
    }

    /// Adds a fault unless it is known: several readers of a setting find the same one.
    pub(crate) fn add(&mut self, fault: ConfigError) {
        if !self.0.contains(&fault) {
            self.0.push(fault);
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}
