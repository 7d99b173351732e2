//! The server's side of an HTTP/2 connection frame by frame, for servers that break the rules of RFC 9113.

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, copy, sink};
use tokio::net::TcpStream;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

const DATA: u8 = 0;
pub const HEADERS: u8 = 1;
pub const RST_STREAM: u8 = 3;
const SETTINGS: u8 = 4;
const PING: u8 = 6;
pub const GOAWAY: u8 = 7;
const ACK: u8 = 1;
const END_STREAM: u8 = 1;
pub const END_HEADERS: u8 = 4;

/// A connection, on which each function returns `None` once it has ended.
pub struct Frames(pub TlsStream<TcpStream>);

impl Frames {
    /// Takes up a connection, and announces `settings`.
    pub async fn accept(
        acceptor: &TlsAcceptor,
        stream: TcpStream,
        settings: &[u8],
    ) -> Option<Self> {
        let mut stream = acceptor.accept(stream).await.ok()?;
        stream.read_exact(&mut [0; 24]).await.ok()?;
        let mut frames = Self(stream);
        frames.write(SETTINGS, 0, 0, settings).await?;
        Some(frames)
    }

    /// The type and the stream of the next frame. Settings and pings are acknowledged, and left out.
    pub async fn next(&mut self) -> Option<(u8, u32)> {
        loop {
            let mut head = [0; 9];
            self.0.read_exact(&mut head).await.ok()?;
            let [a, b, c, kind, flags, id @ ..] = head;
            let mut payload = vec![0; u32::from_be_bytes([0, a, b, c]) as usize];
            self.0.read_exact(&mut payload).await.ok()?;
            match kind {
                SETTINGS | PING if flags & ACK != 0 => {}
                SETTINGS => self.write(SETTINGS, ACK, 0, &[]).await?,
                PING => self.write(PING, ACK, 0, &payload).await?,
                _ => return Some((kind, u32::from_be_bytes(id))),
            }
        }
    }

    /// Writes one frame (RFC 9113, section 4.1).
    pub async fn write(&mut self, kind: u8, flags: u8, id: u32, payload: &[u8]) -> Option<()> {
        let len = (payload.len() as u32).to_be_bytes();
        let id = id.to_be_bytes();
        let frame = [&len[1..], &[kind, flags], &id, payload].concat();
        self.0.write_all(&frame).await.ok()?;
        self.0.flush().await.ok()
    }

    /// Answers with status 200 and `body`.
    pub async fn answer(&mut self, id: u32, body: &str) -> Option<()> {
        // `:status: 200`, of the static table.
        self.write(HEADERS, END_HEADERS, id, &[0x88]).await?;
        self.write(DATA, END_STREAM, id, body.as_bytes()).await
    }

    /// Ends the connection, with `last` as the last stream that was processed, and an error code or 0.
    pub async fn go_away(mut self, last: u32, error: u32) -> Option<()> {
        let payload = [last.to_be_bytes(), error.to_be_bytes()].concat();
        self.write(GOAWAY, 0, 0, &payload).await?;
        self.0.shutdown().await.ok()?;
        // Closing before everything is read would reset the connection, and lose answers in transit.
        copy(&mut self.0, &mut sink()).await.ok()?;
        None
    }
}
