//! Recorded connections as scripts: what the server sends, what it expects first, and how it ends.

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;

use crate::data::{self, Line};

/// A recorded connection.
#[derive(Clone, Debug)]
pub(super) struct Session {
    pub(super) name: String,
    pub(super) websocket: bool,
    steps: Vec<Step>,
    /// The messages of the server, in order.
    pub(super) messages: Vec<Vec<u8>>,
    /// The commands of the client that it can send, in order.
    pub(super) commands: Vec<Vec<u8>>,
    pub(super) ending: Ending,
}

/// How a connection ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Ending {
    /// The client closed it.
    Client,
    /// The server closed it, over WebSocket with this close frame, if there was one.
    Server(Option<(u16, String)>),
}

#[derive(Clone, Debug)]
enum Step {
    /// The answer to the HTTP request.
    Upgrade(Vec<u8>),
    /// Bytes for the client.
    Send(Vec<u8>),
    /// A message from the client.
    Expect(Vec<u8>),
    /// A close frame from the client.
    ExpectClose,
}

/// The connections of one recording.
pub(super) fn sessions(name: &str) -> Vec<Session> {
    data::two_way(name)
        .chunk_by(|a, b| a.connection == b.connection)
        .map(|lines| Session::new(name, lines))
        .collect()
}

impl Session {
    fn new(name: &str, lines: &[Line]) -> Self {
        let websocket = lines.iter().any(|line| line.kind == "handshake");
        let mut session = Self {
            name: match lines[0].connection {
                None => name.to_owned(),
                Some(number) => format!("{name} {number}"),
            },
            websocket,
            steps: Vec::new(),
            messages: Vec::new(),
            commands: Vec::new(),
            ending: Ending::Client,
        };
        // The message that opens a session over TCP is not a command.
        let mut hello = !websocket;
        let mut closing = false;
        for line in lines {
            let raw = line.bytes();
            let message = line.message();
            match (line.dir.as_str(), line.kind.as_str()) {
                ("c2s", kind) if hello && (kind == "message" || kind.starts_with("hello")) => {
                    session.steps.push(Step::Expect(Vec::new()));
                    hello = false;
                }
                // Cut in the recording, or sent after the server had closed.
                ("c2s", "message") if line.note == "(cut)" || closing => {}
                ("c2s", "message") => {
                    let command = message.unwrap();
                    session.steps.push(Step::Expect(command.clone()));
                    session.commands.push(command);
                }
                ("c2s", "close") => {
                    closing = true;
                    // A code of the client's own that its server refuses cannot be sent here.
                    session.steps.push(Step::ExpectClose);
                }
                ("s2c", "handshake") => session.steps.push(Step::Upgrade(raw)),
                ("s2c", kind) => {
                    // The client has closed the connection, and does not see later messages.
                    if kind == "message" && !closing {
                        session.messages.push(message.unwrap());
                    }
                    if kind == "close" && !closing {
                        let code = u16::from_be_bytes([raw[2], raw[3]]);
                        let text = String::from_utf8(raw[4..].to_vec()).unwrap();
                        session.ending = Ending::Server(Some((code, text)));
                        closing = true;
                    }
                    session.steps.push(Step::Send(raw));
                }
                ("-", "closed") if !closing => {
                    session.ending = Ending::Server(None);
                    closing = true;
                }
                // This client sends no text, pings or damaged frames.
                _ => {}
            }
        }
        session
    }

    /// The same with every message in two WebSocket frames, split after `cut` bytes or at its end.
    pub(super) fn fragmented(&self, cut: usize) -> Self {
        let mut session = self.clone();
        for step in &mut session.steps {
            let Step::Send(bytes) = step else { continue };
            // A whole binary message, with a length of one byte, of two or of eight.
            let payload = match bytes[..] {
                [0x82, 127, ..] => bytes.split_off(10),
                [0x82, 126, _, _, ..] => bytes.split_off(4),
                [0x82, ..] => bytes.split_off(2),
                _ => continue,
            };
            let (first, second) = payload.split_at(cut.min(payload.len()));
            *bytes = [fragment(0x02, first), fragment(0x80, second)].concat();
        }
        session
    }

    /// Sends every recorded byte of the server, in pieces of at most this many bytes, and checks what
    /// the client sends in between.
    pub(super) async fn play(&self, mut io: impl super::server::Io, piece: usize) {
        for step in &self.steps {
            match step {
                Step::Upgrade(answer) => {
                    let key = http_request(&mut io).await;
                    // The library takes dozens of tiny pieces of it for an attack.
                    send(&mut io, &with_key(answer, &key), piece.max(16)).await;
                }
                Step::Send(bytes) => send(&mut io, bytes, piece).await,
                Step::Expect(expected) => {
                    let found = if self.websocket {
                        websocket_message(&mut io).await.map(|(_, message)| message)
                    } else {
                        frame(&mut io).await
                    };
                    assert_eq!(found.as_ref(), Some(expected), "{}", self.name);
                }
                Step::ExpectClose => {
                    // The client sends a close frame or disconnects; nothing else comes.
                    if let Some((opcode, _)) = websocket_message(&mut io).await {
                        assert_eq!(opcode, 8, "{}", self.name);
                    }
                }
            }
        }
        if self.ending == Ending::Client && !self.websocket {
            assert_eq!(frame(&mut io).await, None, "{}", self.name);
        } else if self.websocket && matches!(self.ending, Ending::Server(Some(_))) {
            // The answer to the close frame.
            let answer = websocket_message(&mut io).await;
            assert!(answer.is_none_or(|(opcode, _)| opcode == 8), "{}", self.name);
        }
    }
}

/// A frame of a server over WebSocket.
pub(super) fn fragment(head: u8, payload: &[u8]) -> Vec<u8> {
    let length = match payload.len() {
        length @ 0..126 => vec![length as u8],
        length @ 126..65536 => [&[126], &(length as u16).to_be_bytes()[..]].concat(),
        length => [&[127], &(length as u64).to_be_bytes()[..]].concat(),
    };
    [&[head], &*length, payload].concat()
}

/// Sends in pieces, and yields after each so that the client reads them one by one.
async fn send(io: &mut impl super::server::Io, bytes: &[u8], piece: usize) {
    for piece in bytes.chunks(piece) {
        // A client that has disconnected ends its session by itself.
        if io.write_all(piece).await.is_err() {
            return;
        }
        tokio::task::yield_now().await;
    }
}

/// The key of a WebSocket request.
pub(super) async fn http_request(io: &mut impl super::server::Io) -> String {
    let mut request = Vec::new();
    while !request.ends_with(b"\r\n\r\n") {
        request.push(io.read_u8().await.unwrap());
    }
    let request = String::from_utf8(request).unwrap();
    assert!(request.starts_with("GET /servatrice HTTP/1.1\r\n"), "{request}");
    let mut fields = request.lines().filter_map(|line| line.split_once(':'));
    let key = fields.find(|(name, _)| name.eq_ignore_ascii_case("sec-websocket-key"));
    key.unwrap().1.trim().to_owned()
}

/// A recorded answer, for another key than the recorded one.
fn with_key(answer: &[u8], key: &str) -> Vec<u8> {
    let answer = String::from_utf8(answer.to_vec()).unwrap();
    let lines = answer.split("\r\n").map(|line| match line.split_once(':') {
        Some((name, _)) if name.eq_ignore_ascii_case("sec-websocket-accept") => {
            format!("{name}: {}", derive_accept_key(key.as_bytes()))
        }
        _ => line.to_owned(),
    });
    lines.collect::<Vec<_>>().join("\r\n").into_bytes()
}

/// A frame of a client over TCP; `None` at the end.
pub(super) async fn frame(io: &mut impl super::server::Io) -> Option<Vec<u8>> {
    let length = io.read_u32().await.ok()?;
    let mut message = vec![0; length as usize];
    io.read_exact(&mut message).await.ok()?;
    Some(message)
}

/// A WebSocket message of a client, its opcode and its payload; `None` at the end.
pub(super) async fn websocket_message(io: &mut impl super::server::Io) -> Option<(u8, Vec<u8>)> {
    let mut opcode = 0;
    let mut message = Vec::new();
    loop {
        let head = io.read_u8().await.ok()?;
        let length = io.read_u8().await.ok()?;
        assert_ne!(length & 0x80, 0, "a client masks its frames");
        let length = match length & 0x7f {
            126 => u64::from(io.read_u16().await.ok()?),
            127 => io.read_u64().await.ok()?,
            length => u64::from(length),
        };
        let mut mask = [0; 4];
        io.read_exact(&mut mask).await.ok()?;
        let mut payload = vec![0; length as usize];
        io.read_exact(&mut payload).await.ok()?;
        for (index, byte) in payload.iter_mut().enumerate() {
            *byte ^= mask[index % 4];
        }
        // Pongs are not messages.
        if head & 0x0f == 10 {
            continue;
        }
        if head & 0x0f != 0 {
            opcode = head & 0x0f;
        }
        message.extend_from_slice(&payload);
        if head & 0x80 != 0 {
            return Some((opcode, message));
        }
    }
}
