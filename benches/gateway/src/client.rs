//! The clients: persistent connections, each with one request after another. They write and read raw
//! bytes, so that they are faster than any server.
use std::io;
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::endpoint::Endpoint;
use crate::frames::LAST_ANSWER;
use crate::site::{Site, User};
use crate::webdav::PIECE;

/// One connection.
pub(crate) struct Client {
    stream: TcpStream,
    answer: Vec<u8>,
}

/// The status and time of an answer.
pub(crate) struct Answer<'a> {
    pub(crate) status: u16,
    pub(crate) body: &'a [u8],
}

/// Connections that make requests concurrently.
pub(crate) struct Clients(Vec<(Client, Vec<u8>)>);

// === impl Client ===

impl Client {
    pub(crate) async fn connect(address: SocketAddr) -> io::Result<Self> {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        Ok(Self { stream, answer: Vec::with_capacity(16 * 1024) })
    }

    /// Sends `request`, which says `Connection: close`, and returns the status of its answer.
    pub(crate) async fn last_exchange(self, request: Vec<u8>) -> io::Result<u16> {
        let (mut reader, mut writer) = self.stream.into_split();
        // The answer may come before all is read.
        let writing = tokio::spawn(async move { writer.write_all(&request).await });
        let mut answer = self.answer;
        // It may be reset after the answer.
        while matches!(reader.read_buf(&mut answer).await, Ok(1..)) {}
        writing.abort();
        let status = number(&answer, b"HTTP/1.1 ").and_then(|status| u16::try_from(status).ok());
        status.ok_or_else(|| io::Error::other("no status"))
    }

    /// Sends frames of HTTP/2, and waits until the last of them is answered or the connection ends.
    pub(crate) async fn frames(self, frames: Vec<u8>) {
        let (mut reader, mut writer) = self.stream.into_split();
        let writing = tokio::spawn(async move { writer.write_all(&frames).await });
        let mut answer = self.answer;
        while find(&answer, &LAST_ANSWER).is_none()
            && matches!(reader.read_buf(&mut answer).await, Ok(1..))
        {}
        writing.abort();
    }

    /// Sends `request` and reads the answer, which has a `Content-Length` or is chunked.
    pub(crate) async fn exchange(&mut self, request: &[u8]) -> io::Result<Answer<'_>> {
        self.stream.write_all(request).await?;
        let (head, length) = self.read_head().await?;
        let is_whole = |answer: &[u8]| match length {
            Some(length) => answer.len() >= head + length,
            None => answer.ends_with(b"\r\n0\r\n\r\n"),
        };
        while !is_whole(&self.answer) {
            self.read().await?;
        }
        let (head, body) = self.answer.split_at(head);
        let status = number(head, b"HTTP/1.1 ").and_then(|status| u16::try_from(status).ok());
        Ok(Answer { status: status.ok_or_else(|| io::Error::other("no status"))?, body })
    }

    /// Sends `request` with `size` bytes of content, and returns how much is to come of the answer, whose first byte is
    /// there unless it has none.
    pub(crate) async fn begin(&mut self, request: &[u8], size: usize) -> io::Result<usize> {
        self.stream.write_all(request).await?;
        for _ in 0..size / PIECE.len() {
            self.stream.write_all(&PIECE).await?;
        }
        let (head, length) = self.read_head().await?;
        let length = length.ok_or_else(|| io::Error::other("no Content-Length"))?;
        assert!(self.answer.starts_with(b"HTTP/1.1 20"), "{}", self.answer.escape_ascii());
        while length > 0 && self.answer.len() == head {
            self.read().await?;
        }
        Ok(head + length - self.answer.len())
    }

    /// Reads so many bytes more.
    pub(crate) async fn finish(&mut self, mut left: usize) -> io::Result<()> {
        self.answer.reserve(PIECE.len());
        while left > 0 {
            self.answer.clear();
            self.read().await?;
            left -= self.answer.len();
        }
        Ok(())
    }

    /// Reads the head of an answer and some of its content; returns the length of both.
    async fn read_head(&mut self) -> io::Result<(usize, Option<usize>)> {
        self.answer.clear();
        loop {
            self.read().await?;
            if let Some(head) = find(&self.answer, b"\r\n\r\n") {
                let length = number(&self.answer[..head], b"\r\ncontent-length: ");
                return Ok((head + 4, length.map(|length| usize::try_from(length).unwrap())));
            }
        }
    }

    async fn read(&mut self) -> io::Result<()> {
        match self.stream.read_buf(&mut self.answer).await? {
            0 => Err(io::ErrorKind::UnexpectedEof.into()),
            _ => Ok(()),
        }
    }
}

/// A request of the user at index `at`.
pub(crate) fn request(site: &Site, endpoint: &Endpoint, at: usize) -> Vec<u8> {
    let User { name, token } = &site.users[at % site.users.len()];
    let Endpoint { method, path, fields, body, .. } = endpoint;
    let path = path.replace("{user}", name);
    let content = match body.len() {
        0 => String::new(),
        length => format!("Content-Length: {length}\r\n"),
    };
    format!("{method} {path} HTTP/1.1\r\nHost: gateway\r\nAuthorization: Bearer {token}\r\n{fields}{content}\r\n{body}")
        .into_bytes()
}

// === impl Clients ===

impl Clients {
    pub(crate) async fn connect(
        site: &Site,
        address: SocketAddr,
        endpoint: &Endpoint,
        count: usize,
    ) -> Self {
        let mut clients = Vec::new();
        for at in 0..count {
            let client = Client::connect(address).await.unwrap();
            clients.push((client, request(site, endpoint, at)));
        }
        Self(clients)
    }

    /// Makes about `requests` requests, evenly over the connections, and returns the time of each.
    pub(crate) async fn run(&mut self, requests: usize) -> Vec<Duration> {
        let each = requests.div_ceil(self.0.len());
        let running: Vec<_> = std::mem::take(&mut self.0)
            .into_iter()
            .map(|(mut client, request)| {
                tokio::spawn(async move {
                    let mut times = Vec::with_capacity(each);
                    for _ in 0..each {
                        let begun = Instant::now();
                        let answer = client.exchange(&request).await.unwrap();
                        assert!(matches!(answer.status, 200 | 207), "{}", answer.status);
                        assert!(answer.body.len() > 100, "{} bytes", answer.body.len());
                        times.push(begun.elapsed());
                    }
                    (client, request, times)
                })
            })
            .collect();
        let mut all = Vec::with_capacity(requests);
        for running in running {
            let (client, request, times) = running.await.unwrap();
            self.0.push((client, request));
            all.extend(times);
        }
        all
    }
}

fn find(bytes: &[u8], what: &[u8]) -> Option<usize> {
    bytes.windows(what.len()).position(|window| window == what)
}

/// The number after `name` at the start of a line.
fn number(head: &[u8], name: &[u8]) -> Option<u64> {
    let at = find_ignoring_case(head, name)? + name.len();
    let digits = head[at..].split(|byte| !byte.is_ascii_digit()).next()?;
    std::str::from_utf8(digits).ok()?.parse().ok()
}

fn find_ignoring_case(bytes: &[u8], what: &[u8]) -> Option<usize> {
    let mut windows = bytes.windows(what.len());
    windows.position(|window| window.eq_ignore_ascii_case(what))
}
