//! The limit of the server's job queue, which depends on its version.

use std::time::Duration;

use tokio::sync::Mutex;
use tokio::time::Instant;

use super::JobLimit;

/// How long it is kept: an upgrade of the server may raise it.
const KEPT: Duration = Duration::from_secs(600);

/// How long nobody asks again if the version was not available.
const PAUSE: Duration = Duration::from_secs(60);

#[derive(Debug, Default)]
pub(super) struct KnownLimit(Mutex<Option<(JobLimit, Instant)>>);

impl KnownLimit {
    /// The limit, if it is known, else that which `ask` finds: one caller asks, and the others wait for it. If
    /// nothing is found, what was known last still counts, for a server does not go back to an older version.
    pub(super) async fn get_or<F>(&self, ask: impl FnOnce() -> F) -> JobLimit
    where
        F: Future<Output = Option<JobLimit>>,
    {
        let mut known = self.0.lock().await;
        let last = match *known {
            Some((limit, until)) if Instant::now() < until => return limit,
            last => last.unzip().0.unwrap_or_default(),
        };
        let found = ask().await;
        let kept = if found.is_some() { KEPT } else { PAUSE };
        let limit = found.unwrap_or(last);
        *known = Some((limit, Instant::now() + kept));
        limit
    }
}

#[cfg(test)]
#[path = "../../tests/unit/known_limit.rs"]
mod tests;
