//! The syntax of settings.

use std::path::PathBuf;
use std::time::Duration;

use secrecy::SecretString;

use super::parse;

/// The notation of a setting, and its parser.
pub(super) struct Syntax<T> {
    pub(super) notation: Notation,
    /// Parses a text.
    pub(super) read: Read<T>,
}

type Read<T> = fn(&str) -> Result<T, String>;

/// The notation of a setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Notation {
    /// One value; the text is its name in `--help`.
    Value(&'static str),
    /// One of these values.
    OneOf(&'static [&'static str]),
    /// Values separated by commas, a repeated flag, or an array in TOML; the text is their name in `--help`.
    List(&'static str),
    /// JSON, or tables in TOML; the text is their name in `--help`.
    Tables(&'static str),
    /// `true` or `false`; the bare flag means `true`.
    Switch,
    /// A secret. It has no flag, since other users can read the command line of a process; its variable with `_FILE`
    /// appended names a file that contains it.
    Secret,
}

pub(super) const FILE: Syntax<PathBuf> = value("FILE", parse::path);
pub(super) const DURATION: Syntax<Duration> = value("DURATION", parse::duration);
pub(super) const SECRET: Syntax<SecretString> = secret(parse::secret);
pub(super) const SWITCH: Syntax<bool> = Syntax {
    notation: Notation::Switch,
    read: parse::switch,
};

/// One value, called `name` in `--help`.
pub(super) const fn value<T>(name: &'static str, read: Read<T>) -> Syntax<T> {
    let notation = Notation::Value(name);
    Syntax { notation, read }
}

/// Several values.
pub(super) const fn list<T>(name: &'static str, read: Read<T>) -> Syntax<T> {
    let notation = Notation::List(name);
    Syntax { notation, read }
}

/// TOML tables.
pub(super) const fn tables<T>(name: &'static str, read: Read<T>) -> Syntax<T> {
    let notation = Notation::Tables(name);
    Syntax { notation, read }
}

/// A secret.
pub(super) const fn secret<T>(read: Read<T>) -> Syntax<T> {
    let notation = Notation::Secret;
    Syntax { notation, read }
}

/// A whole number from `MIN` to `MAX`.
pub(super) const fn count<const MIN: usize, const MAX: usize>() -> Syntax<usize> {
    value("N", parse::count::<MIN, MAX>)
}

/// One of several words, each with its value.
macro_rules! one_of {
    ($($word:literal => $value:expr),+) => {
        Syntax {
            notation: Notation::OneOf(&[$($word),+]),
            read: |text| match text.trim() {
                $($word => Ok($value),)+
                _ => Err(format!("must be {}", [$($word),+].join(" or "))),
            },
        }
    };
}
pub(super) use one_of;
