//! The sources of a setting's value: flag, environment, file of a secret, TOML file, table.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::ffi::OsString;
use std::fmt::Display;
use std::path::{Path, PathBuf};

use clap::ArgMatches;
use zeroize::Zeroizing;

use super::arguments::{CONFIG, CONFIG_ENV};
use super::fault::{ConfigError, Faults, Origin};
use super::parse;
use super::setting::{ALL, Fallback, Setting, Typed};
use super::syntax::Notation;
use super::toml_file::{DEFAULT_PATHS, MAX_FILE_LEN, ReadFile, TomlFile, owned_by_us};
use super::variables::FILE;

/// Placeholders for secrets, here and in documentation, which are not valid as secrets.
const HIDDEN: &[&str] = &["***", "…", "..."];

/// How messages refer to the TOML file.
const NAMES_FILE: &str = "--config";

#[derive(Clone, Debug)]
pub(crate) struct RawValue {
    pub(crate) text: Zeroizing<String>,
    pub(crate) origin: Origin,
}

pub(crate) struct Sources<'a> {
    flags: &'a ArgMatches,
    environment: &'a dyn Fn(&str) -> Option<OsString>,
    read_file: ReadFile,
    file: Option<TomlFile>,
    /// In the order of [`ALL`], each as it was first looked up: what was checked is what is used, and a secret is read
    /// once, also from a pipe.
    found: Vec<OnceCell<Result<Option<RawValue>, ConfigError>>>,
}

// === impl RawValue ===

impl RawValue {
    fn new(origin: Origin, text: impl Into<String>) -> Self {
        let text = Zeroizing::new(text.into());
        Self { text, origin }
    }

    pub(crate) fn error(&self, problem: impl Display) -> ConfigError {
        self.origin.clone().error(problem)
    }

    fn read<T>(&self, setting: &Typed<T>) -> Result<T, ConfigError> {
        (setting.read)(&self.text).map_err(|problem| self.error(problem))
    }
}

// === impl Sources ===

impl<'a> Sources<'a> {
    /// Reads the TOML file: the one that `--config` or `PORTREEVE_CONFIG` names, or otherwise, if the command has
    /// `--config`, the first default one that exists. It and the files of secrets are read with `read_file`.
    pub(crate) fn new(
        flags: &'a ArgMatches,
        environment: &'a dyn Fn(&str) -> Option<OsString>,
        read_file: ReadFile,
    ) -> Result<Self, ConfigError> {
        let named = environment(CONFIG_ENV).filter(|path| !path.is_empty());
        let path = match (flags.try_get_one::<PathBuf>(CONFIG), named) {
            (Ok(Some(path)), _) => Some(path.clone()),
            (_, Some(named)) => Some(named.into()),
            (Ok(None), None) => {
                let mut defaults = DEFAULT_PATHS.iter().map(PathBuf::from);
                let found = defaults.find(|path| path.symlink_metadata().is_ok());
                found.map(owned_by_us).transpose()?
            }
            (Err(_), None) => None,
        };
        let file = path.map(|path| TomlFile::read(path, read_file));
        Ok(Self {
            flags,
            environment,
            read_file,
            file: file.transpose()?,
            found: ALL.iter().map(|_| OnceCell::new()).collect(),
        })
    }

    pub(crate) fn file(&self) -> Option<&Path> {
        self.file.as_ref().map(|file| &*file.path)
    }

    /// Where the file has the value of the setting `key`, if it comes from there.
    pub(crate) fn place_in_file(&self, key: &str) -> Option<&str> {
        let setting = ALL.iter().copied().find(|it| it.key == key)?;
        let written = self.raw(setting).ok().flatten()?;
        let end = format!(" in {}", self.file()?.display());
        Some(&*written.origin.name).filter(|name| name.ends_with(&end))
    }

    /// The files that contain secrets, each with the setting or variable that names it.
    pub(crate) fn secret_files(&self) -> Vec<(String, PathBuf)> {
        let mut files = Vec::new();
        let secrets = || ALL.iter().filter(|it| it.notation == Notation::Secret);
        if let Some(file) = &self.file
            && secrets().any(|setting| file.has(setting))
        {
            files.push((NAMES_FILE.to_owned(), file.path.clone()));
        }
        for setting in secrets() {
            let variable = format!("{}{FILE}", setting.env);
            if let Some(path) = self.variable_value(&variable) {
                files.push((variable, path.into()));
            }
            let file = self.file.as_ref();
            files.extend(file.and_then(|file| file.secret_file(setting)));
        }
        files
    }

    /// The faults of the file, and of each of `settings` by itself, used or not.
    pub(crate) fn faults(&self, settings: impl IntoIterator<Item = &'static Setting>) -> Faults {
        let mut faults = Faults::default();
        for fault in self.file.iter().flat_map(|file| &file.faults) {
            faults.add(fault.clone());
        }
        for setting in settings {
            if let Some(Some(written)) = faults.keep(self.raw(setting))
                && let Err(problem) = (setting.check)(&written.text)
            {
                faults.add(written.error(problem));
            }
        }
        faults
    }

    /// The value of `setting`, or its default.
    pub(crate) fn get<T>(&self, setting: &'static Typed<T>) -> Result<T, ConfigError> {
        self.raw_or_default(setting)?.read(setting)
    }

    /// The value of `setting`; `None` if it is not set.
    pub(crate) fn get_opt<T>(&self, setting: &'static Typed<T>) -> Result<Option<T>, ConfigError> {
        let written = self.raw(setting)?;
        written.map(|written| written.read(setting)).transpose()
    }

    /// The value of `setting`; an empty one if it is not set.
    pub(crate) fn get_or_empty<T: Default>(
        &self,
        setting: &'static Typed<T>,
    ) -> Result<T, ConfigError> {
        Ok(self.get_opt(setting)?.unwrap_or_default())
    }

    /// An error of the value of `setting` that names its source.
    pub(crate) fn error(&self, setting: &'static Setting, problem: impl Display) -> ConfigError {
        match self.raw(setting) {
            Ok(Some(written)) => written.error(problem),
            _ => ConfigError::of(setting, problem),
        }
    }

    /// The value of `setting` from the first source that has one, if any. Empty environment variables count as unset.
    pub(crate) fn raw(&self, setting: &'static Setting) -> Result<Option<&RawValue>, ConfigError> {
        let place = ALL.iter().position(|it| it.key == setting.key);
        let cell = &self.found[place.expect("a setting is in the table")];
        let found = cell.get_or_init(|| self.look_up(setting)).as_ref();
        found.map(Option::as_ref).map_err(Clone::clone)
    }

    fn look_up(&self, setting: &'static Setting) -> Result<Option<RawValue>, ConfigError> {
        let mut found = self.flag(setting);
        if found.is_none() {
            found = self.variable(setting)?;
        }
        if found.is_none() {
            found = self.in_file(setting)?;
        }
        if let Some(written) = &found
            && setting.notation == Notation::Secret
            && HIDDEN.contains(&written.text.trim())
        {
            return Err(written.error(format!(
                "{:?} is only a placeholder for a secret; put the secret itself there, in {}, or in \
                 a file that {}{FILE} names",
                written.text.trim(),
                setting.env,
                setting.env,
            )));
        }
        Ok(found)
    }

    /// The value of a variable; an empty one counts as unset.
    pub(super) fn variable_value(&self, name: &str) -> Option<OsString> {
        (self.environment)(name).filter(|value| !value.is_empty())
    }

    /// Like [`Self::raw`], or the default if it is not set.
    pub(crate) fn raw_or_default(
        &self,
        setting: &'static Setting,
    ) -> Result<Cow<'_, RawValue>, ConfigError> {
        match (self.raw(setting)?, setting.fallback) {
            (Some(raw), _) => Ok(Cow::Borrowed(raw)),
            (None, Fallback::Value(text)) => Ok(Cow::Owned(RawValue::new(
                Origin::of(format!("the default of {}", setting.key)),
                text,
            ))),
            (None, _) => Err(ConfigError::of(setting, "is not set")),
        }
    }

    /// The value of the flag; for a repeated flag of a list, the combined values.
    fn flag(&self, setting: &'static Setting) -> Option<RawValue> {
        let flag = setting.flag()?;
        let given = self.flags.try_get_many::<String>(setting.key).ok()??;
        let value = parse::list(given.map(String::as_str), false);
        let origin = Origin { name: flag, is_command_line: true };
        Some(RawValue::new(origin, value))
    }

    fn variable(&self, setting: &'static Setting) -> Result<Option<RawValue>, ConfigError> {
        let file_variable = format!("{}{FILE}", setting.env);
        let value = self.variable_value(setting.env);
        let path = self.variable_value(&file_variable);
        let path = path.filter(|_| setting.notation == Notation::Secret);
        match (value, path) {
            (Some(_), Some(_)) => {
                let both = format!("{} and {file_variable}", setting.env);
                Err(ConfigError::named(both, "both are set; unset one of them"))
            }
            (Some(value), None) => {
                let origin = Origin::of(setting.env);
                match value.into_string() {
                    Ok(text) => Ok(Some(RawValue::new(origin, text))),
                    Err(_) => Err(origin.error("is not UTF-8 text")),
                }
            }
            (None, Some(path)) => self.secret_file(file_variable, path.into()).map(Some),
            (None, None) => Ok(None),
        }
    }

    fn in_file(&self, setting: &'static Setting) -> Result<Option<RawValue>, ConfigError> {
        let Some(file) = &self.file else {
            return Ok(None);
        };
        let origin = || Origin::of(format!("{} in {}", setting.key, file.path.display()));
        match (file.text(setting), file.secret_file(setting)) {
            (None, None) => Ok(None),
            (Some(Ok(text)), None) => Ok(Some(RawValue::new(origin(), text))),
            (Some(Err(problem)), None) => Err(origin().error(problem)),
            (Some(_), Some((key, _))) => {
                Err(origin().error(format!("{key} is set as well; remove one of them")))
            }
            (None, Some((key, path))) => self.secret_file(key, path).map(Some),
        }
    }

    /// Reads the file of a secret, which `variable` names.
    fn secret_file(&self, variable: String, path: PathBuf) -> Result<RawValue, ConfigError> {
        let read = (self.read_file)(&path, MAX_FILE_LEN);
        let origin = Origin::of(format!("{variable} ({})", path.display()));
        match read {
            // Editors and `echo` end a file with a line break that is not part of the secret.
            Ok(text) => Ok(RawValue::new(origin, text.trim_end_matches(['\r', '\n']))),
            Err(error) => Err(origin.error(format!("the file cannot be read: {error}"))),
        }
    }
}
