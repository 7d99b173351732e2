//! Keeping receipts: those that wait at the same time share a transaction, and so a sync of the disk.

use std::time::{Duration, Instant};

use tokio::sync::{mpsc, oneshot};

use super::receipts::{REMOVED_AT_ONCE, remove_receipts};
use super::rows::HEADER_LEN;
use super::{Database, OVERHEAD, Queue, QueueError};
use crate::deliveries::NewReceipt;
use crate::vault::StoreError;
use crate::vault::deliveries::{CHANGE, Lock};

/// Receipts that one transaction inserts, and that may wait for the next one.
pub(super) const BATCH: usize = 256;

/// Receipts that one transaction looks at for some that can go.
const LOOKED_AT: usize = 1000;

/// Such transactions for one batch at most; then there are none for a while.
const LOOKS: usize = 20;
const NO_LOOK_FOR: Duration = Duration::from_secs(1);

/// A receipt that waits for its insertion.
#[derive(Debug)]
pub(super) struct Waiting {
    receipt: NewReceipt,
    max: u64,
    answer: oneshot::Sender<Result<i64, QueueError>>,
}

/// Makes room among the receipts that are kept.
struct Room {
    database: Database,
    /// The position of the last receipt that was looked at, and when the next ones may be.
    looked_through: i64,
    next_look: Instant,
}

// === impl Queue ===

impl Queue {
    /// Keeps a receipt, and returns its position: of two receipts, the one that was committed first has the lower
    /// one, and whoever sees a receipt sees all with lower positions. Receipts that wait at the same time are
    /// committed together.
    ///
    /// If the receipts would have more than `max` bytes, the oldest ones that have been delivered wherever they were
    /// wanted are removed.
    ///
    /// # Errors
    /// [`QueueError::Full`] if there are none of these.
    pub async fn insert(&self, receipt: NewReceipt, max: u64) -> Result<i64, QueueError> {
        if receipt.size() > max {
            return Err(QueueError::Full { max });
        }
        let (answer, answered) = oneshot::channel();
        let waiting = Waiting {
            receipt,
            max,
            answer,
        };
        let ended = || StoreError::new(CHANGE, "the runtime ends");
        self.receipts.send(waiting).await.map_err(|_| ended())?;
        answered.await.map_err(|_| ended().effect_unknown(true))?
    }
}

/// Inserts the receipts that wait, until nobody can send one any more.
pub(super) async fn insert_all(database: Database, mut waiting: mpsc::Receiver<Waiting>) {
    let mut batch = Vec::with_capacity(BATCH);
    let mut room = Room {
        database: database.clone(),
        looked_through: 0,
        next_look: Instant::now(),
    };
    while waiting.recv_many(&mut batch, BATCH).await > 0 {
        loop {
            let receipts = batch.iter().map(|it| (it.receipt.clone(), it.max));
            match database.insert(receipts.collect()).await {
                Ok(positions) => {
                    let mut refused = Vec::new();
                    for (waiting, position) in batch.drain(..).zip(positions) {
                        match position {
                            Some(position) => _ = waiting.answer.send(Ok(position)),
                            None => refused.push(waiting),
                        }
                    }
                    batch = refused;
                }
                Err(error) => {
                    for waiting in batch.drain(..) {
                        _ = waiting.answer.send(Err(error.clone().into()));
                    }
                }
            }
            if batch.is_empty() || !room.make().await {
                break;
            }
        }
        for waiting in batch.drain(..) {
            let full = QueueError::Full { max: waiting.max };
            _ = waiting.answer.send(Err(full));
        }
    }
}

// === impl Database ===

impl Database {
    /// Inserts receipts, each within its limit; returns the position of each, `None` for one that does not fit.
    async fn insert(
        &self,
        receipts: Vec<(NewReceipt, u64)>,
    ) -> Result<Vec<Option<i64>>, StoreError> {
        let inserting = self.change(Lock::Receipts, move |tx, now| {
            Box::pin(async move {
                // No position is used again, not even that of the newest receipt if that was removed.
                let sql = "SELECT CAST(coalesce(sum(bytes), 0) AS bigint), coalesce(max(removed_through), 0), \
                           (SELECT coalesce(max(position), 0) FROM portreeve.receipt) FROM portreeve.receipt_total";
                let totals = tx.run(sql, Vec::new()).await?;
                let [kept, removed, newest] =
                    [0, 1, 2].map(|at| totals.first().map_or(0, |row| row.number(at)));
                let (mut bytes, first) = (kept.cast_unsigned(), newest.max(removed) + 1);
                let (mut next, mut positions) = (first, Vec::with_capacity(receipts.len()));
                let (mut rows, mut values) = (Vec::new(), vec![now.into()]);
                for (receipt, max) in receipts {
                    if bytes + receipt.size() > max {
                        positions.push(None);
                        continue;
                    }
                    bytes += receipt.size();
                    let n = values.len();
                    let (a, b, c, d, e) = (n + 1, n + 2, n + 3, n + 4, n + 5);
                    rows.push(format!("(${a}, ${b}, ${c}, ${d}, $1, ${e})"));
                    values.push(next.into());
                    values.push(receipt.id.to_string().into());
                    values.push(receipt.account.as_deref().unwrap_or_default().into());
                    values.push((*receipt.class).into());
                    values.push(receipt.sealed.into());
                    positions.push(Some(next));
                    next += 1;
                }
                if rows.is_empty() {
                    return Ok(positions);
                }
                let sql = format!(
                    "INSERT INTO portreeve.receipt (position, id, account, class, received_at, sealed) VALUES {}",
                    rows.join(", ")
                );
                tx.run(&sql, values).await?;
                let sql = "INSERT INTO portreeve.unmatched_receipt (position, leased_until) \
                           SELECT position, 0 FROM portreeve.receipt WHERE position >= $1";
                tx.run(sql, vec![first.into()]).await?;
                let sql = format!(
                    "INSERT INTO portreeve.receipt_total AS total (sealed, receipts, bytes, removed_through) \
                     SELECT substr(sealed, 1, {HEADER_LEN}), count(*), sum(length(sealed) + {OVERHEAD}), 0 \
                     FROM portreeve.receipt WHERE position >= $1 GROUP BY 1 \
                     ON CONFLICT (sealed) DO UPDATE \
                     SET receipts = total.receipts + excluded.receipts, bytes = total.bytes + excluded.bytes"
                );
                tx.run(&sql, vec![first.into()]).await?;
                tx.announce();
                Ok(positions)
            })
        });
        inserting.await
    }

    /// Looks at some receipts after a position, and removes up to [`REMOVED_AT_ONCE`] that have been delivered wherever
    /// they were wanted. Returns how many, and the position of the last one that was looked at, if there is one.
    async fn trim(&self, after: i64) -> Result<(usize, Option<i64>), StoreError> {
        let trimming = self.change(Lock::Deliveries, move |tx, now| {
            Box::pin(async move {
                let sql = format!(
                    "SELECT r.position, CASE WHEN EXISTS (SELECT 1 FROM portreeve.delivery AS d \
                         WHERE d.position = r.position AND d.state <> 1) \
                         OR EXISTS (SELECT 1 FROM portreeve.unmatched_receipt AS u WHERE u.position = r.position) \
                     THEN 1 ELSE 0 END FROM portreeve.receipt AS r \
                     WHERE r.position > $1 ORDER BY r.position LIMIT {LOOKED_AT}"
                );
                let found = tx.run(&sql, vec![after.into()]).await?;
                let mut through = found.last().map(|last| last.number(0));
                let removable = found.iter().filter(|row| row.number(1) == 0);
                let removable = removable.map(|row| row.number(0)).take(REMOVED_AT_ONCE);
                let removable: Vec<_> = removable.collect();
                if removable.len() == REMOVED_AT_ONCE {
                    through = removable.last().copied();
                }
                if !removable.is_empty() {
                    remove_receipts(tx, now, &removable).await?;
                }
                Ok((removable.len(), through))
            })
        });
        trimming.await
    }
}

// === impl Room ===

impl Room {
    /// Whether some was made. What was just looked at in vain is not looked at again for each receipt that comes.
    async fn make(&mut self) -> bool {
        if Instant::now() < self.next_look {
            return false;
        }
        for _ in 0..LOOKS {
            match self.database.trim(self.looked_through).await {
                Ok((removed, Some(through))) => {
                    self.looked_through = through;
                    if removed > 0 {
                        return true;
                    }
                }
                // From the oldest again.
                Ok((_, None)) if self.looked_through > 0 => self.looked_through = 0,
                Ok((_, None)) | Err(_) => break,
            }
        }
        self.next_look = Instant::now() + NO_LOOK_FOR;
        false
    }
}
