//! Log lines on standard error: format by setting, level by `RUST_LOG`.

use std::io;

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
        .with_writer(io::stderr);
    match format {
        LogFormat::Text => lines
            .with_ansi(io::IsTerminal::is_terminal(&io::stderr()))
            .init(),
        LogFormat::Json => lines.json().flatten_event(true).init(),
    }
    Ok(())
}
