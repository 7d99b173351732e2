//! Sending kept events to a target again, or for the first time.

use std::sync::Arc;
use std::time::SystemTime;

use super::filters::{Event, Filters};
use super::{Deliveries, QueueError, Scope, Target};
use crate::groupware::EventClasses;

/// The events that a portion sends at most: without a filter, and with one, which takes up to some milliseconds each.
const PORTION: usize = 500;
const FILTERED: usize = 100;

/// Which events are sent.
#[derive(Clone, Copy, Debug)]
pub struct Replay {
    /// Those that were received at this time or later.
    pub since: SystemTime,
    /// Those that were received before.
    pub until: Option<SystemTime>,
    /// Those too that have arrived.
    pub all: bool,
}

impl Deliveries {
    /// Sends a portion of the kept events after a position to a target of `scope`: those that it wants now and that never
    /// arrived there, if it existed or not. Returns how many, and the position after which the next portion begins, if
    /// there may be more; `None` if there is no such target.
    ///
    /// # Errors
    /// If the target does not open, or the store fails.
    pub async fn replay(
        &self,
        scope: Scope<'_>,
        target: &Target,
        replay: Replay,
        classes: &EventClasses,
        after: i64,
    ) -> Result<Option<(u64, Option<i64>)>, QueueError> {
        let settings = self.open_target(target).await?;
        let limit = settings.filter.as_ref().map_or(PORTION, |_| FILTERED);
        let queue = self.queue();
        let (found, next) = queue.replayable(target, replay, after, limit).await?;
        let filters = Arc::new(Filters::new(classes.clone(), FILTERED));
        let settings = Arc::new(settings);
        let mut wanted = Vec::with_capacity(found.len());
        for (position, class) in found {
            if settings.filter.is_none() {
                let event = Event::new(&class, b"");
                wanted.extend(filters.wants(&settings.events, None, &event).then_some(position));
                continue;
            }
            let Some(receipt) = queue.receipt(position).await? else {
                continue;
            };
            let body = self.unless_lost(self.open_receipt(&receipt).await).await?;
            let (filters, settings) = (filters.clone(), settings.clone());
            let asking = tokio::task::spawn_blocking(move || {
                let filter = settings.filter.as_deref().filter(|_| body.is_some());
                let event = Event::new(&class, body.as_deref().unwrap_or_default());
                filters.wants(&settings.events, filter, &event)
            });
            // Too much is better than too little.
            wanted.extend(asking.await.unwrap_or(true).then_some(position));
        }
        Ok(queue.replay(scope, target.id, wanted, replay.all).await?.map(|count| (count, next)))
    }
}
