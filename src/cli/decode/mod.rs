//! `portreeve decode`: what is in a recording of a game server's messages.

mod input;
mod json;
mod progress;
mod stats;
mod table;
mod terminal;

use std::fs::File;
use std::io::{self, BufWriter, Cursor, IsTerminal, Read, Write};
use std::path::PathBuf;

use clap::builder::{EnumValueParser, PossibleValue};
use clap::{Arg, ArgMatches, Command, ValueEnum, value_parser};

use super::Failure;
use super::output::say;
use input::{Framing, Input, Item};
use progress::Progress;

/// Room for the output before it is written.
const OUTPUT_BUFFER: usize = 64 << 10;

/// How a file begins that gzip compressed (RFC 1952, section 2.3.1): no message begins so in any
/// framing, as the length would be above the limit, the wire type is none, and no digit is there.
const GZIP: &[u8] = &[0x1f, 0x8b];

/// The command line of `decode`.
pub(crate) fn command() -> Command {
    Command::new("decode")
        .about("Reads the messages of a game server and prints what is in them")
        .long_about(
            "Reads the messages of a game server (Servatrice) from a file or standard input and \
             prints what is in them, one JSON object a line. A message that cannot be read is \
             reported with its offset, and reading goes on at the next one (where a length is \
             damaged, nothing behind it can be found); the exit code is then 1.\n\n\
             Of the fields that the schema does not have, `unknown` lists the first 100 of a message \
             and `unknown_not_listed` counts the others. Control characters and marks that turn the \
             direction of text are escaped.",
        )
        .arg(
            Arg::new("file")
                .value_name("FILE")
                .value_parser(value_parser!(PathBuf))
                .help("Where to read from; standard input where it is left out or `-`"),
        )
        .arg(
            Arg::new("framing")
                .long("framing")
                .value_name("FRAMING")
                .value_parser(EnumValueParser::<Framing>::new())
                .default_value("tcp")
                .help("How the messages follow each other"),
        )
        .arg(
            Arg::new("message")
                .long("message")
                .value_name("MESSAGE")
                .value_parser(EnumValueParser::<Kind>::new())
                .default_value("server")
                .help("What each message is"),
        )
        .arg(
            Arg::new("format")
                .long("format")
                .value_name("FORMAT")
                .value_parser(EnumValueParser::<Format>::new())
                .default_value("json")
                .help("What to print"),
        )
        .after_help(
            "Examples:\n  \
             portreeve decode session.bin | jq -c 'select(.error)'\n  \
             portreeve decode --format stats session.bin\n  \
             echo 0807100a | portreeve decode --framing hex --message response",
        )
}

/// Runs `decode`.
pub(crate) fn run(matches: &ArgMatches) -> Result<(), Failure> {
    let kind = *matches.get_one("message").expect("it has a default");
    let format = *matches.get_one("format").expect("it has a default");
    let framing = *matches.get_one("framing").expect("it has a default");
    let path = matches.get_one::<PathBuf>("file");
    let path = path.filter(|path| path.as_os_str() != "-");
    let source: Box<dyn Read> = match path {
        None => Box::new(standard_input()),
        Some(path) => Box::new(open(path)?),
    };
    let progress = Progress::new(path);
    let source = not_compressed(progress.watch(source), path)?;
    let mut input = Input::new(source, framing);
    let out = io::stdout();
    let mut out = BufWriter::with_capacity(OUTPUT_BUFFER, out.lock());
    let read = print(&mut input, kind, format, &mut out)
        .and_then(|counts| out.flush().map(|()| counts).map_err(Stop::Output));
    progress.finish();
    match read {
        Ok(Counts { bad: 0, .. }) => Ok(()),
        // The counts have no place for each.
        Ok(Counts { bad, all }) if format == Format::Stats => Err(Failure::new(format_args!(
            "{bad} of {all} messages could not be read; `--format json` reports each in its place"
        ))),
        Ok(Counts { bad, all }) => Err(Failure::new(format_args!(
            "{bad} of {all} messages could not be read; each is reported in its place above"
        ))),
        // The reader of our output has closed it, as `head` does once it has its lines.
        Err(Stop::Output(error)) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        Err(Stop::Output(error)) => Err(Failure::new(format_args!(
            "cannot write the output: {error}"
        ))),
        Err(Stop::Input(error)) => Err(cannot_read(path, &error)),
    }
}

/// What each message is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Server,
    Response,
}

// === impl Kind ===

impl ValueEnum for Kind {
    fn value_variants<'a>() -> &'a [Self] {
        &[Self::Server, Self::Response]
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(match self {
            Self::Server => PossibleValue::new("server").help("The envelope that a server sends"),
            Self::Response => PossibleValue::new("response").help("A bare answer"),
        })
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    Json,
    Table,
    Stats,
}

// === impl Format ===

impl ValueEnum for Format {
    fn value_variants<'a>() -> &'a [Self] {
        &[Self::Json, Self::Table, Self::Stats]
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(match self {
            Self::Json => {
                PossibleValue::new("json").help("One object a line, with everything in the message")
            }
            Self::Table => PossibleValue::new("table").help("One line a message, to look at"),
            Self::Stats => PossibleValue::new("stats")
                .help("Counts by kind, code and size; payloads are not looked into"),
        })
    }
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

fn open(path: &PathBuf) -> Result<File, Failure> {
    let cannot = |error| {
        let path = path.display();
        Failure::new(format_args!("cannot open {path}: {error}"))
    };
    let file = File::open(path).map_err(cannot)?;
    if file.metadata().map_err(cannot)?.is_dir() {
        return Err(cannot(io::ErrorKind::IsADirectory.into()));
    }
    Ok(file)
}

/// Standard input; somebody who forgot to name a file is told what is waited for.
fn standard_input() -> io::StdinLock<'static> {
    let input = io::stdin();
    if input.is_terminal() {
        say(
            "portreeve: reading messages from this terminal; Ctrl-D ends them, and `portreeve \
             decode FILE` reads a file instead",
        );
    }
    input.lock()
}

/// `source` from its beginning, unless it is compressed.
fn not_compressed(mut source: impl Read, path: Option<&PathBuf>) -> Result<impl Read, Failure> {
    let mut start = Vec::with_capacity(GZIP.len());
    source
        .by_ref()
        .take(GZIP.len() as u64)
        .read_to_end(&mut start)
        .map_err(|error| cannot_read(path, &error))?;
    if start == GZIP {
        let name = name(path);
        let file = path.map_or("FILE".into(), |path| path.display().to_string());
        return Err(Failure::new(format_args!(
            "{name} is compressed by gzip; decompress it on the way: `gzip -dc {file} | portreeve decode`"
        )));
    }
    Ok(Cursor::new(start).chain(source))
}

/// What is read, in words.
fn name(path: Option<&PathBuf>) -> String {
    path.map_or("standard input".into(), |path| path.display().to_string())
}

fn cannot_read(path: Option<&PathBuf>, error: &io::Error) -> Failure {
    Failure::new(format_args!("cannot read {}: {error}", name(path)))
}

fn print<R: Read>(
    input: &mut Input<R>,
    kind: Kind,
    format: Format,
    out: &mut impl Write,
) -> Result<Counts, Stop> {
    let mut counts = Counts::default();
    let mut stats = stats::Stats::default();
    let mut line = String::new();
    if format == Format::Table {
        table::head(out).map_err(Stop::Output)?;
    }
    while let Some(item) = input.next().map_err(Stop::Input)? {
        let good = match format {
            Format::Stats => stats.add(&item, kind),
            Format::Json => json::line(&item, kind, &mut line),
            Format::Table => table::line(&item, kind, &mut line),
        };
        if format != Format::Stats {
            line.push('\n');
            out.write_all(line.as_bytes()).map_err(Stop::Output)?;
        }
        counts.all += 1;
        counts.bad += u64::from(!good);
    }
    if format == Format::Stats {
        stats.print(out).map_err(Stop::Output)?;
    }
    Ok(counts)
}

/// Makes `line` the JSON of a server's message that begins at `offset`.
pub(super) fn server_line(offset: usize, bytes: &[u8], line: &mut String) {
    let item = Item {
        offset,
        size: bytes.len(),
        message: Ok(bytes),
    };
    json::line(&item, Kind::Server, line);
}

/// The error of an item that holds no message.
fn unreadable<'i>(item: &'i Item<'_>) -> Option<&'i str> {
    item.message.as_ref().err().map(String::as_str)
}
