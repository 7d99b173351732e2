//! Bounds on connections.

use std::time::Duration;

/// Bounds on connections; those that are not set have their defaults.
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

    /// Concurrent connections. For one more, the one that has been without a request for longest is closed; while
    /// each has one, more wait in the listener's queue. 4096 by default.
    pub fn connections(self, connections: usize) -> Self {
        Self {
            connections,
            ..self
        }
    }

    /// Concurrent connections from one address; more are closed immediately. No bound by default:
    /// behind a proxy all connections have its address.
    pub fn connections_per_address(self, connections_per_address: usize) -> Self {
        Self {
            connections_per_address,
            ..self
        }
    }

    /// How long a connection may have no request, over HTTP/1 and HTTP/2, whether its client sends
    /// pings or not. 75 seconds by default.
    pub fn idle_timeout(self, idle: Duration) -> Self {
        Self { idle, ..self }
    }

    /// Age at which a connection is closed gracefully: its requests are answered first. No bound by
    /// default.
    pub fn connection_age(self, age: Duration) -> Self {
        Self {
            age: Some(age),
            ..self
        }
    }

    /// Time within which the client must accept some of its answer, or the connection is cut. 30
    /// seconds by default.
    pub fn stall_timeout(self, stall_timeout: Duration) -> Self {
        Self {
            stall_timeout,
            ..self
        }
    }

    /// Time for a new connection to reveal its HTTP version, and for the rest of a request's head over
    /// HTTP/1 once it has begun to arrive. 10 seconds by default.
    pub fn head_timeout(self, head_timeout: Duration) -> Self {
        Self {
            head_timeout,
            ..self
        }
    }

    /// Size of a request's head, in bytes. 64 KiB by default.
    pub fn head(self, head: usize) -> Self {
        Self { head, ..self }
    }

    /// Concurrent requests on one HTTP/2 connection. 128 by default.
    pub fn streams(self, streams: u32) -> Self {
        Self { streams, ..self }
    }

    /// Time for the requests in flight to finish once a shutdown has begun. 30 seconds by default.
    pub fn drain(self, drain: Duration) -> Self {
        Self { drain, ..self }
    }
}

impl Default for Bounds {
    fn default() -> Self {
        Self::new()
    }
}
