//! Where the value of a setting comes from: flag, environment, file of a secret, TOML file.

use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};

use clap::ArgMatches;
use zeroize::Zeroizing;

use super::setting::{ALL, Kind, Setting};

/// A setting that cannot be used. One line that names it and says what would be right.
#[derive(Debug, thiserror::Error)]
#[error("{place}: {problem}")]
pub(crate) struct ConfigError {
    place: Place,
    problem: String,
}

impl ConfigError {
    /// An error of `setting` that no single value is to blame for.
    pub(crate) fn of(setting: &Setting, problem: impl Into<String>) -> Self {
        let flag = setting
            .flag()
            .map_or_else(String::new, |flag| format!("{flag}, "));
        let place = Place::Setting(format!("{flag}{}", setting.env));
        Self {
            place,
            problem: problem.into(),
        }
    }

    /// Whether the command line was wrong, and nothing else.
    pub(crate) fn is_of_command_line(&self) -> bool {
        matches!(self.place, Place::Flag(_))
    }
}

/// Where a value stood, in words that lead there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    Flag(String),
    Environment(&'static str),
    /// The file that the variable names.
    SecretFile(String, PathBuf),
    Toml(&'static str, PathBuf),
    TomlFile(PathBuf),
    Setting(String),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Flag(flag) => f.write_str(flag),
            Self::Environment(name) => f.write_str(name),
            Self::SecretFile(name, path) => write!(f, "{name} ({})", path.display()),
            Self::Toml(key, path) => write!(f, "{key} in {}", path.display()),
            Self::TomlFile(path) => write!(f, "{}", path.display()),
            Self::Setting(names) => f.write_str(names),
        }
    }
}

/// A value as it was written.
#[derive(Debug)]
pub(crate) struct Written {
    pub(crate) text: Zeroizing<String>,
    pub(crate) place: Place,
}

impl Written {
    pub(crate) fn error(&self, problem: impl Into<String>) -> ConfigError {
        ConfigError {
            place: self.place.clone(),
            problem: problem.into(),
        }
    }
}

/// All places a value can come from.
pub(crate) struct Sources<'a> {
    flags: &'a ArgMatches,
    environment: &'a dyn Fn(&str) -> Option<OsString>,
    file: Option<(PathBuf, toml::Table)>,
}

impl<'a> Sources<'a> {
    /// Reads the TOML file, where `--config` or `PORTREEVE_CONFIG` names one.
    pub(crate) fn new(
        flags: &'a ArgMatches,
        environment: &'a dyn Fn(&str) -> Option<OsString>,
    ) -> Result<Self, ConfigError> {
        let path = match flags.get_one::<PathBuf>("config") {
            Some(path) => Some(path.clone()),
            None => environment("PORTREEVE_CONFIG")
                .filter(|path| !path.is_empty())
                .map(PathBuf::from),
        };
        let file = path
            .map(|path| read_toml(&path).map(|table| (path, table)))
            .transpose()?;
        Ok(Self {
            flags,
            environment,
            file,
        })
    }

    /// The value of `setting` from the first place that has one. An empty environment variable
    /// counts as none.
    pub(crate) fn find(&self, setting: &'static Setting) -> Result<Option<Written>, ConfigError> {
        let flag = match setting.flag() {
            Some(flag) => self.flag(setting).map(|text| (Place::Flag(flag), text)),
            None => None,
        };
        let found = match flag {
            Some(found) => Some(found),
            None => match self.variable(setting)? {
                Some(found) => Some(found),
                None => self.in_file(setting)?,
            },
        };
        Ok(found.map(|(place, text)| Written {
            text: Zeroizing::new(text),
            place,
        }))
    }

    fn flag(&self, setting: &Setting) -> Option<String> {
        self.flags
            .try_get_one::<String>(setting.key)
            .ok()
            .flatten()
            .cloned()
    }

    fn variable(&self, setting: &'static Setting) -> Result<Option<(Place, String)>, ConfigError> {
        let file_variable = format!("{}_FILE", setting.env);
        let value = (self.environment)(setting.env).filter(|value| !value.is_empty());
        let path = match setting.kind {
            Kind::Secret => (self.environment)(&file_variable).filter(|path| !path.is_empty()),
            _ => None,
        };
        match (value, path) {
            (Some(_), Some(_)) => Err(ConfigError {
                place: Place::Setting(format!("{} and {file_variable}", setting.env)),
                problem: "both are set; unset one of them".into(),
            }),
            (Some(value), None) => match value.into_string() {
                Ok(text) => Ok(Some((Place::Environment(setting.env), text))),
                Err(_) => Err(ConfigError {
                    place: Place::Environment(setting.env),
                    problem: "is not UTF-8 text".into(),
                }),
            },
            (None, Some(path)) => {
                let path = PathBuf::from(path);
                let place = Place::SecretFile(file_variable, path.clone());
                match std::fs::read_to_string(&path) {
                    // Editors and `echo` end a file with a line break that is no part of a secret.
                    Ok(text) => Ok(Some((
                        place,
                        text.trim_end_matches(['\r', '\n']).to_owned(),
                    ))),
                    Err(error) => Err(ConfigError {
                        place,
                        problem: format!("the file cannot be read: {error}"),
                    }),
                }
            }
            (None, None) => Ok(None),
        }
    }

    fn in_file(&self, setting: &'static Setting) -> Result<Option<(Place, String)>, ConfigError> {
        let Some((path, table)) = &self.file else {
            return Ok(None);
        };
        let Some(value) = table.get(setting.key) else {
            return Ok(None);
        };
        let place = Place::Toml(setting.key, path.clone());
        match toml_text(value, setting.kind) {
            Some(text) => Ok(Some((place, text))),
            None => Err(ConfigError {
                place,
                problem: match setting.kind {
                    Kind::List(_) => "must be a list of strings".into(),
                    Kind::Switch => "must be true or false".into(),
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
        toml::Value::Array(items) if matches!(kind, Kind::List(_)) => {
            let items: Option<Vec<_>> = items.iter().map(toml::Value::as_str).collect();
            items.map(|items| items.join(","))
        }
        _ => None,
    }
}

fn read_toml(path: &Path) -> Result<toml::Table, ConfigError> {
    let error = |place, problem| Err(ConfigError { place, problem });
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(cause) => {
            return error(
                Place::TomlFile(path.into()),
                format!("the file cannot be read: {cause}"),
            );
        }
    };
    let table: toml::Table = match text.parse() {
        Ok(table) => table,
        Err(cause) => {
            let cause: toml::de::Error = cause;
            let line = cause
                .span()
                .map_or(1, |span| 1 + text[..span.start].matches('\n').count());
            return error(
                Place::TomlFile(path.into()),
                format!("line {line} is not TOML: {}", cause.message()),
            );
        }
    };
    for key in table.keys() {
        if !ALL
            .iter()
            .any(|setting| setting.in_file && setting.key == key)
        {
            return error(
                Place::TomlFile(path.into()),
                format!("there is no setting {key:?}; `portreeve serve --help` lists them"),
            );
        }
    }
    Ok(table)
}
