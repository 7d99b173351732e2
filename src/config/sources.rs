//! The sources of a setting's value: flag, environment, file of a secret, TOML file, table.

use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};

use clap::ArgMatches;
use zeroize::Zeroizing;

use super::arguments::{CONFIG, CONFIG_ENV};
use super::exposure::{Access, Exposure};
use super::faults::Faults;
use super::setting::{ALL, ENCRYPTION_KEYS, Fallback, Kind, Setting, Typed};
use super::variables::{FILE, nearest};

/// What stands for a secret that is not shown, here or on a page: whoever copies it has no secret.
const HIDDEN: &[&str] = &["***", "…", "..."];

/// What names the TOML file, in a line about it.
const NAMES_FILE: &str = "--config";

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

/// A value as it was written, not parsed yet.
#[derive(Debug)]
pub(crate) struct Written {
    pub(crate) text: Zeroizing<String>,
    pub(crate) origin: Origin,
}

/// All sources that a value can come from.
pub(crate) struct Sources<'a> {
    flags: &'a ArgMatches,
    environment: &'a dyn Fn(&str) -> Option<OsString>,
    file: Option<TomlFile>,
}

/// The TOML file.
struct TomlFile {
    path: PathBuf,
    table: toml::Table,
    /// What is wrong with it beside its values.
    faults: Vec<ConfigError>,
}

// === impl ConfigError ===

impl ConfigError {
    /// An error of `setting` that is not one of a single value.
    pub(crate) fn of(setting: &Setting, problem: impl Into<String>) -> Self {
        let flag = setting
            .flag()
            .map_or_else(String::new, |flag| format!("{flag}, "));
        let origin = Origin::Setting(format!("{flag}{}", setting.env));
        Self {
            origin,
            problem: problem.into(),
        }
    }

    /// An error of what `names` names.
    pub(crate) fn named(names: String, problem: impl Into<String>) -> Self {
        Self {
            origin: Origin::Setting(names),
            problem: problem.into(),
        }
    }

    /// Whether the value came from the command line.
    pub(crate) fn is_of_command_line(&self) -> bool {
        matches!(self.origin, Origin::Flag(_))
    }
}

// === impl Origin ===

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Flag(flag) => f.write_str(flag),
            Self::Environment(name) => f.write_str(name),
            Self::SecretFile(name, path) => write!(f, "{name} ({})", path.display()),
            Self::Toml(key, path) => write!(f, "{key} in {}", path.display()),
            Self::TomlFile(path) => write!(f, "{}", path.display()),
            Self::Default(key) => write!(f, "the default of {key}"),
            Self::Setting(names) => f.write_str(names),
        }
    }
}

// === impl Written ===

impl Written {
    pub(crate) fn error(&self, problem: impl Into<String>) -> ConfigError {
        ConfigError {
            origin: self.origin.clone(),
            problem: problem.into(),
        }
    }
}

// === impl Sources ===

impl<'a> Sources<'a> {
    /// Reads the TOML file, if `--config` or `PORTREEVE_CONFIG` names one.
    pub(crate) fn new(
        flags: &'a ArgMatches,
        environment: &'a dyn Fn(&str) -> Option<OsString>,
    ) -> Result<Self, ConfigError> {
        let path = match flags.get_one::<PathBuf>(CONFIG) {
            Some(path) => Some(path.clone()),
            None => environment(CONFIG_ENV)
                .filter(|path| !path.is_empty())
                .map(PathBuf::from),
        };
        Ok(Self {
            flags,
            environment,
            file: path.map(TomlFile::read).transpose()?,
        })
    }

    /// The files that hold secrets, each with what names it.
    pub(crate) fn secret_files(&self) -> Vec<(String, PathBuf)> {
        let mut files = Vec::new();
        let secrets = || ALL.iter().filter(|it| it.kind == Kind::Secret);
        if let Some(file) = &self.file
            && secrets().any(|setting| file.table.contains_key(setting.key))
        {
            files.push((NAMES_FILE.to_owned(), file.path.clone()));
        }
        for setting in secrets() {
            let variable = format!("{}{FILE}", setting.env);
            if let Some(path) = self.variable_value(&variable) {
                files.push((variable, path.into()));
            }
        }
        files
    }

    /// What is wrong with the file, and with each of `settings` by itself, whether it is used or not.
    pub(crate) fn faults(&self, settings: &[&'static Setting]) -> Faults {
        let mut faults = Faults::default();
        for fault in self.file.iter().flat_map(|file| &file.faults) {
            faults.add(fault.clone());
        }
        for setting in settings {
            if let Some(Some(written)) = faults.keep(self.find(setting))
                && let Err(problem) = (setting.check)(&written.text)
            {
                faults.add(written.error(problem));
            }
        }
        faults
    }

    /// The value of `setting`, or else the one that the table has for it.
    pub(crate) fn get<T>(&self, setting: &'static Typed<T>) -> Result<T, ConfigError> {
        let written = self.find_or_default(setting)?;
        let value = setting.read(&written.text);
        value.map_err(|problem| written.error(problem))
    }

    /// The value of `setting`; `None` if it is not set.
    pub(crate) fn find_value<T>(
        &self,
        setting: &'static Typed<T>,
    ) -> Result<Option<T>, ConfigError> {
        let Some(written) = self.find(setting)? else {
            return Ok(None);
        };
        let value = setting.read(&written.text);
        value.map(Some).map_err(|problem| written.error(problem))
    }

    /// An error of the value of `setting`, which names its source.
    pub(crate) fn error(
        &self,
        setting: &'static Setting,
        problem: impl Into<String>,
    ) -> ConfigError {
        match self.find(setting) {
            Ok(Some(written)) => written.error(problem),
            _ => ConfigError::of(setting, problem),
        }
    }

    /// The value of `setting` from the first source that has one; `None` if it is not set. An empty
    /// environment variable counts as not set.
    pub(crate) fn find(&self, setting: &'static Setting) -> Result<Option<Written>, ConfigError> {
        let flag = match setting.flag() {
            Some(flag) => self.flag(setting).map(|text| (Origin::Flag(flag), text)),
            None => None,
        };
        let found = match flag {
            Some(found) => Some(found),
            None => match self.variable(setting)? {
                Some(found) => Some(found),
                None => self.in_file(setting)?,
            },
        };
        let Some((origin, text)) = found else {
            return Ok(None);
        };
        let written = Written {
            text: Zeroizing::new(text),
            origin,
        };
        if setting.kind == Kind::Secret && HIDDEN.contains(&written.text.trim()) {
            return Err(written.error(format!(
                "{:?} only stands for a secret that is not shown; put the secret itself there, or \
                 in {} or a file that {}{FILE} names",
                written.text.trim(),
                setting.env,
                setting.env,
            )));
        }
        Ok(Some(written))
    }

    /// A variable that is no setting, but common to programs of a kind.
    #[cfg(feature = "postgres")]
    pub(super) fn foreign(&self, name: &str) -> Option<OsString> {
        self.variable_value(name)
    }

    /// The value of a variable; an empty one counts as not set.
    fn variable_value(&self, name: &str) -> Option<OsString> {
        (self.environment)(name).filter(|value| !value.is_empty())
    }

    /// As [`Self::find`]; if it is not set, what the table has for it.
    pub(crate) fn find_or_default(
        &self,
        setting: &'static Setting,
    ) -> Result<Written, ConfigError> {
        let default = || match setting.fallback {
            Fallback::Value(text) => Ok(Written {
                text: Zeroizing::new(text.to_owned()),
                origin: Origin::Default(setting.key),
            }),
            _ => Err(ConfigError::of(setting, "is not set")),
        };
        self.find(setting)?.map_or_else(default, Ok)
    }

    /// The value of the flag; those of a list that is given several times together.
    fn flag(&self, setting: &Setting) -> Option<String> {
        let values = self.flags.try_get_many::<String>(setting.key).ok()??;
        let values: Vec<_> = values.map(String::as_str).collect();
        Some(values.join(","))
    }

    fn variable(&self, setting: &'static Setting) -> Result<Option<(Origin, String)>, ConfigError> {
        let file_variable = format!("{}{FILE}", setting.env);
        let value = self.variable_value(setting.env);
        let path = match setting.kind {
            Kind::Secret => self.variable_value(&file_variable),
            _ => None,
        };
        match (value, path) {
            (Some(_), Some(_)) => Err(ConfigError {
                origin: Origin::Setting(format!("{} and {file_variable}", setting.env)),
                problem: "both are set; unset one of them".into(),
            }),
            (Some(value), None) => match value.into_string() {
                Ok(text) => Ok(Some((Origin::Environment(setting.env), text))),
                Err(_) => Err(ConfigError {
                    origin: Origin::Environment(setting.env),
                    problem: "is not UTF-8 text".into(),
                }),
            },
            (None, Some(path)) => {
                let path = PathBuf::from(path);
                let origin = Origin::SecretFile(file_variable, path.clone());
                if let Some(problem) = written_by_others(&path) {
                    return Err(ConfigError { origin, problem });
                }
                match std::fs::read_to_string(&path).map(Zeroizing::new) {
                    // Editors and `echo` end a file with a line break that is no part of a secret.
                    Ok(text) => Ok(Some((
                        origin,
                        text.trim_end_matches(['\r', '\n']).to_owned(),
                    ))),
                    Err(error) => Err(ConfigError {
                        origin,
                        problem: format!("the file cannot be read: {error}"),
                    }),
                }
            }
            (None, None) => Ok(None),
        }
    }

    fn in_file(&self, setting: &'static Setting) -> Result<Option<(Origin, String)>, ConfigError> {
        // One that may not stand there is a fault of the file.
        let Some(file) = self.file.as_ref().filter(|_| setting.is_in_toml()) else {
            return Ok(None);
        };
        let Some(value) = file.table.get(setting.key) else {
            return Ok(None);
        };
        let origin = Origin::Toml(setting.key, file.path.clone());
        match toml_text(value, setting.kind) {
            Some(text) => Ok(Some((origin, text))),
            None => Err(ConfigError {
                origin,
                problem: match setting.kind {
                    Kind::List(_) => "must be a list of strings".into(),
                    Kind::Switch => "must be true or false".into(),
                    Kind::Tables(_) => "must be tables, or JSON in quotes".into(),
                    _ => "must be one value in quotes".into(),
                },
            }),
        }
    }
}

fn toml_text(value: &toml::Value, kind: Kind) -> Option<String> {
    match value {
        toml::Value::String(text) => Some(text.clone()),
        toml::Value::Integer(number) => Some(number.to_string()),
        toml::Value::Boolean(switch) => Some(switch.to_string()),
        toml::Value::Table(table) if matches!(kind, Kind::Tables(_)) => {
            serde_json::to_string(table).ok()
        }
        toml::Value::Array(items) if matches!(kind, Kind::List(_)) => {
            let items: Option<Vec<_>> = items.iter().map(toml::Value::as_str).collect();
            items.map(|items| items.join(","))
        }
        _ => None,
    }
}

// === impl TomlFile ===

impl TomlFile {
    /// Reads the file at `path`.
    ///
    /// # Errors
    /// It cannot be read, or is not TOML.
    fn read(path: PathBuf) -> Result<Self, ConfigError> {
        let error = |problem: String| ConfigError {
            origin: Origin::TomlFile(path.clone()),
            problem,
        };
        let text = std::fs::read_to_string(&path)
            .map_err(|cause| error(format!("the file cannot be read: {cause}")))?;
        let table: toml::Table = text.parse().map_err(|cause: toml::de::Error| {
            let before = cause.span().and_then(|span| text.get(..span.start));
            let line = 1 + before.unwrap_or_default().matches('\n').count();
            error(format!("line {line} is not TOML: {}", cause.message()))
        })?;
        let mut faults: Vec<_> = written_by_others(&path).map(error).into_iter().collect();
        faults.extend(table.keys().filter_map(|key| unknown(key)).map(error));
        Ok(Self {
            path,
            table,
            faults,
        })
    }
}

/// Whoever can write a file that holds a secret, or the address that secrets are sent to, decides about
/// both.
fn written_by_others(path: &Path) -> Option<String> {
    let exposure = Exposure::of(path)?;
    matches!(exposure.to, Access::Write { .. }).then(|| exposure.to_string())
}

/// What is wrong with `key` in a file, if it may not stand there.
fn unknown(key: &str) -> Option<String> {
    let known = || ALL.iter().filter(|setting| setting.is_in_toml());
    if key == ENCRYPTION_KEYS.key {
        return Some(format!(
            "{key} may not stand in a file that is copied and shown; keep the keys in key_file, or \
             give them by {}",
            ENCRYPTION_KEYS.env
        ));
    }
    if known().any(|setting| setting.key == key) {
        return None;
    }
    let near = nearest(key, known().map(|setting| setting.key));
    let near = near.map_or_else(String::new, |near| format!("; {near} is one"));
    Some(format!(
        "there is no setting {key:?}{near}; `portreeve serve --help` lists all"
    ))
}
