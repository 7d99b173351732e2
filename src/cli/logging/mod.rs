//! Log lines on standard error: format and level by settings.
//!
//! A line that cannot be written is lost: a full disk or a closed pipe must not end a request or the process.

mod fields;
mod json;
mod levels;

use std::io::{self, Write};

use tracing_subscriber::filter::{EnvFilter, LevelFilter, ParseError};
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;
use tracing_subscriber::{fmt, registry};

use self::fields::Fields;
use self::json::JsonLines;
pub(super) use self::levels::Levels;
use super::Failure;
use crate::config::setting::LOG_LEVEL;
use crate::config::{ConfigError, LogFormat, Sources};

/// Lines that any client can cause, thousands a second: what they tell is counted, and the reasons are at `DEBUG`. The
/// text of a filter can name these crates itself.
const OF_CLIENTS: &str = "h2=off,rustls=off";
/// The lines that are logged even if the filter excludes them.
const AUDIT: &str = "portreeve::audit=info";
/// The environment variable that overrides the setting.
const RUST_LOG: &str = "RUST_LOG";

/// The filter of `RUST_LOG`, or otherwise of `log_level`.
pub(super) fn filter(sources: &Sources<'_>) -> Result<EnvFilter, ConfigError> {
    let written = sources.raw_or_default(LOG_LEVEL)?;
    let text = written.text.trim();
    // Checked even if `RUST_LOG` overrides it, as it may apply later.
    let filter = parse_strictly(text).map_err(|problem| {
        written.error(format!(
            "{text:?} is not a filter ({problem}); write a level (error, warn, info, debug, trace, \
             off), and optionally levels for single modules, such as info,portreeve::identity=debug"
        ))
    })?;
    Ok(of_variable()?.unwrap_or(filter))
}

/// Like [`filter`], for a command without that setting.
pub(super) fn filter_without_setting(level: &str) -> Result<EnvFilter, Failure> {
    of_variable()?.map_or_else(|| parse(level).map_err(Failure::new), Ok)
}

/// Starts logging for the rest of the process.
pub(super) fn start(format: LogFormat, filter: EnvFilter) -> Levels {
    let levels = Levels::new(filter);
    let lines = fmt::layer()
        // Otherwise a failed write is reported by `eprintln!`, which panics if standard error is closed.
        .log_internal_errors(false)
        .with_writer(|| Lossy(io::stderr()));
    match format {
        LogFormat::Text => {
            let ansi = io::IsTerminal::is_terminal(&io::stderr());
            let lines = lines.with_ansi(ansi).fmt_fields(Fields);
            registry().with(lines).with(levels.clone()).init();
        }
        LogFormat::Json => {
            let lines = lines.json().event_format(JsonLines::new());
            registry().with(lines).with(levels.clone()).init();
        }
    }
    levels
}

fn of_variable() -> Result<Option<EnvFilter>, ConfigError> {
    let parsed = rust_log().map(|text| {
        parse(&text).map_err(|error| {
            let problem = format!(
                "{text:?} is not a filter ({error}); write a level, such as info or portreeve=debug"
            );
            ConfigError::named(RUST_LOG.to_owned(), problem)
        })
    });
    parsed.transpose()
}

pub(super) fn rust_log() -> Option<String> {
    let text = std::env::var_os(RUST_LOG)?.to_string_lossy().into_owned();
    (!text.is_empty()).then_some(text)
}

/// Like [`parse`], but rejects a directive without a level: a misspelt level would be taken for a target, of which
/// everything is logged, and nothing of the rest.
fn parse_strictly(text: &str) -> Result<EnvFilter, String> {
    for directive in text.split(',') {
        let level = directive.rsplit_once('=').map_or(directive, |(_, it)| it).trim();
        // An empty one would be parsed as a level.
        if level.is_empty() || level.parse::<LevelFilter>().is_err() {
            return Err(format!("{level:?} is not a level"));
        }
    }
    parse(text).map_err(|error| error.to_string())
}

fn parse(text: &str) -> Result<EnvFilter, ParseError> {
    let filter = EnvFilter::builder()
        .with_default_directive(LevelFilter::INFO.into())
        .parse(format!("{OF_CLIENTS},{text}"))?;
    // Added last, so that it overrides a directive of the text for the same target.
    Ok(filter.add_directive(AUDIT.parse()?))
}

/// Writes as much as possible, and reports success.
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
