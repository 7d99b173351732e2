//! Making room: the account that holds most gives up its oldest.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use super::removal::{MAX_ROWS, THESE, portion, remove_receipts, subtract};
use super::rows::list;
use super::targets::{AccountChange, TargetChange, refresh_due, refresh_due_with};
use super::{ALL_ROWS, DELIVERY_BYTES, Database, OVERHEAD, Takers};
use crate::deliveries::DeliveryState;
use crate::vault::StoreError;
use crate::vault::deliveries::{DeliveryTransaction, Durability, Lock, Reader, SqlRow, SqlValue};

/// Receipts that one transaction looks at, and transactions that look for one kind before the next kind has to do.
const LOOKED_AT: usize = 1000;
const LOOKS: usize = 8;

/// After what time something of the kinds before may have become what can go.
const OUTDATED: Duration = Duration::from_secs(1);

/// What is given up, in this order.
const DELIVERED: i64 = 0;
const FAILED: i64 = 1;
const WAITING: i64 = 2;
/// What never is: an attempt is under way.
const UNDER_WAY: i64 = 3;
/// After these, the deliveries to targets of all accounts, which are no account's receipts: in these states.
const LAST: i64 = WAITING + 4;
const ROWS: [DeliveryState; 4] = [
    DeliveryState::Delivered,
    DeliveryState::Expired,
    DeliveryState::Failed,
    DeliveryState::Waiting,
];

/// Inserts receipts, and makes room for them among what is kept.
#[derive(Debug)]
pub(super) struct Inserter {
    pub(super) database: Database,
    pub(super) takers: Arc<Takers>,
    expired: Arc<AtomicU64>,
    search: Option<Search>,
}

/// Where something can go.
#[derive(Clone, Debug)]
struct Search {
    account: String,
    kind: i64,
    /// The position of the last receipt that was looked at.
    after: i64,
    looks: usize,
    began: Instant,
}

// === impl Inserter ===

impl Inserter {
    pub(super) fn new(database: Database, expired: Arc<AtomicU64>, takers: Arc<Takers>) -> Self {
        Self { database, takers, expired, search: None }
    }

    /// Whether some was made, of the `bytes` that are wanted: the account that holds most gives up some of its oldest
    /// receipts, those first that were delivered wherever they were wanted, then what failed, then what waits. Of very many,
    /// only the oldest count. If none of it can go, the next account does so.
    pub(super) async fn make_room(&mut self, bytes: u64) -> Result<bool, StoreError> {
        let current = self.search.take().filter(|it| it.began.elapsed() < OUTDATED);
        let searches = self.database.largest_accounts().await?.into_iter().flat_map(|account| {
            let current = current.clone().filter(|it| it.account == account);
            let (kind, began) = (DELIVERED, Instant::now());
            let anew = Search { account, kind, after: 0, looks: 0, began };
            // What was given up by the current one, as far as it is still there, can go altogether.
            current.map(|it| (it, WAITING)).into_iter().chain([(anew, LAST)])
        });
        for (mut search, last) in searches {
            while search.kind <= last {
                let (removed, expired, through) =
                    match ROWS.get((search.kind - WAITING - 1) as usize) {
                        Some(state) => self.database.give_up_rows(&search, *state, bytes).await?,
                        None => self.database.give_up(search.clone(), bytes).await?,
                    };
                self.expired.fetch_add(expired, Ordering::Relaxed);
                search.looks = if removed { 0 } else { search.looks + 1 };
                match through.filter(|_| search.looks < LOOKS || search.kind == WAITING) {
                    Some(through) => search.after = through,
                    None => {
                        search.kind += 1;
                        (search.after, search.looks) = (0, 0);
                    }
                }
                if removed {
                    self.search = Some(search);
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }
}

// === impl Database ===

impl Database {
    /// The accounts that hold most.
    async fn largest_accounts(&self) -> Result<Vec<String>, StoreError> {
        let sql = "SELECT account FROM ( \
                       SELECT account, bytes FROM portreeve.account_total \
                       UNION ALL SELECT account, bytes FROM portreeve.delivery_account WHERE account <> $1 \
                   ) AS held GROUP BY account ORDER BY sum(bytes) DESC LIMIT 32";
        let found = self.tables.read(Reader::Worker, sql.to_owned(), vec![ALL_ROWS.into()]);
        Ok(found.await?.iter().map(|row| row.text(0).to_owned()).collect())
    }

    /// Gives up some of the receipts that a search comes to. Returns whether there were any, how many deliveries have not
    /// arrived for it, and the position of the last receipt that was looked at, if there is one.
    async fn give_up(
        &self,
        search: Search,
        bytes: u64,
    ) -> Result<(bool, u64, Option<i64>), StoreError> {
        transaction!(self.change(Lock::Deliveries, Durability::Synced), |tx, now| {
            let sql = format!(
                "SELECT r.position, length(r.sealed), \
                     (SELECT count(*) FROM portreeve.delivery AS d WHERE d.position = r.position), \
                     (SELECT max(CASE d.state WHEN 2 THEN {FAILED} WHEN 0 THEN CASE \
                          WHEN d.claim IS NOT NULL AND d.due_at > $3 THEN {UNDER_WAY} ELSE {WAITING} \
                      END ELSE {DELIVERED} END) FROM portreeve.delivery AS d WHERE d.position = r.position), \
                     (SELECT u.position FROM portreeve.unmatched_receipt AS u WHERE u.position = r.position) \
                 FROM portreeve.receipt AS r WHERE r.account = $1 AND r.position > $2 \
                 ORDER BY r.position LIMIT {LOOKED_AT}"
            );
            let values = vec![search.account.clone().into(), search.after.into(), now.into()];
            let found = tx.run(&sql, values).await?;
            // What is not matched yet waits, too.
            let is_unmatched = |row: &SqlRow| row.number_at(4).is_some();
            let kind = |row: &SqlRow| if is_unmatched(row) { WAITING } else { row.number(3) };
            let chosen = found.iter().filter(|row| kind(row) == search.kind);
            let mut left = bytes as i64;
            let chosen = portion(chosen).into_iter().take_while(|row| {
                let is_wanted = left > 0;
                let rows = OVERHEAD as i64 + row.number(2) * DELIVERY_BYTES as i64;
                let goes = search.kind == DELIVERED || is_unmatched(row);
                left -= row.number(1) + if goes { rows } else { 0 };
                is_wanted
            });
            let chosen: Vec<_> = chosen.collect();
            let last = chosen.last().copied().or(found.last());
            let through = last.map(|last| last.number(0));
            let positions = |unmatched: bool| {
                let these = chosen.iter().filter(|row| is_unmatched(row) == unmatched);
                these.map(|row| row.number(0)).collect::<Vec<_>>()
            };
            let mut expired = 0;
            match search.kind {
                DELIVERED => remove_receipts(tx, now, &positions(false)).await?,
                _ => {
                    let gone = positions(true);
                    expired = gone.len() as u64;
                    remove_receipts(tx, now, &gone).await?;
                    expired += expire(tx, now, search.account, positions(false)).await?;
                }
            }
            Ok((!chosen.is_empty(), expired, through))
        })
    }

    /// Removes the oldest deliveries in this state to one of the targets of all accounts that an account made. Returns the
    /// same.
    async fn give_up_rows(
        &self,
        search: &Search,
        state: DeliveryState,
        bytes: u64,
    ) -> Result<(bool, u64, Option<i64>), StoreError> {
        let is_over = matches!(state, DeliveryState::Delivered | DeliveryState::Expired);
        let (account, state) = (search.account.clone(), state as i64);
        let limit = (bytes / DELIVERY_BYTES + 1).min(MAX_ROWS as u64) as i64;
        transaction!(self.change(Lock::Deliveries, Durability::Synced), |tx, now| {
            let sql = "SELECT t.id FROM portreeve.delivery_target AS t WHERE t.account = '' AND t.made_by = $1 AND EXISTS ( \
                           SELECT 1 FROM portreeve.delivery AS d WHERE d.target = t.id AND d.state = $2 \
                               AND (d.claim IS NULL OR d.due_at <= $3) \
                       ) LIMIT 1";
            let values = vec![account.into(), state.into(), now.into()];
            let found = tx.run(sql, values).await?;
            let Some(target) = found.first().map(|row| row.number(0)) else {
                return Ok((false, 0, None));
            };
            let sql = "DELETE FROM portreeve.delivery WHERE target = $1 AND state = $2 AND position IN ( \
                           SELECT position FROM portreeve.delivery WHERE target = $1 AND state = $2 \
                           AND (claim IS NULL OR due_at <= $3) ORDER BY position LIMIT $4 \
                       ) RETURNING length(attempts)";
            let values = vec![target.into(), state.into(), now.into(), limit.into()];
            let removed = tx.run(sql, values).await?;
            let bytes = removed.iter().map(|row| DELIVERY_BYTES as i64 + row.number(0));
            let number = removed.len() as i64;
            let change = TargetChange {
                waiting: if state == DeliveryState::Waiting as i64 { -number } else { 0 },
                bytes: -bytes.sum::<i64>(),
                failing: None,
            };
            refresh_due(tx, now, BTreeMap::from([(target, change)]))?;
            Ok((number > 0, if is_over { 0 } else { number as u64 }, None))
        })
    }
}

/// Leaves of the receipts at `positions`, those of one account, what shows that their deliveries have not arrived. Returns
/// how many these are.
async fn expire(
    tx: &mut dyn DeliveryTransaction,
    now: i64,
    account: String,
    positions: Vec<i64>,
) -> Result<u64, StoreError> {
    let these: SqlValue = list(&positions);
    let sql = format!(
        "SELECT target, CASE state WHEN 0 THEN 1 ELSE 0 END FROM portreeve.delivery \
         WHERE {THESE} AND state IN (0, 2)"
    );
    let mut targets = BTreeMap::<_, TargetChange>::new();
    let found = tx.run(&sql, vec![these.clone()]).await?;
    for row in &found {
        targets.entry(row.number(0)).or_default().waiting -= row.number(1);
    }
    let sql = format!(
        "UPDATE portreeve.delivery SET state = 3, claim = NULL WHERE {THESE} AND state IN (0, 2)"
    );
    tx.run(&sql, vec![these.clone()]).await?;
    // What was given up before counts once.
    let sql = format!(
        "SELECT position, length(sealed) FROM portreeve.receipt WHERE {THESE} AND length(sealed) > 0"
    );
    let emptied = tx.run(&sql, vec![these]).await?;
    let positions: Vec<_> = emptied.iter().map(|row| row.number(0)).collect();
    let sealed: i64 = emptied.iter().map(|row| row.number(1)).sum();
    let change = |bytes| AccountChange { bytes, removed_through: 0 };
    let left = positions.len() as i64 * OVERHEAD as i64;
    let accounts = [(account, change(-sealed)), (ALL_ROWS.to_owned(), change(left))];
    refresh_due_with(tx, now, targets, BTreeMap::from(accounts), false)?;
    subtract(tx, &positions, None).await?;
    let sql = format!("UPDATE portreeve.receipt SET sealed = substr(sealed, 1, 0) WHERE {THESE}");
    tx.run(&sql, vec![list(&positions)]).await?;
    Ok(found.len() as u64)
}
