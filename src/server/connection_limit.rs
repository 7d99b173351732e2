//! Room for another connection: at the limit, the longest idle one is closed for it.

use std::cmp::Reverse;
use std::sync::{Arc, Weak};
use std::time::Duration;

use tokio::task::JoinSet;
use tokio::time::{Instant, timeout};

use super::Connections;
use super::activity::Activity;
use super::connections::Count;
use crate::tally::Tally;

/// How often an idle connection is looked for while each has a request.
const RETRY: Duration = Duration::from_millis(100);

/// Logs how many connections met with `what`, which anyone can cause thousands of times a second.
pub(super) fn rejected(kind: &'static str, what: &'static str) -> Arc<Tally> {
    Tally::new(move |count| {
        tracing::warn!(target: "portreeve::rejected", kind, count, "{what}");
    })
}

pub(super) struct ConnectionLimit {
    limit: usize,
    /// All connections, and some that have ended.
    all: Vec<Weak<Activity>>,
    /// Those idle when last looked for, the longest one last. What has become idle since is younger than they are.
    longest_last: Vec<(Instant, Weak<Activity>)>,
    counted: Connections,
    dismissed: Arc<Tally>,
    delayed: Arc<Tally>,
}

impl ConnectionLimit {
    pub(super) fn new(limit: usize, counted: Connections) -> Self {
        Self {
            limit: limit.max(1),
            all: Vec::new(),
            longest_last: Vec::new(),
            counted,
            dismissed: rejected(
                "idle_connections",
                "idle connections were closed to make room for others: the limit of connections is reached",
            ),
            delayed: rejected(
                "delayed_connections",
                "connections had to wait: the limit of connections is reached, and each has a request",
            ),
        }
    }

    pub(super) fn add(&mut self, activity: &Arc<Activity>, open: usize) {
        if self.all.len() > 2 * open {
            self.forget_ended();
        }
        self.all.push(Arc::downgrade(activity));
    }

    pub(super) fn shut_down(&self) {
        self.all.iter().filter_map(Weak::upgrade).for_each(|activity| activity.shut_down());
    }

    /// Waits until there is room for one more of `connections`, and closes the longest idle one if necessary.
    pub(super) async fn make_room(&mut self, connections: &mut JoinSet<()>) {
        let mut is_delayed = false;
        while connections.len() >= self.limit {
            if self.dismiss_longest() {
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

    /// Has the longest idle connection closed; `false` if each has a request.
    fn dismiss_longest(&mut self) -> bool {
        self.dismiss_known() || {
            self.forget_ended();
            let idle = |weak: &Weak<Activity>| Some((weak.upgrade()?.idle_since()?, weak.clone()));
            self.longest_last = self.all.iter().filter_map(idle).collect();
            self.longest_last.sort_by_key(|(since, _)| Reverse(*since));
            self.dismiss_known()
        }
    }

    fn dismiss_known(&mut self) -> bool {
        while let Some((since, activity)) = self.longest_last.pop() {
            let activity = activity.upgrade();
            if activity.is_some_and(|activity| activity.dismiss_idle_since(since)) {
                return true;
            }
        }
        false
    }

    fn forget_ended(&mut self) {
        self.all.retain(|activity| activity.strong_count() > 0);
    }
}
