//! What the gateway tells about its requests, for metrics.

use std::fmt;
use std::time::Duration;

use super::{MethodName, RouteName, TurnedAway};

/// Is told of each request ([`Gateway::observer`](super::Gateway::observer)).
///
/// It is called on the way of each request: it must not wait. Without one nothing is counted, and
/// that costs nothing.
pub trait RequestObserver: fmt::Debug + Send + Sync + 'static {
    /// A request has arrived.
    fn request_began(&self);

    /// A request was answered, or its client has gone. Told once for each that began.
    fn request_ended(&self, request: &EndedRequest);
}

/// A request that has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct EndedRequest {
    /// Its method.
    pub method: MethodName,
    /// What it asked for.
    pub route: RouteName,
    /// The status of its answer; 499 if its client went away before that.
    pub status: u16,
    /// The time until its answer was handed over to be sent.
    pub time: Duration,
    /// Why it was not worked on, if it was not.
    pub turned_away: Option<TurnedAway>,
}
