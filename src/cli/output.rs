//! Lines on standard output, and on standard error.

use std::fmt;
use std::io::{self, Write as _};

use super::Failure;

/// Whether the reader of the output is gone, like `head` after its lines.
pub(super) fn is_closed(written: io::Result<()>) -> Result<bool, Failure> {
    match written {
        Ok(()) => Ok(false),
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(true),
        Err(error) => Err(error.into()),
    }
}

/// Writes to standard output; it is not a failure if the reader is gone.
pub(super) fn print(text: &[u8]) -> Result<(), Failure> {
    is_closed(io::stdout().write_all(text)).map(drop)
}

/// Writes a line to standard error. It is lost if that fails, where `eprintln!` would panic and leave the work half
/// done.
pub(super) fn say(line: impl fmt::Display) {
    let _ = writeln!(io::stderr(), "{line}");
}
