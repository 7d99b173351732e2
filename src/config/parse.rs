//! From the text of a setting to its value.
//!
//! What is wrong with a text is said in words that complete a line which names the setting.

use std::fmt::Display;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use secrecy::SecretString;

/// A value of any type that parses, and says itself what is wrong.
pub(super) fn parsed<T: FromStr<Err: Display>>(text: &str) -> Result<T, String> {
    text.trim()
        .parse()
        .map_err(|error: T::Err| error.to_string())
}

/// A value that parses and fits; `expected` completes the line.
pub(super) fn checked<T: FromStr>(
    text: &str,
    fits: impl FnOnce(&T) -> bool,
    expected: &str,
) -> Result<T, String> {
    let text = text.trim();
    let value = text.parse().ok().filter(fits);
    value.ok_or_else(|| format!("{text:?} {expected}"))
}

/// A whole number from `LEAST` to `MOST`.
pub(super) fn count<const LEAST: usize, const MOST: usize>(text: &str) -> Result<usize, String> {
    let expected = format!("must be a whole number from {LEAST} to {MOST}");
    checked(text, |count| (LEAST..=MOST).contains(count), &expected)
}

pub(super) fn switch(text: &str) -> Result<bool, String> {
    checked(text, |_| true, "must be true or false")
}

pub(super) fn duration(text: &str) -> Result<Duration, String> {
    let fits =
        |duration: &humantime::Duration| !duration.is_zero() && duration.as_secs() <= 86_400 * 365;
    let expected = "must be a time above zero with its unit, such as 30s or 5m";
    checked(text, fits, expected).map(Into::into)
}

/// A number of bytes.
pub(super) fn size(text: &str) -> Result<usize, String> {
    let fits = |size: &bytesize::ByteSize| (1..=1 << 30).contains(&size.as_u64());
    let expected = "must be a size from 1 byte to 1 GiB, such as 64 KiB";
    checked(text, fits, expected).map(|size| size.as_u64() as usize)
}

pub(super) fn path(text: &str) -> Result<PathBuf, String> {
    match text.is_empty() {
        true => Err("is empty; unset it or name a file or directory".into()),
        false => Ok(text.into()),
    }
}

pub(super) fn text(text: &str) -> Result<String, String> {
    match text.trim() {
        "" => Err("is empty; unset it or set a value".into()),
        text => Ok(text.to_owned()),
    }
}

pub(super) fn secret(text: &str) -> Result<SecretString, String> {
    match text.is_empty() {
        true => Err("is empty; unset it or set a value".into()),
        false => Ok(text.into()),
    }
}

/// The items of a list, without the space around them.
pub(super) fn items(text: &str) -> impl Iterator<Item = &str> {
    text.split(',')
        .map(str::trim)
        .filter(|item| !item.is_empty())
}
