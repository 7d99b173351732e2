//! What the gateway reports about its requests, for metrics.

use std::fmt;
use std::time::Duration;

use super::{Endpoint, MethodName, RejectionReason};
use crate::identity::RefusalReason;

/// Observes each request ([`Gateway::observer`](super::Gateway::observer)).
///
/// It is called while a request is being served: it must not wait.
pub trait RequestObserver: fmt::Debug + Send + Sync + 'static {
    /// A request has arrived.
    fn request_began(&self) {}

    /// A request was answered, or its client has gone. Called once for each that began. What a request
    /// leaves to be done after that is not reported.
    fn request_ended(&self, request: &EndedRequest<'_>);
}

/// The record of a request that has ended. Its log line is written from it, too.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct EndedRequest<'a> {
    /// Its method.
    pub method: MethodName,
    /// Its endpoint.
    pub endpoint: Endpoint,
    /// The status of its answer; 499 if its client went away before that.
    pub status: u16,
    /// Why it was rejected before it was worked on, if it was.
    pub rejection: Option<RejectionReason>,
    /// Why its token was refused, if it was: by the verifier, or because it leads to no account.
    pub refusal: Option<RefusalReason>,
    /// The time until its answer was handed over to be sent.
    pub time: Duration,
    /// Its id (docs/API.md, section 1.3).
    pub request_id: Option<&'a str>,
    /// The trace that it is part of, as its caller says (docs/API.md, section 1.3): 32 hexadecimal digits.
    pub trace_id: Option<&'a str>,
    /// The caller's account, once it is known.
    pub caller: Option<&'a str>,
    /// The total duration of its calls of the groupware server, if there were any.
    pub groupware_time: Option<Duration>,
}
