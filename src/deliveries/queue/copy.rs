//! Copying to a queue in another database, sealed as it is.

use std::collections::{HashMap, HashSet};

use futures_util::future::try_join_all;

use super::{MAX_PAGE, Queue, QueueError, Scope};
use crate::deliveries::{DeliveryState, NewReceipt, StoredReceipt, TargetId};

/// Why deliveries were not copied, or not all of them.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CopyError {
    /// A queue failed.
    #[error(transparent)]
    Queue(#[from] QueueError),
    /// The target has deliveries of its own, or of a copy that was interrupted.
    #[error(
        "the target has targets of deliveries or receipts already; none was copied: name an empty database"
    )]
    NotEmpty,
}

/// Copies the targets, the receipts in their order, and what waits; returns how many receipts. What was delivered or has
/// failed is not copied, what waits is due at once, and receipts are kept as if they had just been received.
///
/// No gateway may serve on either of them at the same time. It keeps a few dozen bytes for each delivery that waits.
///
/// # Errors
/// If `to` is not empty, or a queue fails.
pub async fn copy(from: &dyn Queue, to: &dyn Queue) -> Result<u64, CopyError> {
    let mut targets: Vec<TargetId> = Vec::new();
    let mut page = from.targets(Scope::All, None, MAX_PAGE).await?;
    if page.is_empty() && from.counts().await?.receipts == 0 {
        return Ok(0);
    }
    let is_empty = to.targets(Scope::All, None, 1).await?.is_empty();
    if !is_empty || to.counts().await?.receipts > 0 {
        return Err(CopyError::NotEmpty);
    }
    while !page.is_empty() {
        targets.extend(page.iter().map(|target| target.id));
        try_join_all(page.into_iter().map(|target| to.add_target(target))).await?;
        page = from
            .targets(Scope::All, targets.last().copied(), MAX_PAGE)
            .await?;
    }
    let waiting = waiting(from, &targets).await?;
    let mut unmatched = HashSet::new();
    loop {
        let page = from.unmatched(MAX_PAGE).await?;
        if page.is_empty() {
            break;
        }
        unmatched.extend(page.into_iter().map(|receipt| receipt.position));
    }
    let (mut copied, mut after) = (0, 0);
    loop {
        let page = from.events(Scope::All, after, MAX_PAGE).await?;
        if page.receipts.is_empty() {
            return Ok(copied);
        }
        (copied, after) = (copied + page.receipts.len() as u64, page.through);
        let olds: Vec<_> = page.receipts.iter().map(|it| it.position).collect();
        // They are committed in the order in which they are sent.
        let inserted = page
            .receipts
            .into_iter()
            .map(|receipt| to.insert(new(receipt), u64::MAX));
        let news = try_join_all(inserted).await?;
        let both = olds.into_iter().zip(news);
        let matched = both.filter(|(old, _)| !unmatched.contains(old));
        let wanted =
            matched.map(|(old, new)| (new, waiting.get(&old).cloned().unwrap_or_default()));
        to.fan_out(wanted.collect()).await?;
    }
}

/// The targets for which each receipt waits, by its position.
async fn waiting(
    from: &dyn Queue,
    targets: &[TargetId],
) -> Result<HashMap<i64, Vec<TargetId>>, QueueError> {
    let mut waiting: HashMap<i64, Vec<TargetId>> = HashMap::new();
    for target in targets {
        let mut before = None;
        loop {
            let state = Some(DeliveryState::Waiting);
            let page = from.deliveries(Scope::All, *target, state, before, MAX_PAGE);
            let page = page.await?.unwrap_or_default();
            let Some(last) = page.last() else { break };
            before = Some(last.position);
            for delivery in page {
                waiting.entry(delivery.position).or_default().push(*target);
            }
        }
    }
    Ok(waiting)
}

fn new(receipt: StoredReceipt) -> NewReceipt {
    NewReceipt {
        id: receipt.id,
        account: receipt.account,
        class: receipt.class,
        sealed: receipt.sealed,
    }
}
