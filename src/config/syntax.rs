//! The syntax of settings.

use std::path::PathBuf;
use std::time::Duration;

use secrecy::SecretString;

use super::parse;

pub(super) struct Syntax<T>(pub(super) Notation, pub(super) fn(&str) -> Result<T, String>);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Notation {
    /// One value; the text is its name in `--help`.
    Value(&'static str),
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

pub(super) const FILE: Syntax<PathBuf> = Syntax(Notation::Value("FILE"), parse::path);
pub(super) const DURATION: Syntax<Duration> = Syntax(Notation::Value("DURATION"), parse::duration);
pub(super) const SECRET: Syntax<SecretString> = Syntax(Notation::Secret, parse::secret);
pub(super) const SWITCH: Syntax<bool> = Syntax(Notation::Switch, parse::switch);

pub(super) const fn count<const MIN: usize, const MAX: usize>() -> Syntax<usize> {
    Syntax(Notation::Value("N"), parse::count::<MIN, MAX>)
}

/// One of several words, each with its value.
macro_rules! one_of {
    ($($word:literal => $value:expr),+) => {
        Syntax(Notation::OneOf(&[$($word),+]), |text| match text.trim() {
            $($word => Ok($value),)+
            _ => Err(format!("must be {}", [$($word),+].join(" or "))),
        })
    };
}
pub(super) use one_of;
