//! Idle connections.

use std::sync::{Arc, Weak};
use std::time::Duration;

use parking_lot::Mutex;

use super::http1::Http1;

const SWEEP_INTERVAL: Duration = Duration::from_secs(5);

/// Idle HTTP/1 connections.
///
/// The most recently used one is reused first, so that surplus connections expire. As long as there
/// are any, a task closes those that are too old and those that the server has closed.
pub(super) struct Idle {
    kept: Mutex<Kept>,
    most_sweeps: u32,
}

#[derive(Default)]
struct Kept {
    connections: Vec<Waiting>,
    is_swept: bool,
}

struct Waiting {
    connection: Box<Http1>,
    sweeps: u32,
}

impl Idle {
    /// Keeps each connection for `timeout`, plus at most one sweep interval.
    pub(super) fn new(timeout: Duration) -> Arc<Self> {
        let sweeps = timeout.as_nanos().div_ceil(SWEEP_INTERVAL.as_nanos());
        Arc::new(Self {
            kept: Mutex::default(),
            most_sweeps: u32::try_from(sweeps).unwrap_or(u32::MAX),
        })
    }

    /// Takes the most recently used connection.
    pub(super) fn take(&self) -> Option<Box<Http1>> {
        let waiting = self.kept.lock().connections.pop()?;
        Some(waiting.connection)
    }

    /// Keeps a connection, if another request may follow on it.
    pub(super) fn keep(self: &Arc<Self>, mut connection: Box<Http1>) {
        if !connection.is_ready() {
            return;
        }
        let mut kept = self.kept.lock();
        kept.connections.push(Waiting { connection, sweeps: 0 });
        if !kept.is_swept {
            kept.is_swept = true;
            tokio::spawn(sweep(Arc::downgrade(self)));
        }
    }

    /// Drops connections that have been idle too long or have ended; returns whether any are left.
    fn sweep(&self) -> bool {
        let mut kept = self.kept.lock();
        kept.connections.retain_mut(|waiting| {
            waiting.sweeps += 1;
            waiting.sweeps <= self.most_sweeps && !waiting.connection.has_ended()
        });
        kept.is_swept = !kept.connections.is_empty();
        kept.is_swept
    }
}

/// Sweeps at intervals until no connection is left.
async fn sweep(idle: Weak<Idle>) {
    loop {
        tokio::time::sleep(SWEEP_INTERVAL).await;
        match idle.upgrade() {
            Some(idle) if idle.sweep() => {}
            _ => return,
        }
    }
}
