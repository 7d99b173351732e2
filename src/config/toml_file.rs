//! The TOML file: reading settings from it, and writing a setting as TOML.

use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use rustix::process::geteuid;

use zeroize::Zeroizing;

use super::arguments::CONFIG_ENV;
use super::fault::{ConfigError, Origin};
use super::parse;
use super::setting::{ALL, ENCRYPTION_KEYS, Setting};
use super::syntax::Notation;
use super::variables::nearest;

/// The end of the key that names the file of a secret.
pub(super) const FILE: &str = "_file";

/// The files that are used if none is named.
pub(super) const DEFAULT_PATHS: [&str; 2] = ["portreeve.toml", "/etc/portreeve/portreeve.toml"];

/// Bytes of the largest file of settings, or of a secret, that is read.
pub(super) const MAX_FILE_LEN: u64 = 1024 * 1024;

/// Reads a file of at most so many bytes: at a start also from a pipe, while serving only a regular file.
pub(crate) type ReadFile = fn(&Path, u64) -> io::Result<Zeroizing<String>>;

pub(super) struct TomlFile {
    pub(super) path: PathBuf,
    table: toml::Table,
    /// Its faults, except those of values.
    pub(super) faults: Vec<ConfigError>,
}

impl TomlFile {
    pub(super) fn read(path: PathBuf, read: ReadFile) -> Result<Self, ConfigError> {
        let error = |problem: String| Origin::of(path.display().to_string()).error(problem);
        let text = read(&path, MAX_FILE_LEN)
            .map_err(|cause| error(format!("the file cannot be read: {cause}")))?;
        let table: toml::Table = text.parse().map_err(|cause: toml::de::Error| {
            let before = cause.span().and_then(|span| text.get(..span.start));
            let line = 1 + before.unwrap_or_default().matches('\n').count();
            let message = cause.message();
            let is_bare = message.contains("quoted");
            let of_bare = is_bare.then_some(" (texts are quoted, switches are true or false)");
            let advice = of_bare.unwrap_or_default();
            error(format!("line {line} is not TOML: {message}{advice}"))
        })?;
        let unknown = table.iter().filter_map(|(key, value)| unknown(key, value));
        let faults = unknown.map(error).collect();
        Ok(Self { path, table, faults })
    }

    pub(super) fn has(&self, setting: &Setting) -> bool {
        self.table.contains_key(setting.key)
    }

    /// The file that contains the secret `setting`, from the key that ends in `_file`, with that key.
    pub(super) fn secret_file(&self, setting: &Setting) -> Option<(String, PathBuf)> {
        let key = format!("{}{FILE}", setting.key);
        let path = self.table.get(&key).filter(|_| is_secret(setting))?.as_str()?.into();
        Some((key, path))
    }

    /// The text that a variable for `setting` would have, if it is set: `check-config` shows it, a reload compares it.
    pub(super) fn text(&self, setting: &'static Setting) -> Option<Result<String, &'static str>> {
        // A setting that is not allowed there is a fault of the file.
        let value = self.table.get(setting.key).filter(|_| setting.is_in_toml())?;
        let fault = match setting.notation {
            Notation::List(_) => "must be a list of strings",
            Notation::Switch => "must be true or false",
            Notation::Tables(_) => "must be tables, or JSON in quotes",
            _ => "must be one value in quotes",
        };
        Some(match (value, setting.notation) {
            (toml::Value::String(text), _) => Ok(text.clone()),
            (toml::Value::Integer(number), _) => Ok(number.to_string()),
            (toml::Value::Boolean(switch), _) => Ok(switch.to_string()),
            (toml::Value::Array(items), Notation::List(_)) => {
                let texts: Option<Vec<_>> = items.iter().map(toml::Value::as_str).collect();
                texts.map(|texts| parse::list(texts, true)).ok_or(fault)
            }
            (toml::Value::Table(table), Notation::Tables(_)) => {
                serde_json::to_string(table).map_err(|_| fault)
            }
            _ => Err(fault),
        })
    }
}

/// `path` of a file that nothing names, of neither this user nor root: its owner decides where secrets are sent.
pub(super) fn owned_by_us(path: PathBuf) -> Result<PathBuf, ConfigError> {
    let this = geteuid().as_raw();
    let owners = [path.symlink_metadata(), path.metadata()].into_iter().flatten();
    match owners.map(|file| file.uid()).find(|owner| ![0, this].contains(owner)) {
        None => Ok(path),
        Some(owner) => {
            let problem = format!(
                "was found without --config, and belongs to user {owner}, who is neither this user nor root; name a \
                 file with --config or {CONFIG_ENV}"
            );
            Err(Origin::of(path.display().to_string()).error(problem))
        }
    }
}

/// The TOML value for a text, in its most natural form.
pub(super) fn value(notation: Notation, text: &str) -> toml::Value {
    match (notation, text.parse::<i64>()) {
        (Notation::Switch, _) => toml::Value::from(text == "true"),
        (Notation::List(_), _) => {
            parse::items(text).map(|item| toml::Value::from(&*item)).collect::<Vec<_>>().into()
        }
        // On one line, so that it can be anywhere in the file.
        (Notation::Tables(_), _) => serde_json::from_str(text).expect("an example is JSON"),
        // Not for a mode such as 0660.
        (Notation::Value(_), Ok(number)) if number.to_string() == text => toml::Value::from(number),
        _ => toml::Value::from(text),
    }
}

fn is_secret(setting: &Setting) -> bool {
    setting.notation == Notation::Secret && setting.is_in_toml()
}

/// The problem if `key` is not allowed in a file.
fn unknown(key: &str, value: &toml::Value) -> Option<String> {
    let known = || ALL.iter().filter(|setting| setting.is_in_toml());
    if key == ENCRYPTION_KEYS.key {
        return Some(format!(
            "{key} is not allowed in this file, which may be copied and shown; keep the keys in \
             key_file, or set {}",
            ENCRYPTION_KEYS.env
        ));
    }
    let of_secret = key.strip_suffix(FILE);
    if known().any(|it| it.key == key || (is_secret(it) && Some(it.key) == of_secret)) {
        return None;
    }
    let near = nearest(key, known().map(|setting| setting.key));
    if near.is_none() && value.is_table() {
        return Some(format!(
            "[{key}] is no setting: settings stand at the top of the file, without [sections]"
        ));
    }
    let advice = near.map_or_else(String::new, |near| format!(" (did you mean {near}?)"));
    Some(format!("unknown setting {key:?}{advice}; `portreeve serve --help` lists all settings"))
}
