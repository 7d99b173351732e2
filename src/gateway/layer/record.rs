//! Writes one log line about each request (docs/OPERATIONS.md, "The log"), and reports it to observers.
//!
//! The line has the target `portreeve::request`: method, route, status, the time until the answer,
//! the time that the groupware server took of it, the caller, the ids of request and trace. It is
//! written at `INFO`, and at `DEBUG` for probes and for a request that was [turned away](ShedReason):
//! those come in floods, and are reported together.
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
use std::time::{Duration, Instant, SystemTime};

use http::{HeaderValue, Request, Response};
use pin_project_lite::pin_project;
use tower::{Layer, Service};

use super::request_id;
use crate::gateway::{
    EndedRequest, Endpoint, MethodName, RequestObserver, RequestSpan, ShedReason, SpanObserver,
    TraceParent,
};
use crate::notes::{self, Notes, Noting};

/// The status of a request whose client has gone.
const CLIENT_GONE: u16 = 499;

/// Makes [`Record`] services.
#[derive(Clone, Debug, Default)]
pub struct RecordLayer {
    observer: Observer,
    spans: Spans,
}

/// To whom each request is reported.
type Observer = Option<Arc<dyn RequestObserver>>;

/// To whom each request is reported with its calls.
type Spans = Option<Arc<dyn SpanObserver>>;

/// See the [module documentation](self).
#[derive(Clone, Debug)]
pub struct Record<S> {
    inner: S,
    observer: Observer,
    spans: Spans,
}

// === impl RecordLayer ===

impl RecordLayer {
    /// Writes the lines.
    pub fn new() -> Self {
        Self::default()
    }

    /// Also reports each request to `observer`.
    #[must_use]
    pub fn observer(mut self, observer: impl Into<Option<Arc<dyn RequestObserver>>>) -> Self {
        self.observer = observer.into();
        self
    }

    /// Also reports each request to `observer`, with the calls of the groupware server that were made
    /// for it.
    #[must_use]
    pub fn spans(mut self, observer: impl Into<Option<Arc<dyn SpanObserver>>>) -> Self {
        self.spans = observer.into();
        self
    }
}

impl<S> Layer<S> for RecordLayer {
    type Service = Record<S>;

    fn layer(&self, inner: S) -> Self::Service {
        Record {
            inner,
            observer: self.observer.clone(),
            spans: self.spans.clone(),
        }
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
        let recording = Recording::of(&request, self.observer.clone()).spans(&self.spans);
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
            let shed = response.extensions().get::<ShedReason>();
            let status = response.status().as_u16();
            this.recording.answered(status, shed.copied());
        }
        Poll::Ready(result)
    }
}

/// A request in flight; recorded once it is dropped.
#[derive(Debug)]
pub(super) struct Recording {
    method: MethodName,
    endpoint: Endpoint,
    status: u16,
    shed: Option<ShedReason>,
    began: Instant,
    ended: Option<Instant>,
    request_id: Option<HeaderValue>,
    trace: Option<TraceParent>,
    notes: Arc<Notes>,
    observer: Observer,
    spans: Spans,
}

// === impl Recording ===

impl Recording {
    pub(super) fn of<B>(request: &Request<B>, observer: Observer) -> Self {
        if let Some(observer) = &observer {
            observer.request_began();
        }
        Self {
            method: MethodName::of(request.method()),
            endpoint: Endpoint::of(request),
            status: CLIENT_GONE,
            shed: None,
            began: Instant::now(),
            ended: None,
            request_id: request_id::of(request.headers()).cloned(),
            trace: TraceParent::of(request.headers()),
            notes: Arc::default(),
            observer,
            spans: None,
        }
    }

    /// Also reports to `observer`, if there is one.
    fn spans(mut self, observer: &Spans) -> Self {
        if observer.is_some() {
            self.notes = Arc::new(Notes::with_calls());
            self.spans.clone_from(observer);
        }
        self
    }

    pub(super) fn answered(&mut self, status: u16, shed: Option<ShedReason>) {
        self.status = status;
        self.shed = shed;
        self.ended = Some(Instant::now());
    }
}

impl Drop for Recording {
    fn drop(&mut self) {
        let time = self.ended.unwrap_or_else(Instant::now) - self.began;
        if let Some(observer) = &self.observer {
            observer.request_ended(&EndedRequest {
                method: self.method,
                endpoint: self.endpoint,
                status: self.status,
                time,
                shed: self.shed,
            });
        }
        if let Some(spans) = &self.spans {
            let now = SystemTime::now();
            spans.request_ended(&RequestSpan {
                parent: self.trace.as_ref(),
                request_id: self.request_id.as_ref().and_then(|id| id.to_str().ok()),
                method: self.method,
                endpoint: self.endpoint,
                status: self.status,
                began: now.checked_sub(self.began.elapsed()).unwrap_or(now),
                time,
                calls: &self.notes.calls(),
            });
        }
        // One line in two levels, which have to be written out.
        macro_rules! write_line {
            ($level:ident) => {
                tracing::$level!(
                    target: "portreeve::request",
                    parent: None,
                    method = self.method.as_str(),
                    route = self.endpoint.as_str(),
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
        if self.shed.is_some() || self.endpoint.is_probe() {
            write_line!(debug);
        } else {
            write_line!(info);
        }
    }
}

/// Milliseconds, to the microsecond.
fn milliseconds(time: Duration) -> f64 {
    (time.as_micros() as f64) / 1e3
}
