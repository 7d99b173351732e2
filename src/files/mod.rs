//! The files that this crate maintains: the key file, the database, the tokens file.
//!
//! Each decides who has access, so each is private from its first byte, appears complete or not at
//! all, and is reloaded when it changes.
//!
//! | item | purpose |
//! |---|---|
//! | [`Stamp`] | detect a change without reading the file |
//! | [`read_text`] | read a file that is expected to be small |
//! | [`create_whole`], `create_empty` | create a file that nobody else may read |
//! | [`lock`], [`replace`] | edit a file atomically |

mod private;
mod stamp;
mod whole;

use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

use zeroize::Zeroizing;

#[cfg(feature = "sqlite")]
pub(crate) use private::create_empty;
pub(crate) use stamp::Stamp;
pub(crate) use whole::{create_whole, lock, replace};

/// The text of the file at `path`, wiped from memory when it is dropped.
///
/// # Errors
/// [`io::ErrorKind::FileTooLarge`] if it is longer than `limit` bytes, and any error of reading.
pub(crate) fn read_text(path: &Path, limit: u64) -> io::Result<Zeroizing<String>> {
    let file = File::open(path)?;
    let len = file.metadata()?.len();
    // Checked before decoding, so that a large binary file is reported as too large.
    if len > limit {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    // Allocated once: a growing string would leave copies behind.
    let mut text = Zeroizing::new(String::with_capacity(len as usize));
    // It may have grown since.
    file.take(limit + 1).read_to_string(&mut text)?;
    if text.len() as u64 > limit {
        Err(io::ErrorKind::FileTooLarge.into())
    } else {
        Ok(text)
    }
}
