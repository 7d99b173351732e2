//! `portreeve decode`: prints the messages in a recording of a game server.

mod arguments;
mod content;
mod filter;
mod input;
mod item;
mod json;
mod names;
mod progress;
mod rows;
mod source;
mod states;
mod stats;
mod table;
mod terminal;
mod websocket;

use std::io::{self, BufWriter, Read, Write};
use std::path::PathBuf;

use clap::builder::PossibleValue;
use clap::{ArgMatches, ValueEnum as _};
use portreeve::game::DecodeError;
use portreeve::game::table::TableError;

use super::Failure;
use super::output::say;
pub(crate) use arguments::command;
use arguments::{Asked, Format};
use content::{Content, MessageKind, View};
use filter::Filter;
use input::{Framing, Input};
use item::{Item, Unreadable};
use progress::Progress;
use source::{cannot_read, not_compressed, open, standard_input};

/// The size of the output buffer.
const OUTPUT_BUFFER: usize = 64 << 10;

/// Runs `decode`.
pub(crate) fn run(matches: &ArgMatches) -> Result<(), Failure> {
    let format: Format = *matches.get_one("format").expect("it has a default");
    let asked = *matches.get_one("message").expect("it has a default");
    let path = matches.get_one::<PathBuf>("file");
    let path = path.filter(|path| path.as_os_str() != "-");
    let kind = Asked::kind(asked, path, format);
    if format.is_of_replays() && kind != MessageKind::Replay {
        let name = format.to_possible_value();
        let name = name.as_ref().map_or("", PossibleValue::get_name);
        return Err(Failure::new(format_args!(
            "--format {name} needs a replay (`--message replay`); `--format table` prints a line per message"
        )));
    }
    let framing = matches.get_one("framing").copied();
    let framing = framing.unwrap_or(match kind {
        MessageKind::Replay => Framing::Raw,
        _ => Framing::Tcp,
    });
    let filter = Filter {
        kinds: values(matches, "kind"),
        left_out: values(matches, "not-kind"),
        cmd_ids: values(matches, "cmd-id"),
    };
    if format == Format::States && !filter.is_empty() {
        return Err(Failure::new(
            "--format states needs the whole game: remove `--kind`, `--not-kind` and `--cmd-id`",
        ));
    }
    let limit = matches.get_one("limit").copied().unwrap_or(u64::MAX);
    let wanted = Wanted {
        kind,
        format,
        filter,
        limit,
    };
    let source: Box<dyn Read> = match path {
        None => Box::new(standard_input()),
        Some(path) => Box::new(open(path)?),
    };
    let progress = Progress::new(path);
    let (start, source) = not_compressed(progress.watch(source), path)?;
    let mut input = Input::new(source, framing);
    let out = io::stdout();
    let mut out = BufWriter::with_capacity(OUTPUT_BUFFER, out.lock());
    let read = print(&mut input, &wanted, &mut out)
        .and_then(|counts| out.flush().map(|()| counts).map_err(Stop::Output));
    progress.finish();
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
    };
    let mut failure = format!("{bad} of {all} messages could not be read");
    failure += if format == Format::Stats {
        // The statistics do not list each of them.
        "; `--format json` reports each in its place"
    } else if !wanted.filter.is_empty() {
        ", so the filter could not be applied to them; without `--kind`, `--not-kind` and `--cmd-id` each is \
         reported in its place"
    } else {
        "; each is reported in its place above"
    };
    if let Some(hint) = start.hint(framing, kind) {
        failure += "; ";
        failure += hint;
    }
    Err(Failure::new(failure))
}

/// The values of an option that can be repeated.
fn values<T: Clone + Send + Sync + 'static>(matches: &ArgMatches, option: &str) -> Vec<T> {
    let values = matches.get_many(option).into_iter().flatten();
    values.cloned().collect()
}

/// The requested output.
struct Wanted {
    kind: MessageKind,
    format: Format,
    filter: Filter,
    limit: u64,
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
}

/// Why the rows or states of a replay end early.
#[derive(Debug)]
enum Fault {
    /// The replay cannot be read.
    Replay(DecodeError),
    /// The table cannot take an event.
    Table(TableError),
    /// The output cannot be written.
    Output(io::Error),
}

// === impl Fault ===

impl From<DecodeError> for Fault {
    fn from(error: DecodeError) -> Self {
        Self::Replay(error)
    }
}

fn print<R: Read>(
    input: &mut Input<R>,
    wanted: &Wanted,
    out: &mut impl Write,
) -> Result<Counts, Stop> {
    let Wanted { kind, format, .. } = *wanted;
    let mut counts = Counts::default();
    let mut stats = stats::Stats::default();
    let mut line = String::new();
    let mut remaining = wanted.limit;
    match format {
        Format::Table => table::head(out).map_err(Stop::Output)?,
        Format::Rows(style) => rows::head(style, out).map_err(Stop::Output)?,
        Format::Json | Format::Stats | Format::States => {}
    }
    while remaining > 0
        && let Some(item) = input.next().map_err(Stop::Input)?
    {
        let content = item.read(kind);
        counts.all += 1;
        match is_wanted(&content, wanted) {
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
            Format::Rows(_) | Format::States => match rows_of(content, wanted, remaining, out)? {
                Ok(rows) => {
                    used = rows;
                    true
                }
                Err(error) => {
                    say(format_args!(
                        "portreeve: message at {}: {error}",
                        item.offset
                    ));
                    false
                }
            },
        };
        if matches!(format, Format::Json | Format::Table) {
            line.push('\n');
        }
        out.write_all(line.as_bytes()).map_err(Stop::Output)?;
        remaining -= used;
        counts.bad += u64::from(!good);
    }
    if format == Format::Stats {
        stats.print(out).map_err(Stop::Output)?;
    }
    Ok(counts)
}

/// Sets `line` to the JSON of a server's message at `offset`; returns `false` if it cannot be read.
pub(super) fn server_line(offset: usize, bytes: &[u8], line: &mut String) -> bool {
    let item = Item {
        offset,
        size: bytes.len(),
        message: Ok(bytes),
    };
    json::line(&item, &item.read(MessageKind::Server), line)
}

/// Whether the filter accepts a message; an error if that cannot be determined. Without a filter everything is
/// accepted, including unreadable messages. Rows are filtered individually.
fn is_wanted(content: &Result<Content<'_>, Unreadable>, wanted: &Wanted) -> Result<bool, ()> {
    if wanted.filter.is_empty() || wanted.format.is_of_replays() {
        return Ok(true);
    }
    let content = content.as_ref().map_err(drop)?;
    wanted.filter.wants(content).map_err(drop)
}

/// Writes the rows or states of a replay; returns how many there were, or why they end early.
fn rows_of(
    content: Result<Content<'_>, Unreadable>,
    wanted: &Wanted,
    remaining: u64,
    out: &mut impl Write,
) -> Result<Result<u64, String>, Stop> {
    let content = match content {
        Ok(content) => content,
        Err(wrong) => return Ok(Err(wrong.reason)),
    };
    match write_rows(&content, wanted, remaining, out) {
        Ok(written) => Ok(Ok(written)),
        Err(Fault::Replay(error)) => Ok(Err(error.to_string())),
        Err(Fault::Table(error)) => Ok(Err(error.to_string())),
        Err(Fault::Output(error)) => Err(Stop::Output(error)),
    }
}

fn write_rows(
    content: &Content<'_>,
    wanted: &Wanted,
    remaining: u64,
    out: &mut impl Write,
) -> Result<u64, Fault> {
    content.whole.check()?;
    match (&content.view, wanted.format) {
        (View::Replay(replay), Format::Rows(style)) => {
            rows::rows(replay, &wanted.filter, remaining, style, out)
        }
        (View::Replay(replay), _) => states::states(replay, remaining, out),
        // These formats are refused for others.
        _ => Ok(0),
    }
}
