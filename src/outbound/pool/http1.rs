//! An HTTP/1 connection, driven by what uses it.

use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, Waker};

use bytes::Bytes;
use futures_util::FutureExt as _;
use http::{Request, Response, Version};
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{Either, Full};
use hyper::body::Incoming;
use hyper::client::conn::TrySendError;
use hyper::client::conn::http1::{Builder, Connection, SendRequest};
use tower::BoxError;

use super::wake_filter::WakeFilter;
use super::{
    AnswerMemory, CallError, Counted, Exchange, Io, MAX_BEFORE_HEAD, counted, read_answer,
};

/// The body of a request: a whole one, or what is read as it is sent.
pub(crate) type SentBody = Either<Full<Bytes>, UnsyncBoxBody<Bytes, BoxError>>;

/// How often the two sides of a call are polled in turn before the task yields.
const ROUNDS: usize = 16;

/// The room before the next head after an answer of HTTP/1.0, which hyper speaks from then on: no request follows, since there
/// a body of unknown length has no end.
const NO_MORE: usize = usize::MAX / 2;

/// One connection. It makes progress only while it is used.
pub(super) struct Http1 {
    sender: SendRequest<SentBody>,
    /// `None` once it has ended.
    connection: Option<Connection<Counted, SentBody>>,
    /// How many bytes may still come before the answer's head: a server may send any number of interim answers (1xx).
    room_before_head: Arc<AtomicUsize>,
    filter: Arc<WakeFilter>,
    waker: Waker,
}

impl Http1 {
    /// A connection that reads at most `buffer` bytes at once, which is also how large a head may be.
    pub(super) async fn handshake(io: Io, buffer: usize) -> Result<Self, hyper::Error> {
        let mut http1 = Builder::new();
        http1.max_buf_size(buffer);
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

    /// Sends `request`, as far as the connection is [driven](Self::drive).
    pub(super) fn send(
        &mut self,
        request: Request<SentBody>,
    ) -> impl Future<Output = Result<Response<Incoming>, TrySendError<Request<SentBody>>>> + use<>
    {
        let room_before_head = self.room_before_head.clone();
        room_before_head.store(MAX_BEFORE_HEAD, Ordering::Relaxed);
        self.sender.try_send_request(request).inspect(move |answer| {
            let is_old = answer.as_ref().is_ok_and(|it| it.version() < Version::HTTP_11);
            room_before_head.store(if is_old { NO_MORE } else { usize::MAX }, Ordering::Relaxed);
        })
    }

    /// Polls a part of the exchange on this connection, and the connection, in turn.
    pub(super) fn drive<T>(
        &mut self,
        cx: &mut Context<'_>,
        mut part: impl FnMut(&mut Context<'_>) -> Poll<T>,
    ) -> Poll<Result<T, CallError>> {
        let polling = self.filter.begin(cx.waker());
        let mut inner = Context::from_waker(&self.waker);
        for _ in 0..ROUNDS {
            polling.clear();
            if let Poll::Ready(part) = part(&mut inner) {
                // The next part looks for itself.
                self.filter.forget();
                return Poll::Ready(Ok(part));
            }
            let is_open = self.connection.is_some();
            let room = &self.room_before_head;
            let has_ended = is_open && poll_end(&mut self.connection, room, &mut inner).is_ready();
            if room.load(Ordering::Relaxed) == 0 {
                return Poll::Ready(Err(CallError::NoHead));
            }
            if !has_ended && !polling.is_woken() {
                return Poll::Pending;
            }
        }
        cx.waker().wake_by_ref();
        Poll::Pending
    }

    pub(super) fn is_ready(&mut self) -> bool {
        // The end of the answer may have been read while the connection has yet to process it: poll once.
        (self.sender.is_ready() || (!self.has_ended() && self.sender.is_ready()))
            && self.room_before_head.load(Ordering::Relaxed) > NO_MORE
    }

    /// Whether the connection has ended, as far as is known here.
    pub(super) fn has_ended(&mut self) -> bool {
        let mut cx = Context::from_waker(&self.waker);
        poll_end(&mut self.connection, &self.room_before_head, &mut cx).is_ready()
    }

    /// Drives the connection until it is [ready](Self::is_ready) again, or has ended.
    pub(super) fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        _ = poll_end(&mut self.connection, &self.room_before_head, cx);
        self.sender.poll_ready(cx).map(drop)
    }

    /// Sends what `request` builds, and reads the whole answer, at most `limit` bytes.
    pub(super) async fn call(
        &mut self,
        request: impl FnOnce() -> Request<Full<Bytes>>,
        limit: usize,
        room: &AnswerMemory,
    ) -> Exchange {
        // Built here, since the future of an `async fn` keeps room for its arguments.
        let mut answer = pin!(read_answer(self.send(request().map(SentBody::Left)), limit, room));
        poll_fn(|cx| self.drive(cx, |cx| answer.as_mut().poll(cx))).await.flatten()
    }
}

/// Drives a connection until it has ended, or no room is left.
fn poll_end(
    connection: &mut Option<Connection<Counted, SentBody>>,
    room: &AtomicUsize,
    cx: &mut Context<'_>,
) -> Poll<()> {
    if let Some(open) = connection {
        // If it failed, the answer fails too and reports it.
        let is_open = Pin::new(open).poll(cx).is_pending();
        if is_open && room.load(Ordering::Relaxed) > 0 {
            return Poll::Pending;
        }
        *connection = None;
    }
    Poll::Ready(())
}
