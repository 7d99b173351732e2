//! Keeping receipts: those that wait at the same time share a transaction, and so a sync of the disk.

use std::collections::{BTreeMap, BTreeSet};
use std::panic::AssertUnwindSafe;

use futures_util::FutureExt as _;
use tokio::sync::{mpsc, oneshot};

use super::presence::IS_THERE;
use super::room::Inserter;
use super::rounds::{Done, Matcher, Round, Takers, matched};
use super::rows::{self, HEADER_LEN, TARGET, list, millis, time};
use super::{ALL_ROWS, Database, LEASE, MAX_TARGETS, Queue, QueueError};
use crate::deliveries::{NewReceipt, Target};
use crate::vault::StoreError;
use crate::vault::deliveries::{CHANGE, Durability, Lock, News, Query};

/// Receipts that one transaction inserts, and that may wait for the next one; and the bytes of the former, but for the last
/// one.
pub(super) const BATCH: usize = 256;
const BATCH_BYTES: u64 = 4 << 20;

/// The receipts of the largest batch that is handed over to whoever matches them. Those of a larger one are matched in fair
/// shares.
const HANDED_OVER: usize = 64;

/// A receipt that waits for its insertion.
#[derive(Debug)]
pub(super) struct Waiting {
    receipt: NewReceipt,
    max: u64,
    answer: oneshot::Sender<Result<i64, QueueError>>,
}

/// What one transaction came to.
struct Inserted {
    /// The position of each; `None` for one that does not fit.
    positions: Vec<Option<i64>>,
    now: i64,
    /// How many bytes less would have to be kept for these.
    over: u64,
    /// The targets that may want them.
    targets: Option<Vec<Target>>,
    /// What was done for a worker that waits, if their deliveries were made, too.
    done: Option<Done>,
}

// === impl Queue ===

#[doc(hidden)]
impl Queue {
    /// Keeps a receipt, and returns its position: of two receipts, the one that was committed first has the lower one, and
    /// whoever sees a receipt sees all with lower positions. Receipts that wait at the same time are committed together.
    ///
    /// If all that is kept would have more than `max` bytes, the account that holds most gives up its oldest: what was
    /// delivered wherever it was wanted, then what failed, then what waits.
    ///
    /// # Errors
    /// [`QueueError::Full`] if it has more than `max` bytes itself.
    pub async fn insert(&self, receipt: NewReceipt, max: u64) -> Result<i64, QueueError> {
        if receipt.size() > max {
            return Err(QueueError::Full { max });
        }
        let (answer, answered) = oneshot::channel();
        let waiting = Waiting { receipt, max, answer };
        let ended = || StoreError::new(CHANGE, "the task that does it has ended");
        self.receipts.send(waiting).await.map_err(|_| ended())?;
        answered.await.map_err(|_| StoreError { is_effect_unknown: true, ..ended() })?
    }
}

/// Inserts the receipts that wait, until nobody can send one any more.
pub(super) async fn insert_all(mut inserter: Inserter, mut waiting: mpsc::Receiver<Waiting>) {
    while let Some(first) = waiting.recv().await {
        let mut bytes = first.receipt.size();
        let mut batch = vec![first];
        while batch.len() < BATCH && bytes < BATCH_BYTES {
            let Ok(next) = waiting.try_recv() else { break };
            bytes += next.receipt.size();
            batch.push(next);
        }
        // Those of the batch are told that it is not known; the next ones are received all the same.
        let keeping = AssertUnwindSafe(inserter.insert(batch)).catch_unwind();
        if keeping.await.is_err() {
            tracing::error!("storing deliveries that were received panicked: please report this");
        }
    }
}

// === impl Inserter ===

impl Inserter {
    /// Inserts a batch, and answers each of it.
    async fn insert(&mut self, mut batch: Vec<Waiting>) {
        // Whether the transaction only inserts them.
        let mut is_plain = false;
        while !batch.is_empty() {
            let receipts = batch.iter().map(|it| it.receipt.clone()).collect();
            let limits = batch.iter().map(|it| it.max).collect();
            let taker = match batch.len() <= HANDED_OVER {
                true => Takers::take(&self.takers.matching),
                false => None,
            };
            let (matcher, matching) = taker.unzip();
            let sending = match matcher.is_some() && !is_plain {
                true => Takers::take(&self.takers.sending),
                false => None,
            };
            let (round, sending) = sending.unzip();
            is_plain = round.is_none();
            let error = match self.database.insert(receipts, limits, matcher, round).await {
                // Readers can be told before others have the positions.
                Ok(None) => match self.database.note_loss().await {
                    Ok(()) => continue,
                    Err(error) => Some(error),
                },
                Ok(Some(Inserted { positions, now, over, targets, done })) => {
                    let (mut refused, mut handed_over) = (Vec::new(), Vec::new());
                    let are_matched = done.is_some();
                    _ = sending.zip(done).map(|(sending, done)| sending.send(done));
                    for (waiting, position) in batch.drain(..).zip(positions) {
                        let Some(position) = position else {
                            refused.push(waiting);
                            continue;
                        };
                        *self.database.last.lock() = Some((position, waiting.receipt.id, now));
                        _ = waiting.answer.send(Ok(position));
                        if !are_matched {
                            handed_over.push(waiting.receipt.kept(position, time(now)));
                        }
                    }
                    let unsent = matching.and_then(|it| it.send((handed_over, targets)).err());
                    if let Some((unsent, _)) = unsent {
                        let positions = unsent.iter().map(|it| it.position);
                        // Otherwise the next look for receipts does it.
                        _ = self.database.release(positions.collect()).await;
                    }
                    batch = refused;
                    if batch.is_empty() {
                        return;
                    }
                    match self.make_room(over).await {
                        Ok(true) => continue,
                        Ok(false) => None,
                        Err(error) => Some(error),
                    }
                }
                // They need not fail with what is done for a worker.
                Err(error) if !is_plain && !error.is_effect_unknown => {
                    is_plain = true;
                    continue;
                }
                // The others need not fail with the one that the database cannot store.
                Err(error) if error.is_of_values && batch.len() > 1 => {
                    for one in batch.drain(..) {
                        Box::pin(self.insert(vec![one])).await;
                    }
                    return;
                }
                Err(error) => Some(error),
            };
            for waiting in batch.drain(..) {
                // Also if whoever sent it has stopped waiting.
                self.database.note_refusal();
                let full = QueueError::Full { max: waiting.max };
                let error = error.clone().map_or(full, QueueError::from);
                _ = waiting.answer.send(Err(error));
            }
        }
    }
}

// === impl Database ===

impl Database {
    /// Inserts receipts, each within its limit. If there is a `matcher`, they are leased to this gateway; if there is a `round`,
    /// too, and the matcher is enough, it is carried out with their deliveries. `None`, and none is inserted, if the last one
    /// that was acknowledged is lost.
    async fn insert(
        &self,
        receipts: Vec<NewReceipt>,
        limits: Vec<u64>,
        matcher: Option<Matcher>,
        round: Option<Round>,
    ) -> Result<Option<Inserted>, StoreError> {
        let (gateway, last) = (self.tables.gateway(), self.last.lock().unwrap_or_default());
        let are_taken = matcher.is_some();
        let lock = if round.is_some() { Lock::Both } else { Lock::Receipts };
        transaction!(self.change(lock, Durability::Synced), |tx, now| {
            // No position is used again, not even that of the newest receipt if that was removed.
            let sql = format!(
                "SELECT CAST(coalesce(sum(bytes), 0) \
                     + coalesce((SELECT bytes FROM portreeve.delivery_account WHERE account = $1), 0) AS bigint), \
                 coalesce(max(removed_through), 0), (SELECT coalesce(max(position), 0) FROM portreeve.receipt) \
                 FROM portreeve.receipt_total HAVING {IS_THERE}"
            );
            let values = vec![ALL_ROWS.into(), last.0.into(), last.1.to_string().into()];
            let mut reading = vec![Query { sql, values }];
            if are_taken {
                // These have come, and are not acknowledged: a target that is made or changed from now on is later than they are.
                let of: BTreeSet<_> = receipts.iter().map(|it| it.account.as_deref()).collect();
                let of = list(of.into_iter().chain([None]).map(|it| [it.unwrap_or_default()]));
                let sql = format!(
                    "SELECT {TARGET} FROM portreeve.delivery_target AS t WHERE account IN ( \
                         SELECT value ->> 0 FROM portreeve.json_each($1)) AND state < 3 LIMIT {}",
                    MAX_TARGETS + 1
                );
                reading.push(Query { sql, values: vec![of] });
            }
            let mut found = tx.run_all(reading).await?.into_iter();
            let totals = found.next().unwrap_or_default();
            let Some(row) = totals.first() else { return Ok(None) };
            // Of very many, they are read when the lock is free again.
            let targets = found.next().filter(|rows| rows.len() <= MAX_TARGETS as usize);
            let targets: Option<Vec<_>> =
                targets.map(|rows| rows.iter().map(rows::target).collect());
            let at_once = round.filter(|_| tx.excludes_all()).and_then(|round| {
                Some((round, matched(matcher?, &receipts, targets.as_deref()?)?))
            });
            let mut inserted =
                Inserted { positions: Vec::new(), now, over: 0, targets, done: None };
            let [kept, removed, newest] = [0, 1, 2].map(|at| row.number(at));
            let (mut bytes, first) = (kept.max(0).cast_unsigned(), newest.max(removed) + 1);
            let mut next = first;
            let (mut rows, mut values) = (Vec::new(), vec![now.into()]);
            let mut accounts = BTreeMap::<String, u64>::new();
            let mut headers = BTreeMap::<Box<[u8]>, (i64, i64)>::new();
            for (receipt, max) in receipts.into_iter().zip(limits) {
                let size = receipt.size();
                if bytes + size > max {
                    inserted.over = inserted.over.max(bytes - max.min(bytes)) + size;
                    inserted.positions.push(None);
                    continue;
                }
                bytes += size;
                let account = receipt.account.as_deref().unwrap_or_default();
                *accounts.entry(account.to_owned()).or_default() += size;
                let header = receipt.sealed[..receipt.sealed.len().min(HEADER_LEN)].into();
                let total = headers.entry(header).or_default();
                *total = (total.0 + 1, total.1 + size as i64);
                let n = values.len();
                let (a, b, c, d, e) = (n + 1, n + 2, n + 3, n + 4, n + 5);
                rows.push(format!("(${a}, ${b}, ${c}, ${d}, $1, ${e})"));
                values.push(next.into());
                values.push(receipt.id.to_string().into());
                values.push(account.into());
                values.push((*receipt.class).into());
                values.push(receipt.sealed.into());
                inserted.positions.push(Some(next));
                next += 1;
            }
            if rows.is_empty() {
                return Ok(Some(inserted));
            }
            let sql = format!(
                "INSERT INTO portreeve.receipt (position, id, account, class, received_at, sealed) VALUES {}",
                rows.join(", ")
            );
            tx.put(sql, values)?;
            let sql = "INSERT INTO portreeve.receipt_total AS total (sealed, receipts, bytes, removed_through) \
                       VALUES ($1, $2, $3, 0) ON CONFLICT (sealed) DO UPDATE \
                       SET receipts = total.receipts + excluded.receipts, bytes = total.bytes + excluded.bytes";
            for (header, (receipts, bytes)) in headers {
                tx.put(sql.to_owned(), vec![header.into(), receipts.into(), bytes.into()])?;
            }
            let sql = "INSERT INTO portreeve.account_total AS a (account, bytes) \
                       SELECT c.account, c.bytes FROM ( \
                           SELECT value ->> 0 AS account, CAST(value ->> 1 AS bigint) AS bytes \
                           FROM portreeve.json_each($1) \
                       ) AS c WHERE true \
                       ON CONFLICT (account) DO UPDATE SET bytes = a.bytes + excluded.bytes";
            tx.put(sql.to_owned(), vec![list(accounts)])?;
            tx.announce(News::Received);
            if let Some((mut round, wanting)) = at_once {
                let wanted = inserted.positions.iter().zip(wanting);
                let wanted = wanted.filter_map(|(position, wanting)| Some(((*position)?, wanting)));
                let wanted: Vec<_> = wanted.collect();
                let done = round.carry_out(tx, now, (&wanted, "receipt"), gateway).await?;
                inserted.done = Some(done);
                return Ok(Some(inserted));
            }
            let sql = "INSERT INTO portreeve.unmatched_receipt (position, account, size, leased_until, leased_by) \
                       SELECT position, account, length(sealed), $2, $3 FROM portreeve.receipt WHERE position >= $1";
            let (until, by) = if are_taken { (now + millis(LEASE), gateway) } else { (0, 0) };
            let values = vec![first.into(), until.into(), by.into()];
            tx.put(sql.to_owned(), values)?;
            if !are_taken {
                tx.announce(News::Unmatched);
            }
            Ok(Some(inserted))
        })
    }
}
