//! Bodies are not kept: what is between the two ends is bounded, however large they are.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use bytes::Bytes;
use http_body_util::BodyExt as _;
use hyper::body::Frame;
use tokio::time::sleep;

use super::super::wire::{Server, Wire, soon};
use super::super::{FILE, head, http2, start};

const SIZE: usize = 200 << 20;
/// What the buffers of two connections take at most: here, those of the kernel are most of it.
const BETWEEN: usize = 48 << 20;
const PIECE: usize = 64 << 10;

/// What a body repeats. Its length is prime, so that a piece that is lost or moved is noticed.
static PATTERN: LazyLock<Bytes> = LazyLock::new(|| {
    let mut state = 1_u32;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 24) as u8
    };
    let once: Vec<u8> = (0..65_521).map(|_| next()).collect();
    // Pieces of it are slices wherever they begin.
    once.repeat(3).into()
});

/// The piece of a body at this offset.
fn piece(at: usize) -> Bytes {
    let at_pattern = at % (PATTERN.len() / 3);
    PATTERN.slice(at_pattern..at_pattern + PIECE.min(SIZE - at))
}

/// How much has left one end and reached the other.
#[derive(Default)]
struct Flow {
    sent: AtomicUsize,
    received: AtomicUsize,
}

impl Flow {
    /// Waits until nothing moves any more. A machine so slow that it only seems so makes a test no stricter.
    async fn stands(&self) -> usize {
        loop {
            let before = self.sent.load(Ordering::Relaxed);
            sleep(Duration::from_millis(300)).await;
            if before > 0 && self.sent.load(Ordering::Relaxed) == before {
                return before;
            }
        }
    }

    fn send(&self, count: usize) {
        self.sent.fetch_add(count, Ordering::Relaxed);
    }

    fn receive(&self, bytes: &[u8]) {
        let received = self.received.load(Ordering::Relaxed);
        let (mut at, mut rest) = (received, bytes);
        while !rest.is_empty() {
            let wanted = piece(at);
            let count = wanted.len().min(rest.len());
            assert!(wanted[..count] == rest[..count], "other bytes at {at}");
            (at, rest) = (at + count, &rest[count..]);
        }
        let between = self.sent.load(Ordering::Relaxed) - received;
        assert!(between <= BETWEEN, "{between} bytes are between the two ends");
        self.received.store(at, Ordering::Relaxed);
    }

    fn has_arrived(&self) -> bool {
        self.received.load(Ordering::Relaxed) == SIZE
    }
}

/// Sends the whole body.
async fn pour(wire: &mut Wire, flow: &Flow) {
    use tokio::io::AsyncWriteExt as _;
    let mut at = 0;
    while at < SIZE {
        let written = wire.stream.write(&piece(at)).await.unwrap();
        flow.send(written);
        at += written;
    }
}

/// Receives the whole body, once the other end stands.
async fn drink(wire: &mut Wire, flow: &Flow) {
    let between = flow.stands().await;
    assert!(between <= BETWEEN, "{between} bytes left, although nobody reads them");
    while !flow.has_arrived() {
        let left = SIZE - flow.received.load(Ordering::Relaxed);
        let bytes = wire.bytes(left.min(PIECE)).await;
        assert_ne!(bytes.len(), 0, "the body ends early");
        flow.receive(&bytes);
    }
}

#[tokio::test]
async fn api_13_an_upload_waits_for_a_server_that_does_not_read() {
    let server = Server::start().await;
    let gateway = start(&server.url).await;
    let flow = Arc::<Flow>::default();
    let mut caller = Wire::to(gateway.address).await;
    let length = format!("Content-Length: {SIZE}\r\n\r\n");
    caller.send(head(&gateway, "alice", &format!("PUT {FILE}"), &length)).await;
    let pouring = flow.clone();
    let pouring = tokio::spawn(async move {
        pour(&mut caller, &pouring).await;
        caller
    });
    let (mut wire, head) = server.request().await;
    assert_eq!(head.field("content-length"), Some(&*SIZE.to_string()));
    assert_eq!(head.field("transfer-encoding"), None);
    drink(&mut wire, &flow).await;
    wire.send("HTTP/1.1 201 Created\r\nX-User-Id: alice\r\nContent-Length: 0\r\n\r\n").await;
    let mut caller = pouring.await.unwrap();
    let answer = caller.answer().await;
    assert_eq!(answer.status, 201);
    // Both connections are used again.
    assert_eq!(answer.header("connection"), None);
    caller.send(super::super::head(&gateway, "alice", &format!("GET {FILE}"), "\r\n")).await;
    assert_eq!(wire.head().await.line, format!("GET {FILE} HTTP/1.1"));
}

#[tokio::test]
async fn api_13_a_download_waits_for_a_caller_that_does_not_read() {
    let server = Server::start().await;
    let gateway = start(&server.url).await;
    let flow = Arc::<Flow>::default();
    let mut caller = Wire::to(gateway.address).await;
    caller.send(head(&gateway, "alice", &format!("GET {FILE}"), "\r\n")).await;
    let (mut wire, _) = server.request().await;
    let length = format!("Content-Length: {SIZE}\r\n\r\n");
    wire.send(format!("HTTP/1.1 200 OK\r\nX-User-Id: alice\r\n{length}")).await;
    let pouring = flow.clone();
    let pouring = tokio::spawn(async move { pour(&mut wire, &pouring).await });
    let head = caller.head().await;
    assert_eq!(head.status(), 200);
    assert_eq!(head.field("content-length"), Some(&*SIZE.to_string()));
    drink(&mut caller, &flow).await;
    pouring.await.unwrap();
}

#[tokio::test]
async fn api_13_over_http_2_an_upload_waits_for_a_server_that_does_not_read() {
    let server = Server::start().await;
    let gateway = start(&server.url).await;
    let flow = Arc::<Flow>::default();
    let mut caller = http2::connect(gateway.address).await;
    let (frames, body) = http2::channel();
    let request = http2::request(&gateway, "alice", "PUT", FILE);
    let request = request.header("content-length", SIZE).body(body).unwrap();
    let answer = tokio::spawn(caller.send_request(request));
    let pouring = flow.clone();
    let pouring = tokio::spawn(async move {
        let mut at = 0;
        while at < SIZE {
            let piece = piece(at);
            pouring.send(piece.len());
            at += piece.len();
            frames.send(Ok(Frame::data(piece))).await.unwrap();
        }
    });
    let (mut wire, head) = server.request().await;
    assert_eq!(head.field("content-length"), Some(&*SIZE.to_string()));
    drink(&mut wire, &flow).await;
    wire.send("HTTP/1.1 201 Created\r\nX-User-Id: alice\r\nContent-Length: 0\r\n\r\n").await;
    assert_eq!(soon(answer).await.unwrap().unwrap().status(), 201);
    pouring.await.unwrap();
}

#[tokio::test]
async fn api_13_over_http_2_a_download_waits_for_a_caller_that_does_not_read() {
    let server = Server::start().await;
    let gateway = start(&server.url).await;
    let flow = Arc::<Flow>::default();
    let mut caller = http2::connect(gateway.address).await;
    let request = http2::request(&gateway, "alice", "GET", FILE).body(http2::empty()).unwrap();
    let answer = tokio::spawn(caller.send_request(request));
    let (mut wire, _) = server.request().await;
    let length = format!("Content-Length: {SIZE}\r\n\r\n");
    wire.send(format!("HTTP/1.1 200 OK\r\nX-User-Id: alice\r\n{length}")).await;
    let pouring = flow.clone();
    let pouring = tokio::spawn(async move { pour(&mut wire, &pouring).await });
    let answer = soon(answer).await.unwrap().unwrap();
    assert_eq!(answer.headers()["content-length"], &*SIZE.to_string());
    let between = flow.stands().await;
    assert!(between <= BETWEEN, "{between} bytes left, although nobody reads them");
    let mut body = answer.into_body();
    while let Some(frame) = soon(body.frame()).await {
        flow.receive(&frame.unwrap().into_data().unwrap());
    }
    assert!(flow.has_arrived());
    pouring.await.unwrap();
}
