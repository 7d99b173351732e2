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
    pub(super) head_timeout: Duration,
    pub(super) head: usize,
    pub(super) streams: u32,
    pub(super) drain: Duration,
}

impl Bounds {
    /// The defaults.
    pub fn new() -> Self {
        Self {
            connections: 4096,
            head_timeout: Duration::from_secs(30),
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

    /// Time for the head of a request to arrive, the wait of an idle connection included, and for a
    /// client that does not read to accept some of its answer. 30 seconds by default.
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
