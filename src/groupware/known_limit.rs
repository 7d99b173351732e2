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
pub(super) struct KnownLimit(Mutex<Option<Known>>);

#[derive(Debug)]
struct Known {
    limit: JobLimit,
    until: Instant,
}

impl KnownLimit {
    /// The limit, if it is known, else that which `ask` finds: one caller asks, and the others wait for it. If
    /// nothing is found, what was known last still counts, for a server does not go back to an older version.
    pub(super) async fn get_or<F>(&self, ask: impl FnOnce() -> F) -> JobLimit
    where
        F: Future<Output = Option<JobLimit>>,
    {
        let mut known = self.0.lock().await;
        let last = match &*known {
            Some(known) if Instant::now() < known.until => return known.limit,
            last => last.as_ref().map(|known| known.limit),
        };
        let (limit, kept) = match ask().await {
            Some(limit) => (limit, KEPT),
            None => (last.unwrap_or_default(), PAUSE),
        };
        let until = Instant::now() + kept;
        *known = Some(Known { limit, until });
        limit
    }
}

#[cfg(test)]
#[path = "../../tests/unit/known_limit.rs"]
mod tests;
