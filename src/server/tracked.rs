//! Tracks the progress of requests and answers for the connection.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use bytes::{Buf as _, Bytes};
use http::header::{CONNECTION, CONTENT_LENGTH, HeaderValue};
use http::{Method, Request, Response, StatusCode, Version};
use http_body::{Body, Frame, SizeHint};
use hyper::body::Incoming;
use hyper::service::Service;
use pin_project_lite::pin_project;
use tower::ServiceExt as _;
use tower::util::Oneshot;

use super::activity::{Activity, InFlight};
use super::host;

/// Bytes passed to hyper at once. HTTP/2 would buffer a complete answer until the client opens its
/// window, and it would not be seen whether the client ever does.
const PIECE: usize = 16 * 1024;

/// The service of one connection. It puts the peer's address, if it has one, into the extensions of each request.
pub(super) struct Tracked<S> {
    /// Boxed: the future of a connection contains it in more than one state.
    pub(super) service: Box<S>,
    pub(super) peer: Option<SocketAddr>,
    pub(super) activity: Arc<Activity>,
}

// === impl Tracked ===

impl<S, B> Service<Request<Incoming>> for Tracked<S>
where
    S: tower::Service<Request<Incoming>, Response = Response<B>, Error = Infallible> + Clone,
    B: Body,
{
    type Response = Response<TrackedBody<B>>;
    type Error = Infallible;
    /// Boxed: hyper reserves space for it as long as a connection is open, and the future of a whole stack is large.
    type Future = Pin<Box<TrackedFuture<Oneshot<S, Request<Incoming>>>>>;

    fn call(&self, mut request: Request<Incoming>) -> Self::Future {
        if let Some(peer) = self.peer {
            request.extensions_mut().insert(peer);
        }
        let in_flight = Some(self.activity.request(!request.body().is_end_stream()));
        let (version, is_head) = (request.version(), request.method() == Method::HEAD);
        let is_valid = host::is_named_once(&request);
        Box::pin(TrackedFuture {
            future: is_valid.then(|| S::clone(&self.service).oneshot(request)),
            version,
            is_head,
            in_flight,
        })
    }
}

pin_project! {
    pub(super) struct TrackedFuture<F> {
        // `None` for a request that the service does not get.
        #[pin]
        future: Option<F>,
        version: Version,
        is_head: bool,
        in_flight: Option<InFlight>,
    }
}

// === impl TrackedFuture ===

impl<F, B> Future for TrackedFuture<F>
where
    F: Future<Output = Result<Response<B>, Infallible>>,
    B: Body,
{
    type Output = Result<Response<TrackedBody<B>>, Infallible>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.project();
        let mut response = match this.future.as_pin_mut() {
            None => bad_request(*this.version),
            Some(future) => match ready!(future.poll(cx)) {
                Ok(response) => response.map(Some),
                Err(never) => match never {},
            },
        };
        // What hyper does over HTTP/1 only.
        if *this.is_head
            && let Some(body) = response.body_mut().take()
            && let Some(length @ 1..) = body.size_hint().exact()
        {
            response.headers_mut().entry(CONTENT_LENGTH).or_insert(length.into());
        }
        let in_flight = this.in_flight.take();
        let mut in_flight = in_flight.expect("polled again after completion");
        in_flight.progress();
        Poll::Ready(Ok(response.map(|body| TrackedBody { body, rest: Bytes::new(), in_flight })))
    }
}

/// What hyper, too, answers to a request that is not valid HTTP.
fn bad_request<B>(version: Version) -> Response<Option<B>> {
    tracing::debug!("a request did not name its host once");
    let mut response = Response::new(None);
    *response.status_mut() = StatusCode::BAD_REQUEST;
    if version < Version::HTTP_2 {
        let close = HeaderValue::from_static("close");
        response.headers_mut().insert(CONNECTION, close);
    }
    response
}

pin_project! {
    pub(super) struct TrackedBody<B> {
        // `None` if it is empty.
        #[pin]
        body: Option<B>,
        // Received from the body, but not yet passed on.
        rest: Bytes,
        in_flight: InFlight,
    }
}

// === impl TrackedBody ===

impl<B: Body> Body for TrackedBody<B> {
    type Data = Bytes;
    type Error = B::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, B::Error>>> {
        let this = self.project();
        if this.rest.is_empty() {
            let Some(body) = this.body.as_pin_mut() else {
                return Poll::Ready(None);
            };
            let Poll::Ready(frame) = body.poll_frame(cx) else {
                this.in_flight.wait();
                return Poll::Pending;
            };
            let Some(frame) = frame.transpose()? else {
                return Poll::Ready(None);
            };
            match frame.into_data() {
                Ok(mut data) => *this.rest = data.copy_to_bytes(data.remaining()),
                Err(frame) => return Poll::Ready(Some(Ok(frame.map_data(|_| Bytes::new())))),
            }
        }
        this.in_flight.progress();
        let piece = this.rest.split_to(this.rest.len().min(PIECE));
        Poll::Ready(Some(Ok(Frame::data(piece))))
    }

    fn is_end_stream(&self) -> bool {
        self.rest.is_empty() && self.body.as_ref().is_none_or(B::is_end_stream)
    }

    /// hyper asks before it reads anything.
    fn size_hint(&self) -> SizeHint {
        self.body.as_ref().map_or(SizeHint::with_exact(0), B::size_hint)
    }
}
