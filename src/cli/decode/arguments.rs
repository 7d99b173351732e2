//! The command line of `decode`.

use std::path::PathBuf;

use clap::builder::{EnumValueParser, PossibleValue};
use clap::{Arg, ArgAction, Command, ValueEnum, value_parser};

use super::content::{self, MessageKind};
use super::filter;
use super::input::Framing;
use super::rows::Style;

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

/// The value of `--message`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Asked {
    Auto,
    As(MessageKind),
}

// === impl Asked ===

impl Asked {
    /// Without `--message`, a file named `….cor` is a replay, as clients store it, and so is the input of a format that
    /// only replays have.
    pub(super) fn kind(self, path: Option<&PathBuf>, format: Format) -> MessageKind {
        let is_replay = path
            .and_then(|path| path.extension())
            .is_some_and(|extension| extension.eq_ignore_ascii_case("cor"));
        match self {
            Self::As(kind) => kind,
            Self::Auto if is_replay || format.of_replays().is_some() => MessageKind::Replay,
            Self::Auto => MessageKind::Server,
        }
    }
}

impl ValueEnum for Asked {
    fn value_variants<'a>() -> &'a [Self] {
        &[
            Self::Auto,
            Self::As(MessageKind::Server),
            Self::As(MessageKind::Response),
            Self::As(MessageKind::Command),
            Self::As(MessageKind::Replay),
        ]
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        let (name, help) = match self {
            Self::Auto => (
                "auto",
                "A replay if the file is called ….cor, otherwise `server`",
            ),
            Self::As(MessageKind::Server) => ("server", "The envelope that a server sends"),
            Self::As(MessageKind::Response) => ("response", "A bare answer"),
            Self::As(MessageKind::Command) => ("command", "The container that a client sends"),
            Self::As(MessageKind::Replay) => ("replay", "A recorded game"),
        };
        Some(PossibleValue::new(name).help(help))
    }
}

/// The value of `--format`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    Json,
    Table,
    Stats,
    Rows(Style),
    States,
}

// === impl Format ===

impl Format {
    /// Its name, if it is only for replays.
    pub(super) fn of_replays(self) -> Option<&'static str> {
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

/// Rejects a kind that the schema does not have: a misspelt one would look as if there were no such messages.
fn known_kind(text: &str) -> Result<String, String> {
    let asked = [text.to_owned()];
    if content::all_names().any(|name| filter::is_among(&asked, name)) {
        return Ok(text.to_owned());
    }
    Err(
        "there is no such type, payload, command, event or context; `--format stats` shows which there are"
            .to_owned(),
    )
}
