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
mod table;
mod websocket;

use std::io::{self, BufWriter, Read, Write};
use std::path::PathBuf;

use super::Failure;
use super::output::say;
pub(crate) use arguments::command;
use arguments::{Arguments, Format};
use clap::builder::PossibleValue;
use clap::{ArgMatches, ValueEnum as _};
use content::{Content, MessageKind, View};
use filter::Players;
use input::Input;
use item::{Item, Unreadable};
use source::{cannot_read, hint, open, standard_input, uncompressed};

const OUTPUT_BUFFER: usize = 64 << 10;

pub(crate) fn run(matches: &ArgMatches) -> Result<(), Failure> {
    let arguments: Arguments = super::commands::arguments(matches);
    let Arguments { format, filter, .. } = &arguments;
    let paths = arguments.paths();
    for path in &paths {
        if format.is_of_replays() && arguments.kind(*path) != MessageKind::Replay {
            let name = format.to_possible_value();
            let name = name.as_ref().map_or("", PossibleValue::get_name);
            return Err(Failure::new(format_args!(
                "--format {name} needs a replay (`--message replay`); `--format table` prints a line per message"
            )));
        }
    }
    if *format == Format::States && !filter.is_empty() {
        return Err(Failure::new(if filter.is_of_players() {
            "--format states needs the whole game: remove `--player`"
        } else {
            "--format states needs the whole game: remove `--kind`, `--not-kind` and `--cmd-id`"
        }));
    }
    let of_files = paths.len() > 1;
    let out = io::stdout();
    let mut printer = Printer {
        arguments: &arguments,
        remaining: arguments.limit.unwrap_or(u64::MAX),
        out: BufWriter::with_capacity(OUTPUT_BUFFER, out.lock()),
    };
    let mut failed = 0;
    let mut is_begun = false;
    for path in &paths {
        // Before the first one is open there is nothing to say.
        let failure = match printer.file(*path, of_files, &mut is_begun) {
            Ok(()) => continue,
            // The reader of the output has closed it, like `head` once it has its lines.
            Err(Stop::Output(error)) if error.kind() == io::ErrorKind::BrokenPipe => break,
            Err(Stop::Output(error)) => {
                return Err(Failure::new(format_args!(
                    "cannot write the output: {error}"
                )));
            }
            Err(Stop::Input(failure)) => failure,
        };
        if !of_files {
            return Err(failure);
        }
        failed += 1;
        // The others have the name in it.
        let name = source::name(*path);
        let has_name = failure.line.contains(&name);
        let name = if has_name { String::new() } else { name + ": " };
        say(format_args!("portreeve: {name}{}", failure.line));
    }
    match failed {
        0 => Ok(()),
        failed => Err(Failure::new(format_args!(
            "{failed} of {} files could not be read",
            paths.len()
        ))),
    }
}

enum Stop {
    Output(io::Error),
    Input(Failure),
}

impl From<io::Error> for Stop {
    fn from(error: io::Error) -> Self {
        Self::Output(error)
    }
}

/// Prints the messages of one file after the other.
struct Printer<'a, W> {
    arguments: &'a Arguments,
    /// How many lines may still be printed.
    remaining: u64,
    out: W,
}

// === impl Printer ===

impl<W: Write> Printer<'_, W> {
    fn file(&mut self, path: Option<&PathBuf>, named: bool, begun: &mut bool) -> Result<(), Stop> {
        let arguments = self.arguments;
        let kind = arguments.kind(path);
        let framing = arguments.framing(kind);
        let source: Box<dyn Read> = match path {
            None => Box::new(standard_input()),
            Some(path) => Box::new(open(path).map_err(Stop::Input)?),
        };
        let unreadable = |error: io::Error| Stop::Input(cannot_read(path, &error));
        let (first, source) = uncompressed(source).map_err(unreadable)?;
        if !std::mem::replace(begun, true) {
            match arguments.format {
                Format::Table => table::head(named, &mut self.out)?,
                Format::Csv => rows::head(named, &mut self.out)?,
                _ => {}
            }
        }
        let name = named.then(|| source::name(path));
        let mut input = Input::new(source, framing);
        let (mut all, mut bad) = (0, 0);
        let mut players = Players::default();
        let printed = loop {
            let item = match input.next() {
                _ if self.remaining == 0 => break Ok(()),
                Ok(Some(item)) => item,
                Ok(None) => break Ok(()),
                Err(error) => break Err(unreadable(error)),
            };
            all += 1;
            match self.item(name.as_deref(), &item, kind, &mut players) {
                Ok(true) => {}
                Ok(false) => bad += 1,
                Err(error) => break Err(Stop::Output(error)),
            }
        };
        self.out.flush()?;
        printed?;
        if bad == 0 {
            return Ok(());
        }
        let mut failure = format!("{bad} of {all} messages could not be read");
        failure += if arguments.filter.is_empty() {
            "; each is reported in its place above"
        } else {
            ", so the filter could not be applied to them; without `--kind`, `--not-kind` and `--cmd-id` each is \
             reported in its place"
        };
        if let Some(hint) = first.and_then(|first| hint(first, framing, kind)) {
            failure += "; ";
            failure += hint;
        }
        Err(Stop::Input(Failure::new(failure)))
    }

    /// Prints a message if it is wanted; `false` if it cannot be read.
    fn item(
        &mut self,
        file: Option<&str>,
        item: &Item<'_>,
        kind: MessageKind,
        players: &mut Players,
    ) -> io::Result<bool> {
        let arguments = self.arguments;
        let content = item.read(kind);
        // Rows are filtered individually. Without a filter everything is wanted, including what cannot be read.
        if !arguments.filter.is_empty() && !arguments.format.is_of_replays() {
            let is_wanted = content.as_ref().map_err(drop);
            let wants = |content| arguments.filter.wants(content, players).map_err(drop);
            match is_wanted.and_then(wants) {
                Ok(true) => {}
                Ok(false) => return Ok(true),
                // Whether it was requested is unknown.
                Err(()) => return Ok(false),
            }
        }
        let mut line = String::new();
        let good = match arguments.format {
            Format::Json => json::line(file, item, &content, &mut line),
            Format::Table => table::line(file, item, &content, &mut line),
            format => return self.rows(file, item, content, format),
        };
        line.push('\n');
        self.out.write_all(line.as_bytes())?;
        self.remaining -= 1;
        Ok(good)
    }

    /// Prints the rows or states of a replay; `false` if not all of it can be read.
    fn rows(
        &mut self,
        file: Option<&str>,
        item: &Item<'_>,
        content: Result<Content<'_>, Unreadable>,
        format: Format,
    ) -> io::Result<bool> {
        let (remaining, out) = (&mut self.remaining, &mut self.out);
        let printed = content
            .map_err(|wrong| wrong.reason.into())
            .and_then(|content| {
                content.whole.check()?;
                match &content.view {
                    View::Replay(replay) if format == Format::States => {
                        states::states(file, replay, remaining, out)
                    }
                    View::Replay(replay) => {
                        rows::rows(file, replay, &self.arguments.filter, remaining, format, out)
                    }
                    // These formats are refused for others.
                    _ => Ok(()),
                }
            });
        match printed.map_err(|error: RowsError| error.downcast::<io::Error>()) {
            Ok(()) => Ok(true),
            Err(Ok(error)) => Err(*error),
            Err(Err(error)) => {
                let at = item.offset;
                say(format_args!("portreeve: message at {at}: {error}"));
                Ok(false)
            }
        }
    }
}

/// Why not all rows of a replay are written: the output, what cannot be read, or what the table cannot take.
type RowsError = Box<dyn std::error::Error>;

/// Sets `line` to the JSON of a server's message at `offset`; returns `false` if it cannot be read.
pub(super) fn server_line(offset: usize, bytes: &[u8], line: &mut String) -> bool {
    let item = Item::new(offset, bytes);
    json::line(None, &item, &item.read(MessageKind::Server), line)
}
