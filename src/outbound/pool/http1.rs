//! An HTTP/1 connection, driven by the call that uses it.

use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, Waker};

use bytes::Bytes;
use futures_util::FutureExt as _;
use http::Request;
use http_body_util::Full;
use hyper::client::conn::http1::{Builder, Connection, SendRequest};

use super::wake_filter::WakeFilter;
use super::{
    AnswerMemory, CallError, Counted, Exchange, Io, MAX_BEFORE_HEAD, MAX_HEAD, counted, read_answer,
};

/// How often the two sides of a call are polled in turn before the task yields.
const ROUNDS: usize = 16;

const MAX_FIELDS: usize = 256;

/// One connection. It makes progress only within a call.
pub(super) struct Http1 {
    sender: SendRequest<Full<Bytes>>,
    /// `None` once it has ended.
    connection: Option<Connection<Counted, Full<Bytes>>>,
    /// How many bytes may still come before the head of the answer. hyper skips interim answers (1xx), of which a
    /// server may send any number.
    room_before_head: Arc<AtomicUsize>,
    filter: Arc<WakeFilter>,
    waker: Waker,
}

impl Http1 {
    pub(super) async fn handshake(io: Io) -> Result<Self, hyper::Error> {
        let mut http1 = Builder::new();
        http1.max_buf_size(MAX_HEAD as usize);
        http1.max_headers(MAX_FIELDS);
        let room_before_head = Arc::new(AtomicUsize::new(MAX_BEFORE_HEAD));
        let room = room_before_head.clone();
        let io = counted(io, move |bytes| {
            // Only the call on this connection reads.
            let left = room.load(Ordering::Relaxed).saturating_sub(bytes.len());
            room.store(left, Ordering::Relaxed);
        });
        let (sender, connection) = http1.handshake(io).await?;
        let filter = Arc::new(WakeFilter::default());
        let waker = Waker::from(filter.clone());
        Ok(Self { sender, connection: Some(connection), room_before_head, filter, waker })
    }

    /// Sends what `request` builds, and reads the whole answer, at most `limit` bytes.
    pub(super) async fn call(
        &mut self,
        request: impl FnOnce() -> Request<Full<Bytes>>,
        limit: usize,
        room: &AnswerMemory,
    ) -> Exchange {
        // Built here, since the future of an `async fn` keeps room for its arguments.
        let room_before_head = &*self.room_before_head;
        room_before_head.store(MAX_BEFORE_HEAD, Ordering::Relaxed);
        let sent = self.sender.try_send_request(request());
        let sent = sent.inspect(|_| room_before_head.store(usize::MAX, Ordering::Relaxed));
        let mut answer = pin!(read_answer(sent, limit, room));
        let (connection, filter, waker) = (&mut self.connection, &self.filter, &self.waker);
        let exchange = poll_fn(|cx| {
            let polling = filter.begin(cx.waker());
            let mut inner = Context::from_waker(waker);
            for _ in 0..ROUNDS {
                polling.clear();
                if let Poll::Ready(exchange) = answer.as_mut().poll(&mut inner) {
                    return Poll::Ready(exchange);
                }
                // If it failed, the answer fails too and reports it.
                let has_ended = (connection.as_mut())
                    .is_some_and(|open| Pin::new(open).poll(&mut inner).is_ready());
                if room_before_head.load(Ordering::Relaxed) == 0 {
                    *connection = None;
                    return Poll::Ready(Err(CallError::NoHead));
                }
                if has_ended {
                    *connection = None;
                } else if !polling.is_woken() {
                    return Poll::Pending;
                }
            }
            cx.waker().wake_by_ref();
            Poll::Pending
        });
        let exchange = exchange.await;
        self.filter.forget();
        exchange
    }

    pub(super) fn is_ready(&mut self) -> bool {
        // The end of the answer may have been read while the connection has yet to process it: poll once.
        self.sender.is_ready() || (!self.has_ended() && self.sender.is_ready())
    }

    /// Whether the connection has ended, as far as is known here.
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
