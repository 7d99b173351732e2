//! The command line of `decode`.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::PathBuf;

use clap::builder::{
    EnumValueParser, IntoResettable, PossibleValue, TypedValueParser, ValueParser,
};
use clap::{Arg, ArgAction, Command, ValueEnum, value_parser};

use super::content::{self, MessageKind};
use super::filter;
use super::input::Framing;
use super::rows::Style;
use crate::cli::commands::option;

/// The command line of `decode`.
pub(crate) fn command() -> Command {
    Command::new("decode")
        .about("Read the messages of a game server and print their content")
        .long_about(
            "Read the messages of a game server (Servatrice) or of its clients, or a recorded \
             game, from a file or standard input, and print their content, one JSON object per \
             line. An unreadable message is reported with its offset, and reading continues with \
             the next one (if a length is damaged, none of the following messages can be found); \
             the exit code is then 1.\n\n\
             JSON has the complete content of a message, including passwords. The other formats \
             show *** instead of passwords, tokens and codes.\n\n\
             Fields that the schema does not have are listed in `unknown`, at most 100 per \
             message; `unknown_not_listed` counts the rest. Control characters and marks that \
             change the direction of text are escaped.",
        )
        .arg(
            Arg::new("file")
                .value_name("FILE")
                .value_parser(value_parser!(PathBuf))
                .help("The file to read; standard input if it is missing or `-`"),
        )
        .arg(
            option(
                "framing",
                "FRAMING",
                "How the input is divided into messages [default: tcp; raw for a replay]",
            )
            .value_parser(EnumValueParser::<Framing>::new()),
        )
        .arg(
            option("message", "MESSAGE", "The kind of the messages")
                .value_parser(EnumValueParser::<Asked>::new())
                .default_value("auto"),
        )
        .arg(
            option("format", "FORMAT", "The output format")
                .value_parser(EnumValueParser::<Format>::new())
                .default_value("json"),
        )
        .arg(several(
            "kind",
            "KIND",
            "Print only messages of this type, or with this payload, command, event or context, such as room_say",
            KnownKind,
        ).hide_possible_values(true))
        .arg(several(
            "not-kind",
            "KIND",
            "Leave these out, such as ping_changed, which is sent every second of a game",
            KnownKind,
        ).hide_possible_values(true))
        .arg(several(
            "cmd-id",
            "NUMBER",
            "Print only the command with this number, and its response",
            value_parser!(u64),
        ))
        .arg(
            option(
                "limit",
                "COUNT",
                "Stop after this many messages; for a replay printed in rows, after this many rows",
            )
            .value_parser(value_parser!(u64).range(1..)),
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

/// An option with a list of values, which can be repeated.
fn several(
    name: &'static str,
    value: &'static str,
    help: &'static str,
    parser: impl IntoResettable<ValueParser>,
) -> Arg {
    option(name, value, help)
        .action(ArgAction::Append)
        .value_delimiter(',')
        .value_parser(parser)
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
            Self::Auto if is_replay || format.is_of_replays() => MessageKind::Replay,
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
                "`replay` if the file name ends in .cor, otherwise `server`",
            ),
            Self::As(MessageKind::Server) => ("server", "The envelope of a server's message"),
            Self::As(MessageKind::Response) => ("response", "A response without its envelope"),
            Self::As(MessageKind::Command) => ("command", "The container of a client's commands"),
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
    /// Whether only replays have it.
    pub(super) fn is_of_replays(self) -> bool {
        matches!(self, Self::Rows(_) | Self::States)
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
                PossibleValue::new("json").help("One object per line, with the complete content")
            }
            Self::Table => PossibleValue::new("table").help("One line per message, like a log"),
            Self::Stats => PossibleValue::new("stats")
                .help("Counts by kind, code and size, without reading payloads"),
            Self::Rows(Style::Csv) => PossibleValue::new("csv")
                .help("One row per event of a replay, as comma-separated values (RFC 4180)"),
            Self::Rows(Style::Timeline) => {
                PossibleValue::new("timeline").help("One line per event of a replay, to read along")
            }
            Self::States => PossibleValue::new("states").help(
                "The changes of a replay's table as JSON merge patches (RFC 7396), and the final table",
            ),
        })
    }
}

/// The kinds of the schema, which shells complete.
#[derive(Clone)]
struct KnownKind;

impl TypedValueParser for KnownKind {
    type Value = String;

    fn parse_ref(
        &self,
        command: &Command,
        argument: Option<&Arg>,
        value: &OsStr,
    ) -> Result<String, clap::Error> {
        known_kind.parse_ref(command, argument, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue>>> {
        let names: BTreeSet<_> = content::all_names().map(str::to_lowercase).collect();
        Some(Box::new(names.into_iter().map(PossibleValue::new)))
    }
}

/// Rejects a kind that the schema does not have: a misspelt one would look as if there were no such messages.
fn known_kind(text: &str) -> Result<String, String> {
    let asked = [text.to_owned()];
    if content::all_names().any(|name| filter::is_among(&asked, name)) {
        return Ok(text.to_owned());
    }
    Err(
        "unknown type, payload, command, event or context; `--format stats` lists those in a file"
            .to_owned(),
    )
}
