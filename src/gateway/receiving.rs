//! Whether deliveries can be stored at the moment (docs/API.md, sections 9 and 12.1).

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use tokio::sync::Semaphore;

use super::Error;
use crate::deliveries::QueueError;

/// The limit on deliveries that are being received, and what became of the last one.
#[derive(Clone, Debug)]
pub(super) struct Receiving(Arc<State>);

#[derive(Debug)]
struct State {
    /// One for each delivery whose body is in memory.
    permits: Semaphore,
    /// The index in [`PROBLEMS`].
    problem: AtomicU8,
}

/// What prevents that a delivery is stored; nothing at first.
const PROBLEMS: [Option<&str>; 3] = [None, Some("queue full"), Some("queue unavailable")];

// === impl Receiving ===

impl Receiving {
    /// Up to `limit` at once.
    pub(super) fn new(limit: usize) -> Self {
        Self(Arc::new(State {
            permits: Semaphore::new(limit.clamp(1, Semaphore::MAX_PERMITS)),
            problem: AtomicU8::new(0),
        }))
    }

    pub(super) fn permits(&self) -> &Semaphore {
        &self.0.permits
    }

    /// Why the last delivery could not be stored.
    pub(super) fn problem(&self) -> Option<&'static str> {
        PROBLEMS[usize::from(self.0.problem.load(Ordering::Relaxed))]
    }

    /// Notes what became of one, and logs it if that is new: a full disk refuses many.
    pub(super) fn ended<T>(&self, stored: Result<T, QueueError>) -> Result<T, Error> {
        let problem = match &stored {
            Ok(_) => 0,
            Err(error) if error.is_full() => 1,
            Err(_) => 2,
        };
        if self.0.problem.swap(problem, Ordering::Relaxed) != problem {
            match &stored {
                Ok(_) => tracing::info!("deliveries are received again"),
                Err(error) => tracing::error!(
                    %error,
                    "deliveries are refused, and their sender does not repeat them"
                ),
            }
        }
        Ok(stored?)
    }
}
