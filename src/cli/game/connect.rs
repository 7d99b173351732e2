//! `portreeve game connect`: a session with a game server, as lines of JSON.

use std::collections::HashMap;
use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;
use std::time::Duration;

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use futures_util::StreamExt;
use portreeve::game::ServerMessage;
use portreeve::game::client::{Client, Credentials, End, Events, LoginError, Received};
use portreeve::game::connection::Address;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep_until};
use zeroize::Zeroizing;

use super::input::{self, Report};
use crate::cli::output::is_closed;
use crate::cli::process::block_on;
use crate::cli::{Failure, decode, password};

/// How long the last answers are waited for after the input has ended.
const LAST_ANSWERS: Duration = Duration::from_secs(30);

/// The command line of `game connect`.
pub(super) fn command() -> Command {
    Command::new("connect")
        .about("A session with a game server, as lines of JSON")
        .long_about(
            "Connects to a game server (Servatrice), prints every message of the server as `decode` \
             does, one JSON object a line, and sends the commands that it reads from standard input: \
             one JSON object a line, a CommandContainer. `cmd_id` is the number of the line unless \
             the line has one; the answer repeats it. The session is kept alive, and commands wait \
             where the server's flood limits say so.\n\n\
             A line that is no command is not sent; {\"line\":…,\"error\":…} says why, and the exit \
             code is then 1 in the end. When the input ends, the last answers are waited for, then \
             the connection is closed. SIGTERM and SIGINT close it at once.",
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
                .help("Logs in under this name before the first command; as a guest without a password"),
        )
        .arg(
            Arg::new("password-file")
                .long("password-file")
                .value_name("FILE")
                .requires("user")
                .value_parser(value_parser!(PathBuf))
                .help("Where the password is read from"),
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
            Arg::new("watch")
                .long("watch")
                .action(ArgAction::SetTrue)
                .help("Reads no commands, and stays until the server or a signal ends the session"),
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
    let address: &Address = matches.get_one("url").expect("it is required");
    let credentials = credentials(matches).await?;
    let mut signals = Signals::new()?;
    let builder = Client::builder().answers_among_events(true);
    let (client, events) = tokio::select! {
        connected = builder.connect(address) => connected.map_err(Failure::new)?,
        () = signals.next() => return Ok(()),
    };
    let mut session = Session {
        events,
        offset: 0,
        line: String::new(),
        waiting: HashMap::new(),
        refused: 0,
    };
    let (reports_in, mut reports) = mpsc::channel(1);
    let commands = {
        let client = client.clone();
        let watch = matches.get_flag("watch");
        async move {
            if let Some(credentials) = credentials {
                client.login(&credentials).await?;
            }
            if watch {
                std::future::pending::<()>().await;
            }
            input::send(client, reports_in).await;
            Ok::<(), LoginError>(())
        }
    };
    let mut commands = tokio::spawn(commands);
    let mut failed = None;
    let mut sending = true;
    let mut open = true;
    let mut give_up: Option<Instant> = None;
    loop {
        if give_up.is_some() && session.waiting.is_empty() {
            break;
        }
        tokio::select! {
            biased;
            () = signals.next() => break,
            report = reports.recv(), if give_up.is_none() && open => match report {
                Some(Report::Sending(cmd_id)) => *session.waiting.entry(cmd_id).or_insert(0) += 1,
                Some(Report::Refused { line, problem }) => {
                    session.refused += 1;
                    let line = serde_json::json!({ "line": line, "error": problem });
                    if is_closed(print(&line.to_string()))? {
                        break;
                    }
                }
                Some(Report::End) => give_up = Some(Instant::now() + LAST_ANSWERS),
                // Why is told by the task, or by the connection.
                None => open = false,
            },
            event = session.events.next() => match event {
                Some(event) => if is_closed(session.show(&event))? {
                    break;
                },
                None => break,
            },
            ended = &mut commands, if sending => {
                sending = false;
                if let Ok(Err(error)) = ended {
                    failed = Some(error);
                    give_up = Some(Instant::now());
                    session.waiting.clear();
                }
            },
            () = sleep_until(give_up.unwrap_or_else(Instant::now)), if give_up.is_some() => break,
        }
    }
    commands.abort();
    client.close().await;
    session.finish(failed).await
}

/// Who logs in; the password comes from a file or the terminal.
async fn credentials(matches: &ArgMatches) -> Result<Option<Credentials>, Failure> {
    let Some(user) = matches.get_one::<String>("user") else {
        return Ok(None);
    };
    let password = if let Some(path) = matches.get_one::<PathBuf>("password-file") {
        let text = std::fs::read_to_string(path).map_err(|error| {
            let path = path.display();
            Failure::new(format_args!("cannot read the password in {path}: {error}"))
        })?;
        Zeroizing::new(text)
    } else if matches.get_flag("ask-password") {
        if !io::stdin().is_terminal() {
            return Err(Failure::usage(
                "--ask-password needs a terminal; use --password-file where there is none",
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

/// What there is of a session.
struct Session {
    events: Events,
    /// Where in the server's messages the next one begins, as if they were framed by TCP.
    offset: usize,
    line: String,
    /// How many answers are still to come, by `cmd_id`.
    waiting: HashMap<u64, u32>,
    refused: u64,
}

// === impl Session ===

impl Session {
    /// Prints a message.
    fn show(&mut self, event: &Received) -> io::Result<()> {
        let response = ServerMessage::parse(event.bytes())
            .and_then(|message| message.response())
            .ok()
            .flatten();
        if let Some(response) = response
            && let Some(count) = self.waiting.get_mut(&response.cmd_id())
        {
            *count -= 1;
            if *count == 0 {
                self.waiting.remove(&response.cmd_id());
            }
        }
        self.offset += portreeve::game::frame::HEADER_LEN;
        decode::server_line(self.offset, event.bytes(), &mut self.line);
        self.offset += event.bytes().len();
        print(&self.line)
    }

    /// Prints what came until the end, and tells how it went.
    async fn finish(mut self, failed: Option<LoginError>) -> Result<(), Failure> {
        while let Some(event) = self.events.next().await {
            if is_closed(self.show(&event))? {
                break;
            }
        }
        if let Some(error) = failed {
            return Err(Failure::new(error));
        }
        match self.events.end() {
            Some(End::Closed) | None if self.refused == 0 => Ok(()),
            Some(End::Closed) | None => Err(Failure::new(format_args!(
                "{} lines were not sent; each is reported in its place above",
                self.refused
            ))),
            Some(end) => Err(Failure::new(end)),
        }
    }
}

/// A line on standard output, at once: somebody acts on it.
fn print(line: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(line.as_bytes())?;
    out.write_all(b"\n")?;
    out.flush()
}

/// The signals that end a session.
struct Signals {
    terminate: Signal,
    interrupt: Signal,
}

// === impl Signals ===

impl Signals {
    fn new() -> io::Result<Self> {
        Ok(Self {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
        })
    }

    async fn next(&mut self) {
        tokio::select! {
            _ = self.terminate.recv() => {}
            _ = self.interrupt.recv() => {}
        }
    }
}
