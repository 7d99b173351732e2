//! Lines on standard output, and on standard error.

use std::fmt;
use std::io::{self, Write as _};

use super::Failure;

/// Whether the reader of the output has gone, as `head` does after its lines.
pub(super) fn is_closed(written: io::Result<()>) -> Result<bool, Failure> {
    match written {
        Ok(()) => Ok(false),
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(true),
        Err(error) => Err(error.into()),
    }
}

/// Writes to standard output; a reader that went away is no failure.
pub(super) fn print(text: &[u8]) -> Result<(), Failure> {
    is_closed(io::stdout().write_all(text)).map(drop)
}

/// Writes a line to standard error. One that cannot be written is lost; `eprintln!` would panic, with
/// another exit code and the work half done.
pub(super) fn say(line: impl fmt::Display) {
    let _ = writeln!(io::stderr(), "{line}");
}
