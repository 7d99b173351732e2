//! From the text of a setting to its value, once.

use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use secrecy::SecretString;

use super::setting::Setting;
use super::sources::{ConfigError, Sources, Written};

/// A value of any type that parses; `expected` completes the error line.
pub(super) fn value<T: FromStr>(
    sources: &Sources<'_>,
    setting: &'static Setting,
    expected: &str,
) -> Result<T, ConfigError> {
    checked(sources, setting, |_| true, expected)
}

/// As [`value`], for a setting that does not accept every value of the type.
pub(super) fn checked<T: FromStr>(
    sources: &Sources<'_>,
    setting: &'static Setting,
    fits: impl FnOnce(&T) -> bool,
    expected: &str,
) -> Result<T, ConfigError> {
    let written = sources.find_or_default(setting)?;
    let text = written.text.trim();
    text.parse()
        .ok()
        .filter(fits)
        .ok_or_else(|| written.error(format!("{text:?} {expected}")))
}

pub(super) fn switch(
    sources: &Sources<'_>,
    setting: &'static Setting,
) -> Result<bool, ConfigError> {
    value(sources, setting, "must be true or false")
}

pub(super) fn duration(
    sources: &Sources<'_>,
    setting: &'static Setting,
) -> Result<Duration, ConfigError> {
    let fits =
        |duration: &humantime::Duration| !duration.is_zero() && duration.as_secs() <= 86_400 * 365;
    let expected = "must be a time above zero with its unit, such as 30s or 5m";
    checked(sources, setting, fits, expected).map(Into::into)
}

/// A number of bytes.
pub(super) fn size(sources: &Sources<'_>, setting: &'static Setting) -> Result<usize, ConfigError> {
    let fits = |size: &bytesize::ByteSize| (1..=1 << 30).contains(&size.as_u64());
    let expected = "must be a size from 1 byte to 1 GiB, such as 64 KiB";
    let size = checked(sources, setting, fits, expected)?;
    Ok(size.as_u64() as usize)
}

pub(super) fn path(
    sources: &Sources<'_>,
    setting: &'static Setting,
) -> Result<Option<PathBuf>, ConfigError> {
    Ok(sources
        .find(setting)?
        .map(|written| PathBuf::from(written.text.as_str())))
}

pub(super) fn secret(
    sources: &Sources<'_>,
    setting: &'static Setting,
) -> Result<Option<SecretString>, ConfigError> {
    match sources.find(setting)? {
        Some(written) if written.text.is_empty() => {
            Err(written.error("is empty; unset it or set a value"))
        }
        Some(written) => Ok(Some(SecretString::from(written.text.as_str()))),
        None => Ok(None),
    }
}

/// The items of a list, without the space around them.
pub(super) fn items(written: &Written) -> impl Iterator<Item = &str> {
    written
        .text
        .split(',')
        .map(str::trim)
        .filter(|item| !item.is_empty())
}

/// The path in `sqlite:<path>`; `sqlite://<path>` is common as well.
pub(super) fn sqlite_url(written: &Written) -> Result<PathBuf, ConfigError> {
    let path = written
        .text
        .strip_prefix("sqlite:")
        .map(|path| path.strip_prefix("//").unwrap_or(path));
    // SQLite takes what begins with a colon for something else than a file.
    path.filter(|path| !path.is_empty() && !path.starts_with(':')).map(PathBuf::from).ok_or_else(|| {
        written.error("must be sqlite: and the path of a file, such as sqlite:/var/lib/portreeve/portreeve.db, or postgres://user@host/database")
    })
}
