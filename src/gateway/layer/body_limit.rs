//! Limits the size of the request body, and drains some of a body that is left unread (docs/API.md, section 7).
//!
//! Unlike `http_body_util::Limited`, this layer also makes sure that the client gets the answer. A client
//! that is still writing when the connection is closed loses the answer to a reset, so the rest of a
//! refused body is read while the answer is sent: at most a mebibyte, for at most two seconds.
//!
//! Reading a body takes time for each of its pieces (chunks, over HTTP/1) rather than for its bytes, so that their
//! number is limited, too: [`MAX_PIECES`].

use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Buf;
use http::{Request, Version};
use http_body::{Body, Frame, SizeHint};
use http_body_util::BodyExt;
use tower::{BoxError, Layer, Service};

use crate::gateway::{Endpoint, Error};
use crate::opaque::opaque_debug;

/// How much of an unread body is drained, in bytes, so that the client gets the answer.
pub(super) const REST_BYTES: usize = 1024 * 1024;

/// How many pieces of a body are read; of the rest of a refused one, a quarter as many.
pub const MAX_PIECES: usize = 1024;

/// For how long an unread body is drained.
const REST_TIME: Duration = Duration::from_secs(2);

/// Makes [`LimitBody`] services.
#[derive(Clone, Copy, Debug)]
pub struct BodyLimitLayer {
    pub(crate) limit: usize,
    /// Whether there are requests without a limit: what is forwarded is not kept here.
    pub(crate) forwards: bool,
}

// === impl BodyLimitLayer ===

impl BodyLimitLayer {
    /// Allows bodies of up to `limit` bytes.
    pub fn new(limit: usize) -> Self {
        Self { limit, forwards: false }
    }
}

impl<S> Layer<S> for BodyLimitLayer {
    type Service = LimitBody<S>;

    fn layer(&self, inner: S) -> Self::Service {
        LimitBody { inner, layer: *self }
    }
}

/// See the [module documentation](self).
#[derive(Clone, Debug)]
pub struct LimitBody<S> {
    inner: S,
    layer: BodyLimitLayer,
}

// === impl LimitBody ===

impl<S, B> Service<Request<B>> for LimitBody<S>
where
    S: Service<Request<LimitedBody<B>>>,
    B: Body<Data: Send, Error: Into<BoxError>> + Send + 'static,
{
    type Response = S::Response;
    type Error = S::Error;
    type Future = S::Future;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let is_limited = !self.layer.forwards || !Endpoint::from_request(&request).is_forwarded();
        let (limit, pieces) =
            if is_limited { (self.layer.limit, MAX_PIECES) } else { (usize::MAX, usize::MAX) };
        self.inner.call(LimitedBody::of(request, limit, pieces))
    }
}

/// A body that fails with [`Error::PayloadTooLarge`] once it exceeds its limit.
///
/// If its stated length exceeds the limit, it fails before any of it is read. It fails with
/// [`Error::UnreadableBody`] if it has more than [`MAX_PIECES`], or stops before it is at the end of its stream over
/// HTTP/2: hyper takes a stream that its caller resets without an error for one that has ended.
pub struct LimitedBody<B>
where
    B: Body<Data: Send, Error: Into<BoxError>> + Send + 'static,
{
    /// Boxed only if there is something to read, since the rest may have to outlive the request. A request
    /// without a body, the usual case, needs no allocation.
    unread: Option<Pin<Box<B>>>,
    limit: usize,
    left: usize,
    pieces: usize,
    /// Whether [`is_end_stream`](Body::is_end_stream) says whether all of it came.
    tells_its_end: bool,
}

// === impl LimitedBody ===

opaque_debug!(LimitedBody<B> where B: Body<Data: Send, Error: Into<BoxError>> + Send + 'static);

impl<B: Body<Data: Send, Error: Into<BoxError>> + Send + 'static> LimitedBody<B> {
    pub(super) fn of(request: Request<B>, limit: usize, pieces: usize) -> Request<Self> {
        let tells_its_end = request.version() == Version::HTTP_2;
        request.map(|body| {
            let unread = (!body.is_end_stream()).then(|| Box::pin(body));
            Self { unread, limit, left: limit, pieces, tells_its_end }
        })
    }
}

impl<B: Body<Data: Send, Error: Into<BoxError>> + Send + 'static> Body for LimitedBody<B> {
    type Data = B::Data;
    type Error = Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Self::Data>, Error>>> {
        let this = &mut *self;
        let Some(body) = &mut this.unread else {
            return Poll::Ready(None);
        };
        if body.size_hint().lower() > this.left as u64 {
            return Poll::Ready(Some(Err(Error::PayloadTooLarge(this.limit))));
        }
        let frame = match ready!(body.as_mut().poll_frame(cx)) {
            Some(Ok(frame)) => frame,
            Some(Err(error)) => {
                this.unread = None;
                return Poll::Ready(Some(Err(Error::UnreadableBody(error.into()))));
            }
            None => {
                let is_cut = this.tells_its_end && !body.is_end_stream();
                this.unread = None;
                let cut = || Err(Error::UnreadableBody("its stream was reset".into()));
                return Poll::Ready(is_cut.then(cut));
            }
        };
        match this.pieces.checked_sub(1) {
            Some(pieces) => this.pieces = pieces,
            None => {
                let problem = format!("it comes in more than {MAX_PIECES} pieces");
                return Poll::Ready(Some(Err(Error::UnreadableBody(problem.into()))));
            }
        }
        let size = frame.data_ref().map_or(0, Buf::remaining);
        match this.left.checked_sub(size) {
            Some(left) => this.left = left,
            None => return Poll::Ready(Some(Err(Error::PayloadTooLarge(this.limit)))),
        }
        Poll::Ready(Some(Ok(frame)))
    }

    fn is_end_stream(&self) -> bool {
        self.unread.as_ref().is_none_or(|body| body.is_end_stream())
    }

    fn size_hint(&self) -> SizeHint {
        match &self.unread {
            Some(body) => body.size_hint(),
            None => SizeHint::with_exact(0),
        }
    }
}

impl<B: Body<Data: Send, Error: Into<BoxError>> + Send + 'static> Drop for LimitedBody<B> {
    fn drop(&mut self) {
        let Some(body) = self.unread.take().filter(|body| !body.is_end_stream()) else {
            return;
        };
        // Outside a runtime, nothing drives the connection anyway.
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(tokio::time::timeout(REST_TIME, read_rest(body)));
        }
    }
}

async fn read_rest<B: Body>(mut body: Pin<Box<B>>) {
    let mut left = REST_BYTES;
    for _ in 0..MAX_PIECES / 4 {
        let Some(Ok(frame)) = body.frame().await else {
            return;
        };
        match left.checked_sub(frame.data_ref().map_or(0, Buf::remaining)) {
            Some(rest) => left = rest,
            None => return,
        }
    }
}
