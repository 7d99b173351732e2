//! Bounds on connections.

use std::time::Duration;

/// Bounds on connections.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Bounds {
    /// Concurrent connections. For one more, the one that has been without a request for longest is closed; while
    /// each has one, more wait in the listener's queue. 4096 by default; 0 is 1.
    pub max_connections: usize,
    /// Concurrent connections from one address; more are closed immediately. No bound by default:
    /// behind a proxy all connections have its address.
    pub max_connections_per_address: usize,
    /// How long a connection may have no request, over HTTP/1 and HTTP/2, even with pings. 75 seconds by default.
    pub idle_timeout: Duration,
    /// Age at which a connection is closed gracefully: its requests are answered first. No bound by default.
    pub max_connection_age: Option<Duration>,
    /// Time for a new connection to reveal its HTTP version, and for the rest of a request's head over
    /// HTTP/1 once it has begun to arrive. 10 seconds by default.
    pub head_timeout: Duration,
    /// Time within which the client must accept some of its answer, or the connection is cut. 30 seconds by default.
    pub stall_timeout: Duration,
    /// Size of a request's head, in bytes. 64 KiB by default; over HTTP/1 8 KiB at least.
    pub max_head: usize,
    /// Concurrent requests on one HTTP/2 connection. 128 by default.
    pub max_concurrent_streams: u32,
    /// Time for the requests in flight to finish once a shutdown has begun. 30 seconds by default.
    pub drain_timeout: Duration,
}

impl Default for Bounds {
    fn default() -> Self {
        Self {
            max_connections: 4096,
            max_connections_per_address: usize::MAX,
            idle_timeout: Duration::from_secs(75),
            max_connection_age: None,
            head_timeout: Duration::from_secs(10),
            stall_timeout: Duration::from_secs(30),
            max_head: 64 * 1024,
            max_concurrent_streams: 128,
            drain_timeout: Duration::from_secs(30),
        }
    }
}
