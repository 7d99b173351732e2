//! Both ends of the wire by hand: the caller's connection to the gateway, and the gateway's to a server.

use std::net::SocketAddr;
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::timeout;

use crate::support::gateway::Answer;

/// Longer than anything takes that happens at all.
const LONG: Duration = Duration::from_secs(60);

/// Waits for what happens soon.
pub(super) async fn soon<T>(what: impl Future<Output = T>) -> T {
    timeout(LONG, what).await.expect("it happens within a minute")
}

/// A server without manners of its own: a test plays it.
pub(super) struct Server {
    listener: TcpListener,
    pub(super) url: String,
}

/// A connection, of either end.
pub(super) struct Wire {
    pub(super) stream: TcpStream,
    /// What was read, but not yet taken.
    read: Vec<u8>,
}

/// The head of a request or of an answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Head {
    pub(super) line: String,
    /// Names in lower case.
    pub(super) fields: Vec<(String, String)>,
}

/// A body that was read to its end, or to that of the connection.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Body {
    pub(super) bytes: Vec<u8>,
    pub(super) trailers: Vec<(String, String)>,
    /// Whether it ended as its head announced.
    pub(super) is_complete: bool,
}

// === impl Server ===

impl Server {
    pub(super) async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        Self { listener, url }
    }

    /// The gateway's next connection.
    pub(super) async fn accept(&self) -> Wire {
        Wire::new(soon(self.listener.accept()).await.unwrap().0)
    }

    /// A connection, and the head of the first request on it.
    pub(super) async fn request(&self) -> (Wire, Head) {
        let mut wire = self.accept().await;
        let head = wire.head().await;
        (wire, head)
    }
}

// === impl Wire ===

impl Wire {
    pub(super) fn new(stream: TcpStream) -> Self {
        stream.set_nodelay(true).unwrap();
        Self { stream, read: Vec::new() }
    }

    pub(super) async fn to(address: SocketAddr) -> Self {
        Self::new(TcpStream::connect(address).await.unwrap())
    }

    pub(super) async fn send(&mut self, bytes: impl AsRef<[u8]>) {
        soon(self.stream.write_all(bytes.as_ref())).await.unwrap();
    }

    /// Leaves at once: what is not read or sent is lost.
    pub(super) fn reset(self) {
        self.stream.set_zero_linger().unwrap();
    }

    /// Reads more; `false` at the end of the connection.
    async fn more(&mut self) -> bool {
        matches!(soon(self.stream.read_buf(&mut self.read)).await, Ok(1..))
    }

    /// Reads up to `end`, and past it; `None` if the connection ends before.
    async fn up_to(&mut self, end: &str) -> Option<Vec<u8>> {
        loop {
            let at = self.read.windows(end.len()).position(|part| part == end.as_bytes());
            if let Some(at) = at {
                let taken = self.read.drain(..at + end.len()).take(at).collect();
                return Some(taken);
            }
            if !self.more().await {
                return None;
            }
        }
    }

    /// Reads the next head, if the connection does not end before it.
    pub(super) async fn next_head(&mut self) -> Option<Head> {
        let text = self.up_to("\r\n\r\n").await?;
        Some(Head::parse(&String::from_utf8_lossy(&text)))
    }

    pub(super) async fn head(&mut self) -> Head {
        self.next_head().await.expect("the head of a message comes")
    }

    /// Reads this many bytes, or fewer if the connection ends before.
    pub(super) async fn bytes(&mut self, count: usize) -> Vec<u8> {
        while self.read.len() < count && self.more().await {}
        let count = count.min(self.read.len());
        self.read.drain(..count).collect()
    }

    /// Reads what is left of the connection, and whether it was ended rather than reset.
    pub(super) async fn rest(&mut self) -> Vec<u8> {
        while self.more().await {}
        std::mem::take(&mut self.read)
    }

    /// Waits for the end of the connection, after which nothing else may come.
    pub(super) async fn ended(&mut self) {
        let rest = self.rest().await;
        assert_eq!(rest, b"", "{}", String::from_utf8_lossy(&rest));
    }

    /// Reads the body that follows `head`.
    pub(super) async fn body(&mut self, head: &Head) -> Body {
        let mut body = Body::default();
        if head.field("transfer-encoding").is_some() {
            while let Some(size) = self.up_to("\r\n").await {
                let size = String::from_utf8(size).unwrap();
                let size = size.split(';').next().unwrap_or_default();
                let size = usize::from_str_radix(size, 16).unwrap();
                if size == 0 {
                    // A trailer section looks like a head without its first line.
                    while let Some(line) = self.up_to("\r\n").await {
                        if line.is_empty() {
                            body.is_complete = true;
                            break;
                        }
                        body.trailers.extend(field(&String::from_utf8_lossy(&line)));
                    }
                    break;
                }
                let piece = self.bytes(size + 2).await;
                body.bytes.extend(&piece[..piece.len().min(size)]);
                if piece.len() < size + 2 {
                    break;
                }
            }
        } else if let Some(length) = head.field("content-length") {
            let length = length.parse().unwrap();
            body.bytes = self.bytes(length).await;
            body.is_complete = body.bytes.len() == length;
        } else {
            body.is_complete = true;
        }
        body
    }

    /// Reads one answer, of a request that was not `HEAD`.
    pub(super) async fn answer(&mut self) -> Answer {
        let head = self.head().await;
        let body = match head.status() {
            204 | 304 => Body { is_complete: true, ..Body::default() },
            _ => self.body(&head).await,
        };
        assert!(body.is_complete, "{head:?} {body:?}");
        let body = String::from_utf8_lossy(&body.bytes).into_owned();
        Answer { status: head.status(), headers: head.fields, body }
    }
}

// === impl Head ===

impl Head {
    fn parse(text: &str) -> Self {
        let mut lines = text.split("\r\n");
        let line = lines.next().unwrap_or_default().to_owned();
        Self { line, fields: lines.filter_map(field).collect() }
    }

    /// The value of the field of this name, which is in lower case. There must not be several.
    pub(super) fn field(&self, name: &str) -> Option<&str> {
        let mut named = self.fields.iter().filter(|(known, _)| known == name);
        let value = named.next().map(|(_, value)| &**value);
        assert_eq!(named.next(), None, "{name} twice: {self:?}");
        value
    }

    /// How many fields have this name.
    pub(super) fn count(&self, name: &str) -> usize {
        self.fields.iter().filter(|(known, _)| known == name).count()
    }

    pub(super) fn status(&self) -> u16 {
        let status = self.line.split(' ').nth(1);
        status.and_then(|it| it.parse().ok()).unwrap_or_else(|| panic!("no answer: {self:?}"))
    }
}

fn field(line: &str) -> Option<(String, String)> {
    let (name, value) = line.split_once(':')?;
    Some((name.to_ascii_lowercase(), value.trim().to_owned()))
}
