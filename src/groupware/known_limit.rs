//! The limit of the server's job queue, which depends on its version.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::{Groupware, JobLimit};

/// How long it is cached: an upgrade of the server may raise it.
const KEPT: Duration = Duration::from_secs(600);
/// Timeout for the call that determines it, which delays another request.
const PATIENCE: Duration = Duration::from_secs(5);

/// The last known limit of one server, and when it was determined.
#[derive(Debug, Default)]
pub(super) struct KnownLimit(Mutex<Option<(Instant, JobLimit)>>);

// === impl Groupware ===

impl Groupware {
    /// The limit of a delivery in the server's job queue (docs/API.md, section 4.9). The server's version
    /// is requested without credentials, at most every ten minutes; if it is not available, the smallest
    /// limit is assumed.
    pub async fn job_limit(&self) -> JobLimit {
        let KnownLimit(known) = self.known_limit();
        let lock = || known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((asked, limit)) = *lock()
            && asked.elapsed() < KEPT
        {
            return limit;
        }
        let status = tokio::time::timeout(PATIENCE, self.major_version()).await;
        let Ok(Ok(Some(major))) = status else {
            tracing::debug!("the groupware server does not tell its version");
            return JobLimit::default();
        };
        let limit = JobLimit::of_version(major);
        *lock() = Some((Instant::now(), limit));
        limit
    }
}
