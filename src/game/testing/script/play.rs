use std::collections::{HashMap, VecDeque};
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use bytes::Bytes;
use futures_util::{SinkExt, StreamExt};
use serde_json::{Map, Value};
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tokio_util::sync::{CancellationToken, DropGuard};

use super::ScriptError;
use super::line::{self, Line};
use super::record::is_ping;
use crate::game::schema::command::CommandContainer;
use crate::game::testing::listeners::{LOOPBACK, Listeners, begin};
use crate::game::testing::message::answer;
use crate::game::testing::server::Server;
use crate::game::transport::connection::{Address, Connection};

/// The time limit for the next command of the client.
const PATIENCE: Duration = Duration::from_secs(30);

/// How long [`ScriptedServer::finish`] waits for a client to connect, and to close its connection.
const FINISH: Duration = Duration::from_secs(35);

/// A session as text, as [`record`](super::record) and `portreeve game connect --record` write it.
///
/// A line `-` closes the connection. docs/GAME_CLIENT.md ("A session as a test") describes the lines, and what matches.
#[derive(Clone, Debug)]
pub struct Script {
    lines: VecDeque<(usize, Line)>,
}

/// A server on loopback that plays a [`Script`]. Dropping it closes its connection.
#[derive(Debug)]
pub struct ScriptedServer {
    /// The address at which it listens for TCP.
    pub tcp: Address,
    /// The address at which it listens for WebSocket.
    pub websocket: Address,
    played: JoinHandle<Option<Result<(), ScriptError>>>,
    /// The number of the line that is being played; 0 before a client connects.
    at: Arc<AtomicUsize>,
    _stop: DropGuard,
}

struct Player {
    lines: VecDeque<(usize, Line)>,
    /// The number of the line after the last one.
    end: usize,
    /// The `cmd_id`s that the client gave to the commands, by those in the script.
    cmd_ids: HashMap<String, u64>,
    at: Arc<AtomicUsize>,
}

impl Server {
    /// A script, for a server that plays it.
    ///
    /// # Errors
    /// [`ScriptError`] if the text is not a script.
    pub fn script(recording: &str) -> Result<Script, ScriptError> {
        Ok(Script { lines: line::parse(recording)?.into() })
    }
}

// === impl Script ===

impl Script {
    /// Starts a server that plays the script to the first client that connects, over either transport.
    ///
    /// # Errors
    /// Fails if it cannot listen on loopback.
    pub async fn start(self) -> io::Result<ScriptedServer> {
        let listeners = Listeners::bind(LOOPBACK).await?;
        let (tcp, websocket) = listeners.addresses()?;
        let stop = CancellationToken::new();
        let at = Arc::new(AtomicUsize::new(0));
        let play = self.play(listeners, at.clone());
        let played = tokio::spawn(stop.clone().run_until_cancelled_owned(play));
        Ok(ScriptedServer { at, tcp, websocket, played, _stop: stop.drop_guard() })
    }

    async fn play(self, listeners: Listeners, at: Arc<AtomicUsize>) -> Result<(), ScriptError> {
        let mut player = Player {
            end: self.lines.back().map_or(1, |(line, _)| line + 1),
            lines: self.lines,
            cmd_ids: HashMap::new(),
            at,
        };
        loop {
            let (stream, websocket) = listeners.accept().await;
            if let Some(connection) = begin(stream, websocket).await {
                player.play(connection).await?;
                if player.lines.is_empty() {
                    return Ok(());
                }
            }
        }
    }
}

// === impl ScriptedServer ===

impl ScriptedServer {
    /// Waits until the script has been played and the connection is closed: by the client, or by a last line `-`.
    /// Return its error before that of the client, which is often no more than that the connection was closed.
    ///
    /// # Errors
    /// [`ScriptError`] if the client did not act as the script says, or did not connect and close within 35 seconds.
    pub async fn finish(self) -> Result<(), ScriptError> {
        let wrong = |line, problem: &str| ScriptError { line, problem: problem.to_owned() };
        match timeout(FINISH, self.played).await {
            Ok(Ok(Some(outcome))) => outcome,
            // It panicked, or the runtime shuts down.
            Ok(_) => Err(wrong(self.at.load(Ordering::Relaxed), "was not played to its end")),
            Err(_) => Err(match self.at.load(Ordering::Relaxed) {
                0 => wrong(1, "was not played: no client connected"),
                line => wrong(
                    line,
                    "was played, and then the client neither went on nor closed the connection",
                ),
            }),
        }
    }
}

// === impl Player ===

impl Player {
    /// Plays the lines up to the end of a connection.
    async fn play(&mut self, mut connection: Connection) -> Result<(), ScriptError> {
        while let Some((line, next)) = self.lines.pop_front() {
            self.at.store(line, Ordering::Relaxed);
            let wrong = |problem: String| ScriptError { line, problem };
            match next {
                Line::Message(message) => {
                    let sent = connection.send(self.encode(message)).await;
                    sent.map_err(|_| wrong("was not sent: the client disconnected".to_owned()))?;
                }
                Line::Command(expected) => {
                    let met = self.expect(&expected, &mut connection).await;
                    met.map_err(|found| wrong(format!("expects {expected}, and {found}")))?;
                }
                Line::Close => {
                    // A client that has disconnected meanwhile is no failure.
                    let _ = connection.close().await;
                    return Ok(());
                }
            }
        }
        match command(&mut connection).await {
            None => Ok(()),
            Some(bytes) => Err(ScriptError {
                line: self.end,
                problem: format!("is after the end, and the client sent {}", shown(&bytes)),
            }),
        }
    }

    /// Waits for a command; an error says what the client does instead.
    async fn expect(&mut self, expected: &Value, from: &mut Connection) -> Result<(), String> {
        let next = timeout(PATIENCE, command(from)).await;
        let next = next.map_err(|_| format!("nothing came within {PATIENCE:?}"))?;
        let bytes = next.ok_or_else(|| "the client disconnected".to_owned())?;
        let container = CommandContainer::parse(&bytes).ok();
        let found = container.as_ref().and_then(line::command);
        if !found.is_some_and(|found| line::is_expected(expected, &found)) {
            return Err(format!("the client sent {}", shown(&bytes)));
        }
        if let Some(sent) = container.and_then(|container| container.cmd_id) {
            self.cmd_ids.insert(line::cmd_id(expected), sent);
        }
        Ok(())
    }

    /// The bytes of a message; an answer has the `cmd_id` that the client gave to its command.
    fn encode(&self, mut message: Map<String, Value>) -> Bytes {
        if let Some(response) = message.get_mut("response")
            && let Some(sent) = self.cmd_ids.get(&line::cmd_id(response))
        {
            response["cmd_id"] = (*sent).into();
        }
        // It was encoded when the script was parsed.
        line::encode(&message).unwrap_or_default().into()
    }
}

/// The next command, without keep-alives, which are answered; `None` if the client disconnects.
async fn command(connection: &mut Connection) -> Option<Bytes> {
    loop {
        let bytes = connection.next().await?.ok()?;
        let ping = CommandContainer::parse(&bytes).ok().filter(is_ping);
        let Some(ping) = ping else { return Some(bytes) };
        connection.send(answer(ping.cmd_id(), Ok(None))).await.ok()?;
    }
}

fn shown(bytes: &[u8]) -> String {
    let container = CommandContainer::parse(bytes).ok();
    match container.as_ref().and_then(line::command) {
        Some(json) => json.to_string(),
        None => "a command that cannot be read".to_owned(),
    }
}
