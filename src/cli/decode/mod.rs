//! `portreeve decode`: what is in a recording of a game server's messages.

mod content;
mod filter;
mod input;
mod json;
mod names;
mod progress;
mod rows;
mod states;
mod stats;
mod summary;
mod table;
mod terminal;
mod websocket;

use std::fs::File;
use std::io::{self, BufWriter, Cursor, IsTerminal, Read, Write};
use std::path::PathBuf;

use clap::builder::{EnumValueParser, PossibleValue};
use clap::{Arg, ArgAction, ArgMatches, Command, ValueEnum, value_parser};

use super::Failure;
use super::output::say;
use content::Content;
use filter::Filter;
use input::{Framing, Input, Item};
use progress::Progress;
use rows::Style;

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
            "Reads the messages of a game server (Servatrice), or of its clients, or a recorded \
             game, from a file or standard input and prints what is in them, one JSON object a \
             line. A message that cannot be read is reported with its offset, and reading goes on \
             at the next one (where a length is damaged, nothing behind it can be found); the exit \
             code is then 1.\n\n\
             JSON has everything that is in a message, passwords too. The other formats show *** in \
             place of passwords, tokens and codes.\n\n\
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
                .help("How the messages follow each other [default: tcp; of a replay raw]"),
        )
        .arg(
            Arg::new("message")
                .long("message")
                .value_name("MESSAGE")
                .value_parser(EnumValueParser::<Asked>::new())
                .default_value("auto")
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
        .arg(
            Arg::new("kind")
                .long("kind")
                .value_name("KIND")
                .action(ArgAction::Append)
                .value_delimiter(',')
                .value_parser(known_kind)
                .help("Only messages of this type, or with this payload, command, event or context: room_say"),
        )
        .arg(
            Arg::new("not-kind")
                .long("not-kind")
                .value_name("KIND")
                .action(ArgAction::Append)
                .value_delimiter(',')
                .value_parser(known_kind)
                .help("Leaves these out: ping_changed, which comes every second of a game"),
        )
        .arg(
            Arg::new("cmd-id")
                .long("cmd-id")
                .value_name("NUMBER")
                .action(ArgAction::Append)
                .value_delimiter(',')
                .value_parser(value_parser!(u64))
                .help("Only the command with this number, and its answer"),
        )
        .arg(
            Arg::new("limit")
                .long("limit")
                .value_name("COUNT")
                .value_parser(value_parser!(u64).range(1..))
                .help("Stop after so many messages; of a replay in rows, so many rows"),
        )
        .after_help(
            "Examples:\n  \
             portreeve decode session.bin | jq -c 'select(.error)'\n  \
             portreeve decode --format stats session.bin\n  \
             portreeve decode --format table --kind room_say,user_message session.bin\n  \
             portreeve decode --format timeline --not-kind ping_changed replay_7.cor\n  \
             portreeve decode --format csv replay_7.cor > replay_7.csv\n  \
             portreeve decode --format states replay_7.cor | tail -n 1 | jq .table\n  \
             echo 0807100a | portreeve decode --framing hex --message response",
        )
}

/// Runs `decode`.
pub(crate) fn run(matches: &ArgMatches) -> Result<(), Failure> {
    let format = *matches.get_one("format").expect("it has a default");
    let asked = *matches.get_one("message").expect("it has a default");
    let path = matches.get_one::<PathBuf>("file");
    let path = path.filter(|path| path.as_os_str() != "-");
    let kind = Asked::kind(asked, path, format);
    if let Some(name) = format.of_replays()
        && kind != Kind::Replay
    {
        return Err(Failure::new(format_args!(
            "--format {name} is for replays (`--message replay`); `--format table` has a line for each message"
        )));
    }
    let framing = matches.get_one("framing").copied();
    let framing = framing.unwrap_or(match kind {
        Kind::Replay => Framing::Raw,
        _ => Framing::Tcp,
    });
    let kinds = |option| -> Vec<String> {
        let kinds = matches.get_many(option).into_iter().flatten();
        kinds.cloned().collect()
    };
    let filter = Filter {
        kinds: kinds("kind"),
        left_out: kinds("not-kind"),
        cmd_ids: matches
            .get_many("cmd-id")
            .into_iter()
            .flatten()
            .copied()
            .collect(),
    };
    if format == Format::States && !filter.is_empty() {
        return Err(Failure::new(
            "--format states follows a whole game: leave out `--kind` and `--cmd-id`",
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
    let source = not_compressed(progress.watch(source), path)?;
    let mut input = Input::new(source, framing);
    let out = io::stdout();
    let mut out = BufWriter::with_capacity(OUTPUT_BUFFER, out.lock());
    let read = print(&mut input, &wanted, &mut out)
        .and_then(|counts| out.flush().map(|()| counts).map_err(Stop::Output));
    progress.finish();
    match read {
        Ok(Counts { bad: 0, .. }) => Ok(()),
        // The counts have no place for each.
        Ok(Counts { bad, all }) if format == Format::Stats => Err(Failure::new(format_args!(
            "{bad} of {all} messages could not be read; `--format json` reports each in its place"
        ))),
        Ok(Counts { bad, all }) if !wanted.filter.is_empty() => Err(Failure::new(format_args!(
            "{bad} of {all} messages could not be read, and so were not looked through; without \
             `--kind`, `--not-kind` and `--cmd-id` each is reported in its place"
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
    Command,
    Replay,
}

/// What each message is said to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Asked {
    Auto,
    As(Kind),
}

// === impl Asked ===

impl Asked {
    /// A file named `….cor` is a replay, as clients store it, and only a replay has rows.
    fn kind(self, path: Option<&PathBuf>, format: Format) -> Kind {
        let is_replay = path
            .and_then(|path| path.extension())
            .is_some_and(|extension| extension.eq_ignore_ascii_case("cor"));
        match self {
            Self::As(kind) => kind,
            Self::Auto if is_replay || format.of_replays().is_some() => Kind::Replay,
            Self::Auto => Kind::Server,
        }
    }
}

impl ValueEnum for Asked {
    fn value_variants<'a>() -> &'a [Self] {
        &[
            Self::Auto,
            Self::As(Kind::Server),
            Self::As(Kind::Response),
            Self::As(Kind::Command),
            Self::As(Kind::Replay),
        ]
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        let (name, help) = match self {
            Self::Auto => (
                "auto",
                "A replay if the file is called ….cor, otherwise `server`",
            ),
            Self::As(Kind::Server) => ("server", "The envelope that a server sends"),
            Self::As(Kind::Response) => ("response", "A bare answer"),
            Self::As(Kind::Command) => ("command", "The container that a client sends"),
            Self::As(Kind::Replay) => ("replay", "A recorded game"),
        };
        Some(PossibleValue::new(name).help(help))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    Json,
    Table,
    Stats,
    Rows(Style),
    States,
}

// === impl Format ===

impl Format {
    /// Its name, if only a replay has it.
    fn of_replays(self) -> Option<&'static str> {
        match self {
            Self::Rows(Style::Csv) => Some("csv"),
            Self::Rows(Style::Timeline) => Some("timeline"),
            Self::States => Some("states"),
            Self::Json | Self::Table | Self::Stats => None,
        }
    }
}

impl ValueEnum for Format {
    fn value_variants<'a>() -> &'a [Self] {
        &[
            Self::Json,
            Self::Table,
            Self::Stats,
            Self::Rows(Style::Csv),
            Self::Rows(Style::Timeline),
            Self::States,
        ]
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(match self {
            Self::Json => {
                PossibleValue::new("json").help("One object a line, with everything in the message")
            }
            Self::Table => PossibleValue::new("table").help("One line a message, as a log has it"),
            Self::Stats => PossibleValue::new("stats")
                .help("Counts by kind, code and size; payloads are not looked into"),
            Self::Rows(Style::Csv) => PossibleValue::new("csv")
                .help("A replay, one row an event, as comma-separated values (RFC 4180)"),
            Self::Rows(Style::Timeline) => {
                PossibleValue::new("timeline").help("A replay, one line an event, to read along")
            }
            Self::States => PossibleValue::new("states").help(
                "A replay, how its table changes as JSON merge patches (RFC 7396), and the final table",
            ),
        })
    }
}

/// What was asked for.
struct Wanted {
    kind: Kind,
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
    wanted: &Wanted,
    out: &mut impl Write,
) -> Result<Counts, Stop> {
    let Wanted { kind, format, .. } = *wanted;
    let mut counts = Counts::default();
    let mut stats = stats::Stats::default();
    let mut line = String::new();
    let mut left = wanted.limit;
    match format {
        Format::Table => table::head(out).map_err(Stop::Output)?,
        Format::Rows(style) => rows::head(style, out).map_err(Stop::Output)?,
        Format::Json | Format::Stats | Format::States => {}
    }
    while left > 0
        && let Some(item) = input.next().map_err(Stop::Input)?
    {
        counts.all += 1;
        match is_wanted(&item, wanted) {
            Ok(true) => {}
            Ok(false) => continue,
            // Whether it was asked for is not known.
            Err(()) => {
                counts.bad += 1;
                continue;
            }
        }
        let mut used = 1;
        let good = match format {
            Format::Stats => stats.add(&item, kind),
            Format::Json => json::line(&item, kind, &mut line),
            Format::Table => table::line(&item, kind, &mut line),
            Format::Rows(_) | Format::States => match rows_of(&item, wanted, left, &mut line) {
                Ok(rows) => {
                    used = rows;
                    true
                }
                Err(error) => {
                    say(format_args!(
                        "portreeve: message at {}: {}",
                        item.offset,
                        terminal::printable(&error)
                    ));
                    false
                }
            },
        };
        match format {
            Format::Stats => {}
            Format::Rows(_) | Format::States => {
                out.write_all(line.as_bytes()).map_err(Stop::Output)?;
            }
            Format::Json | Format::Table => {
                line.push('\n');
                out.write_all(line.as_bytes()).map_err(Stop::Output)?;
            }
        }
        left -= used;
        counts.bad += u64::from(!good);
    }
    if format == Format::Stats {
        stats.print(out).map_err(Stop::Output)?;
    }
    Ok(counts)
}

/// Makes `line` the JSON of a server's message that begins at `offset`; `false` if it cannot be read.
pub(super) fn server_line(offset: usize, bytes: &[u8], line: &mut String) -> bool {
    let item = Item {
        offset,
        size: bytes.len(),
        message: Ok(bytes),
    };
    json::line(&item, Kind::Server, line)
}

/// Whether the filter lets it through; an error if that cannot be known. Without a filter everything
/// is let through, also what cannot be read. Rows are filtered one by one.
fn is_wanted(item: &Item<'_>, wanted: &Wanted) -> Result<bool, ()> {
    if wanted.filter.is_empty() || wanted.format.of_replays().is_some() {
        return Ok(true);
    }
    let bytes = item.message.as_ref().map_err(drop)?;
    let content = Content::parse(bytes, wanted.kind).map_err(drop)?;
    wanted.filter.wants(&content).map_err(drop)
}

fn rows_of(item: &Item<'_>, wanted: &Wanted, left: u64, rows: &mut String) -> Result<u64, String> {
    rows.clear();
    let bytes = item.message.as_ref().map_err(Clone::clone)?;
    let read = match wanted.format {
        Format::Rows(style) => rows::rows(bytes, &wanted.filter, left, style, rows)
            .map_err(|error| error.within(bytes).to_string()),
        _ => states::states(bytes, left, rows),
    };
    if read.is_err() {
        rows.clear();
    }
    read
}

/// A kind that the schema has: a misspelt one would look as if there were no such message.
fn known_kind(text: &str) -> Result<String, String> {
    let asked = [text.to_owned()];
    if content::all_names().any(|name| filter::is_among(&asked, name)) {
        return Ok(text.to_owned());
    }
    Err(
        "there is no such type, payload, command or event; `--format stats` shows which there are"
            .to_owned(),
    )
}

/// The error of an item that holds no message.
fn unreadable<'i>(item: &'i Item<'_>) -> Option<&'i str> {
    item.message.as_ref().err().map(String::as_str)
}
