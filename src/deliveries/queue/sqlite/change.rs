//! The statements that change something, each function within one transaction.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use rusqlite::{Connection, OptionalExtension as _, ToSql, params};

use super::super::rows::{self, HEADER_LEN, REMOVED, ROOM, TARGET, millis};
use super::super::{DISABLE_AFTER, LEASE, MAX_TARGETS, OVERHEAD, QueueError};
use super::Fault;
use super::read;
use crate::deliveries::{
    Claimed, Completed, Completion, DeliveryId, NewReceipt, Outcome, StoredReceipt, StoredTarget,
    TargetId, TargetState,
};

/// The most deliveries of a claim.
const MAX_CLAIM: usize = 64;

/// Receipts, and deliveries of a removed target, that one transaction removes; deliveries that one repeats.
const PORTION: usize = 250;
const REPLAYED: usize = 500;

/// Carries out a statement; returns how many rows it changed.
fn run(it: &Connection, sql: &str, parameters: &[&dyn ToSql]) -> rusqlite::Result<usize> {
    it.prepare_cached(sql)?.execute(parameters)
}

/// Computes anew when each of these targets is due.
fn refresh(
    it: &Connection,
    now: i64,
    targets: impl IntoIterator<Item = i64>,
) -> rusqlite::Result<()> {
    let claimed =
        "FROM delivery WHERE target = delivery_target.id AND claim IS NOT NULL AND due_at > ?2";
    let sql = format!(
        "UPDATE delivery_target SET due_at = CASE WHEN state <> 0 THEN NULL \
             WHEN (SELECT count(*) {claimed}) >= {ROOM} THEN (SELECT min(due_at) {claimed}) \
             ELSE (SELECT min(due_at) FROM delivery WHERE target = delivery_target.id AND state = 0) \
         END WHERE id = ?1"
    );
    for target in targets {
        run(it, &sql, params![target, now])?;
    }
    Ok(())
}

pub(super) fn insert(
    it: &Connection,
    now: i64,
    receipt: &NewReceipt,
    max: u64,
) -> Result<i64, Fault> {
    let size = (receipt.sealed.len() as u64 + OVERHEAD).cast_signed();
    let sql = "SELECT coalesce(sum(bytes), 0) FROM receipt_total";
    let kept: i64 = it.prepare_cached(sql)?.query_row([], |row| row.get(0))?;
    if (kept + size).cast_unsigned() > max {
        return Err(Fault::Queue(QueueError::Full { max }));
    }
    let sql =
        "INSERT INTO receipt (id, account, class, received_at, sealed) VALUES (?1, ?2, ?3, ?4, ?5)";
    let account = receipt.account.as_deref().unwrap_or_default();
    let id = receipt.id.to_string();
    run(
        it,
        sql,
        params![id, account, receipt.class, now, receipt.sealed],
    )?;
    let position = it.last_insert_rowid();
    run(
        it,
        "INSERT INTO unmatched_receipt VALUES (?1, 0)",
        params![position],
    )?;
    let sql = "INSERT INTO receipt_total VALUES (?1, 1, ?2, 0) \
               ON CONFLICT DO UPDATE SET receipts = receipts + 1, bytes = bytes + excluded.bytes";
    let header = &receipt.sealed[..HEADER_LEN.min(receipt.sealed.len())];
    run(it, sql, params![header, size])?;
    Ok(position)
}

pub(super) fn unmatched(
    it: &Connection,
    now: i64,
    limit: usize,
) -> Result<Vec<StoredReceipt>, Fault> {
    let sql = "UPDATE unmatched_receipt SET leased_until = ?1 WHERE position IN ( \
               SELECT position FROM unmatched_receipt WHERE leased_until <= ?2 ORDER BY position LIMIT ?3) \
               RETURNING position";
    let mut statement = it.prepare_cached(sql)?;
    let leased = statement.query_map(params![now + millis(LEASE), now, limit as i64], |row| {
        row.get(0)
    })?;
    let mut positions: Vec<i64> = leased.collect::<Result<_, _>>()?;
    positions.sort_unstable();
    let receipts = positions.into_iter().map(|at| read::receipt(it, at));
    let receipts: Vec<_> = receipts.collect::<Result<_, _>>()?;
    Ok(receipts.into_iter().flatten().collect())
}

pub(super) fn fan_out(
    it: &Connection,
    now: i64,
    wanted: &[(i64, Vec<TargetId>)],
) -> Result<(), Fault> {
    let mut changed = BTreeSet::new();
    for (position, targets) in wanted {
        let sql = "DELETE FROM unmatched_receipt WHERE position = ?1";
        if run(it, sql, params![position])? == 0 {
            continue;
        }
        for target in targets {
            let sql =
                "UPDATE delivery_target SET waiting = waiting + 1 WHERE id = ?1 AND state < 2";
            if run(it, sql, params![target.0])? > 0 {
                let sql = "INSERT INTO delivery VALUES (?1, ?2, 0, 0, ?3, NULL, '')";
                run(it, sql, params![position, target.0, now])?;
                changed.insert(target.0);
            }
        }
    }
    Ok(refresh(it, now, changed)?)
}

pub(super) fn claim(it: &Connection, now: i64, limit: usize) -> Result<Vec<Claimed>, Fault> {
    let limit = limit.min(MAX_CLAIM);
    let claim = (getrandom::u64().unwrap_or_default() >> 1).cast_signed();
    let sql = format!(
        "SELECT {TARGET}, {ROOM} - (SELECT count(*) FROM delivery WHERE target = delivery_target.id \
             AND claim IS NOT NULL AND due_at > ?1) \
         FROM delivery_target WHERE due_at <= ?1 ORDER BY due_at LIMIT ?2"
    );
    let mut statement = it.prepare_cached(&sql)?;
    let due = statement.query_map(params![now, limit as i64], |row| {
        Ok((read::to_target(row)?, row.get::<_, i64>(8)?.max(0)))
    })?;
    let due: Vec<_> = due.collect::<Result<_, _>>()?;
    let mut claimed = Vec::new();
    for (target, room) in due {
        let target = Arc::new(target);
        let room = room.min((limit - claimed.len()) as i64);
        let sql = "UPDATE delivery SET claim = ?1, due_at = ?2, tries = tries + 1 \
                   WHERE target = ?3 AND position IN (SELECT position FROM delivery \
                       WHERE target = ?3 AND state = 0 AND due_at <= ?4 ORDER BY due_at LIMIT ?5) \
                   RETURNING position, tries, (SELECT id FROM receipt WHERE position = delivery.position)";
        let mut statement = it.prepare_cached(sql)?;
        let parameters = params![claim, now + millis(LEASE), target.id.0, now, room];
        let taken = statement.query_map(parameters, |row| {
            Ok(Claimed {
                position: row.get(0)?,
                tries: row.get(1)?,
                id: DeliveryId {
                    receipt: rows::receipt_id(&row.get::<_, String>(2)?),
                    target: target.id,
                },
                claim,
                target: target.clone(),
            })
        })?;
        for taken in taken {
            claimed.push(taken?);
        }
        refresh(it, now, [target.id.0])?;
        if claimed.len() >= limit {
            break;
        }
    }
    Ok(claimed)
}

pub(super) fn complete(it: &Connection, now: i64, ended: &Completion) -> Result<Completed, Fault> {
    let state = rows::state_after(ended);
    let due_at = now.saturating_add(ended.again.map_or(0, millis));
    let attempt = format!("{now}{}", rows::attempt(ended));
    let sql = "UPDATE delivery SET state = ?1, claim = NULL, due_at = ?2, \
               attempts = substr(attempts || ?3, -1000) WHERE position = ?4 AND target = ?5 AND claim = ?6";
    let target = ended.target.0;
    let parameters = params![state, due_at, attempt, ended.position, target, ended.claim];
    if run(it, sql, parameters)? == 0 {
        return Ok(Completed::Stale);
    }
    let sql = "UPDATE delivery_target SET waiting = waiting - ?2, \
               failing_since = CASE WHEN ?3 THEN NULL ELSE coalesce(failing_since, ?4) END WHERE id = ?1";
    let is_delivered = ended.outcome == Outcome::Delivered;
    run(it, sql, params![target, state != 0, is_delivered, now])?;
    let sql = "UPDATE delivery_target SET state = 2 WHERE id = ?1 AND state < 2 AND (?2 OR failing_since <= ?3)";
    let is_gone = ended.outcome == Outcome::Gone;
    let is_disabled = run(
        it,
        sql,
        params![target, is_gone, now - millis(DISABLE_AFTER)],
    )? > 0;
    refresh(it, now, [target])?;
    Ok(if is_disabled {
        Completed::Disabled
    } else {
        Completed::Done
    })
}

pub(super) fn add_target(it: &Connection, now: i64, target: &StoredTarget) -> Result<(), Fault> {
    let account = target.account.as_deref().unwrap_or_default();
    let sql = "SELECT count(*) FROM delivery_target WHERE account = ?1 AND state < 3";
    let count: i64 = it
        .prepare_cached(sql)?
        .query_row([account], |row| row.get(0))?;
    if count >= MAX_TARGETS {
        return Err(Fault::Queue(QueueError::TooManyTargets));
    }
    let sql = "INSERT INTO delivery_target VALUES (?1, ?2, ?3, 1, ?4, NULL, 0, NULL, ?5)";
    let state = target.state as i64;
    run(
        it,
        sql,
        params![target.id.0, account, state, now, target.sealed],
    )?;
    Ok(())
}

pub(super) fn change_target(
    it: &Connection,
    now: i64,
    account: Option<&str>,
    (id, revision): (TargetId, i64),
    state: TargetState,
    sealed: &[u8],
) -> Result<bool, Fault> {
    let sql = "UPDATE delivery_target SET sealed = ?1, revision = revision + 1, \
               failing_since = CASE WHEN state = 2 THEN NULL ELSE failing_since END, state = ?2 \
               WHERE id = ?3 AND revision = ?4 AND state < 3 AND account = coalesce(?5, account)";
    let changed = run(
        it,
        sql,
        params![sealed, state as i64, id.0, revision, account],
    )?;
    refresh(it, now, [id.0])?;
    Ok(changed > 0)
}

pub(super) fn remove_target(
    it: &Connection,
    account: Option<&str>,
    id: TargetId,
) -> Result<bool, Fault> {
    let sql = "UPDATE delivery_target SET state = ?1, due_at = NULL \
               WHERE id = ?2 AND state < 3 AND account = coalesce(?3, account)";
    Ok(run(it, sql, params![REMOVED, id.0, account])? > 0)
}

/// Makes a delivery due that is not claimed.
fn repeat(it: &Connection, now: i64, target: i64, position: i64) -> rusqlite::Result<()> {
    let sql = "UPDATE delivery_target SET waiting = waiting + 1 WHERE id = ?1 AND EXISTS \
               (SELECT 1 FROM delivery WHERE position = ?2 AND target = ?1 AND state <> 0)";
    run(it, sql, params![target, position])?;
    let sql = "UPDATE delivery SET state = 0, tries = 0, due_at = ?1 \
               WHERE position = ?2 AND target = ?3 AND claim IS NULL";
    run(it, sql, params![now, position, target]).map(drop)
}

pub(super) fn retry(
    it: &Connection,
    now: i64,
    account: Option<&str>,
    id: DeliveryId,
) -> Result<bool, Fault> {
    if read::target(it, account, id.target)?.is_none() {
        return Ok(false);
    }
    let Some(found) = read::delivery(it, id)? else {
        return Ok(false);
    };
    repeat(it, now, id.target.0, found.position)?;
    refresh(it, now, [id.target.0])?;
    Ok(true)
}

pub(super) fn replay(
    it: &Connection,
    now: i64,
    account: Option<&str>,
    target: TargetId,
    (since, all, after): (i64, bool, i64),
) -> Result<Option<(u64, Option<i64>)>, Fault> {
    if read::target(it, account, target)?.is_none() {
        return Ok(None);
    }
    let mut found: Vec<(i64, i64)> = Vec::new();
    for state in if all { 1..=2 } else { 2..=2 } {
        let sql = "SELECT position, (SELECT received_at FROM receipt WHERE position = delivery.position) \
                   FROM delivery WHERE target = ?1 AND state = ?2 AND position > ?3 ORDER BY position LIMIT ?4";
        let mut statement = it.prepare_cached(sql)?;
        let parameters = params![target.0, state, after, REPLAYED as i64];
        let of_state = statement.query_map(parameters, |row| Ok((row.get(0)?, row.get(1)?)))?;
        for row in of_state {
            found.push(row?);
        }
    }
    found.sort_unstable();
    let next = found.get(REPLAYED - 1).map(|last| last.0);
    found.truncate(REPLAYED);
    found.retain(|(_, received_at)| *received_at >= since);
    for (position, _) in &found {
        repeat(it, now, target.0, *position)?;
    }
    refresh(it, now, [target.0])?;
    Ok(Some((found.len() as u64, next)))
}

pub(super) fn clean(it: &Connection, now: i64, keep: Duration) -> Result<u64, Fault> {
    let sql = format!(
        "SELECT position, received_at, substr(sealed, 1, {HEADER_LEN}), length(sealed) \
         FROM receipt ORDER BY position LIMIT {PORTION}"
    );
    let mut statement = it.prepare_cached(&sql)?;
    let oldest = statement.query_map([], |row| {
        let column: (i64, i64, Vec<u8>, i64) = (row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?);
        Ok(column)
    })?;
    let (mut removed, mut targets) = (0, BTreeSet::new());
    for row in oldest.collect::<Result<Vec<_>, _>>()? {
        let (position, received_at, header, len) = row;
        if received_at > now.saturating_sub(millis(keep)) {
            break;
        }
        let sql = "DELETE FROM delivery WHERE position = ?1 RETURNING target, state";
        let mut statement = it.prepare_cached(sql)?;
        let gone = statement.query_map([position], |row| Ok((row.get(0)?, row.get(1)?)))?;
        for (target, state) in gone.collect::<Result<Vec<(i64, i64)>, _>>()? {
            let sql = "UPDATE delivery_target SET waiting = waiting - 1 WHERE id = ?1";
            if state == 0 {
                run(it, sql, params![target])?;
                targets.insert(target);
            }
        }
        run(
            it,
            "DELETE FROM unmatched_receipt WHERE position = ?1",
            params![position],
        )?;
        run(
            it,
            "DELETE FROM receipt WHERE position = ?1",
            params![position],
        )?;
        let sql = "UPDATE receipt_total SET receipts = receipts - 1, bytes = bytes - ?1, removed_through = ?2 \
                   WHERE sealed = ?3";
        run(
            it,
            sql,
            params![len + OVERHEAD.cast_signed(), position, header],
        )?;
        removed += 1;
    }
    refresh(it, now, targets)?;
    Ok(removed + clean_removed_target(it)?)
}

/// Removes a portion of what is left of a target that was removed.
fn clean_removed_target(it: &Connection) -> rusqlite::Result<u64> {
    let sql = "SELECT id FROM delivery_target WHERE state = 3 LIMIT 1";
    let target = it
        .prepare_cached(sql)?
        .query_row([], |row| row.get(0))
        .optional()?;
    let Some(target) = target else { return Ok(0) };
    let target: i64 = target;
    let sql = "DELETE FROM delivery WHERE target = ?1 AND position IN \
               (SELECT position FROM delivery WHERE target = ?1 LIMIT ?2)";
    let removed = run(it, sql, params![target, PORTION as i64])?;
    if removed == 0 {
        run(
            it,
            "DELETE FROM delivery_target WHERE id = ?1",
            params![target],
        )?;
        return Ok(1);
    }
    Ok(removed as u64)
}
