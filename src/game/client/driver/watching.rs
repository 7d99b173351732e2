use std::sync::atomic::Ordering;
use std::time::Duration;

use tokio::time::{Instant, sleep, sleep_until};

use super::{Driver, SILENT_INTERVALS};
use crate::game::client::End;
use crate::game::transport::connection::Activity;

/// The time limit for a complete message to arrive: enough for the largest over a slow line. A server that
/// exceeds it is treated as silent.
const MESSAGE_LIMIT: Duration = Duration::from_secs(120);

impl Driver {
    /// Watches the time until the server has been silent for too long.
    pub(super) async fn watch(&self, activity: &Activity) -> End {
        tokio::select! {
            end = self.silence(activity) => end,
            end = self.timeouts() => end,
        }
    }

    /// Waits until the server has been silent for too long. Any byte counts, as a large message takes time.
    async fn silence(&self, activity: &Activity) -> End {
        let limit = self.settings.keep_alive * SILENT_INTERVALS;
        let whole_limit = MESSAGE_LIMIT.max(limit);
        let (mut bytes, mut messages) = (activity.bytes(), self.messages());
        let (mut alive, mut whole) = (Instant::now(), Instant::now());
        loop {
            sleep(self.settings.keep_alive.min(Duration::from_secs(1))).await;
            // Nothing is read while the event queue is full.
            let waiting = self.shared.events.is_full();
            if waiting || messages != self.messages() {
                (messages, whole) = (self.messages(), Instant::now());
            }
            if waiting || bytes != activity.bytes() {
                (bytes, alive) = (activity.bytes(), Instant::now());
            }
            if alive.elapsed() >= limit {
                return End::Silent(limit);
            }
            if whole.elapsed() >= whole_limit {
                return End::Silent(whole_limit);
            }
        }
    }

    fn messages(&self) -> u64 {
        self.messages.load(Ordering::Relaxed)
    }

    /// Ends the calls that have timed out.
    async fn timeouts(&self) -> End {
        let calls = &self.shared.calls;
        loop {
            match calls.expire(Instant::now(), self.settings.call_timeout) {
                None => calls.deadline_added().await,
                Some(deadline) => sleep_until(deadline).await,
            }
        }
    }
}
