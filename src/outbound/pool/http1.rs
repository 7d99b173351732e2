//! A connection over HTTP/1, driven by the call that uses it.

use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use bytes::Bytes;
use http::Request;
use http_body_util::Full;
use hyper::client::conn::http1::{Builder, Connection, SendRequest};
use hyper_rustls::MaybeHttpsStream;
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;

use super::wake::Wakes;
use super::{Attempt, MAX_HEAD};

/// How often the two sides of a call are polled in turn before the task makes way for others.
const ROUNDS: usize = 16;

type Io = MaybeHttpsStream<TokioIo<TcpStream>>;

/// One connection. Nothing happens on it but within a call.
pub(super) struct Http1 {
    sender: SendRequest<Full<Bytes>>,
    /// `None` once it has ended.
    connection: Option<Connection<Io, Full<Bytes>>>,
    wakes: Arc<Wakes>,
    /// Wakes `wakes`.
    waker: Waker,
}

// === impl Http1 ===

impl Http1 {
    pub(super) async fn handshake(io: Io) -> Result<Self, hyper::Error> {
        let mut http1 = Builder::new();
        http1.max_buf_size(MAX_HEAD as usize);
        let (sender, connection) = http1.handshake(io).await?;
        let wakes = Arc::new(Wakes::default());
        let waker = Waker::from(wakes.clone());
        Ok(Self {
            sender,
            connection: Some(connection),
            wakes,
            waker,
        })
    }

    /// Sends `request`, and reads the whole answer, at most `limit` bytes.
    pub(super) async fn call(&mut self, request: Request<Full<Bytes>>, limit: usize) -> Attempt {
        let sent = self.sender.try_send_request(request);
        let mut answer = pin!(Attempt::read(sent, limit));
        let (connection, wakes, waker) = (&mut self.connection, &self.wakes, &self.waker);
        let attempt = poll_fn(|cx| {
            let polling = wakes.begin(cx.waker());
            let mut inner = Context::from_waker(waker);
            for _ in 0..ROUNDS {
                polling.clear();
                if let Poll::Ready(attempt) = answer.as_mut().poll(&mut inner) {
                    return Poll::Ready(attempt);
                }
                // Its failure is that of the answer.
                let has_ended = (connection.as_mut())
                    .is_some_and(|open| Pin::new(open).poll(&mut inner).is_ready());
                if has_ended {
                    *connection = None;
                } else if !polling.is_woken() {
                    return Poll::Pending;
                }
            }
            cx.waker().wake_by_ref();
            Poll::Pending
        });
        let attempt = attempt.await;
        self.wakes.forget();
        attempt
    }

    /// Whether another call can be made on it.
    pub(super) fn is_ready(&mut self) -> bool {
        // The end of an answer may be read, and what follows from it not be done yet.
        self.sender.is_ready() || (!self.has_ended() && self.sender.is_ready())
    }

    /// Whether the server has ended it, as far as has arrived here.
    pub(super) fn has_ended(&mut self) -> bool {
        let mut cx = Context::from_waker(&self.waker);
        if let Some(open) = &mut self.connection
            && Pin::new(open).poll(&mut cx).is_ready()
        {
            self.connection = None;
        }
        self.connection.is_none()
    }
}
