//! Lines on standard output.

use std::io;

use super::Failure;

/// Whether the reader of the output has gone, as `head` does after its lines.
pub(super) fn is_closed(written: io::Result<()>) -> Result<bool, Failure> {
    match written {
        Ok(()) => Ok(false),
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(true),
        Err(error) => Err(error.into()),
    }
}
