//! Counts connections, for metrics.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Counts the connections of the servers that share it ([`Listeners::connections`]).
///
/// [`Listeners::connections`]: super::Listeners::connections
#[derive(Clone, Debug, Default)]
pub struct Connections(Arc<[AtomicU64; 7]>);

/// What is counted, by the position of its counter.
#[derive(Clone, Copy, Debug)]
pub(super) enum Count {
    New,
    Http1,
    Http2,
    Refused,
    Dismissed,
    Delayed,
    FailedHandshake,
}

/// The numbers of connections at one moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ConnectionCounts {
    /// Open, with the protocol not known yet.
    pub new: u64,
    /// Open, over HTTP/1.
    pub http1: u64,
    /// Open, over HTTP/2.
    pub http2: u64,
    /// Closed so far because their addresses had too many.
    pub refused: u64,
    /// Closed so far without a request, at the limit ([`Bounds::max_connections`](super::Bounds::max_connections)).
    pub dismissed: u64,
    /// Those so far that had to wait at the limit because each open one had a request.
    pub delayed: u64,
    /// Ended so far without a TLS handshake, except by a shutdown.
    pub failed_handshakes: u64,
}

#[derive(Debug)]
pub(super) struct OpenConnection {
    connections: Connections,
    /// By its protocol.
    counted: Count,
}

// === impl Connections ===

impl Connections {
    /// The current numbers.
    pub fn counts(&self) -> ConnectionCounts {
        let count = |of| self.counter(of).load(Ordering::Relaxed);
        ConnectionCounts {
            new: count(Count::New),
            http1: count(Count::Http1),
            http2: count(Count::Http2),
            refused: count(Count::Refused),
            dismissed: count(Count::Dismissed),
            delayed: count(Count::Delayed),
            failed_handshakes: count(Count::FailedHandshake),
        }
    }

    pub(super) fn open(&self) -> OpenConnection {
        self.count(Count::New);
        OpenConnection { connections: self.clone(), counted: Count::New }
    }

    pub(super) fn count(&self, of: Count) {
        self.counter(of).fetch_add(1, Ordering::Relaxed);
    }

    fn counter(&self, of: Count) -> &AtomicU64 {
        &self.0[of as usize]
    }
}

// === impl ConnectionCounts ===

impl ConnectionCounts {
    /// All open connections, of any protocol.
    pub fn open(&self) -> usize {
        usize::try_from(self.new + self.http1 + self.http2).unwrap_or(usize::MAX)
    }
}

// === impl OpenConnection ===

impl OpenConnection {
    pub(super) fn speaks(&mut self, protocol: Count) {
        self.connections.count(protocol);
        let before = std::mem::replace(&mut self.counted, protocol);
        self.connections.counter(before).fetch_sub(1, Ordering::Relaxed);
    }
}

impl Drop for OpenConnection {
    fn drop(&mut self) {
        self.connections.counter(self.counted).fetch_sub(1, Ordering::Relaxed);
    }
}
