//! Targets as they are used, opened once for each change of their settings.

use std::fmt;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use quick_cache::sync::Cache;

use super::{Deliveries, Destination, QueueError, Target, TargetId};
use crate::groupware::WebhookSecret;

/// Targets that are kept opened. One takes a kilobyte, and more with a long filter.
const KEPT: usize = 1024;

/// A target whose settings are parsed.
pub(super) struct ReadyTarget {
    /// `None` if it is none any more.
    pub(super) destination: Option<Destination>,
    pub(super) events: Vec<String>,
    pub(super) filter: Option<String>,
    secret: Option<WebhookSecret>,
    /// Each signs until this time, in seconds since 1970.
    previous: Vec<(WebhookSecret, u64)>,
}

/// The targets that were used last.
pub(super) struct ReadyTargets(Cache<(TargetId, i64), Arc<ReadyTarget>>);

// === impl ReadyTarget ===

impl ReadyTarget {
    /// The secrets that sign now.
    pub(super) fn secrets(&self) -> Vec<WebhookSecret> {
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        let now = now.map_or(0, |now| now.as_secs());
        let previous = self.previous.iter().filter(|(_, until)| now < *until);
        let previous = previous.map(|(secret, _)| secret);
        self.secret.iter().chain(previous).cloned().collect()
    }
}

// === impl ReadyTargets ===

impl ReadyTargets {
    pub(super) fn new() -> Self {
        Self(Cache::new(KEPT))
    }

    /// The settings of `target`.
    ///
    /// # Errors
    /// It does not open with the keys at hand.
    pub(super) async fn get(
        &self,
        deliveries: &Deliveries,
        target: &Target,
    ) -> Result<Arc<ReadyTarget>, QueueError> {
        let key = (target.id, target.revision);
        if let Some(ready) = self.0.get(&key) {
            return Ok(ready);
        }
        let settings = deliveries.open_target(target).await?;
        let ready = Arc::new(ReadyTarget {
            destination: settings.uri.parse().ok(),
            events: settings.events,
            filter: settings.filter,
            secret: settings.secret.parse().ok(),
            previous: (settings.previous.iter())
                .filter_map(|previous| Some((previous.secret.parse().ok()?, previous.until)))
                .collect(),
        });
        self.0.insert(key, ready.clone());
        Ok(ready)
    }
}

impl fmt::Debug for ReadyTargets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReadyTargets").finish_non_exhaustive()
    }
}
