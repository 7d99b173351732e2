//! The bounds on connections.

use std::time::Duration;

/// The bounds on connections; what is not set has its default.
///
/// ```
/// use std::time::Duration;
/// use portreeve::server::Bounds;
///
/// let bounds = Bounds::new().connections(1_000).drain(Duration::from_secs(60));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub struct Bounds {
    pub(super) connections: usize,
    pub(super) connections_per_address: usize,
    pub(super) idle: Duration,
    pub(super) age: Option<Duration>,
    pub(super) head_timeout: Duration,
    pub(super) stall_timeout: Duration,
    pub(super) head: usize,
    pub(super) streams: u32,
    pub(super) drain: Duration,
}

impl Bounds {
    /// The defaults.
    pub fn new() -> Self {
        Self {
            connections: 4096,
            connections_per_address: usize::MAX,
            idle: Duration::from_secs(75),
            age: None,
            head_timeout: Duration::from_secs(10),
            stall_timeout: Duration::from_secs(30),
            head: 64 * 1024,
            streams: 128,
            drain: Duration::from_secs(30),
        }
    }

    /// Connections at once; more wait in the listener's queue. 4096 by default.
    pub fn connections(self, connections: usize) -> Self {
        Self {
            connections,
            ..self
        }
    }

    /// Connections at once from one address; more are closed at once. No bound by default: behind a
    /// proxy all have its address.
    pub fn connections_per_address(self, connections_per_address: usize) -> Self {
        Self {
            connections_per_address,
            ..self
        }
    }

    /// Time for which a connection may have no request on it, over HTTP/1 and HTTP/2, whether its
    /// client sends pings or not. 75 seconds by default.
    pub fn idle_timeout(self, idle: Duration) -> Self {
        Self { idle, ..self }
    }

    /// Time after which a connection is ended once its requests are answered. None by default.
    pub fn connection_age(self, age: Duration) -> Self {
        Self {
            age: Some(age),
            ..self
        }
    }

    /// Time in which the client accepts some of its answer, or else the connection is cut. 30 seconds
    /// by default.
    pub fn stall_timeout(self, stall_timeout: Duration) -> Self {
        Self {
            stall_timeout,
            ..self
        }
    }

    /// Time for a new connection to tell its HTTP version, and for the head of a request that has
    /// begun to arrive over HTTP/1. 10 seconds by default.
    pub fn head_timeout(self, head_timeout: Duration) -> Self {
        Self {
            head_timeout,
            ..self
        }
    }

    /// Bytes in the head of a request. 64 KiB by default.
    pub fn head(self, head: usize) -> Self {
        Self { head, ..self }
    }

    /// Requests at once on one HTTP/2 connection. 128 by default.
    pub fn streams(self, streams: u32) -> Self {
        Self { streams, ..self }
    }

    /// Time that the requests in flight have to end after the shutdown began. 30 seconds by default.
    pub fn drain(self, drain: Duration) -> Self {
        Self { drain, ..self }
    }
}

impl Default for Bounds {
    fn default() -> Self {
        Self::new()
    }
}
