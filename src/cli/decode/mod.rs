//! `portreeve decode`: prints the messages in a recording of a game server.

mod arguments;
mod content;
mod filter;
mod input;
mod item;
mod json;
mod names;
mod rows;
mod source;
mod states;
mod stats;
mod table;
mod websocket;

use std::io::{self, BufWriter, Read, Write};

use clap::builder::PossibleValue;
use clap::{ArgMatches, ValueEnum as _};
use portreeve::game::DecodeError;
use portreeve::game::table::TableError;

use super::Failure;
use super::output::say;
pub(crate) use arguments::command;
use arguments::{Arguments, Format};
use content::{Content, MessageKind, View};
use input::Input;
use item::{Item, Unreadable};
use source::{cannot_read, hint, not_compressed, open, standard_input};

/// The size of the output buffer.
const OUTPUT_BUFFER: usize = 64 << 10;

/// Runs `decode`.
pub(crate) fn run(matches: &ArgMatches) -> Result<(), Failure> {
    let arguments: Arguments = super::commands::arguments(matches);
    let Arguments { format, filter, .. } = &arguments;
    let (path, kind, framing) = (arguments.path(), arguments.kind(), arguments.framing());
    if format.is_of_replays() && kind != MessageKind::Replay {
        let name = format.to_possible_value();
        let name = name.as_ref().map_or("", PossibleValue::get_name);
        return Err(Failure::new(format_args!(
            "--format {name} needs a replay (`--message replay`); `--format table` prints a line per message"
        )));
    }
    if *format == Format::States && !filter.is_empty() {
        return Err(Failure::new(
            "--format states needs the whole game: remove `--kind`, `--not-kind` and `--cmd-id`",
        ));
    }
    let source: Box<dyn Read> = match path {
        None => Box::new(standard_input()),
        Some(path) => Box::new(open(path)?),
    };
    let (first, source) = not_compressed(source, path)?;
    let mut input = Input::new(source, framing);
    let out = io::stdout();
    let mut out = BufWriter::with_capacity(OUTPUT_BUFFER, out.lock());
    let read = print(&mut input, &arguments, &mut out)
        .and_then(|counts| Ok(out.flush().map(|()| counts)?));
    let Counts { bad, all } = match read {
        Ok(Counts { bad: 0, .. }) => return Ok(()),
        Ok(counts) => counts,
        // The reader of the output has closed it, like `head` once it has its lines.
        Err(Stop::Output(error)) if error.kind() == io::ErrorKind::BrokenPipe => return Ok(()),
        Err(Stop::Output(error)) => {
            return Err(Failure::new(format_args!(
                "cannot write the output: {error}"
            )));
        }
        Err(Stop::Input(error)) => return Err(cannot_read(path, &error)),
        Err(Stop::Message(error)) => return Err(Failure::new(error)),
    };
    let mut failure = format!("{bad} of {all} messages could not be read");
    failure += if *format == Format::Stats {
        // The statistics do not list each of them.
        "; `--format json` reports each in its place"
    } else if !filter.is_empty() {
        ", so the filter could not be applied to them; without `--kind`, `--not-kind` and `--cmd-id` each is \
         reported in its place"
    } else {
        "; each is reported in its place above"
    };
    if let Some(hint) = first.and_then(|first| hint(first, framing, kind)) {
        failure += "; ";
        failure += hint;
    }
    Err(Failure::new(failure))
}

/// How many messages there were.
#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    all: u64,
    bad: u64,
}

/// Why reading stops early.
#[derive(Debug)]
enum Stop {
    Input(io::Error),
    Output(io::Error),
    /// Within a replay: it cannot be read, or the table cannot take an event.
    Message(String),
}

// === impl Stop ===

impl From<io::Error> for Stop {
    fn from(error: io::Error) -> Self {
        Self::Output(error)
    }
}

impl From<DecodeError> for Stop {
    fn from(error: DecodeError) -> Self {
        Self::Message(error.to_string())
    }
}

impl From<TableError> for Stop {
    fn from(error: TableError) -> Self {
        Self::Message(error.to_string())
    }
}

fn print<R: Read>(
    input: &mut Input<R>,
    arguments: &Arguments,
    out: &mut impl Write,
) -> Result<Counts, Stop> {
    let (kind, format) = (arguments.kind(), arguments.format);
    let mut counts = Counts::default();
    let mut stats = stats::Stats::default();
    let mut line = String::new();
    let mut remaining = arguments.limit.unwrap_or(u64::MAX);
    match format {
        Format::Table => table::head(out)?,
        Format::Csv => rows::head(out)?,
        _ => {}
    }
    while remaining > 0
        && let Some(item) = input.next().map_err(Stop::Input)?
    {
        let content = item.read(kind);
        counts.all += 1;
        match is_wanted(&content, arguments) {
            Ok(true) => {}
            Ok(false) => continue,
            // Whether it was requested is unknown.
            Err(()) => {
                counts.bad += 1;
                continue;
            }
        }
        let mut used = 1;
        let good = match format {
            Format::Stats => stats.add(&item, content),
            Format::Json => json::line(&item, &content, &mut line),
            Format::Table => table::line(&item, &content, &mut line),
            _ => match write_rows(content, arguments, remaining, out) {
                Ok(rows) => {
                    used = rows;
                    true
                }
                Err(Stop::Message(error)) => {
                    let offset = item.offset;
                    say(format_args!("portreeve: message at {offset}: {error}"));
                    false
                }
                Err(stop) => return Err(stop),
            },
        };
        if matches!(format, Format::Json | Format::Table) {
            line.push('\n');
        }
        out.write_all(line.as_bytes())?;
        remaining -= used;
        counts.bad += u64::from(!good);
    }
    if format == Format::Stats {
        stats.print(out)?;
    }
    Ok(counts)
}

/// Sets `line` to the JSON of a server's message at `offset`; returns `false` if it cannot be read.
pub(super) fn server_line(offset: usize, bytes: &[u8], line: &mut String) -> bool {
    let item = Item::new(offset, bytes);
    json::line(&item, &item.read(MessageKind::Server), line)
}

/// Whether the filter accepts a message; an error if that cannot be determined. Without a filter everything is
/// accepted, including unreadable messages. Rows are filtered individually.
fn is_wanted(content: &Result<Content<'_>, Unreadable>, arguments: &Arguments) -> Result<bool, ()> {
    if arguments.filter.is_empty() || arguments.format.is_of_replays() {
        return Ok(true);
    }
    let content = content.as_ref().map_err(drop)?;
    arguments.filter.wants(content).map_err(drop)
}

/// Writes the rows or states of a replay; returns how many there were.
fn write_rows(
    content: Result<Content<'_>, Unreadable>,
    arguments: &Arguments,
    remaining: u64,
    out: &mut impl Write,
) -> Result<u64, Stop> {
    let content = content.map_err(|wrong| Stop::Message(wrong.reason))?;
    content.whole.check()?;
    match (&content.view, arguments.format) {
        (View::Replay(replay), Format::States) => states::states(replay, remaining, out),
        (View::Replay(replay), format) => {
            rows::rows(replay, &arguments.filter, remaining, format, out)
        }
        // These formats are refused for others.
        _ => Ok(0),
    }
}
