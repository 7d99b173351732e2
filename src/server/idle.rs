//! The connections without a request, of which the longest idle one makes room for another.

use std::cmp::Reverse;
use std::sync::{Arc, Weak};

use tokio::time::Instant;

use super::activity::Activity;

/// The connections of a server.
#[derive(Default)]
pub(super) struct IdleConnections {
    /// All connections, and some that have ended.
    all: Vec<Weak<Activity>>,
    /// Those that were idle when they were last looked for, the longest idle one last. What has become idle since
    /// then is younger than all of them.
    longest_last: Vec<(Instant, Weak<Activity>)>,
}

// === impl IdleConnections ===

impl IdleConnections {
    /// Adds one of `open` connections.
    pub(super) fn add(&mut self, activity: &Arc<Activity>, open: usize) {
        if self.all.len() > 2 * open {
            self.forget_ended();
        }
        self.all.push(Arc::downgrade(activity));
    }

    /// Tells all of them that the server is shutting down.
    pub(super) fn shut_down(&self) {
        let all = self.all.iter().filter_map(Weak::upgrade);
        all.for_each(|activity| activity.shut_down());
    }

    /// Has the longest idle connection closed; `false` if each has a request.
    pub(super) fn dismiss_longest(&mut self) -> bool {
        self.dismiss_known() || {
            self.look();
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

    fn look(&mut self) {
        self.forget_ended();
        let idle = |weak: &Weak<Activity>| Some((weak.upgrade()?.idle_since()?, weak.clone()));
        self.longest_last = self.all.iter().filter_map(idle).collect();
        self.longest_last.sort_by_key(|(since, _)| Reverse(*since));
    }

    fn forget_ended(&mut self) {
        self.all.retain(|activity| activity.strong_count() > 0);
    }
}
