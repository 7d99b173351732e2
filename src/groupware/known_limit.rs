//! What the server's job queue takes, as its version says.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::{Groupware, JobLimit};

/// How long it counts: a server is upgraded, which raises it.
const KEPT: Duration = Duration::from_secs(600);
/// Time to ask for it, as something else waits for that.
const PATIENCE: Duration = Duration::from_secs(5);

/// What one server said last, and when.
#[derive(Debug, Default)]
pub(super) struct KnownLimit(Mutex<Option<(Instant, JobLimit)>>);

// === impl Groupware ===

impl Groupware {
    /// What a delivery may take in the job queue of the server (docs/API.md, section 4.9). The server is asked for
    /// its version without credentials, at most every ten minutes; if it does not say, the smallest one is
    /// meant.
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
