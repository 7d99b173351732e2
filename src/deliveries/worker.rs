//! The work behind the queue: which targets want a receipt, attempts, and removing what is old.

use std::collections::HashMap;
use std::pin::pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use arc_swap::ArcSwap;
use futures_util::future::join3;
use quick_cache::sync::Cache;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::filters::{Event, Filters};
use super::queue::PUT_OFF;
use super::ready::{ReadyTarget, ReadyTargets};
use super::schedule::next_attempt;
use super::send::{Answer, Message, Sender};
use super::{Claimed, Completed, Completion, Deliveries, Outcome, QueueError, Target, TargetId};
use crate::causes::with_causes;
use crate::groupware::EventClasses;
use crate::tally::FailureTally;

/// Receipts that are matched together, and deliveries that are claimed together.
const BATCH: usize = 64;
/// Attempts in flight at once, and those of them at targets whose attempts fail or are slow: if they hang, however many they
/// are, the others have the rest.
const MAX_IN_FLIGHT: usize = 1024;
const MAX_HELD: usize = MAX_IN_FLIGHT / 2;
/// A target is slow while its last attempt took longer than this; and how many of these are remembered.
const SLOW: Duration = Duration::from_secs(2);
const KEPT: usize = 4096;
/// How long the filters of one account may take in a batch. Those that are meant well take a few milliseconds.
const MAX_MATCHING: Duration = Duration::from_millis(500);
/// How long to wait for news before looking again, and after a failure of the store.
const POLL_INTERVAL: Duration = Duration::from_secs(1);
/// How long between two removals of what is old.
const CLEAN_INTERVAL: Duration = Duration::from_secs(20);

/// Brings what was received to the targets that want it.
///
/// Any number of workers share a queue: each claims a few dozen deliveries at a time, and no transaction is open during
/// an attempt. It keeps in memory what is in flight, and nothing that grows with the queue.
/// Clones share everything.
#[derive(Clone, Debug)]
pub struct Worker(Arc<Parts>);

#[derive(Debug)]
struct Parts {
    deliveries: Deliveries,
    sender: Sender,
    filters: ArcSwap<Filters>,
    targets: ReadyTargets,
    slow: Cache<TargetId, ()>,
    failures: FailureTally,
}

// === impl Worker ===

impl Worker {
    /// A worker on `deliveries`. `classes` are those by which filters are interpreted.
    pub fn new(deliveries: Deliveries, sender: Sender, classes: EventClasses) -> Self {
        let failures = FailureTally::new(|count, cause| {
            tracing::error!(count, cause, "deliveries are held up: the queue failed");
        });
        Self(Arc::new(Parts {
            deliveries,
            sender,
            filters: ArcSwap::from_pointee(Filters::new(classes)),
            targets: ReadyTargets::new(),
            slow: Cache::new(KEPT),
            failures,
        }))
    }

    /// Interprets filters by `classes` from the next batch on.
    pub fn set_event_classes(&self, classes: EventClasses) {
        // What was parsed by the old ones goes with them.
        self.0.filters.store(Arc::new(Filters::new(classes)));
    }

    /// Works until `stop`; then it makes no more attempts, and ends with those in flight, once the queue has noted how
    /// they ended: drop it to wait no longer.
    pub async fn run(self, stop: CancellationToken) {
        let parts = &self.0;
        let matching = parts.match_all(&stop);
        join3(matching, parts.send_all(&stop), parts.clean_all(&stop)).await;
    }
}

// === impl Parts ===

impl Parts {
    /// Makes the deliveries of receipts until `stop`.
    async fn match_all(&self, stop: &CancellationToken) {
        let mut passed_over = HashMap::new();
        while !stop.is_cancelled() {
            let mut changed = pin!(self.deliveries.queue().changed().notified());
            // What comes from here on wakes it.
            changed.as_mut().enable();
            match self.match_batch(&mut passed_over).await {
                Ok(true) => {}
                Ok(false) => {
                    let news = tokio::time::timeout(POLL_INTERVAL, changed);
                    stop.run_until_cancelled(news).await;
                }
                Err(error) => self.hold_up(&error, stop).await,
            }
        }
    }

    /// Removes what is old until `stop`.
    async fn clean_all(&self, stop: &CancellationToken) {
        let keep = self.deliveries.limits().keep;
        while !stop.is_cancelled() {
            match self.deliveries.queue().clean(keep).await {
                Ok(0) => {
                    let pause = tokio::time::sleep(CLEAN_INTERVAL);
                    stop.run_until_cancelled(pause).await;
                }
                Ok(_) => tokio::task::yield_now().await,
                Err(error) => self.hold_up(&error, stop).await,
            }
        }
    }

    /// Logs a failure, and waits a little.
    async fn hold_up(&self, error: &QueueError, stop: &CancellationToken) {
        self.failures.count(&with_causes(error));
        let pause = tokio::time::sleep(POLL_INTERVAL);
        stop.run_until_cancelled(pause).await;
    }

    /// Makes the deliveries of some receipts; whether there may be more of these. `passed_over` has the accounts whose
    /// filters took too long, and until when.
    async fn match_batch(&self, passed_over: &mut PassedOver) -> Result<bool, QueueError> {
        let queue = self.deliveries.queue();
        passed_over.retain(|_, until| Instant::now() < *until);
        let but_for: Vec<_> = passed_over.keys().cloned().collect();
        // Theirs come again after what is new: nobody else waits for them.
        let receipts = queue.unmatched(BATCH, &but_for).await?;
        if receipts.is_empty() {
            return Ok(false);
        }
        let mut candidates = HashMap::<Option<Box<str>>, Candidates>::new();
        let mut events = Vec::with_capacity(receipts.len());
        for receipt in receipts {
            if !candidates.contains_key(&receipt.account) {
                let targets = queue.targets_for(receipt.account.as_deref()).await?;
                let mut ready = Vec::with_capacity(targets.len());
                for target in targets {
                    // One that does not open gets what it may want: its attempts show that, and succeed once it opens.
                    let opened = self.targets.get(&self.deliveries, &target).await;
                    ready.push((target.id, opened.ok()));
                }
                candidates.insert(receipt.account.clone(), ready.into());
            }
            let targets = candidates[&receipt.account].clone();
            let opened = match targets.is_empty() {
                true => None,
                false => self.deliveries.open_receipt(&receipt).await.ok(),
            };
            events.push((receipt, opened, targets));
        }
        let filters = self.filters.load_full();
        let matching = move || {
            let mut taken = HashMap::<_, Duration>::new();
            let (mut wanted, mut put_off) = (Vec::with_capacity(events.len()), Vec::new());
            for (receipt, body, targets) in events {
                let taken = taken.entry(receipt.account).or_default();
                if *taken < MAX_MATCHING {
                    let begun = Instant::now();
                    let wanting = wanting(&filters, &receipt.class, body.as_deref(), &targets);
                    wanted.push((receipt.position, wanting));
                    *taken += begun.elapsed();
                } else {
                    put_off.push(receipt.position);
                }
            }
            (wanted, put_off, taken)
        };
        // A filter that makes the thread panic leaves the receipts unmatched, and the lease runs out.
        if let Ok((wanted, put_off, taken)) = tokio::task::spawn_blocking(matching).await {
            let costly = taken.into_iter().filter(|(_, it)| *it >= MAX_MATCHING);
            let until = Instant::now() + PUT_OFF;
            passed_over.extend(costly.map(|(account, _)| (account, until)));
            queue.fan_out(wanted).await?;
            if !put_off.is_empty() {
                queue.put_off(put_off).await?;
            }
        }
        Ok(true)
    }

    /// Claims deliveries, makes the attempts, and notes how they ended, until `stop`.
    async fn send_all(self: &Arc<Self>, stop: &CancellationToken) {
        let queue = self.deliveries.queue();
        let mut attempts = JoinSet::new();
        let mut ended = Vec::new();
        let places = Arc::new(Semaphore::new(MAX_HELD));
        loop {
            let mut changed = pin!(queue.changed().notified());
            changed.as_mut().enable();
            while let Some(attempt) = attempts.try_join_next() {
                // After a panic, the lease runs out.
                ended.extend(attempt.ok().flatten());
            }
            if !ended.is_empty() {
                let completions = ended.iter().map(|(it, _)| *it).collect();
                match queue.complete(completions).await {
                    Ok(completed) => log_disabled(&ended, &completed),
                    // They are noted with the next ones, if their leases last so long; also after `stop`, since they
                    // would be sent again.
                    Err(error) => {
                        self.failures.count(&with_causes(&error));
                        tokio::time::sleep(POLL_INTERVAL).await;
                        continue;
                    }
                }
                ended.clear();
            }
            let room = MAX_IN_FLIGHT.saturating_sub(attempts.len()).min(BATCH);
            if room > 0 && !stop.is_cancelled() {
                let is_held = places.available_permits() == 0;
                let slow = is_held.then(|| self.slow.iter().map(|(id, ())| id).collect());
                match queue.claim(room, slow).await {
                    Ok(claimed) => {
                        let is_more = claimed.len() == room;
                        for claimed in claimed {
                            let parts = self.clone();
                            let takes_place = claimed.target.failing_since.is_some()
                                || self.slow.contains_key(&claimed.target.id);
                            // One claim may take a few dozen more than there are.
                            let place = takes_place.then(|| places.clone().try_acquire_owned());
                            attempts.spawn(async move {
                                let _place = place;
                                parts.attempt(claimed).await
                            });
                        }
                        if is_more {
                            continue;
                        }
                    }
                    Err(error) => {
                        self.hold_up(&error, stop).await;
                        continue;
                    }
                }
            }
            if stop.is_cancelled() && attempts.is_empty() {
                return;
            }
            tokio::select! {
                Some(attempt) = attempts.join_next() => ended.extend(attempt.ok().flatten()),
                () = changed.as_mut() => {}
                () = tokio::time::sleep(POLL_INTERVAL) => {}
                () = stop.cancelled(), if !stop.is_cancelled() => {}
            }
        }
    }

    /// `None` if none could be made, since the queue failed: the delivery is due again when its lease runs out.
    async fn attempt(&self, claimed: Claimed) -> Option<(Completion, Arc<Target>)> {
        let began = Instant::now();
        let answer = match self.send(&claimed).await {
            Ok(answer) => answer,
            Err(error) => {
                self.failures.count(&with_causes(&error));
                match error {
                    QueueError::Store(_) => return None,
                    _ => Outcome::Unopened.into(),
                }
            }
        };
        match began.elapsed() > SLOW {
            true => self.slow.insert(claimed.id.target, ()),
            false => drop(self.slow.remove(&claimed.id.target)),
        }
        let again = match answer.outcome {
            Outcome::Delivered | Outcome::Gone => None,
            _ => next_attempt(claimed.tries, answer.retry_after),
        };
        self.deliveries.attempted(answer.outcome, again.is_none());
        let ended = Completion {
            position: claimed.position,
            target: claimed.id.target,
            claim: claimed.claim,
            outcome: answer.outcome,
            status: answer.status.map(|status| status.as_u16()),
            again,
        };
        Some((ended, claimed.target))
    }

    async fn send(&self, claimed: &Claimed) -> Result<Answer, QueueError> {
        let target = self.targets.get(&self.deliveries, &claimed.target).await?;
        let receipt = self.deliveries.queue().receipt(claimed.position).await?;
        let (Some(receipt), Some(destination)) = (receipt, &target.destination) else {
            // It was removed meanwhile, and so is the delivery.
            return Ok(Outcome::Forbidden.into());
        };
        let body = self.deliveries.open_receipt(&receipt).await?;
        let message = Message {
            id: &claimed.id.to_string(),
            body: &body.into(),
            secrets: &target.secrets(),
        };
        Ok(self.sender.send(destination, message).await)
    }
}

/// Accounts whose receipts are not matched, and until when.
type PassedOver = HashMap<Option<Box<str>>, Instant>;

/// Says which targets are not delivered to any more.
fn log_disabled(ended: &[(Completion, Arc<Target>)], completed: &[Completed]) {
    for ((ended, target), completed) in ended.iter().zip(completed) {
        if *completed == Completed::Disabled {
            tracing::warn!(
                delivery_target = %ended.target,
                account = target.account.as_deref().unwrap_or("*"),
                outcome = ended.outcome.as_str(),
                "a target of deliveries is disabled: it answered 410, or every attempt has failed for five days"
            );
        }
    }
}

/// The targets of an account and of all accounts; one that did not open is `None`.
type Candidates = Arc<[(TargetId, Option<Arc<ReadyTarget>>)]>;

/// Which of `targets` want an event: one that did not open may, and so may each if the body did not open.
fn wanting(
    filters: &Filters,
    class: &str,
    body: Option<&[u8]>,
    targets: &Candidates,
) -> Vec<TargetId> {
    let event = Event::new(class, body.unwrap_or_default());
    let wants = |target: &ReadyTarget| {
        let filter = target.filter.as_deref().filter(|_| body.is_some());
        filters.wants(&target.events, filter, &event)
    };
    let wanting = targets.iter();
    let wanting = wanting.filter(|(_, ready)| ready.as_ref().is_none_or(|ready| wants(ready)));
    wanting.map(|(id, _)| *id).collect()
}
