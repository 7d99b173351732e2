//! Log lines on standard error: format by setting, level by `RUST_LOG`.
//!
//! A line that cannot be written is lost, and nothing else is: a full disk or a log reader that has
//! gone must not end a request, or the process.

use std::io::{self, Write};

use tracing_subscriber::EnvFilter;
use tracing_subscriber::filter::LevelFilter;

use super::Failure;
use crate::config::LogFormat;

/// Lines that are logged even if `RUST_LOG` excludes them.
const AUDIT: &str = "portreeve::audit=info";

/// Starts logging for the rest of the process.
pub(super) fn start(format: LogFormat) -> Result<(), Failure> {
    let filter = EnvFilter::builder()
        .with_default_directive(LevelFilter::INFO.into())
        .try_from_env()
        .or_else(|error| match std::env::var("RUST_LOG") {
            Ok(text) if !text.is_empty() => Err(Failure::new(format_args!(
                "RUST_LOG: {text:?} is not a filter ({error}); write a level, such as info or portreeve=debug"
            ))),
            _ => Ok(EnvFilter::default().add_directive(LevelFilter::INFO.into())),
        })?;
    // Added last, so that it overrides what `RUST_LOG` says of the same target.
    let filter = filter.add_directive(AUDIT.parse().map_err(Failure::new)?);
    let lines = tracing_subscriber::fmt()
        .with_env_filter(filter)
        // Else a failure to write is reported by `eprintln!`, which panics as nobody can read that.
        .log_internal_errors(false)
        .with_writer(|| Lossy(io::stderr()));
    match format {
        LogFormat::Text => lines
            .with_ansi(io::IsTerminal::is_terminal(&io::stderr()))
            .init(),
        LogFormat::Json => lines.json().flatten_event(true).init(),
    }
    Ok(())
}

/// Writes as far as it can, and says that it wrote all.
struct Lossy<W>(W);

impl<W: Write> Write for Lossy<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let _ = self.0.write_all(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let _ = self.0.flush();
        Ok(())
    }
}
