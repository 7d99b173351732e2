//! The limit of the server's job queue, which depends on its version.

use std::time::Duration;

use tokio::sync::Mutex;
use tokio::time::Instant;

use super::JobLimit;

/// How long it is kept: an upgrade of the server may raise it.
const KEPT: Duration = Duration::from_secs(600);

/// How long nobody asks again if the version was not available.
const PAUSE: Duration = Duration::from_secs(60);

/// The limit of one server, as far as it is known.
#[derive(Debug, Default)]
pub(super) struct KnownLimit(Mutex<Option<Known>>);

#[derive(Debug)]
struct Known {
    limit: JobLimit,
    until: Instant,
}

// === impl KnownLimit ===

impl KnownLimit {
    /// The limit, if it is known, else that which `ask` finds: one caller asks, and the others wait for it. If
    /// nothing is found, what was known last still counts, for a server does not go back to an older version.
    pub(super) async fn get_or(&self, ask: impl Future<Output = Option<JobLimit>>) -> JobLimit {
        let mut known = self.0.lock().await;
        let last = match &*known {
            Some(known) if Instant::now() < known.until => return known.limit,
            last => last.as_ref().map(|known| known.limit),
        };
        let (limit, kept) = match ask.await {
            Some(limit) => (limit, KEPT),
            None => (last.unwrap_or_default(), PAUSE),
        };
        let until = Instant::now() + kept;
        *known = Some(Known { limit, until });
        limit
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use futures_util::future::join_all;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn api_4_9_a_version_that_cannot_be_read_is_asked_for_once_a_minute() {
        let known = KnownLimit::default();
        let count = AtomicUsize::new(0);
        let get = async |found: Option<JobLimit>| {
            let asks = (0..20).map(|_| {
                known.get_or(async {
                    count.fetch_add(1, Ordering::Relaxed);
                    tokio::time::sleep(Duration::from_secs(5)).await;
                    found
                })
            });
            let limits = join_all(asks).await;
            assert!(limits.iter().all(|limit| *limit == limits[0]));
            (limits[0], count.swap(0, Ordering::Relaxed))
        };
        let (small, large) = (JobLimit::Before34, JobLimit::From34);
        assert_eq!(get(None).await, (small, 1));
        tokio::time::advance(PAUSE - Duration::from_secs(1)).await;
        assert_eq!(get(Some(large)).await, (small, 0));
        tokio::time::advance(Duration::from_secs(1)).await;
        assert_eq!(get(Some(large)).await, (large, 1));
        tokio::time::advance(KEPT).await;
        assert_eq!(get(None).await, (large, 1));
        tokio::time::advance(PAUSE).await;
        assert_eq!(get(Some(small)).await, (small, 1));
    }
}
