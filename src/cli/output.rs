//! Lines on standard output, and on standard error.

use std::fmt;
use std::io::{self, BufWriter, Write as _};
use std::pin::pin;

use futures_util::{Stream, StreamExt as _};
use portreeve::vault::VaultError;

use super::Failure;
use super::terminal::escape;

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

/// Prints the line of each record of the vault. One that cannot be decrypted is reported on standard error.
pub(super) async fn print_records<T>(
    records: impl Stream<Item = Result<T, VaultError>>,
    line: impl Fn(&T) -> String,
) -> Result<(), Failure> {
    let mut records = pin!(records);
    let mut out = BufWriter::new(io::stdout().lock());
    let mut unopened = 0;
    while let Some(record) = records.next().await {
        match record {
            Ok(record) if is_closed(writeln!(out, "{}", line(&record)))? => return Ok(()),
            Ok(_) => {}
            Err(error @ (VaultError::Unopened { .. } | VaultError::UnopenedBinding { .. })) => {
                unopened += 1;
                say(format_args!("portreeve: {error}"));
            }
            Err(error) => return Err(error.into()),
        }
    }
    is_closed(out.flush())?;
    match unopened {
        0 => Ok(()),
        _ => Err(Failure::new(format_args!(
            "{unopened} records cannot be decrypted; see the lines above"
        ))),
    }
}

/// Writes a line to standard error, escaped. It is lost if that fails, where `eprintln!` would panic and leave the work
/// half done.
pub(super) fn say(line: impl fmt::Display) {
    let line = line.to_string();
    let _ = writeln!(io::stderr(), "{}", escape(&line));
}
