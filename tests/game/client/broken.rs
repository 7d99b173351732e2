//! Connections over which nothing more can be written, and sessions that have ended.

use std::future::Future;
use std::io::{self, ErrorKind};
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Wake};

use futures_util::{FutureExt, Sink, SinkExt, StreamExt};
use portreeve::game::Command;
use portreeve::game::client::{CallError, Client, End, Settings};
use portreeve::game::connection::{Connection, ConnectionError, Connector};
use portreeve::game::frame::greeting;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;

use super::script::fragment;
use super::server::{IDENTIFICATION, PING, address, framed, session};

/// A server that sends its identification and hangs up after what is written first, the handshake. Nothing else can be
/// written to it.
struct Broken {
    websocket: bool,
    written: bool,
    /// What is to be read.
    sent: Vec<u8>,
    /// Whether the task that owned it has panicked.
    panicked: Arc<AtomicBool>,
}

impl Broken {
    fn answer(&mut self, request: &[u8]) {
        if !self.websocket {
            self.sent = [greeting(14), framed(IDENTIFICATION)].concat();
            return;
        }
        let request = std::str::from_utf8(request).unwrap();
        let key = request.lines().find_map(|line| line.strip_prefix("Sec-WebSocket-Key: "));
        let accept = derive_accept_key(key.unwrap().as_bytes());
        let head = format!(
            "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
             Sec-WebSocket-Accept: {accept}\r\n\r\n"
        );
        self.sent = [head.as_bytes(), &fragment(0x82, IDENTIFICATION)].concat();
    }
}

impl Drop for Broken {
    fn drop(&mut self) {
        self.panicked.store(std::thread::panicking(), Relaxed);
    }
}

impl AsyncRead for Broken {
    fn poll_read(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let length = self.sent.len().min(buffer.remaining());
        buffer.put_slice(&self.sent.drain(..length).collect::<Vec<_>>());
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Broken {
    fn poll_write(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        if std::mem::replace(&mut self.written, true) {
            return Poll::Ready(Err(ErrorKind::BrokenPipe.into()));
        }
        self.answer(bytes);
        Poll::Ready(Ok(bytes.len()))
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Err(ErrorKind::NotConnected.into()))
    }
}

async fn broken(websocket: bool) -> (Connection, Arc<AtomicBool>) {
    let panicked = Arc::<AtomicBool>::default();
    let io = Broken { websocket, written: false, sent: Vec::new(), panicked: panicked.clone() };
    (Connector::default().over(io, &address(websocket)).await.unwrap(), panicked)
}

/// Whatever is tried after a failed write is an error, or possible.
#[tokio::test]
async fn a_connection_can_be_used_after_a_failed_write() {
    for websocket in [false, true] {
        let (mut connection, _) = broken(websocket).await;
        let error = connection.send("one".into()).await.unwrap_err();
        assert!(matches!(error, ConnectionError::Io(_)), "{error}");
        for _ in 0..2 {
            assert!(connection.send("two".into()).await.is_err());
            let _ = connection.flush().await;
            let _ = connection.close().await;
        }
        std::future::poll_fn(|cx| Pin::new(&mut connection).poll_ready(cx)).await.ok();
        assert_eq!(connection.next().await.unwrap().unwrap(), IDENTIFICATION);
        assert!(connection.next().await.is_none());
        let _ = connection.close().await;
    }
}

/// The session ends with the reason, and the calls with it.
#[tokio::test]
async fn a_session_ends_after_a_failed_write() {
    for websocket in [false, true] {
        let (connection, panicked) = broken(websocket).await;
        let (client, mut events) = Settings::default().start(connection).await.unwrap();
        let error = client.send(Command::ping()).await.unwrap_err();
        assert!(
            matches!(
                error,
                CallError::Unknown(End::HungUp { .. }) | CallError::NotSent(End::HungUp { .. })
            ),
            "{error}"
        );
        assert_eq!(events.next().await.unwrap().bytes, IDENTIFICATION);
        assert!(events.next().await.is_none());
        // The task has closed the connection once nobody but this test has the flag.
        while Arc::strong_count(&panicked) > 1 {
            tokio::task::yield_now().await;
        }
        assert!(!panicked.load(Relaxed));
    }
}

/// Sends over a session as soon as it is told of its end.
struct SendAtEnd {
    client: Client,
    sent: Mutex<Option<Result<(), CallError>>>,
}

impl Wake for SendAtEnd {
    fn wake(self: Arc<Self>) {
        *self.sent.lock().unwrap() = self.client.send_raw(PING).now_or_never();
    }
}

#[tokio::test]
async fn nothing_is_sent_from_the_moment_the_end_is_known() {
    let (client, _events, server) = session(&Settings::default()).await;
    let at_end = Arc::new(SendAtEnd { client: client.clone(), sent: Mutex::default() });
    let ended = std::pin::pin!(client.ended());
    assert!(ended.poll(&mut Context::from_waker(&at_end.clone().into())).is_pending());
    drop(server);
    client.ended().await;
    let sent = at_end.sent.lock().unwrap().take().expect("it was told");
    assert!(matches!(sent, Err(CallError::NotSent(End::HungUp { .. }))), "{sent:?}");
}
