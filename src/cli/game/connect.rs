//! `portreeve game connect`: a session with a game server, as lines of JSON.

use std::io::{self, IsTerminal};
use std::path::PathBuf;
use std::time::Duration;

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use portreeve::game::client::{Client, Credentials, FloodLimits, Reconnect, StartError};
use portreeve::game::connection::{Address, ConnectError, Connector};
use rustls::CertificateError;
use tokio::sync::mpsc;
use zeroize::Zeroizing;

use super::input;
use super::recording::Recording;
use super::session::Session;
use crate::cli::process::block_on;
use crate::cli::signals::Shutdown;
use crate::cli::{Failure, password};

/// The time limit for writing the rest of the output after a signal, from when the connection is closed.
const LAST_LINES: Duration = Duration::from_secs(2);

/// The command line of `game connect`.
pub(super) fn command() -> Command {
    Command::new("connect")
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
        .arg(
            Arg::new("url")
                .value_name("URL")
                .required(true)
                .value_parser(value_parser!(Address))
                .help("tcp://HOST[:4747], ws://HOST[:80] or wss://HOST[:443]"),
        )
        .arg(
            Arg::new("user")
                .long("user")
                .value_name("USER")
                .help("Logs in with this name before the first command; without a password, as a guest"),
        )
        .arg(
            Arg::new("password-file")
                .long("password-file")
                .value_name("FILE")
                .requires("user")
                .value_parser(value_parser!(PathBuf))
                .help("Reads the password from this file"),
        )
        .arg(
            Arg::new("ask-password")
                .long("ask-password")
                .requires("user")
                .conflicts_with("password-file")
                .action(ArgAction::SetTrue)
                .help("Asks for the password on the terminal"),
        )
        .arg(
            Arg::new("ca")
                .long("ca")
                .value_name("FILE")
                .value_parser(value_parser!(PathBuf))
                .help("PEM file of certificates to trust for wss, in addition to the system's"),
        )
        .arg(
            Arg::new("answer-timeout")
                .long("answer-timeout")
                .value_name("SECONDS")
                .default_value("30")
                .value_parser(value_parser!(u32).range(1..))
                .help("Time limit for an answer, from when its command was written"),
        )
        .arg(
            Arg::new("flood-limits")
                .long("flood-limits")
                .value_name("LIMITS")
                .default_value("10,1000,20,10")
                .value_parser(flood_limits)
                .help(
                    "The server's limits in a period of time, as MESSAGES,BYTES,COMMANDS,SECONDS: chat \
                     messages, their bytes, and game commands; or `none`",
                ),
        )
        .arg(
            Arg::new("message-limit")
                .long("message-limit")
                .value_name("BYTES")
                .default_value("16777216")
                .value_parser(value_parser!(u32).range(1..))
                .help("The maximum length of a message from the server; a longer one ends the connection"),
        )
        .arg(
            Arg::new("reconnect")
                .long("reconnect")
                .action(ArgAction::SetTrue)
                .help("Reconnects if the connection is lost, and restores the login and the joined rooms"),
        )
        .arg(
            Arg::new("save-replays")
                .long("save-replays")
                .value_name("DIR")
                .value_parser(value_parser!(PathBuf))
                .help("Saves the replays of games that the user took part in, as DIR/replay_<id>.cor"),
        )
        .arg(
            Arg::new("record")
                .long("record")
                .value_name("FILE")
                .value_parser(value_parser!(PathBuf))
                .help("Records the session in this new file, as a script for tests; secrets are left out"),
        )
        .arg(
            Arg::new("watch")
                .long("watch")
                .action(ArgAction::SetTrue)
                .help("Reads no commands, and runs until the server or a signal ends the session"),
        )
        .after_help(
            "Examples:\n  \
             portreeve game connect wss://server.example --user ann --password-file pw --watch\n  \
             echo '{\"session_command\":[{\"[Command_ListRooms.ext]\":{}}]}' | portreeve game connect tcp://localhost",
        )
}

/// Runs `game connect`.
pub(super) fn run(matches: &ArgMatches) -> Result<(), Failure> {
    block_on(connect(matches))
}

async fn connect(matches: &ArgMatches) -> Result<(), Failure> {
    let address: &Address = matches.get_one("url").expect("clap requires it");
    let connector = connector(matches)?;
    let credentials = credentials(matches).await?;
    let recording = Recording::create(matches)?;
    let connector = match &recording {
        Some(recording) => recording.record(connector),
        None => connector,
    };
    let mut shutdown = Shutdown::catch()?;
    let FloodOption(flood_limits) = *default(matches, "flood-limits");
    let answer_timeout: u32 = *default(matches, "answer-timeout");
    let mut builder = Client::builder()
        .connector(connector)
        .call_timeout(Duration::from_secs(answer_timeout.into()))
        .flood_limits(flood_limits)
        .answers_among_events(true);
    if matches.get_flag("reconnect") {
        builder = builder.reconnect(Reconnect::default());
    }
    if let Some(folder) = matches.get_one::<PathBuf>("save-replays") {
        if !folder.is_dir() {
            let folder = folder.display();
            return Err(Failure::new(format_args!(
                "cannot save replays: {folder} is not a folder"
            )));
        }
        builder = builder.save_replays(folder);
    }
    let (client, events) = tokio::select! {
        connected = builder.connect(address) => connected.map_err(not_connected)?,
        () = shutdown.next() => return Ok(()),
    };
    let (reports_in, reports) = mpsc::channel(1);
    let (until, over) = io::pipe()?;
    let watch = matches.get_flag("watch");
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

/// The value of an option that has a default.
fn default<'m, T: Clone + Send + Sync + 'static>(matches: &'m ArgMatches, name: &str) -> &'m T {
    matches.get_one(name).expect("clap has a default")
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

fn connector(matches: &ArgMatches) -> Result<Connector, Failure> {
    let limit: u32 = *default(matches, "message-limit");
    let connector = Connector::new().message_limit(limit as usize);
    let Some(path) = matches.get_one::<PathBuf>("ca") else {
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
async fn credentials(matches: &ArgMatches) -> Result<Option<Credentials>, Failure> {
    let Some(user) = matches.get_one::<String>("user") else {
        return Ok(None);
    };
    let password = if let Some(path) = matches.get_one::<PathBuf>("password-file") {
        password::from_file(path)?
    } else if matches.get_flag("ask-password") {
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
