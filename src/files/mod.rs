//! The files that this crate keeps itself: the key file, the database, the tokens file.
//!
//! Each decides who gets in, so that each is private from its first byte, appears whole or not at
//! all, and is read again once it changed.
//!
//! | what | for |
//! |---|---|
//! | [`Stamp`] | telling whether a file changed without reading it |
//! | [`read_text`] | reading a file that is not expected to be large |
//! | [`create_whole`], `create_empty` | making a file that nobody else may read |
//! | [`lock`], [`replace`] | an edit that other processes see as one step |

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
    // Before it is decoded: a large file of another kind is above all too large.
    if len > limit {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    // Room for all at once: a growing text would leave copies behind.
    let mut text = Zeroizing::new(String::with_capacity(len as usize));
    // It may have grown since.
    file.take(limit + 1).read_to_string(&mut text)?;
    match text.len() as u64 > limit {
        true => Err(io::ErrorKind::FileTooLarge.into()),
        false => Ok(text),
    }
}
