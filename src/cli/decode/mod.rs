//! `portreeve decode`: prints the messages in a recording of a game server.

mod arguments;
mod content;
mod filter;
mod input;
mod json;
mod names;
mod rows;
mod source;
mod states;
mod table;
mod websocket;

use std::io::{self, BufWriter, Write};
use std::path::PathBuf;

use super::Failure;
use super::output::say;
pub(crate) use arguments::command;
use arguments::{Arguments, Format, MessageKind};
use clap::ArgMatches;
use content::Content;
use input::{Input, Item};
use names::Players;

const OUTPUT_BUFFER: usize = 64 << 10;

pub(crate) fn run(matches: &ArgMatches) -> Result<(), Failure> {
    let arguments: Arguments = super::commands::arguments(matches);
    arguments.check()?;
    let paths = arguments.paths();
    let mut printer = Printer {
        arguments: &arguments,
        names_files: paths.len() > 1,
        file: String::new(),
        remaining: arguments.limit.unwrap_or(u64::MAX),
        out: BufWriter::with_capacity(OUTPUT_BUFFER, io::stdout().lock()),
    };
    let mut failed = 0;
    for path in &paths {
        let failure = match printer.file(*path) {
            Ok(Ok(())) if printer.remaining == 0 => break,
            Ok(Ok(())) => continue,
            Ok(Err(failure)) => failure,
            // The reader of the output has closed it, like `head` once it has its lines.
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => break,
            Err(error) => {
                return Err(Failure::new(format_args!("cannot write the output: {error}")));
            }
        };
        if paths.len() == 1 {
            return Err(failure);
        }
        failed += 1;
        say(format_args!("portreeve: {}", failure.line));
    }
    match failed {
        0 => Ok(()),
        failed => {
            Err(Failure::new(format_args!("{failed} of {} files could not be read", paths.len())))
        }
    }
}

struct Printer<'a, W> {
    arguments: &'a Arguments,
    /// Whether each line says which file it is about.
    names_files: bool,
    /// What says so.
    file: String,
    remaining: u64,
    out: W,
}

impl<W: Write> Printer<'_, W> {
    /// Prints the messages of a file; the inner error is that of the file, the outer one of the output.
    fn file(&mut self, path: Option<&PathBuf>) -> io::Result<Result<(), Failure>> {
        let format = self.arguments.format;
        let kind = self.arguments.kind(path);
        let framing = self.arguments.framing(kind);
        let (first, source) = match source::open(path) {
            Ok(opened) => opened,
            Err(failure) => return Ok(Err(failure)),
        };
        let name = source::name(path).display().to_string();
        let column = |name| if self.names_files { format.column(name) } else { String::new() };
        // Before the first file is open there is nothing to say.
        let is_first = self.file.is_empty();
        match format {
            Format::Table if is_first => writeln!(self.out, "{}{}", column("FILE"), table::HEAD)?,
            Format::Csv if is_first => writeln!(self.out, "{}{}", column("file"), rows::HEAD)?,
            _ => {}
        }
        self.file = column(&name);
        let mut input = Input::new(source, framing);
        let (mut all, mut bad) = (0, 0);
        let mut players = Players::default();
        let read = loop {
            // What would follow the last one that is wanted may never come.
            let next = if self.remaining == 0 { Ok(None) } else { input.next() };
            let item = match next {
                Ok(Some(item)) => item,
                Ok(None) => break Ok(()),
                Err(error) => break Err(Failure::cannot("read", source::name(path))(error)),
            };
            all += 1;
            if !self.item(&item, kind, &mut players)? {
                bad += 1;
            }
        };
        self.out.flush()?;
        if bad == 0 || read.is_err() {
            return Ok(read);
        }
        let name = if self.names_files { name + ": " } else { String::new() };
        let mut failure = format!("{name}{bad} of {all} messages could not be read");
        failure += if self.arguments.filter.is_empty() {
            "; each is reported in its place above"
        } else {
            ", so the filter could not be applied to them; without `--kind`, `--not-kind` and `--cmd-id` each is \
             reported in its place"
        };
        if let Some(hint) = first.and_then(|first| source::hint(first, framing, kind)) {
            failure = failure + "; " + hint;
        }
        Ok(Err(Failure::new(failure)))
    }

    /// Prints a message if it is wanted; `false` if it cannot be read.
    fn item(
        &mut self,
        item: &Item<'_>,
        kind: MessageKind,
        players: &mut Players,
    ) -> io::Result<bool> {
        let Arguments { format, filter, .. } = self.arguments;
        let content = item.content(kind);
        // Rows are filtered individually. Without a filter everything is wanted, including what cannot be read.
        if !filter.is_empty() && !format.is_of_replays() {
            let content = content.as_ref().ok();
            let wanted = content.and_then(|content| filter.wants(content, players).ok());
            if wanted != Some(true) {
                // Whether one that cannot be read was requested is unknown.
                return Ok(wanted.is_some());
            }
        }
        let mut line = String::new();
        let good = match format {
            Format::Json => json::line(item, content, &mut line),
            Format::Table => table::line(item, content, &mut line),
            _ => return self.replay(item, content),
        };
        self.print(&line)?;
        Ok(good)
    }

    /// Prints the rows or states of a replay; `false` if not all of it can be read.
    fn replay(
        &mut self,
        item: &Item<'_>,
        content: Result<Content<'_>, String>,
    ) -> io::Result<bool> {
        let content = content.map_err(ReplayError::from);
        let printed = content.and_then(|content| {
            content.whole.check()?;
            // These formats are refused for other messages.
            let replay = content.view(MessageKind::Replay)?.unwrap_or_default();
            match self.arguments.format {
                Format::States => states::states(self, &replay),
                _ => rows::rows(self, &replay),
            }
        });
        match printed.map_err(|error: ReplayError| error.downcast::<io::Error>()) {
            Ok(()) => Ok(true),
            Err(Ok(error)) => Err(*error),
            Err(Err(error)) => {
                let at = item.offset;
                say(format_args!("portreeve: message at {at}: {error}"));
                Ok(false)
            }
        }
    }

    /// Prints a line; returns whether another one may follow.
    fn print(&mut self, line: &str) -> io::Result<bool> {
        // What names the file is a member of an object, or a column in front.
        let (start, rest) = line.split_at(usize::from(line.starts_with('{')));
        let is_titled = self.arguments.format == Format::Timeline;
        let file = if is_titled { "" } else { &self.file };
        writeln!(self.out, "{start}{file}{rest}")?;
        self.remaining -= 1;
        Ok(self.remaining > 0)
    }
}

/// Why not all of a replay is printed: the output, what cannot be read, or what the table cannot take.
type ReplayError = Box<dyn std::error::Error>;

/// Sets `line` to the JSON of a server's message at `offset`; returns `false` if it cannot be read.
pub(super) fn server_line(offset: usize, bytes: &[u8], line: &mut String) -> bool {
    let item = Item::new(offset, bytes);
    json::line(&item, item.content(MessageKind::Server), line)
}
