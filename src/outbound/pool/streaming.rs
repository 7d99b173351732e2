//! Exchanges whose bodies are streamed, over HTTP/1 alone: an unread stream keeps others of its connection waiting.
//!
//! Where the body of the request is there as a whole, the connection is driven by what waits for the head of the answer,
//! then by what reads its body, and belongs to the pool again once that has ended. Where it is not, a task drives the
//! connection: the two bodies must not wait for each other's readers.

use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use http::header::HOST;
use http::{Request, Response};
use http_body::{Body, Frame, SizeHint};
use hyper::body::Incoming;
use tokio::sync::oneshot;
use tokio::time::timeout;
use tower::ServiceExt as _;

use super::http1::{Http1, SentBody};
use super::idle::Idle;
use super::{CallError, Pool, Source, unanswered};

/// How much of an answer is read at once, in bytes, and how large its head may be. A download whose caller does not read
/// takes about 150 KiB with it, and almost 1 MiB with hyper's own.
const BUFFER: usize = 24 * 1024;

/// The body of an answer.
pub(crate) struct ReceivedBody {
    body: Incoming,
    /// What has to be driven for it.
    connection: Option<Box<Http1>>,
    /// How many bytes of it were read since it was pending.
    read: usize,
    idle: Arc<Idle>,
    /// Dropped with this, where a task drives the connection.
    _awaited: Option<oneshot::Sender<()>>,
}

impl Pool {
    /// Sends what `request` builds, whose URI is a path, with `body`, and reads the head of its answer. What could not be
    /// sent on a connection that had ended is sent on another; so is, once, what is whole and `may_repeat`, if the
    /// connection ends before the answer. The pool is one without HTTP/2.
    ///
    /// Of a body that is not whole, the rest goes on to be sent for `stall` after the answer has been read.
    pub(crate) fn send(
        &self,
        request: impl Fn() -> Request<()>,
        mut body: SentBody,
        may_repeat: bool,
        stall: Duration,
    ) -> impl Future<Output = Result<Response<ReceivedBody>, CallError>> {
        let whole = match &body {
            SentBody::Left(whole) => Some(whole.clone()),
            SentBody::Right(_) => None,
        };
        async move {
            let mut source = Source::Used;
            loop {
                let kept = if source == Source::Used { self.idle.take() } else { None };
                let is_new = kept.is_none();
                let mut connection = match kept {
                    Some(kept) => kept,
                    // Boxed, as it is seldom needed: it would enlarge the future of every request.
                    None => Box::pin(self.connect_to_stream()).await?,
                };
                let mut request = request().map(|()| body);
                request.headers_mut().insert(HOST, self.heads[0][HOST].clone());
                let mut sent = pin!(connection.send(request));
                let (answered, connection, awaited) = if whole.is_some() {
                    let answered = poll_fn(|cx| connection.drive(cx, |cx| sent.as_mut().poll(cx)));
                    (answered.await?, Some(connection), None)
                } else {
                    let awaited = self.run_out(connection, stall);
                    (sent.await, None, Some(awaited))
                };
                let mut error = match answered {
                    Ok(response) => {
                        return Ok(response.map(|body| {
                            let idle = self.idle.clone();
                            let mut received =
                                ReceivedBody { body, connection, read: 0, idle, _awaited: awaited };
                            if received.is_end_stream() {
                                received.release();
                            }
                            received
                        }));
                    }
                    Err(error) if is_new => return Err(unanswered(error)),
                    Err(error) => error,
                };
                if let Some(unsent) = error.take_message() {
                    body = unsent.into_body();
                    continue;
                }
                let error = CallError::Failed(error.into_error());
                let again = whole.clone().filter(|_| may_repeat && error.is_of_connection());
                body = SentBody::Left(again.ok_or(error)?);
                // The server may have closed the others as well.
                source = Source::Fresh;
            }
        }
    }

    async fn connect_to_stream(&self) -> Result<Box<Http1>, CallError> {
        let io = self.connector.clone().oneshot(self.server.clone()).await;
        let http1 = Http1::handshake(io.map_err(CallError::Connect)?, BUFFER).await;
        http1.map(Box::new).map_err(|error| CallError::Connect(error.into()))
    }

    /// Drives the connection to the end of what is sent on it, which has `stall` left once what is returned is dropped.
    fn run_out(&self, mut connection: Box<Http1>, stall: Duration) -> oneshot::Sender<()> {
        let idle = self.idle.clone();
        let (awaited, mut ended) = oneshot::channel::<()>();
        tokio::spawn(async move {
            let mut ready = pin!(poll_fn(|cx| connection.poll_ready(cx)));
            let is_ready = tokio::select! {
                // By then it is known what the answer was.
                () = &mut ready => ended.await.is_err(),
                _ = &mut ended => timeout(stall, ready).await.is_ok(),
            };
            if is_ready {
                idle.keep(connection);
            }
        });
        awaited
    }
}

// === impl ReceivedBody ===

impl ReceivedBody {
    /// Gives the connection back, once nothing more is to come.
    fn release(&mut self) {
        if let Some(connection) = self.connection.take() {
            self.idle.keep(connection);
        }
    }
}

impl Body for ReceivedBody {
    type Data = Bytes;
    type Error = CallError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, CallError>>> {
        let Self { body, connection, read, .. } = &mut *self;
        let frame = match connection {
            Some(_) if *read >= BUFFER => {
                // So that it is written while it is in the processor's cache, and its memory is used again.
                *read = 0;
                cx.waker().wake_by_ref();
                return Poll::Pending;
            }
            Some(connection) => {
                ready!(connection.drive(cx, |cx| Pin::new(&mut *body).poll_frame(cx)))?
            }
            None => ready!(Pin::new(body).poll_frame(cx)),
        };
        let data = frame.as_ref().and_then(|frame| frame.as_ref().ok()?.data_ref());
        *read += data.map_or(0, Bytes::len);
        let is_last = |frame: &Result<Frame<_>, _>| frame.as_ref().is_ok_and(Frame::is_trailers);
        if frame.as_ref().is_none_or(is_last) || self.body.is_end_stream() {
            self.release();
        }
        Poll::Ready(frame.map(|frame| frame.map_err(CallError::Failed)))
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
