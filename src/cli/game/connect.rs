//! `portreeve game connect`: a session with a game server, as lines of JSON.

use std::io::{self, IsTerminal};
use std::path::PathBuf;
use std::time::Duration;

use clap::{ArgMatches, Args, Command, value_parser};
use portreeve::game::client::{Credentials, FloodLimits, Reconnect, Settings, StartError};
use portreeve::game::connection::{Address, ConnectError, Connector};
use rustls::CertificateError;
use tokio::sync::mpsc;
use zeroize::Zeroizing;

use super::input;
use super::recording::Recording;
use super::session::Session;
use crate::cli::commands::arguments;
use crate::cli::process::block_on;
use crate::cli::signals::Shutdown;
use crate::cli::{Failure, password};

/// The time limit for writing the rest of the output after a signal, from when the connection is closed.
const LAST_LINES: Duration = Duration::from_secs(2);

/// The command line of `game connect`.
pub(super) fn command() -> Command {
    // What follows replaces the sentence about the arguments.
    Arguments::augment_args(Command::new("connect"))
        .about("A session with a game server, as lines of JSON")
        .long_about(
            "Connects to a game server (Servatrice), prints every message of the server as `decode` \
             does, one JSON object per line, and sends the commands that it reads from standard input, \
             one CommandContainer as a JSON object per line. Without a `cmd_id`, a command gets the \
             number of its line; the answer repeats it. The session is kept alive, and commands are \
             delayed to stay within the server's flood limits.\n\n\
             A line that is not sent, or not answered within --answer-timeout, is reported as \
             {\"type\":\"LINE\",\"line\":…,\"sent\":…,\"error\":…}, and the exit code is 1. The exit code \
             is also 1 if a message of the server cannot be read. At the end of the input, the command \
             waits for the last answers and closes the connection. SIGTERM and SIGINT close it without \
             waiting for answers. Both wait up to 10 seconds for replays that are to be saved.\n\n\
             Every line has a `type`: RESPONSE, SESSION_EVENT, ROOM_EVENT or GAME_EVENT_CONTAINER for \
             the server's messages, UNREADABLE for one that cannot be read, and for reports of the \
             command itself LINE, GAP (a connection was lost), NOT_RESTORED, RESTORED and REPLAY.",
        )
        .after_help(
            "Examples:\n  \
             portreeve game connect wss://server.example --user ann --password-file pw --watch\n  \
             echo '{\"session_command\":[{\"[Command_ListRooms.ext]\":{}}]}' | portreeve game connect tcp://localhost",
        )
}

/// The arguments of `game connect`.
#[derive(Args)]
struct Arguments {
    #[arg(help = "tcp://HOST[:4747], ws://HOST[:80] or wss://HOST[:443]")]
    url: Address,
    /// Logs in with this name before the first command; without a password, as a guest
    #[arg(long)]
    user: Option<String>,
    /// Reads the password from this file
    #[arg(long, value_name = "FILE", requires = "user")]
    password_file: Option<PathBuf>,
    /// Asks for the password on the terminal
    #[arg(long, requires = "user", conflicts_with = "password_file")]
    ask_password: bool,
    /// PEM file of certificates to trust for wss, in addition to the system's
    #[arg(long, value_name = "FILE")]
    ca: Option<PathBuf>,
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
    /// Records the session in this new file, as a script for tests; secrets are left out
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
    /// Reads no commands, and runs until the server or a signal ends the session
    #[arg(long)]
    watch: bool,
}

/// Runs `game connect`.
pub(super) fn run(matches: &ArgMatches) -> Result<(), Failure> {
    block_on(connect(arguments(matches)))
}

async fn connect(arguments: Arguments) -> Result<(), Failure> {
    let connector = connector(&arguments)?;
    let credentials = credentials(&arguments).await?;
    let recording = arguments
        .record
        .as_deref()
        .map(Recording::create)
        .transpose()?;
    let connector = match &recording {
        Some(recording) => recording.record(connector),
        None => connector,
    };
    let mut shutdown = Shutdown::catch()?;
    if let Some(folder) = &arguments.save_replays
        && !folder.is_dir()
    {
        let folder = folder.display();
        return Err(Failure::new(format_args!(
            "cannot save replays: {folder} is not a folder"
        )));
    }
    let settings = Settings {
        connector,
        call_timeout: Duration::from_secs(arguments.answer_timeout.into()),
        flood_limits: arguments.flood_limits.0,
        answers_among_events: true,
        reconnect: arguments.reconnect.then(Reconnect::default),
        save_replays: arguments.save_replays,
        ..Settings::default()
    };
    let (client, events) = tokio::select! {
        connected = settings.connect(&arguments.url) => connected.map_err(not_connected)?,
        () = shutdown.next() => return Ok(()),
    };
    let (reports_in, reports) = mpsc::channel(input::UNANSWERED);
    let (until, over) = io::pipe()?;
    let watch = arguments.watch;
    let commands = input::send(client.clone(), credentials, watch, until, reports_in);
    tokio::spawn(commands);
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

/// The value of `--flood-limits`; `None` for `none`.
#[derive(Clone, Copy)]
struct FloodOption(Option<FloodLimits>);

fn flood_limits(text: &str) -> Result<FloodOption, String> {
    if text == "none" {
        return Ok(FloodOption(None));
    }
    let numbers = text
        .split(',')
        .map(str::parse)
        .collect::<Result<Vec<u32>, _>>();
    let Ok(&[messages, bytes, game_commands, seconds]) = numbers.as_deref() else {
        return Err("write four numbers, MESSAGES,BYTES,COMMANDS,SECONDS, or `none`".to_owned());
    };
    Ok(FloodOption(Some(FloodLimits {
        messages,
        message_bytes: bytes as usize,
        game_commands,
        window: Duration::from_secs(seconds.into()),
    })))
}

fn connector(arguments: &Arguments) -> Result<Connector, Failure> {
    let connector = Connector::new().message_limit(arguments.message_limit as usize);
    let Some(path) = &arguments.ca else {
        return Ok(connector);
    };
    let wrong = |problem: &dyn std::fmt::Display| {
        let path = path.display();
        Failure::new(format_args!(
            "cannot use the certificates in {path}: {problem}"
        ))
    };
    let pem = std::fs::read(path).map_err(|error| wrong(&error))?;
    connector.extra_ca(&pem).map_err(|error| wrong(&error))
}

/// Why no session could be started, and what to do about it.
fn not_connected(error: StartError) -> Failure {
    let untrusted = match &error {
        StartError::Connect(ConnectError::Tls { error, .. }) => error
            .get_ref()
            .and_then(|error| error.downcast_ref::<rustls::Error>()),
        _ => None,
    };
    match untrusted {
        Some(rustls::Error::InvalidCertificate(
            CertificateError::UnknownIssuer | CertificateError::BadSignature,
        )) => Failure::new(format_args!(
            "{error}; use --ca FILE to trust a private certificate authority"
        )),
        _ => Failure::new(error),
    }
}

/// The credentials; the password is read from a file or the terminal.
async fn credentials(arguments: &Arguments) -> Result<Option<Credentials>, Failure> {
    let Some(user) = &arguments.user else {
        return Ok(None);
    };
    let password = if let Some(path) = &arguments.password_file {
        password::from_file(path)?
    } else if arguments.ask_password {
        if !io::stdin().is_terminal() {
            return Err(Failure::usage(
                "--ask-password needs a terminal; use --password-file instead",
            ));
        }
        password::ask("password", user, "not connected").await?
    } else {
        return Ok(Some(Credentials::guest(user)));
    };
    let password = password.trim_end_matches(['\r', '\n']);
    if password.is_empty() {
        return Err(Failure::new("the password is empty"));
    }
    let password = Zeroizing::new(password.to_owned());
    Ok(Some(Credentials::account(user, password)))
}
