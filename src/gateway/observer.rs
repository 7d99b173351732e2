//! What the gateway reports about its requests, for metrics and for traces.

use std::fmt;
use std::time::{Duration, SystemTime};

use super::{Endpoint, MethodName, ShedReason, TraceParent};
pub use crate::notes::CallSpan;

/// Observes each request ([`Gateway::observer`](super::Gateway::observer)).
///
/// It is called on the way of each request: it must not wait. Without one nothing is counted, and
/// that costs nothing.
pub trait RequestObserver: fmt::Debug + Send + Sync + 'static {
    /// A request has arrived.
    fn request_began(&self);

    /// A request was answered, or its client has gone. Called once for each that began.
    fn request_ended(&self, request: &EndedRequest);
}

/// A request that has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct EndedRequest {
    /// Its method.
    pub method: MethodName,
    /// What it asked for.
    pub endpoint: Endpoint,
    /// The status of its answer; 499 if its client went away before that.
    pub status: u16,
    /// The time until its answer was handed over to be sent.
    pub time: Duration,
    /// Why it was not worked on, if it was not.
    pub shed: Option<ShedReason>,
}

/// Observes each request with its calls of the groupware server, to make spans of a trace
/// ([`Gateway::spans`](super::Gateway::spans)).
///
/// It is called on the way of each request: it must not wait. Without one no calls are kept.
pub trait SpanObserver: fmt::Debug + Send + Sync + 'static {
    /// A request was answered, or its client has gone. What goes on nevertheless is not reported.
    fn request_ended(&self, request: &RequestSpan<'_>);
}

/// A request that has ended, as a span of a trace.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct RequestSpan<'a> {
    /// The operation of the caller that it is part of.
    pub parent: Option<&'a TraceParent>,
    /// Its id (docs/API.md, section 1.3).
    pub request_id: Option<&'a str>,
    /// Its method.
    pub method: MethodName,
    /// What it asked for.
    pub endpoint: Endpoint,
    /// The status of its answer; 499 if its client went away before that.
    pub status: u16,
    /// When it arrived.
    pub began: SystemTime,
    /// The time until its answer was handed over to be sent.
    pub time: Duration,
    /// The calls that were made for it, in the order in which they ended.
    pub calls: &'a [CallSpan],
}
