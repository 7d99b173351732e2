//! Connections that nobody uses.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use super::http1::Http1;

/// Time between two looks at what is kept.
const SWEEP_INTERVAL: Duration = Duration::from_secs(5);

/// Connections over HTTP/1 that wait for a call.
///
/// The one that was used last goes first, so that those beyond the need grow old. As long as there
/// are any, a task closes those that are too old and those that the server has ended.
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

// === impl Idle ===

impl Idle {
    /// Keeps each for `timeout`, and for the time between two looks at most beyond it.
    pub(super) fn new(timeout: Duration) -> Arc<Self> {
        let sweeps = timeout.as_nanos().div_ceil(SWEEP_INTERVAL.as_nanos());
        Arc::new(Self {
            kept: Mutex::default(),
            most_sweeps: u32::try_from(sweeps).unwrap_or(u32::MAX),
        })
    }

    /// The connection that was used last.
    pub(super) fn take(&self) -> Option<Box<Http1>> {
        let waiting = self.lock().connections.pop()?;
        Some(waiting.connection)
    }

    pub(super) fn keep(self: &Arc<Self>, connection: Box<Http1>) {
        let mut kept = self.lock();
        kept.connections.push(Waiting {
            connection,
            sweeps: 0,
        });
        if !kept.is_swept {
            kept.is_swept = true;
            tokio::spawn(sweep(Arc::downgrade(self)));
        }
    }

    /// Closes what has waited too long or has ended; whether anything is left.
    fn sweep(&self) -> bool {
        let mut kept = self.lock();
        kept.connections.retain_mut(|waiting| {
            waiting.sweeps += 1;
            waiting.sweeps <= self.most_sweeps && !waiting.connection.has_ended()
        });
        kept.is_swept = !kept.connections.is_empty();
        kept.is_swept
    }

    fn lock(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Looks at what is kept until nothing is.
async fn sweep(idle: Weak<Idle>) {
    loop {
        tokio::time::sleep(SWEEP_INTERVAL).await;
        match idle.upgrade() {
            Some(idle) if idle.sweep() => {}
            _ => return,
        }
    }
}
