//! Counts connections, for metrics.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Counts the connections of the servers that share it ([`Listeners::counted`]).
///
/// [`Listeners::counted`]: super::Listeners::counted
#[derive(Clone, Debug, Default)]
pub struct Connections(Arc<Counters>);

#[derive(Debug, Default)]
struct Counters {
    new: AtomicU64,
    http1: AtomicU64,
    http2: AtomicU64,
    refused: AtomicU64,
    dismissed: AtomicU64,
    delayed: AtomicU64,
    failed_handshakes: AtomicU64,
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
    /// Closed so far, without a request, to make room for others at the limit
    /// ([`Bounds::connections`](super::Bounds::connections)).
    pub dismissed: u64,
    /// Those so far that had to wait at the limit because each open one had a request.
    pub delayed: u64,
    /// Ended so far without a TLS handshake, except by a shutdown.
    pub failed_handshakes: u64,
}

/// One open connection.
#[derive(Debug)]
pub(super) struct OpenConnection {
    connections: Connections,
    protocol: Protocol,
}

/// The protocol of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Protocol {
    New,
    Http1,
    Http2,
}

// === impl Connections ===

impl Connections {
    /// Starts at zero.
    pub fn new() -> Self {
        Self::default()
    }

    /// The current numbers.
    pub fn counts(&self) -> ConnectionCounts {
        let count = |of: &AtomicU64| of.load(Ordering::Relaxed);
        ConnectionCounts {
            new: count(&self.0.new),
            http1: count(&self.0.http1),
            http2: count(&self.0.http2),
            refused: count(&self.0.refused),
            dismissed: count(&self.0.dismissed),
            delayed: count(&self.0.delayed),
            failed_handshakes: count(&self.0.failed_handshakes),
        }
    }

    pub(super) fn open(&self) -> OpenConnection {
        self.of(Protocol::New).fetch_add(1, Ordering::Relaxed);
        OpenConnection {
            connections: self.clone(),
            protocol: Protocol::New,
        }
    }

    pub(super) fn refused(&self) {
        self.0.refused.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn dismissed(&self) {
        self.0.dismissed.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn delayed(&self) {
        self.0.delayed.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn failed_handshake(&self) {
        self.0.failed_handshakes.fetch_add(1, Ordering::Relaxed);
    }

    fn of(&self, protocol: Protocol) -> &AtomicU64 {
        match protocol {
            Protocol::New => &self.0.new,
            Protocol::Http1 => &self.0.http1,
            Protocol::Http2 => &self.0.http2,
        }
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
    /// The protocol is known now.
    pub(super) fn speaks(&mut self, protocol: Protocol) {
        let connections = &self.connections;
        connections.of(protocol).fetch_add(1, Ordering::Relaxed);
        connections
            .of(self.protocol)
            .fetch_sub(1, Ordering::Relaxed);
        self.protocol = protocol;
    }
}

impl Drop for OpenConnection {
    fn drop(&mut self) {
        let counter = self.connections.of(self.protocol);
        counter.fetch_sub(1, Ordering::Relaxed);
    }
}
