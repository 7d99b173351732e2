use std::collections::{HashMap, VecDeque};
use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use bytes::Bytes;
use futures_util::{SinkExt, StreamExt};
use serde_json::{Map, Value};
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream, copy, duplex, split};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;
use tokio::task::yield_now;
use tokio::time::{Instant, timeout_at};
use tokio_util::sync::{CancellationToken, DropGuard};

use super::ScriptError;
use super::line::{self, Line};
use super::record::is_ping;
use crate::game::schema::ResponseCode;
use crate::game::schema::command::CommandContainer;
use crate::game::testing::connections::begin;
use crate::game::testing::message::Reply;
use crate::game::testing::server::{Server, address};
use crate::game::transport::connection::{Address, Connection};

/// The time limit for the next command of the client.
const PATIENCE: Duration = Duration::from_secs(30);

/// A session as text: what a client sends, and what the server sends. [`record`](super::record) and `portreeve game
/// connect --record` write it.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use portreeve::game::Command;
/// use portreeve::game::client::Client;
/// use portreeve::game::testing::Server;
///
/// let server = Server::script(r#"
///     ## A client that asks for the rooms, and leaves.
///     < {"message_type":"SESSION_EVENT","session_event":{"[Event_ServerIdentification.ext]":{"protocol_version":14}}}
///     > {"cmd_id":"1","session_command":[{"[Command_ListRooms.ext]":{}}]}
///     < {"message_type":"RESPONSE","response":{"cmd_id":"1","response_code":"RespOk"}}
/// "#)?.start().await?;
///
/// let (client, _events) = Client::connect(&server.tcp()).await?;
/// client.send(Command::list_rooms()).await?.accepted()?;
/// client.close().await;
/// server.finish().await?;
/// # Ok(())
/// # }
/// ```
///
/// | line | |
/// |---|---|
/// | `> JSON` | the client sends this `CommandContainer` |
/// | `< JSON` | the server sends this `ServerMessage` |
/// | `-` | the server closes the connection, and accepts another if the script goes on |
/// | `# …`, an empty line | nothing |
///
/// The JSON is that of [`json`](crate::game::json): a field that the schema does not have is neither recorded nor
/// compared. Commands are expected in this order, each within 30 seconds. A command must have all members that its
/// line has, with the same values, and no others. The exceptions:
///
/// - `"***"` matches any value, and none. Passwords, tokens and other secrets are recorded and compared as `"***"`, and
///   so is what a client says about itself (`clientid`, `clientver`, `clientfeatures`).
/// - A `cmd_id` is not compared: an answer gets the one of the command that it answers.
/// - Keep-alives (`PING`) are not recorded; they are answered whenever they come.
#[derive(Clone, Debug)]
pub struct Script {
    lines: VecDeque<(usize, Line)>,
    piece: usize,
}

/// A server on loopback that plays a [`Script`]. Dropping it closes its connection.
#[derive(Debug)]
pub struct ScriptedServer {
    tcp: SocketAddr,
    websocket: SocketAddr,
    outcome: oneshot::Receiver<Result<(), ScriptError>>,
    _stop: DropGuard,
}

/// A script that is being played.
struct Player {
    lines: VecDeque<(usize, Line)>,
    /// The `cmd_id`s that the client gave to the commands, by those in the script.
    cmd_ids: HashMap<String, u64>,
}

/// How a connection ended.
enum Ended {
    /// With the script.
    Played,
    /// The script goes on in another connection.
    Closed,
}

impl Server {
    /// A script, for a server that plays it.
    ///
    /// # Errors
    /// [`ScriptError::Syntax`] if the text is not a script.
    pub fn script(recording: &str) -> Result<Script, ScriptError> {
        Ok(Script {
            lines: line::parse(recording)?.into(),
            piece: usize::MAX,
        })
    }
}

// === impl Script ===

impl Script {
    /// Sends everything in pieces of at most this many bytes, as a slow network may deliver it.
    #[must_use]
    pub fn in_pieces(mut self, bytes: usize) -> Self {
        self.piece = bytes.max(1);
        self
    }

    /// Starts a server that plays the script to the first client that connects, over either transport.
    ///
    /// # Errors
    /// Fails if it cannot listen on loopback.
    pub async fn start(self) -> io::Result<ScriptedServer> {
        let tcp = TcpListener::bind(("127.0.0.1", 0)).await?;
        let websocket = TcpListener::bind(("127.0.0.1", 0)).await?;
        let stop = CancellationToken::new();
        let (done, outcome) = oneshot::channel();
        let server = ScriptedServer {
            tcp: tcp.local_addr()?,
            websocket: websocket.local_addr()?,
            outcome,
            _stop: stop.clone().drop_guard(),
        };
        let played = stop.run_until_cancelled_owned(self.play(tcp, websocket));
        tokio::spawn(async {
            if let Some(outcome) = played.await {
                // Nobody needs to ask for it.
                let _ = done.send(outcome);
            }
        });
        Ok(server)
    }

    async fn play(self, tcp: TcpListener, websocket: TcpListener) -> Result<(), ScriptError> {
        let mut player = Player {
            lines: self.lines,
            cmd_ids: HashMap::new(),
        };
        loop {
            let (accepted, is_websocket) = tokio::select! {
                accepted = tcp.accept() => (accepted, false),
                accepted = websocket.accept() => (accepted, true),
            };
            // An error concerns one connection, which its client abandoned.
            let Ok((stream, _)) = accepted else { continue };
            let Some(connection) = begin(in_pieces(stream, self.piece), is_websocket).await else {
                continue;
            };
            if let Ended::Played = player.play(connection).await? {
                return Ok(());
            }
        }
    }
}

// === impl ScriptedServer ===

impl ScriptedServer {
    /// The address at which it listens for TCP.
    pub fn tcp(&self) -> Address {
        address("tcp", self.tcp)
    }

    /// The address at which it listens for WebSocket.
    pub fn websocket(&self) -> Address {
        address("ws", self.websocket)
    }

    /// Waits until the script has been played and the connection is closed: by the client, or by a last line `-`.
    ///
    /// # Errors
    /// [`ScriptError`] if the client did not act as the script says.
    pub async fn finish(self) -> Result<(), ScriptError> {
        // The task sends an outcome unless the runtime shuts down.
        self.outcome.await.unwrap_or(Ok(()))
    }
}

// === impl Player ===

impl Player {
    async fn play(&mut self, mut connection: Connection) -> Result<Ended, ScriptError> {
        let mut until = Instant::now() + PATIENCE;
        loop {
            let (line, expected) = match self.lines.front() {
                Some((line, Line::Message(message))) => {
                    let line = *line;
                    let message = self.encode(message);
                    if connection.send(message).await.is_err() {
                        return Err(ScriptError::Disconnected { line });
                    }
                    self.lines.pop_front();
                    until = Instant::now() + PATIENCE;
                    continue;
                }
                Some((_, Line::Close)) => {
                    // A client that has disconnected meanwhile is no failure.
                    let _ = connection.close().await;
                    self.lines.pop_front();
                    return Ok(match self.lines.is_empty() {
                        true => Ended::Played,
                        false => Ended::Closed,
                    });
                }
                Some((line, Line::Command(expected))) => (*line, Some(expected)),
                None => (0, None),
            };
            let next =
                match expected {
                    Some(expected) => timeout_at(until, connection.next()).await.map_err(|_| {
                        ScriptError::Silent {
                            line,
                            expected: expected.to_string(),
                            limit: PATIENCE,
                        }
                    })?,
                    None => connection.next().await,
                };
            let Some(Ok(bytes)) = next else {
                return match expected {
                    Some(_) => Err(ScriptError::Disconnected { line }),
                    None => Ok(Ended::Played),
                };
            };
            let container = CommandContainer::parse(&bytes).ok();
            if let Some(ping) = container.as_ref().filter(|container| is_ping(container)) {
                let answer = Reply::from(ResponseCode::RespOk).to_message(ping.cmd_id());
                // If it cannot be sent, nothing more can be received either.
                let _ = connection.send(answer).await;
                continue;
            }
            let found = container.as_ref().and_then(line::command);
            let shown = || match &found {
                Some(found) => found.to_string(),
                None => "a command that cannot be read".to_owned(),
            };
            let Some(expected) = expected else {
                return Err(ScriptError::AfterTheEnd { found: shown() });
            };
            match (&found, container) {
                (Some(found), Some(container)) if line::is_expected(expected, found) => {
                    if let (Some(id), Some(sent)) = (cmd_id(expected), container.cmd_id) {
                        self.cmd_ids.insert(id, sent);
                    }
                }
                _ => {
                    return Err(ScriptError::Command {
                        line,
                        expected: expected.to_string(),
                        found: shown(),
                    });
                }
            }
            self.lines.pop_front();
            until = Instant::now() + PATIENCE;
        }
    }

    /// The bytes of a message; an answer has the `cmd_id` that the client gave to its command.
    fn encode(&self, message: &Map<String, Value>) -> Bytes {
        let mut message = message.clone();
        if let Some(response) = message.get_mut("response")
            && let Some(sent) = cmd_id(response).and_then(|id| self.cmd_ids.get(&id))
        {
            response["cmd_id"] = (*sent).into();
        }
        // It was encoded when the script was parsed.
        line::encode(&message).unwrap_or_default().into()
    }
}

/// The `cmd_id` of a command or an answer, which may be written as a number or as text.
fn cmd_id(json: &Value) -> Option<String> {
    match json.get("cmd_id")? {
        Value::String(id) => Some(id.clone()),
        id => Some(id.to_string()),
    }
}

/// The client's end of a connection, to which bytes are sent in pieces.
fn in_pieces(client: TcpStream, piece: usize) -> DuplexStream {
    /// The most bytes that are sent at once.
    const LONGEST: usize = 64 << 10;
    let (near, far) = duplex(LONGEST);
    let _ = client.set_nodelay(true);
    tokio::spawn(async move {
        let (mut from_client, mut to_client) = client.into_split();
        let (mut from_server, mut to_server) = split(far);
        let up = async {
            // If the server is gone, what the client still sends is discarded.
            let _ = copy(&mut from_client, &mut to_server).await;
            let _ = to_server.shutdown().await;
        };
        let down = async {
            let mut buffer = vec![0; piece.min(LONGEST)];
            while let Ok(length @ 1..) = from_server.read(&mut buffer).await {
                if to_client.write_all(&buffer[..length]).await.is_err() {
                    return;
                }
                // So that the client reads this piece alone.
                yield_now().await;
            }
            let _ = to_client.shutdown().await;
        };
        tokio::join!(up, down);
    });
    near
}
