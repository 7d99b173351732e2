//! What is wrong with the settings, and where it stands.

use std::fmt;
use std::path::PathBuf;

use super::setting::Setting;

/// A setting that cannot be used. One line that names it and says what would be right.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{origin}: {problem}")]
pub(crate) struct ConfigError {
    origin: Origin,
    problem: String,
}

/// The source of one value, in words by which an operator finds it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    Flag(String),
    Environment(&'static str),
    /// The file that this variable names.
    SecretFile(String, PathBuf),
    Toml(&'static str, PathBuf),
    TomlFile(PathBuf),
    /// The table of the settings.
    Default(&'static str),
    /// No single source: all names of the setting.
    Setting(String),
}

/// What is wrong, each fault once.
#[derive(Debug, Default)]
pub(crate) struct Faults(Vec<ConfigError>);

// === impl ConfigError ===

impl ConfigError {
    /// An error of `setting` that is not one of a single value.
    pub(crate) fn of(setting: &Setting, problem: impl Into<String>) -> Self {
        let flag = setting.flag().map(|flag| format!("{flag}, "));
        let flag = flag.unwrap_or_default();
        Self::named(format!("{flag}{}", setting.env), problem)
    }

    /// An error of what `names` names.
    pub(crate) fn named(names: String, problem: impl Into<String>) -> Self {
        Origin::Setting(names).error(problem)
    }

    /// Whether the value came from the command line.
    pub(crate) fn is_of_command_line(&self) -> bool {
        matches!(self.origin, Origin::Flag(_))
    }
}

// === impl Origin ===

impl Origin {
    /// What is wrong with the value that stands there.
    pub(super) fn error(self, problem: impl Into<String>) -> ConfigError {
        ConfigError {
            origin: self,
            problem: problem.into(),
        }
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Flag(name) | Self::Setting(name) => f.write_str(name),
            Self::Environment(name) => f.write_str(name),
            Self::SecretFile(name, path) => write!(f, "{name} ({})", path.display()),
            Self::Toml(key, path) => write!(f, "{key} in {}", path.display()),
            Self::TomlFile(path) => write!(f, "{}", path.display()),
            Self::Default(key) => write!(f, "the default of {key}"),
        }
    }
}

// === impl Faults ===

impl Faults {
    /// The value, or `None` and one fault more.
    pub(crate) fn keep<T>(&mut self, result: Result<T, ConfigError>) -> Option<T> {
        result.map_err(|fault| self.add(fault)).ok()
    }

    /// Adds a fault, unless it is there already: what reads a setting after another one finds the same.
    pub(crate) fn add(&mut self, fault: ConfigError) {
        if !self.0.contains(&fault) {
            self.0.push(fault);
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl IntoIterator for Faults {
    type Item = ConfigError;
    type IntoIter = std::vec::IntoIter<ConfigError>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}
