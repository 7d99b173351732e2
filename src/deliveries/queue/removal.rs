//! Removing receipts with their deliveries, and what is left of removed targets, in portions.

use std::collections::BTreeMap;
use std::time::Duration;

use super::receipts::MAX_READ;
use super::rows::{HEADER_LEN, list, millis};
use super::targets::{AccountChange, TargetChange, bring_forward, refresh_due, refresh_due_with};
use super::{ALL_ROWS, DELIVERY_BYTES, OVERHEAD, Queue, QueueError};
use crate::vault::StoreError;
use crate::vault::deliveries::{DeliveryTransaction, SqlRow, SqlValue};

/// Receipts, and deliveries of a removed target, that one transaction removes; and the deliveries that it makes or removes
/// with receipts, but for the last one's: others wait for it.
pub(super) const REMOVED_AT_ONCE: usize = 250;
pub(super) const MAX_ROWS: i64 = 500;

/// The condition that a position is one of the list `$1`.
pub(super) const THESE: &str =
    "position IN (SELECT CAST(value AS bigint) FROM portreeve.json_each($1))";

impl Queue {
    /// Removes up to a few hundred receipts, with their deliveries, that are older than `keep`, the oldest first, and
    /// what is left of removed targets; and makes what waits due for targets that answer again. Returns of how many receipts
    /// and deliveries; call it again until it is 0.
    pub async fn clean(&self, keep: Duration) -> Result<u64, QueueError> {
        transaction!(self.change(), |tx, now| {
            let until = now.saturating_sub(millis(keep));
            // By their times: one of a time when the clock was ahead does not keep those after it.
            let old = "r.received_at <= $1 ORDER BY r.received_at";
            let old = remove_first(tx, now, old, until.into()).await?;
            let removed = old + clean_removed_target(tx, now).await?;
            Ok(removed + bring_forward(tx, now).await?)
        })
    }
}

/// Removes the first receipts that fulfil `condition`, in its order, as many as one transaction may; in it, `$1` is `value`.
/// Returns how many.
pub(super) async fn remove_first(
    tx: &mut dyn DeliveryTransaction,
    now: i64,
    condition: &str,
    value: SqlValue,
) -> Result<u64, StoreError> {
    let sql = format!(
        "SELECT r.position, length(r.sealed), \
             (SELECT count(*) FROM portreeve.delivery AS d WHERE d.position = r.position) \
         FROM portreeve.receipt AS r WHERE {condition} LIMIT {REMOVED_AT_ONCE}"
    );
    let found = tx.run(&sql, vec![value]).await?;
    let positions: Vec<_> = portion(found.iter()).iter().map(|row| row.number(0)).collect();
    if !positions.is_empty() {
        remove_receipts(tx, now, &positions).await?;
    }
    Ok(positions.len() as u64)
}

/// The first of these receipts that one transaction may remove: each row has the bytes and the number of deliveries after
/// the position.
pub(super) fn portion<'r>(rows: impl Iterator<Item = &'r SqlRow>) -> Vec<&'r SqlRow> {
    let (mut bytes, mut deliveries) = (0, 0);
    let rows = rows.take(REMOVED_AT_ONCE).take_while(|row| {
        let has_room = bytes < MAX_READ as i64 && deliveries < MAX_ROWS;
        bytes += row.number(1);
        deliveries += row.number(2);
        has_room
    });
    rows.collect()
}

/// Removes the receipts at `positions` with their deliveries: whoever has not read them is told.
pub(super) async fn remove_receipts(
    tx: &mut dyn DeliveryTransaction,
    now: i64,
    positions: &[i64],
) -> Result<(), StoreError> {
    let sql = format!(
        "DELETE FROM portreeve.delivery WHERE {THESE} RETURNING target, state, length(attempts)"
    );
    let mut targets = BTreeMap::<_, TargetChange>::new();
    for row in tx.run(&sql, vec![list(positions)]).await? {
        let target = targets.entry(row.number(0)).or_default();
        target.waiting -= i64::from(row.number(1) == 0);
        target.bytes -= DELIVERY_BYTES as i64 + row.number(2);
    }
    let sql = format!("DELETE FROM portreeve.unmatched_receipt WHERE {THESE}");
    tx.run(&sql, vec![list(positions)]).await?;
    let mut accounts = BTreeMap::<_, AccountChange>::new();
    let sql = format!(
        "SELECT account, CAST(sum(length(sealed) + {OVERHEAD}) AS bigint), max(position), \
             CAST(sum(CASE length(sealed) WHEN 0 THEN {OVERHEAD} ELSE 0 END) AS bigint) \
         FROM portreeve.receipt WHERE {THESE} GROUP BY 1"
    );
    for row in tx.run(&sql, vec![list(positions)]).await? {
        let account = accounts.entry(row.text(0).to_owned()).or_default();
        account.bytes = -row.number(1);
        account.removed_through = row.number(2);
        accounts.entry(ALL_ROWS.to_owned()).or_default().bytes -= row.number(3);
    }
    refresh_due_with(tx, now, targets, accounts, false)?;
    // At the end, since receipts that are added wait for this row.
    subtract(tx, positions, positions.iter().max().copied()).await?;
    let sql = format!("DELETE FROM portreeve.receipt WHERE {THESE}");
    tx.run(&sql, vec![list(positions)]).await.map(drop)
}

/// Subtracts these receipts from the totals of their keys.
pub(super) async fn subtract(
    tx: &mut dyn DeliveryTransaction,
    positions: &[i64],
    removed_through: Option<i64>,
) -> Result<(), StoreError> {
    let of_key =
        format!("WHERE {THESE} AND substr(r.sealed, 1, {HEADER_LEN}) = receipt_total.sealed");
    let sql = format!(
        "UPDATE portreeve.receipt_total SET \
             receipts = receipts - (SELECT count(*) FROM portreeve.receipt AS r {of_key}), \
             bytes = bytes - (SELECT CAST(coalesce(sum(length(r.sealed) + {OVERHEAD}), 0) AS bigint) \
                 FROM portreeve.receipt AS r {of_key}), \
             removed_through = CASE WHEN removed_through < $2 THEN $2 ELSE removed_through END \
         WHERE length(sealed) > 0"
    );
    let values = vec![list(positions), removed_through.unwrap_or_default().into()];
    tx.run(&sql, values).await.map(drop)
}

/// Removes a portion of what is left of a target that was removed.
async fn clean_removed_target(
    tx: &mut dyn DeliveryTransaction,
    now: i64,
) -> Result<u64, StoreError> {
    let sql = "SELECT id FROM portreeve.delivery_target WHERE state = 3 LIMIT 1";
    let found = tx.run(sql, Vec::new()).await?;
    let Some(target) = found.first().map(|row| row.number(0)) else {
        return Ok(0);
    };
    let sql = format!(
        "DELETE FROM portreeve.delivery WHERE target = $1 AND position IN ( \
         SELECT position FROM portreeve.delivery WHERE target = $1 LIMIT {REMOVED_AT_ONCE}) RETURNING length(attempts)"
    );
    let removed = tx.run(&sql, vec![target.into()]).await?;
    if removed.is_empty() {
        let sql = "DELETE FROM portreeve.delivery_target WHERE id = $1";
        tx.run(sql, vec![target.into()]).await?;
    } else {
        let bytes = removed.iter().map(|row| DELIVERY_BYTES as i64 + row.number(0));
        let change = TargetChange { bytes: -bytes.sum::<i64>(), ..TargetChange::default() };
        refresh_due(tx, now, BTreeMap::from([(target, change)]))?;
    }
    Ok(removed.len().max(1) as u64)
}
