//! `portreeve game connect`: a session with a game server, as lines of JSON.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use clap::{ArgMatches, Args, Command, value_parser};
use portreeve::game::client::{FloodLimits, Reconnect, Replays, Settings};
use tokio::sync::mpsc;

use super::input;
use super::recording::Recording;
use super::replays::check_folder;
use super::server::{ServerArguments, not_connected};
use super::session::{Messages, Session};
use crate::cli::Failure;
use crate::cli::commands::arguments;
use crate::cli::process::block_on;
use crate::cli::signals::Shutdown;

/// The time limit for writing the rest of the output after a signal, from when the connection is closed.
const LAST_LINES: Duration = Duration::from_secs(2);

pub(super) fn command() -> Command {
    Arguments::augment_args(Command::new("connect"))
        .about("Hold a session with a game server, as lines of JSON")
        .long_about(
            "Connect to a game server (Servatrice), print every message of the server as `decode` \
             does, one JSON object per line, and send the commands that are read from standard input, \
             one CommandContainer as a JSON object per line. Without a `cmd_id`, a command gets the \
             number of its line; the answer repeats it. The session is kept alive, and commands are \
             delayed to stay within the server's flood limits.\n\n\
             A line that is not sent, or not answered within --answer-timeout, is reported as \
             {\"type\":\"LINE\",\"line\":…,\"sent\":…,\"error\":…}, and the exit code is 1. The exit code \
             is also 1 if a message of the server cannot be read. At the end of the input, the command \
             waits for the last answers and closes the connection. SIGTERM and SIGINT close it without \
             waiting for answers. Both wait for replays that are to be saved.\n\n\
             Every line has a `type`: RESPONSE, SESSION_EVENT, ROOM_EVENT or GAME_EVENT_CONTAINER for \
             the server's messages, UNKNOWN for a newer one, UNREADABLE for one that cannot be read, and \
             for reports of the command itself LINE, GAP (a connection was lost), NOT_RESTORED, RESTORED and REPLAY.",
        )
        .after_help(
            "Examples:\n  \
             portreeve game connect wss://server.example --user ann --password-file pw --watch\n  \
             echo '{\"session_command\":[{\"[Command_ListRooms.ext]\":{}}]}' | portreeve game connect tcp://localhost",
        )
}

#[derive(Args)]
struct Arguments {
    #[command(flatten)]
    server: ServerArguments,
    /// Time limit for an answer, from when its command was written
    #[arg(long, value_name = "SECONDS", default_value = "30", value_parser = value_parser!(u32).range(1..))]
    answer_timeout: u32,
    /// The server's limits in a period of time, as MESSAGES,BYTES,COMMANDS,SECONDS: chat messages, their bytes, and
    /// game commands; or `none`
    #[arg(long, value_name = "LIMITS", default_value = "10,1000,20,10", value_parser = flood_limits)]
    flood_limits: FloodOption,
    /// The maximum length of a message from the server; a longer one ends the connection
    #[arg(long, value_name = "BYTES", default_value = "16777216", value_parser = value_parser!(u32).range(1..))]
    message_limit: u32,
    /// Connects again if the server cannot be reached or the connection is lost, and restores the login and rooms
    #[arg(long)]
    reconnect: bool,
    /// Saves the replays of games that the user took part in, as DIR/replay_<id>.cor
    #[arg(long, value_name = "DIR")]
    save_replays: Option<PathBuf>,
    /// How long to wait at the end for the replays of the games that were played; ends early once all have come
    #[arg(long, value_name = "SECONDS", default_value = "2", requires = "save_replays")]
    wait_replays: u32,
    /// Records the session in this new file, as a script for tests; secrets are left out
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
    /// Reads no commands, and runs until the server or a signal ends the session
    #[arg(long)]
    watch: bool,
}

pub(super) fn run(matches: &ArgMatches) -> Result<(), Failure> {
    block_on(connect(arguments(matches)))
}

async fn connect(arguments: Arguments) -> Result<(), Failure> {
    let connector = arguments.server.connector(arguments.message_limit)?;
    let credentials = arguments.server.credentials().await?;
    let recording = arguments.record.as_deref().map(Recording::create).transpose()?;
    let connector = match &recording {
        Some(recording) => recording.record(connector),
        None => connector,
    };
    let mut shutdown = Shutdown::catch()?;
    if let Some(folder) = &arguments.save_replays {
        check_folder(folder)?;
    }
    let mut settings = Settings::default();
    settings.connector = connector;
    settings.call_timeout = Duration::from_secs(arguments.answer_timeout.into());
    settings.flood_limits = arguments.flood_limits;
    settings.answers_among_events = true;
    settings.reconnect = arguments.reconnect.then(Reconnect::default);
    let (client, events) = tokio::select! {
        connected = settings.connect(&arguments.server.url) => connected.map_err(not_connected)?,
        () = shutdown.next() => return Ok(()),
    };
    let (reports_in, reports) = mpsc::channel(input::UNANSWERED);
    let (until, over) = io::pipe()?;
    let watch = arguments.watch;
    let commands = input::send(client.clone(), credentials, watch, until, reports_in);
    tokio::spawn(commands);
    let events = match arguments.save_replays {
        Some(folder) => {
            let wait = Duration::from_secs(arguments.wait_replays.into());
            Messages::Saving(Box::new(Replays::save(&client, events, folder)), wait)
        }
        None => Messages::Plain(events),
    };
    let mut session = Session::new(client, events, watch, reports, over);
    let written = tokio::select! {
        biased;
        () = shutdown.next() => None,
        written = session.run() => Some(written),
    };
    let written = match written {
        Some(written) => written,
        // Does not wait longer for a reader that does not read.
        None => session.close_within(LAST_LINES).await,
    };
    session.outcome(written)?;
    recording.map_or(Ok(()), |recording| recording.outcome())
}

/// An alias: a field that is written as an option would be an argument without a default.
type FloodOption = Option<FloodLimits>;

fn flood_limits(text: &str) -> Result<FloodOption, String> {
    if text == "none" {
        return Ok(None);
    }
    let numbers: Result<Vec<u32>, _> = text.split(',').map(str::parse).collect();
    let Ok(&[messages, bytes, game_commands, seconds]) = numbers.as_deref() else {
        return Err("write four numbers, MESSAGES,BYTES,COMMANDS,SECONDS, or `none`".to_owned());
    };
    let mut limits = FloodLimits::servatrice();
    limits.messages = messages;
    limits.message_bytes = bytes as usize;
    limits.game_commands = game_commands;
    limits.window = Duration::from_secs(seconds.into());
    Ok(Some(limits))
}
