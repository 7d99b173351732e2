//! Rounds of a worker: how attempts ended is noted, and deliveries are claimed, in a transaction of its own, or in the next one
//! that makes deliveries. Where nothing waits, that is the one that inserts their receipts.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};

use parking_lot::Mutex;
use tokio::sync::oneshot;

use super::attempts::complete;
use super::claims::claim;
use super::receipts::make;
use super::{Places, Queue};
use crate::deliveries::{Claimed, Completed, Completion, NewReceipt, Receipt, Target, TargetId};
use crate::vault::StoreError;
use crate::vault::deliveries::{DeliveryTransaction, Durability, News};

/// What a worker wants done in a transaction.
#[derive(Debug, Default)]
pub(in crate::deliveries) struct Round {
    /// How attempts ended, in their order.
    pub(in crate::deliveries) ended: Vec<Completion>,
    /// Deliveries that are claimed at most.
    pub(in crate::deliveries) limit: usize,
    pub(in crate::deliveries) places: Places,
}

/// What one came to, and whether all accounts that are in line were looked at.
pub(in crate::deliveries) type Done = (Vec<Completed>, Vec<Claimed>, bool);

/// Finds out which of the targets want each of the receipts, unless that takes longer.
pub(in crate::deliveries) type Matcher =
    Box<dyn FnOnce(&[NewReceipt], &[Target]) -> Option<Vec<Vec<TargetId>>> + Send>;

/// Receipts that were leased, and the targets that may want them, unless these are too many.
pub(in crate::deliveries) type HandedOver = (Vec<Receipt>, Option<Vec<Target>>);

/// Whoever gets the receipts that are inserted next, since it has none to match; and a worker that waits.
#[derive(Default)]
pub(super) struct Takers {
    pub(super) matching: Mutex<Option<(Matcher, oneshot::Sender<HandedOver>)>>,
    pub(super) sending: Mutex<Option<(Round, oneshot::Sender<Done>)>>,
}

// === impl Queue ===

impl Queue {
    /// The receipts that are inserted next, leased like those of [`lease`](Self::lease), which saves three steps where nothing
    /// waits; none of those for which `matcher` was enough. None if `until` has ended before.
    pub(in crate::deliveries) async fn handed_over(
        &self,
        matcher: Matcher,
        until: impl Future,
    ) -> HandedOver {
        taken(&self.takers.matching, matcher, until).await.unwrap_or_default()
    }

    /// Has `round` carried out when deliveries are made, in the same transaction; `None` if `until` has ended before.
    pub(in crate::deliveries) async fn carried_out(
        &self,
        round: Round,
        until: impl Future,
    ) -> Option<Done> {
        taken(&self.takers.sending, round, until).await
    }
}

/// Offers something, and waits for what it comes to.
async fn taken<O, A>(
    slot: &Mutex<Option<(O, oneshot::Sender<A>)>>,
    offered: O,
    until: impl Future,
) -> Option<A> {
    let (answer, mut answered) = oneshot::channel();
    let is_first = {
        let mut slot = slot.lock();
        let is_first = slot.as_ref().is_none_or(|it| it.1.is_closed());
        if is_first {
            *slot = Some((offered, answer));
        }
        is_first
    };
    if !is_first {
        until.await;
        return None;
    }
    tokio::select! {
        answer = &mut answered => return answer.ok(),
        _ = until => {}
    }
    // Whoever inserts may have taken it, and then answers.
    slot.lock().take();
    answered.await.ok()
}

// === impl Takers ===

impl Takers {
    /// What was offered, by somebody who still waits.
    pub(super) fn take<O, A>(
        slot: &Mutex<Option<(O, oneshot::Sender<A>)>>,
    ) -> Option<(O, oneshot::Sender<A>)> {
        slot.lock().take().filter(|it| !it.1.is_closed())
    }
}

impl fmt::Debug for Takers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Takers").finish_non_exhaustive()
    }
}

// === impl Round ===

impl Round {
    pub(super) fn claims(&self) -> bool {
        self.limit > 0 && self.places.all.free() > 0
    }

    pub(super) fn durability(&self) -> Durability {
        match self.ended.is_empty() {
            // Deliveries are made again, and claimed again.
            true => Durability::Repeatable,
            false => Durability::Synced,
        }
    }

    /// Carries it out in a transaction, and makes the deliveries of receipts that are `wanted` and kept in the table `of`.
    pub(super) async fn carry_out(
        &mut self,
        tx: &mut dyn DeliveryTransaction,
        now: i64,
        (wanted, of): (&[(i64, Vec<TargetId>)], &str),
        gateway: i64,
    ) -> Result<Done, StoreError> {
        let completed = complete(tx, now, &self.ended).await?;
        let made = if wanted.is_empty() { 0 } else { make(tx, now, wanted, of).await? };
        let (claimed, is_last) = if self.claims() {
            claim(tx, now, self.limit, &mut self.places, gateway).await?
        } else {
            (Vec::new(), true)
        };
        // What is not claimed here for its target's sake is for nobody else either.
        if made > 0 && (claimed.len() >= self.limit || self.places.all.full().next().is_some()) {
            tx.announce(News::Due);
        }
        Ok((completed, claimed, is_last))
    }
}

/// What `matcher` finds, unless it panics: whoever matches again notes that.
pub(super) fn matched(
    matcher: Matcher,
    receipts: &[NewReceipt],
    targets: &[Target],
) -> Option<Vec<Vec<TargetId>>> {
    catch_unwind(AssertUnwindSafe(|| matcher(receipts, targets))).ok().flatten()
}
