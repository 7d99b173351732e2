//! Whether deliveries can be stored at the moment (docs/API.md, sections 9 and 12.1).

use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use parking_lot::Mutex;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::task::TaskTracker;

use super::Error;
use super::run_to_end::RunToEnd;
use crate::deliveries::QueueError;

/// The limit on deliveries that are being received, and what became of the last one.
#[derive(Clone, Debug)]
pub(crate) struct Receiving(Arc<State>);

#[derive(Debug)]
struct State {
    /// One for each delivery whose body is in memory.
    permits: Arc<Semaphore>,
    tasks: TaskTracker,
    last: Mutex<Last>,
}

/// What became of the last delivery, and what the log says about it.
#[derive(Debug, Default)]
struct Last {
    /// When it was refused, and why, if it was.
    refused: Option<(SystemTime, &'static str)>,
    /// How many were refused since the log said that deliveries are received.
    count: u64,
    /// The reason that the log gives, and when that was written.
    said: Option<&'static str>,
    said_at: Option<Instant>,
}

/// The least time between two lines that say why deliveries are refused: a full table must not fill the log.
const PAUSE: Duration = Duration::from_secs(60);

// === impl Receiving ===

impl Receiving {
    pub(super) fn new(limit: usize, tasks: TaskTracker) -> Self {
        Self(Arc::new(State {
            permits: Arc::new(Semaphore::new(limit.clamp(1, Semaphore::MAX_PERMITS))),
            tasks,
            last: Mutex::default(),
        }))
    }

    pub(super) fn permit(&self) -> Option<OwnedSemaphorePermit> {
        self.0.permits.clone().try_acquire_owned().ok()
    }

    /// Stores a delivery, also if its sender stops waiting: it does not send it again.
    pub(super) fn store<T: Send + 'static>(
        &self,
        permit: OwnedSemaphorePermit,
        storing: impl Future<Output = Result<T, QueueError>> + Send + 'static,
    ) -> RunToEnd<Result<T, Error>> {
        let receiving = self.clone();
        let storing = async move {
            let _permit = permit;
            receiving.ended(storing.await)
        };
        RunToEnd::new(storing, &self.0.tasks)
    }

    pub(super) fn refused(&self) -> Option<(SystemTime, &'static str)> {
        self.0.last.lock().refused
    }

    /// Notes what became of one, and logs that if it is new.
    fn ended<T>(&self, stored: Result<T, QueueError>) -> Result<T, Error> {
        let reason = match &stored {
            Ok(_) => None,
            Err(error) if error.is_full() => Some("queue full"),
            Err(_) => Some("queue unavailable"),
        };
        let count = self.0.last.lock().note(reason);
        if let Some(count) = count {
            match &stored {
                Ok(_) => tracing::info!(count, "deliveries are received again"),
                Err(error) => tracing::error!(
                    %error,
                    count,
                    "deliveries are refused, and their sender does not repeat them"
                ),
            }
        }
        Ok(stored?)
    }
}

// === impl Last ===

impl Last {
    /// Notes that one was refused for `reason`, or stored; if the log has to say so, returns how many were refused.
    fn note(&mut self, reason: Option<&'static str>) -> Option<u64> {
        self.refused = reason.map(|reason| (SystemTime::now(), reason));
        self.count += u64::from(reason.is_some());
        let is_early = self.said_at.is_some_and(|at| at.elapsed() < PAUSE);
        if self.said == reason || reason.is_some() && is_early {
            return None;
        }
        self.said = reason;
        match reason {
            Some(_) => self.said_at = Some(Instant::now()),
            None => return Some(std::mem::take(&mut self.count)),
        }
        Some(self.count)
    }
}
