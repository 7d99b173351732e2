//! Writes one log line about each request (docs/OPERATIONS.md, "The log").
//!
//! The line has the target `portreeve::request`: method, route, status, the time until the answer,
//! the time that the groupware server took of it, the caller, the ids of request and trace. It is
//! written at `INFO`, and at `DEBUG` for probes and for a request that was [turned away](TurnedAway):
//! those come in floods, and are told of together.
//!
//! A request whose client goes away before the answer has the status 499.
//!
//! ```
//! use http::{Request, Response};
//! use portreeve::gateway::layer::record::RecordLayer;
//! use portreeve::gateway::layer::request_id::RequestIdLayer;
//! use std::convert::Infallible;
//! use tower::{ServiceBuilder, ServiceExt as _, service_fn};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() {
//! let service = ServiceBuilder::new()
//!     // Above it, so that the line has the id.
//!     .layer(RequestIdLayer)
//!     .layer(RecordLayer::new())
//!     .service(service_fn(async |_: Request<()>| Ok::<_, Infallible>(Response::new(()))));
//! # service.oneshot(Request::new(())).await.unwrap();
//! # }
//! ```

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::{Duration, Instant};

use http::{HeaderValue, Method, Request, Response};
use pin_project_lite::pin_project;
use tower::{Layer, Service};

use super::request_id;
use crate::gateway::{RouteName, TraceParent, TurnedAway};
use crate::notes::{self, Notes, Noting};

/// The status of a request whose client has gone.
const CLIENT_GONE: u16 = 499;

/// Makes [`Record`] services.
#[derive(Clone, Copy, Debug, Default)]
pub struct RecordLayer {}

/// See the [module documentation](self).
#[derive(Clone, Debug)]
pub struct Record<S> {
    inner: S,
}

// === impl RecordLayer ===

impl RecordLayer {
    /// Writes the lines.
    pub fn new() -> Self {
        Self::default()
    }
}

impl<S> Layer<S> for RecordLayer {
    type Service = Record<S>;

    fn layer(&self, inner: S) -> Self::Service {
        Record { inner }
    }
}

// === impl Record ===

impl<S, B, R> Service<Request<B>> for Record<S>
where
    S: Service<Request<B>, Response = Response<R>>,
{
    type Response = S::Response;
    type Error = S::Error;
    type Future = ResponseFuture<S::Future>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let recording = Recording::of(&request);
        ResponseFuture {
            inner: notes::noting(recording.notes.clone(), || self.inner.call(request)),
            recording,
        }
    }
}

pin_project! {
    /// The future of [`Record`].
    #[derive(Debug)]
    pub struct ResponseFuture<F> {
        #[pin]
        inner: Noting<F>,
        recording: Recording,
    }
}

// === impl ResponseFuture ===

impl<F, R, E> Future for ResponseFuture<F>
where
    F: Future<Output = Result<Response<R>, E>>,
{
    type Output = F::Output;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<F::Output> {
        let this = self.project();
        let result = ready!(this.inner.poll(cx));
        if let Ok(response) = &result {
            let turned_away = response.extensions().get::<TurnedAway>();
            this.recording
                .answered(response.status().as_u16(), turned_away.is_some());
        }
        Poll::Ready(result)
    }
}

/// A request in flight; recorded once it is dropped.
#[derive(Debug)]
pub(super) struct Recording {
    method: &'static str,
    route: RouteName,
    status: u16,
    is_turned_away: bool,
    began: Instant,
    ended: Option<Instant>,
    request_id: Option<HeaderValue>,
    trace: Option<TraceParent>,
    notes: Arc<Notes>,
}

// === impl Recording ===

impl Recording {
    pub(super) fn of<B>(request: &Request<B>) -> Self {
        Self {
            method: method_name(request.method()),
            route: RouteName::of(request.uri().path()),
            status: CLIENT_GONE,
            is_turned_away: false,
            began: Instant::now(),
            ended: None,
            request_id: request_id::of(request.headers()).cloned(),
            trace: TraceParent::of(request.headers()),
            notes: Arc::default(),
        }
    }

    pub(super) fn answered(&mut self, status: u16, is_turned_away: bool) {
        self.status = status;
        self.is_turned_away = is_turned_away;
        self.ended = Some(Instant::now());
    }
}

impl Drop for Recording {
    fn drop(&mut self) {
        let time = self.ended.unwrap_or_else(Instant::now) - self.began;
        // One line in two levels, which have to be written out.
        macro_rules! write_line {
            ($level:ident) => {
                tracing::$level!(
                    target: "portreeve::request",
                    parent: None,
                    method = self.method,
                    route = self.route.as_str(),
                    status = self.status,
                    duration_ms = milliseconds(time),
                    groupware_ms = self.notes.groupware_time().map(milliseconds),
                    caller = self.notes.caller(),
                    request_id = self.request_id.as_ref().and_then(|id| id.to_str().ok()),
                    trace_id = self.trace.as_ref().map(TraceParent::trace_id),
                    "request"
                )
            };
        }
        match self.is_turned_away || self.route.is_probe() {
            true => write_line!(debug),
            false => write_line!(info),
        }
    }
}

/// The method, if it is one of HTTP's own: others are whatever a client makes up.
fn method_name(method: &Method) -> &'static str {
    match *method {
        Method::GET => "GET",
        Method::HEAD => "HEAD",
        Method::POST => "POST",
        Method::PUT => "PUT",
        Method::DELETE => "DELETE",
        Method::CONNECT => "CONNECT",
        Method::OPTIONS => "OPTIONS",
        Method::TRACE => "TRACE",
        Method::PATCH => "PATCH",
        _ => "other",
    }
}

/// Milliseconds, to the microsecond.
fn milliseconds(time: Duration) -> f64 {
    (time.as_micros() as f64) / 1e3
}
