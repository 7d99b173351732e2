//! Claims: which deliveries are attempted next.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use super::receipts::UNMATCHED;
use super::rounds::{Done, Round};
use super::rows::{self, OF_TARGET, TARGET, UNSEALED, list, millis};
use super::targets::{AccountChange, PAYER, TargetChange, refresh_due_with};
use super::{LEASE, MAX_CONCURRENT_PER_TARGET, Places, Queue, QueueError};
use crate::deliveries::{Claimed, Completed, Completion, Shares, Target, TargetId};
use crate::vault::StoreError;
use crate::vault::deliveries::{DeliveryTransaction, Lock, News, Query};

/// The most deliveries that are claimed together, and the accounts that one transaction looks at: a power of two.
const MAX_CLAIM: usize = 256;

/// The largest sealed body, in bytes, that is read with a claim.
const SMALL: usize = 16 * 1024;

/// Deliveries that are attempted one after another, at most: what is sent to a target that answers quickly takes fewer
/// transactions.
const RUN: usize = 4;

/// Transactions of a claim at most.
const LOOKS: usize = 4;

#[doc(hidden)]
impl Queue {
    /// Notes how attempts ended, in the order given, and claims up to `limit` deliveries (256 at most) that are due, in the same
    /// transaction, so that a worker waits once for its turn and for the disk.
    ///
    /// Accounts take turns, and get no more than their share of `places`; of each account the targets that
    /// have been in line for longest come first. No target has more than [`MAX_CONCURRENT_PER_TARGET`] runs, over all
    /// gateways, and each has a few deliveries at most; one whose attempts fail has one, with one. The cost does not grow with what waits for targets that have all their claims, and for
    /// accounts that have their share.
    pub async fn complete_and_claim(
        &self,
        mut ended: Vec<Completion>,
        limit: usize,
        mut places: Places,
    ) -> Result<(Vec<Completed>, Vec<Claimed>), QueueError> {
        let limit = limit.min(MAX_CLAIM);
        let (mut completed, mut claimed) = (Vec::new(), Vec::<Claimed>::new());
        // Those who are first in line may have nothing that they may send.
        for look in 0..LOOKS {
            let room = limit - claimed.len();
            let ended = std::mem::take(&mut ended);
            let round = Round { ended, limit: room, places: places.clone() };
            let looked = self.complete_and_claim_some(round).await;
            let (done, more, is_last) = match looked {
                // What the looks before have claimed is attempted all the same.
                Err(_) if look > 0 => break,
                looked => looked?,
            };
            completed.extend(done);
            more.chunk_by(Claimed::are_in_one_run).for_each(|run| places.take(&run[0].target));
            claimed.extend(more);
            if is_last || claimed.len() == limit {
                break;
            }
        }
        Ok((completed, claimed))
    }

    /// Ends the claims and leases of gateways that are known to be gone, whatever the clock says; and says whether that may
    /// be known of others later.
    pub async fn take_over(&self) -> Result<bool, QueueError> {
        let sql = "SELECT claim >> 32 FROM portreeve.delivery WHERE claim IS NOT NULL \
                   UNION SELECT leased_by FROM portreeve.unmatched_receipt WHERE leased_by > 0";
        let found = self.read_to_send(sql.to_owned(), Vec::new()).await?;
        let tables = &self.database.tables;
        let (found, own) = (found.iter().map(|row| row.number(0)), tables.gateway());
        let others = found.filter(|number| ![0, own].contains(number));
        let (gone, looks_again) = tables.gone(others.collect()).await?;
        if gone.is_empty() {
            return Ok(looks_again);
        }
        transaction!(self.change(), |tx, now| {
            const GONE: &str = "(SELECT CAST(value AS bigint) FROM portreeve.json_each($1))";
            let sql = format!(
                "UPDATE portreeve.delivery SET due_at = $2, claim = NULL \
                 WHERE claim IS NOT NULL AND claim >> 32 IN {GONE} RETURNING target"
            );
            let ended = tx.run(&sql, vec![list(&gone), now.into()]).await?;
            let sql = format!(
                "UPDATE portreeve.unmatched_receipt SET leased_until = 0, leased_by = 0 \
                 WHERE leased_by > 0 AND leased_by IN {GONE}"
            );
            tx.run(&sql, vec![list(&gone)]).await?;
            let targets = ended.iter().map(|row| (row.number(0), TargetChange::default()));
            refresh_due_with(tx, now, targets.collect(), BTreeMap::new(), false)?;
            tx.announce(News::Unmatched);
            tx.announce(News::Due);
            Ok(looks_again)
        })
    }

    /// One transaction of it, for some of the accounts that are first in line; says whether these were all.
    async fn complete_and_claim_some(&self, mut round: Round) -> Result<Done, QueueError> {
        if round.ended.is_empty() && !round.claims() {
            return Ok((Vec::new(), Vec::new(), true));
        }
        let (lock, gateway) = (Lock::Deliveries, self.database.tables.gateway());
        Ok(transaction!(self.database.change(lock, round.durability()), |tx, now| {
            round.carry_out(tx, now, (&[], UNMATCHED), gateway).await
        })?)
    }
}

/// Claims some of the accounts that are first in line, and says whether these were all.
pub(super) async fn claim(
    tx: &mut dyn DeliveryTransaction,
    now: i64,
    limit: usize,
    places: &mut Places,
    gateway: i64,
) -> Result<(Vec<Claimed>, bool), StoreError> {
    let in_line = in_line(tx, now, limit, places).await?;
    let is_last = in_line.len() < MAX_CLAIM;
    if in_line.is_empty() {
        return Ok((Vec::new(), is_last));
    }
    // From each account one after the other.
    let longest = in_line.iter().map(|it| it.1.len()).max().unwrap_or_default();
    let in_turn = (0..longest).flat_map(|at| in_line.iter().map(move |it| it.1.get(at)));
    let in_turn: Vec<i64> = in_turn.flatten().copied().take(limit).collect();
    let mut due = due(tx, now, in_turn).await?;
    let (mut targets, mut runs) = (BTreeMap::new(), Vec::new());
    let mut had_turn = BTreeMap::<_, AccountChange>::new();
    loop {
        let before = runs.len();
        for (account, ids) in &in_line {
            if runs.len() == limit {
                break;
            }
            had_turn.entry(account.clone()).or_default();
            for id in ids {
                let Some(Due { target, room, positions }) = due.get_mut(id) else {
                    continue;
                };
                targets.insert(target.id, target.clone());
                if *room > 0
                    && places.has_room(target)
                    && let Some(first) = positions.pop_front()
                {
                    places.take(target);
                    *room -= 1;
                    runs.push((*id, vec![first]));
                    break;
                }
            }
        }
        if runs.len() == before {
            break;
        }
    }
    // What is left of the limit makes them longer.
    let mut left = limit - runs.len();
    for _ in 1..RUN {
        for (id, positions) in &mut runs {
            let due = due.get_mut(id).filter(|it| left > 0 && it.target.failing_since.is_none());
            if let Some(next) = due.and_then(|it| it.positions.pop_front()) {
                positions.push(next);
                left -= 1;
            }
        }
    }
    let random = i64::from(getrandom::u32().unwrap_or_default());
    // Each run has a number of its own.
    let runs = ((gateway << 32) | (random & !(MAX_CLAIM as i64 - 1))..).zip(runs);
    let chosen: Vec<_> = (runs
        .flat_map(|(claim, (id, of_run))| of_run.into_iter().map(move |at| (at, id, claim))))
    .collect();
    let positions: BTreeSet<_> = chosen.iter().map(|it| it.0).collect();
    let claiming = "UPDATE portreeve.delivery SET claim = c.of_run, due_at = $2 FROM ( \
                   SELECT CAST(value ->> 0 AS bigint) AS at, CAST(value ->> 1 AS bigint) AS to_target, \
                       CAST(value ->> 2 AS bigint) AS of_run FROM portreeve.json_each($1) \
               ) AS c WHERE position = c.at AND target = c.to_target \
               RETURNING position, target, tries + 1, length(attempts)";
    let until = now + millis(LEASE);
    let claiming = Query { sql: claiming.to_owned(), values: vec![list(&chosen), until.into()] };
    let reading = Query { sql: of_receipts(), values: vec![list(positions)] };
    let mut found = tx.run_all(vec![claiming, reading]).await?.into_iter();
    let (rows, receipts) = (found.next().unwrap_or_default(), found.next().unwrap_or_default());
    let receipts = receipts.iter().map(rows::receipt).map(|it| (it.position, Arc::new(it)));
    let receipts: BTreeMap<_, _> = receipts.collect();
    let rows: BTreeMap<_, _> = rows.iter().map(|it| ((it.number(0), it.number(1)), it)).collect();
    let claimed = chosen.into_iter().filter_map(|(position, id, claim)| {
        let row = rows.get(&(position, id))?;
        Some(Claimed {
            receipt: receipts.get(&position)?.clone(),
            target: targets.get(&TargetId(id))?.clone(),
            tries: row.number(2) as u32,
            attempts_len: row.number(3),
            claim,
        })
    });
    let claimed = claimed.collect();
    let looked_at = targets.keys().map(|id| (id.0, TargetChange::default()));
    refresh_due_with(tx, now, looked_at.collect(), had_turn, true)?;
    Ok((claimed, is_last))
}

/// The accounts that have been in line for longest, and the targets of each for which something is due: those that have
/// been for longest. Accounts that have their share are passed over.
async fn in_line(
    tx: &mut dyn DeliveryTransaction,
    now: i64,
    limit: usize,
    places: &Places,
) -> Result<Vec<(String, Vec<i64>)>, StoreError> {
    // What is due is one text: SQLite has no join that is limited for each row.
    let sql = format!(
        "SELECT a.account, ( \
                   SELECT string_agg(CAST(f.id AS text), ',') FROM ( \
                       SELECT t.id FROM portreeve.delivery_target AS t \
                       WHERE {PAYER} = a.account AND t.due_at <= $1 AND (t.failing_since IS NULL OR $4 > 0 \
                           AND a.account NOT IN (SELECT value ->> 0 FROM portreeve.json_each($5))) \
                       ORDER BY t.due_at LIMIT $2 \
                   ) AS f \
               ) FROM portreeve.delivery_account AS a WHERE a.due_at <= $1 \
                   AND a.account NOT IN (SELECT value ->> 0 FROM portreeve.json_each($3)) \
               ORDER BY a.due_at LIMIT $6"
    );
    let full = |shares: &Shares| list(shares.full().map(|account| [account]));
    let values = vec![
        now.into(),
        (limit as i64).into(),
        full(&places.all),
        (places.failing.free() as i64).into(),
        full(&places.failing),
        (MAX_CLAIM as i64).into(),
    ];
    let found = tx.run(&sql, values).await?;
    Ok(found.iter().map(|row| (row.text(0).to_owned(), numbers(row.text(1)).collect())).collect())
}

/// The statement that reads the receipts at positions. Large ones come without their sealed bodies, which take too long to read
/// in a transaction.
fn of_receipts() -> String {
    format!(
        "SELECT {UNSEALED}, CASE WHEN length(r.sealed) <= {SMALL} THEN r.sealed ELSE substr(r.sealed, 1, 0) END \
         FROM portreeve.receipt AS r WHERE r.position IN (SELECT CAST(value AS bigint) FROM portreeve.json_each($1))"
    )
}

/// What is due for a target.
struct Due {
    target: Arc<Target>,
    /// How many attempts may begin.
    room: i64,
    positions: VecDeque<i64>,
}

/// What is due for these targets, as far as it could be claimed, by id.
async fn due(
    tx: &mut dyn DeliveryTransaction,
    now: i64,
    targets: Vec<i64>,
) -> Result<BTreeMap<i64, Due>, StoreError> {
    let most = MAX_CONCURRENT_PER_TARGET * RUN as i64;
    let sql = format!(
        "SELECT {TARGET}, \
             CASE WHEN t.failing_since IS NULL THEN {MAX_CONCURRENT_PER_TARGET} ELSE 1 END - ( \
                 SELECT count(DISTINCT d.claim) FROM portreeve.delivery AS d \
                 WHERE d.target = t.id AND d.claim IS NOT NULL AND d.due_at > $1 \
             ), ( \
                 SELECT string_agg(CAST(f.position AS text), ',') FROM ( \
                     SELECT d.position FROM portreeve.delivery AS d \
                     WHERE d.target = t.id AND d.state = 0 AND d.due_at <= $1 \
                     ORDER BY d.due_at, d.position LIMIT {most} \
                 ) AS f \
             ) \
         FROM portreeve.delivery_target AS t WHERE t.id IN ( \
             SELECT CAST(value AS bigint) FROM portreeve.json_each($2))"
    );
    let found = tx.run(&sql, vec![now.into(), list(targets)]).await?;
    let due = found.iter().map(|row| {
        let target = rows::target(row);
        let positions = numbers(row.text(OF_TARGET + 1)).collect();
        (target.id.0, Due { target: Arc::new(target), room: row.number(OF_TARGET), positions })
    });
    Ok(due.collect())
}

/// The numbers in a text, between commas.
fn numbers(text: &str) -> impl Iterator<Item = i64> {
    text.split(',').filter_map(|number| number.parse().ok())
}
