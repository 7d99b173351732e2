//! The command line of `decode`.

use std::path::PathBuf;

use clap::{Args, Command, ValueEnum, value_parser};

use super::filter::Filter;
use super::input::Framing;
use super::rows::cell;
use crate::cli::Failure;
use crate::cli::terminal::{escape, json_line};

pub(crate) fn command() -> Command {
    Arguments::augment_args(Command::new("decode"))
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
        .after_help(
            "Examples:\n  \
             portreeve decode session.bin | jq -c 'select(.error)'\n  \
             portreeve decode --format table --kind room_say,user_message session.bin\n  \
             portreeve decode --format timeline --not-kind ping_changed replay_7.cor\n  \
             portreeve decode --format csv replay_*.cor > replays.csv\n  \
             portreeve decode --format states replay_7.cor | tail -n 1 | jq .table\n  \
             echo 0807100a | portreeve decode --framing hex --message response",
        )
}

// A comment for rustdoc would replace what `decode --help` says.
#[derive(Args)]
pub(super) struct Arguments {
    /// The files to read, as they are or compressed by gzip; standard input if there is none, or for `-`. If there are
    /// several, each line names its file
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
    /// How the input is divided into messages [default: tcp; raw for a replay]
    #[arg(long)]
    framing: Option<Framing>,
    /// The kind of the messages
    #[arg(long, default_value = "auto")]
    message: MessageKind,
    /// The output format
    #[arg(long, default_value = "json")]
    pub(super) format: Format,
    #[command(flatten)]
    pub(super) filter: Filter,
    /// Stop after this many messages; for a replay printed in rows, after this many rows
    #[arg(long, value_name = "COUNT", value_parser = value_parser!(u64).range(1..))]
    pub(super) limit: Option<u64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum MessageKind {
    /// `replay` if the file name ends in .cor, otherwise `server`
    Auto,
    /// The envelope of a server's message
    Server,
    /// A response without its envelope
    Response,
    /// The container of a client's commands
    Command,
    /// A recorded game
    Replay,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    /// One object per line, with the complete content
    Json,
    /// One line per message, like a log
    Table,
    /// One row per event of a replay, as comma-separated values (RFC 4180)
    Csv,
    /// One line per event of a replay, to read along
    Timeline,
    /// The changes of a replay's table as JSON merge patches (RFC 7396), and the final table
    States,
}

// === impl Arguments ===

impl Arguments {
    /// Refuses what a format of replays cannot be used with.
    pub(super) fn check(&self) -> Result<(), Failure> {
        let is_replay = matches!(self.message, MessageKind::Auto | MessageKind::Replay);
        let name = format!("{:?}", self.format).to_lowercase();
        let problem = match self.format {
            format if !format.is_of_replays() => return Ok(()),
            _ if !is_replay => {
                "a replay (`--message replay`); `--format table` prints a line per message"
            }
            Format::States if self.filter.is_of_players() => "the whole game: remove `--player`",
            Format::States if !self.filter.is_empty() => {
                "the whole game: remove `--kind`, `--not-kind` and `--cmd-id`"
            }
            _ => return Ok(()),
        };
        Err(Failure::new(format_args!("--format {name} needs {problem}")))
    }

    /// The input files; `None` is standard input.
    pub(super) fn paths(&self) -> Vec<Option<&PathBuf>> {
        let named = |path| Some(path).filter(|path: &&PathBuf| path.as_os_str() != "-");
        let paths: Vec<_> = self.files.iter().map(named).collect();
        if paths.is_empty() { vec![None] } else { paths }
    }

    /// Without `--message`, a replay is a file named `….cor`, and the input of a format that only replays have.
    pub(super) fn kind(&self, path: Option<&PathBuf>) -> MessageKind {
        let name = path.map_or_else(String::new, |path| path.to_string_lossy().to_lowercase());
        let is_replay = name.strip_suffix(".gz").unwrap_or(&name).ends_with(".cor");
        match self.message {
            MessageKind::Auto if is_replay || self.format.is_of_replays() => MessageKind::Replay,
            MessageKind::Auto => MessageKind::Server,
            kind => kind,
        }
    }

    pub(super) fn framing(&self, kind: MessageKind) -> Framing {
        self.framing.unwrap_or(match kind {
            MessageKind::Replay => Framing::Raw,
            _ => Framing::Tcp,
        })
    }
}

// === impl Format ===

impl Format {
    /// Whether only replays have it.
    pub(super) fn is_of_replays(self) -> bool {
        matches!(self, Self::Csv | Self::Timeline | Self::States)
    }

    /// How a line says which file it is about.
    pub(super) fn column(self, file: &str) -> String {
        match self {
            Self::Table => format!("{:<24}  ", escape(file)),
            Self::Csv => cell(&escape(file)) + ",",
            Self::Timeline => format!("{}: ", escape(file)),
            Self::Json | Self::States => format!("\"file\":{},", json_line(&file.into())),
        }
    }
}
