//! Making deliveries of receipts: which targets want them.
//!
//! Accounts take turns, and each has a slice of a batch. One whose filters take longer is matched apart from the others for a
//! while, where it waits for its like only.

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use arc_swap::ArcSwap;
use futures_util::future::{FusedFuture as _, FutureExt as _};
use parking_lot::Mutex;
use tokio_util::sync::CancellationToken;

use super::filters::{Event, Filters};
use super::queue::{Accounts, Matcher, News};
use super::ready::ReadyTarget;
use super::worker::{POLL_INTERVAL, Parts, next_look};
use super::{NewReceipt, QueueError, Receipt, Target, TargetId};
use crate::groupware::EventClasses;
use crate::opaque::opaque_debug;
use crate::vault::StoreError;

/// How long an account is matched apart.
const APART: Duration = Duration::from_mins(10);

/// Deliveries that are made when their receipts are inserted: what more takes would hold up the answers to others.
const MAX_AT_ONCE: usize = 64;

/// Where an account is matched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lane {
    Quick,
    Costly,
}

/// What is matched together in a lane, and kept of it.
struct LaneBounds {
    /// Receipts.
    batch: usize,
    /// The steps that one account's filters may take in a batch: some 20 milliseconds, or 500. What is meant well takes a few.
    /// Steps are counted rather than time, so that on a busy machine nobody's filters are costly for that.
    slice: usize,
    /// And those of all accounts.
    all: usize,
    /// Filters that are kept compiled. One takes a few kilobytes, and some hundreds if it is costly.
    kept: usize,
}

/// The filters of each lane, and who has costly ones.
pub(super) struct Matching {
    filters: [ArcSwap<Filters>; 2],
    /// The accounts that are matched apart, and until when.
    costly: Mutex<HashMap<Account, Instant>>,
    /// Who of them was matched last.
    last: Mutex<Account>,
}

type Account = Option<Box<str>>;

/// Receipts by position, and the targets that want each.
pub(super) type Wanted = Vec<(i64, Vec<TargetId>)>;

/// The targets of an account and of all accounts; one that did not open is `None`.
type Candidates = Arc<[(TargetId, Option<Arc<ReadyTarget>>)]>;

// === impl Lane ===

impl Lane {
    fn bounds(self) -> LaneBounds {
        match self {
            Self::Quick => LaneBounds { batch: 256, slice: 4_000_000, all: 40_000_000, kept: 1024 },
            Self::Costly => {
                LaneBounds { batch: 8, slice: 100_000_000, all: 100_000_000, kept: 128 }
            }
        }
    }
}

// === impl Matching ===

impl Matching {
    pub(super) fn new(classes: &EventClasses) -> Self {
        let filters = [Lane::Quick, Lane::Costly]
            .map(|lane| ArcSwap::from_pointee(Filters::new(classes.clone(), lane.bounds().kept)));
        Self { filters, costly: Mutex::default(), last: Mutex::default() }
    }

    pub(super) fn set_event_classes(&self, classes: &EventClasses) {
        // What was parsed by the old ones goes with them.
        for (lane, filters) in [Lane::Quick, Lane::Costly].into_iter().zip(&self.filters) {
            filters.store(Arc::new(Filters::new(classes.clone(), lane.bounds().kept)));
        }
    }

    /// The accounts that are matched apart, in the order of their turns.
    fn costly(&self) -> Vec<Account> {
        let mut costly = self.costly.lock();
        costly.retain(|_, until| Instant::now() < *until);
        let mut accounts: Vec<_> = costly.keys().cloned().collect();
        accounts.sort_unstable();
        let last = self.last.lock();
        let next = accounts.partition_point(|account| *account <= *last);
        accounts.rotate_left(next);
        accounts
    }
}

opaque_debug!(Matching);

// === impl Parts ===

impl Parts {
    /// Makes the deliveries of the receipts of one lane until `stop`.
    pub(super) async fn match_all(self: &Arc<Self>, lane: Lane, stop: &CancellationToken) {
        while !stop.is_cancelled() {
            let mut unmatched = pin!(self.deliveries.queue().news(News::Unmatched).notified());
            // What comes from here on wakes it.
            unmatched.as_mut().enable();
            let matched = match self.match_batch(lane).await {
                // What this gateway receives wakes it at once: others' can wait.
                Ok(false) => {
                    let news = tokio::time::timeout(POLL_INTERVAL + next_look(), unmatched);
                    self.match_handed_over(lane, stop.run_until_cancelled(news)).await
                }
                matched => matched.map(drop),
            };
            if let Err(error) = matched {
                self.log_and_pause(&error, stop).await;
            }
        }
    }

    /// Makes the deliveries of receipts just after each was inserted, until there are others.
    async fn match_handed_over(
        self: &Arc<Self>,
        lane: Lane,
        news: impl Future,
    ) -> Result<(), QueueError> {
        let mut news = pin!(news.fuse());
        while !news.is_terminated() {
            let costly = self.matching.costly();
            if lane == Lane::Quick && costly.is_empty() {
                // It may outlive this, if the worker is dropped, and would keep the queue, which has it.
                let parts = Arc::downgrade(self);
                let matcher: Matcher = Box::new(move |receipts, targets| {
                    parts.upgrade()?.match_at_once(receipts, targets)
                });
                let handed_over = self.deliveries.queue().handed_over(matcher, news.as_mut());
                let (receipts, known) = handed_over.await;
                if receipts.is_empty() {
                    continue;
                }
                self.match_receipts(lane, costly, receipts, known).await?;
            } else {
                news.as_mut().await;
            }
        }
        Ok(())
    }

    /// Which of the targets want each of the receipts, if that is soon found: all are open, and none has a filter.
    fn match_at_once(
        &self,
        receipts: &[NewReceipt],
        targets: &[Target],
    ) -> Option<Vec<Vec<TargetId>>> {
        let (filters, mut deliveries) = (self.matching.filters[Lane::Quick as usize].load(), 0);
        let ready = targets.iter().map(|target| Some((target, self.targets.known(target)?)));
        let ready: Vec<_> = ready.collect::<Option<_>>()?;
        let wanting = receipts.iter().map(|receipt| {
            let event = Event::new(&receipt.class, &[]);
            let mut wanting = Vec::new();
            for (target, ready) in &ready {
                if target.account.is_some() && target.account != receipt.account {
                    continue;
                }
                deliveries += 1;
                if ready.filter.is_some() || deliveries > MAX_AT_ONCE {
                    return None;
                }
                if filters.wants(&ready.events, None, &event) {
                    wanting.push(target.id);
                }
            }
            Some(wanting)
        });
        wanting.collect()
    }

    /// Makes the deliveries of some receipts. Whether there may be more.
    async fn match_batch(&self, lane: Lane) -> Result<bool, QueueError> {
        let costly = self.matching.costly();
        let accounts = match lane {
            Lane::Quick => Accounts::AllBut(&costly),
            Lane::Costly => Accounts::Only(&costly),
        };
        let receipts = self.deliveries.queue().lease(lane.bounds().batch, accounts).await?;
        let is_more = !receipts.is_empty();
        self.match_receipts(lane, costly, receipts, None).await?;
        Ok(is_more)
    }

    /// Makes the deliveries of these receipts, while these accounts are matched apart, or gives them back.
    async fn match_receipts(
        &self,
        lane: Lane,
        costly: Vec<Account>,
        receipts: Vec<Receipt>,
        known: Option<Vec<Target>>,
    ) -> Result<(), QueueError> {
        if receipts.is_empty() {
            return Ok(());
        }
        let (queue, positions) = (self.deliveries.queue(), receipts.iter().map(|it| it.position));
        let positions = positions.collect();
        let matched =
            async { queue.fan_out(self.match_leased(lane, costly, receipts, known).await?).await };
        let done = matched.await;
        if done.is_err() {
            // What has deliveries by now is passed over.
            _ = queue.release(positions).await;
        }
        done
    }

    async fn match_leased(
        &self,
        lane: Lane,
        costly: Vec<Account>,
        receipts: Vec<Receipt>,
        known: Option<Vec<Target>>,
    ) -> Result<Wanted, QueueError> {
        let queue = self.deliveries.queue();
        let mut candidates = HashMap::<Account, Candidates>::new();
        let mut events = Vec::with_capacity(receipts.len());
        let mut is_quick = true;
        for receipt in receipts {
            if !candidates.contains_key(&receipt.account) {
                let read = match known {
                    Some(_) => Vec::new(),
                    None => queue.targets_for(receipt.account.as_deref()).await?,
                };
                let targets = known.as_ref().unwrap_or(&read);
                let is_of = |it: &&Target| it.account.is_none() || it.account == receipt.account;
                let mut ready = Vec::with_capacity(targets.len());
                for target in targets.iter().filter(is_of) {
                    // One that does not open gets what it may want: its attempts show that, and succeed once it opens.
                    let opened = self.targets.get(&self.deliveries, target).await;
                    ready.push((target.id, self.deliveries.unless_lost(opened).await?));
                }
                candidates.insert(receipt.account.clone(), ready.into());
            }
            let targets = candidates[&receipt.account].clone();
            let mut known = targets.iter().flat_map(|(_, ready)| ready);
            let has_filters = known.any(|ready| ready.filter.is_some());
            let opened = match has_filters {
                true => {
                    let opened = self.deliveries.open_receipt(&receipt).await;
                    self.deliveries.unless_lost(opened).await?
                }
                false => None,
            };
            is_quick &= !has_filters;
            events.push((receipt, opened, targets));
        }
        if lane == Lane::Costly {
            // In the order of their turns: each account has one after the other.
            let turn = |account: &Account| costly.iter().position(|it| it == account);
            events.sort_by_key(|(receipt, ..)| turn(&receipt.account));
        }
        let (filters, panics) =
            (self.matching.filters[lane as usize].load_full(), self.panics.clone());
        let matching = move || {
            let LaneBounds { slice, all, .. } = lane.bounds();
            let (mut taken, mut left) = (HashMap::<Account, usize>::new(), all);
            let (mut wanted, mut back) = (Vec::with_capacity(events.len()), Vec::new());
            for (receipt, body, targets) in events {
                let of_account = taken.entry(receipt.account).or_default();
                if *of_account >= slice || left == 0 {
                    back.push(receipt.position);
                    continue;
                }
                // Here the others wait; there it would never come to an end.
                let most = match lane {
                    Lane::Quick => slice - *of_account,
                    Lane::Costly => usize::MAX,
                };
                let asked = || wanting(&filters, &receipt.class, body.as_deref(), &targets, most);
                let (wanting, spent) = catch_unwind(AssertUnwindSafe(asked)).unwrap_or_else(|_| {
                    // Too much is better than too little.
                    panics.count();
                    (Some(targets.iter().map(|(id, _)| *id).collect()), 0)
                });
                *of_account = of_account.saturating_add(spent);
                left = left.saturating_sub(spent);
                match wanting {
                    Some(wanting) => wanted.push((receipt.position, wanting)),
                    None => back.push(receipt.position),
                }
            }
            (wanted, back, taken)
        };
        // Names are compared quickly.
        let matched = match is_quick {
            true => Ok(matching()),
            false => tokio::task::spawn_blocking(matching).await,
        };
        let matched = matched.map_err(|ended| StoreError::new("match deliveries", ended));
        let (wanted, back, taken) = matched?;
        let until = Instant::now() + APART;
        if lane == Lane::Costly {
            let mut had_turn =
                costly.into_iter().filter(|it| taken.get(it).is_some_and(|it| *it > 0));
            if let Some(last) = had_turn.next_back() {
                *self.matching.last.lock() = last;
            }
        }
        let costly = taken.into_iter().filter(|(_, it)| *it >= Lane::Quick.bounds().slice);
        let costly = costly.map(|(account, _)| (account, until));
        self.matching.costly.lock().extend(costly);
        if !back.is_empty() {
            queue.release(back).await?;
        }
        Ok(wanted)
    }
}

/// Which of `targets` want an event, and the steps that it took to find out: one that did not open may, and so may each if the
/// body did not open. `None` if that is not known after `most` steps.
fn wanting(
    filters: &Filters,
    class: &str,
    body: Option<&[u8]>,
    targets: &Candidates,
    most: usize,
) -> (Option<Vec<TargetId>>, usize) {
    let event = Event::new(class, body.unwrap_or_default());
    let wants = |target: &ReadyTarget| {
        let filter = target.filter.as_deref().filter(|_| body.is_some());
        filters.wants(&target.events, filter, &event)
    };
    let mut wanting = Vec::new();
    for (id, ready) in targets.iter() {
        if event.steps() >= most {
            return (None, event.steps());
        }
        if ready.as_ref().is_none_or(|ready| wants(ready)) {
            wanting.push(*id);
        }
    }
    (Some(wanting), event.steps())
}
