//! Room for another connection.

use std::sync::Arc;
use std::time::Duration;

use tokio::task::JoinSet;
use tokio::time::timeout;

use super::Connections;
use super::connections::Count;
use super::idle::IdleConnections;
use crate::tally::Tally;

/// How often an idle connection is looked for while each has a request.
const RETRY: Duration = Duration::from_millis(100);

/// The limit on connections, and what is done at it.
pub(super) struct Room {
    limit: usize,
    pub(super) idle: IdleConnections,
    counted: Connections,
    /// They log what anyone can cause thousands of times a second.
    dismissed: Arc<Tally>,
    delayed: Arc<Tally>,
}

// === impl Room ===

impl Room {
    pub(super) fn new(limit: usize, counted: Connections) -> Self {
        Self {
            limit,
            idle: IdleConnections::default(),
            counted,
            dismissed: Tally::new(log_dismissed),
            delayed: Tally::new(log_delayed),
        }
    }

    /// Waits until there is room for one more of `connections`, and closes the longest idle one if necessary.
    pub(super) async fn make(&mut self, connections: &mut JoinSet<()>) {
        let mut is_delayed = false;
        while connections.len() >= self.limit {
            if self.idle.dismiss_longest() {
                self.counted.count(Count::Dismissed);
                self.dismissed.count();
            } else if !is_delayed {
                is_delayed = true;
                self.counted.count(Count::Delayed);
                self.delayed.count();
            }
            // One that was dismissed may have just got a request.
            let _ = timeout(RETRY, connections.join_next()).await;
        }
    }
}

fn log_dismissed(count: u64) {
    tracing::warn!(
        target: "portreeve::turned_away",
        kind = "idle_connections",
        count,
        "idle connections were closed to make room for others: the limit of connections is reached"
    );
}

fn log_delayed(count: u64) {
    tracing::warn!(
        target: "portreeve::turned_away",
        kind = "delayed_connections",
        count,
        "connections had to wait: the limit of connections is reached, and each has a request"
    );
}
