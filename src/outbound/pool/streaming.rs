//! Exchanges whose bodies are streamed, over HTTP/1 alone: on a connection of many streams, one that its reader leaves
//! unread keeps the others waiting.
//!
//! Where the body of the request is there as a whole, the connection is driven by what waits for the head of the answer,
//! then by what reads its body, and belongs to the pool again once that has ended. Where it is not, a task drives the
//! connection: the two bodies must not wait for each other's readers.

use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use http::header::HOST;
use http::{Request, Response};
use http_body::{Body, Frame, SizeHint};
use hyper::body::Incoming;
use tower::ServiceExt as _;

use super::http1::{Http1, SentBody};
use super::idle::Idle;
use super::{CallError, Pool, unanswered};

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
}

impl Pool {
    /// Sends `request`, whose URI is a path, and reads the head of its answer. What could not be sent on a connection that
    /// had ended is sent on another. The pool is one without HTTP/2.
    pub(crate) fn send(
        &self,
        mut request: Request<SentBody>,
    ) -> impl Future<Output = Result<Response<ReceivedBody>, CallError>> {
        request.headers_mut().insert(HOST, self.heads[0][HOST].clone());
        let is_whole = matches!(request.body(), SentBody::Left(_));
        async move {
            loop {
                let kept = self.idle.take();
                let is_new = kept.is_none();
                let mut connection = match kept {
                    Some(kept) => kept,
                    // Boxed, as it is seldom needed: it would enlarge the future of every request.
                    None => Box::pin(self.connect_to_stream()).await?,
                };
                let mut sent = pin!(connection.send(request));
                let (answered, connection) = if is_whole {
                    let answered = poll_fn(|cx| connection.drive(cx, |cx| sent.as_mut().poll(cx)));
                    (answered.await?, Some(connection))
                } else {
                    self.run_out(connection);
                    (sent.await, None)
                };
                match answered {
                    Ok(response) => {
                        return Ok(response.map(|body| self.received(body, connection)));
                    }
                    Err(error) if is_new => return Err(unanswered(error)),
                    Err(mut error) => match error.take_message() {
                        Some(unsent) => request = unsent,
                        None => return Err(CallError::Failed(error.into_error())),
                    },
                }
            }
        }
    }

    async fn connect_to_stream(&self) -> Result<Box<Http1>, CallError> {
        let io = self.connector.clone().oneshot(self.server.clone()).await;
        let http1 = Http1::handshake(io.map_err(CallError::Connect)?, BUFFER).await;
        http1.map(Box::new).map_err(|error| CallError::Connect(error.into()))
    }

    /// Drives the connection to the end of what is sent on it.
    fn run_out(&self, connection: Box<Http1>) {
        let (mut connection, idle) = (Some(connection), self.idle.clone());
        tokio::spawn(poll_fn(move |cx| {
            if let Some(connection) = &mut connection {
                ready!(connection.poll_ready(cx));
            }
            connection.take().into_iter().for_each(|connection| idle.keep(connection));
            Poll::Ready(())
        }));
    }

    fn received(&self, body: Incoming, connection: Option<Box<Http1>>) -> ReceivedBody {
        let mut received = ReceivedBody { body, connection, read: 0, idle: self.idle.clone() };
        if received.is_end_stream() {
            received.release();
        }
        received
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
