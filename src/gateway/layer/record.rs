//! Writes one log line about each request (docs/OPERATIONS.md, "The log"), and reports it to observers.
//!
//! The line has the target `portreeve::request`: method, route, status, the time until the answer, the time that the
//! groupware server took of it, the caller, the ids of request and trace. It is written at `INFO`, and at `DEBUG` for
//! probes and files of the page, for a request that was [rejected](RejectionReason), and from the eleventh in a second on for one whose
//! caller is not known: those come in floods, and are reported together.
//!
//! A request whose client goes away before the answer has the status 499. Below the [request id layer](super::request_id),
//! the line has the ids.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::{Duration, Instant};

use http::{HeaderValue, Request, Response};
use pin_project_lite::pin_project;
use tower::{Layer, Service};

use super::{audit, request_id};
use crate::gateway::known::Known;
use crate::gateway::trace_id::TraceId;
use crate::gateway::{EndedRequest, Endpoint, MethodName, RejectionReason, RequestObserver};
use crate::groupware::notes::{self, Notes, Noting};
use crate::identity::RefusalReason;
use crate::tally::Allowance;

/// The status of a request whose client has gone.
const CLIENT_GONE: u16 = 499;

/// Makes [`RecordRequest`] services.
#[derive(Clone, Debug, Default)]
pub struct RecordLayer {
    /// Each request is reported to them.
    pub observers: Observers,
}

type Observers = Arc<[Arc<dyn RequestObserver>]>;

/// See the [module documentation](self).
#[derive(Clone, Debug)]
pub struct RecordRequest<S> {
    inner: S,
    observers: Observers,
    unknown: Arc<Allowance>,
}

// === impl RecordLayer ===

impl<S> Layer<S> for RecordLayer {
    type Service = RecordRequest<S>;

    fn layer(&self, inner: S) -> Self::Service {
        RecordRequest {
            inner,
            observers: self.observers.clone(),
            unknown: Arc::new(Allowance::new(|count| {
                tracing::info!(
                    parent: None, count,
                    "more requests without a known caller were answered than are listed"
                );
            })),
        }
    }
}

// === impl RecordRequest ===

impl<S, B, R> Service<Request<B>> for RecordRequest<S>
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
        let mut recording = Recording::new(&request, self.observers.clone());
        recording.unknown = Some(self.unknown.clone());
        ResponseFuture {
            inner: notes::noting(recording.notes.clone(), || self.inner.call(request)),
            recording,
        }
    }
}

pin_project! {
    /// The future of [`RecordRequest`].
    #[derive(Debug)]
    pub struct ResponseFuture<F> {
        #[pin]
        inner: Noting<F>,
        recording: Recording,
    }
}

// === impl ResponseFuture ===

impl<F: Future<Output = Result<Response<R>, E>>, R, E> Future for ResponseFuture<F> {
    type Output = F::Output;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<F::Output> {
        let this = self.project();
        let result = ready!(this.inner.poll(cx));
        if let Ok(response) = &result {
            let (status, extensions) = (response.status(), response.extensions());
            audit::end(&this.recording.notes, status);
            this.recording.rejection = extensions.get().copied();
            this.recording.refusal = extensions.get().copied();
            this.recording.answered(status.as_u16());
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
    rejection: Option<RejectionReason>,
    refusal: Option<RefusalReason>,
    began: Instant,
    ended: Option<Instant>,
    request_id: Option<HeaderValue>,
    trace_id: Option<TraceId>,
    notes: Arc<Notes>,
    observers: Observers,
    /// Limits the lines about requests without a known caller, which anybody can send.
    unknown: Option<Arc<Allowance>>,
}

// === impl Recording ===

impl Recording {
    pub(super) fn new<B>(request: &Request<B>, observers: Observers) -> Self {
        observers.iter().for_each(|observer| observer.request_began());
        let known = Known::from_request(request);
        // Unless the request id layer is above.
        let read_id = || request_id::from_headers(request.headers()).cloned();
        Self {
            method: MethodName::from(request.method()),
            endpoint: known.endpoint,
            status: CLIENT_GONE,
            rejection: None,
            refusal: None,
            began: Instant::now(),
            ended: None,
            request_id: known.request_id.or_else(read_id),
            trace_id: known.trace_id,
            notes: Arc::default(),
            observers,
            unknown: None,
        }
    }

    pub(super) fn answered(&mut self, status: u16) {
        self.status = status;
        self.ended = Some(Instant::now());
    }
}

impl Drop for Recording {
    fn drop(&mut self) {
        let id = self.request_id.as_ref();
        let request = EndedRequest {
            method: self.method,
            endpoint: self.endpoint,
            status: self.status,
            rejection: self.rejection,
            refusal: self.refusal,
            time: self.ended.unwrap_or_else(Instant::now) - self.began,
            request_id: id.and_then(|id| str::from_utf8(id.as_bytes()).ok()),
            trace_id: self.trace_id.as_ref().map(TraceId::as_str),
            caller: self.notes.caller(),
            groupware_time: self.notes.groupware_time(),
        };
        for observer in &*self.observers {
            observer.request_ended(&request);
        }
        let is_listed = request.rejection.is_none()
            && !request.endpoint.is_probe()
            && request.endpoint != Endpoint::Page
            && (request.caller.is_some() || self.unknown.as_ref().is_none_or(|it| it.admits()));
        log(&request, is_listed);
    }
}

fn log(request: &EndedRequest<'_>, is_listed: bool) {
    // One line in two levels, which have to be written out.
    macro_rules! write_line {
        ($level:ident) => {
            tracing::$level!(
                target: "portreeve::request",
                parent: None,
                method = request.method.as_str(),
                route = request.endpoint.as_str(),
                status = request.status,
                duration_ms = milliseconds(request.time),
                groupware_ms = request.groupware_time.map(milliseconds),
                caller = request.caller,
                request_id = request.request_id,
                trace_id = request.trace_id,
                "request"
            )
        };
    }
    if is_listed {
        write_line!(info);
    } else {
        write_line!(debug);
    }
}

fn milliseconds(time: Duration) -> f64 {
    (time.as_micros() as f64) / 1e3
}
