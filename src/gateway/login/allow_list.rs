//! Whether the server counts refused logins of this address at all.

use std::sync::Arc;
use std::time::Duration;

use arc_swap::ArcSwapOption;
use tokio::sync::Mutex;
use tokio::time::Instant;

use crate::groupware::Groupware;

/// How long an answer holds.
const HOLDS: Duration = Duration::from_secs(10 * 60);

/// Asks the server whether the gateway's address is on the allow-list of its brute-force
/// protection, at most once in [`HOLDS`], and only when there is no place left.
pub(super) struct AllowList {
    groupware: ArcSwapOption<Groupware>,
    answered: Mutex<Option<(Instant, bool)>>,
}

// === impl AllowList ===

impl AllowList {
    pub(super) fn new(groupware: Option<Groupware>) -> Self {
        Self {
            groupware: ArcSwapOption::from_pointee(groupware),
            answered: Mutex::default(),
        }
    }

    /// Asks `groupware` from now on.
    pub(super) fn set_groupware(&self, groupware: Option<Groupware>) {
        self.groupware.store(groupware.map(Arc::new));
    }

    /// Whether the address is on it. A server that does not say has it not on it.
    pub(super) async fn has_this_address(&self) -> bool {
        let Some(groupware) = self.groupware.load_full() else {
            return false;
        };
        // Held over the question, so that it is asked once.
        let mut answered = self.answered.lock().await;
        if let Some((at, allow_listed)) = *answered
            && at.elapsed() < HOLDS
        {
            return allow_listed;
        }
        let allow_listed = groupware.is_allow_listed().await.unwrap_or(false);
        *answered = Some((Instant::now(), allow_listed));
        allow_listed
    }
}
