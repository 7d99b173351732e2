//! The statements that read.

use rusqlite::types::Type;
use rusqlite::{Connection, OptionalExtension as _, Row, params};

use super::super::rows::{self, DELIVERY, MAX_READ, RECEIPT, TARGET, list_sql, time};
use super::super::{Arrivals, Counts, Events, MAX_PAGE};
use crate::deliveries::{
    Delivery, DeliveryId, DeliveryState, StoredReceipt, StoredTarget, TargetId,
};

pub(super) fn receipt(it: &Connection, position: i64) -> rusqlite::Result<Option<StoredReceipt>> {
    let sql = format!("SELECT {RECEIPT} FROM receipt WHERE position = ?1");
    let mut statement = it.prepare_cached(&sql)?;
    statement.query_row([position], to_receipt).optional()
}

pub(super) fn targets_for(it: &Connection, account: &str) -> rusqlite::Result<Vec<StoredTarget>> {
    let sql =
        format!("SELECT {TARGET} FROM delivery_target WHERE account IN (?1, '') AND state < 2");
    let mut statement = it.prepare_cached(&sql)?;
    statement.query_map([account], to_target)?.collect()
}

/// The target, of `account` if one is named.
pub(super) fn target(
    it: &Connection,
    account: Option<&str>,
    id: TargetId,
) -> rusqlite::Result<Option<StoredTarget>> {
    let sql = format!(
        "SELECT {TARGET} FROM delivery_target WHERE id = ?1 AND state < 3 AND account = coalesce(?2, account)"
    );
    let mut statement = it.prepare_cached(&sql)?;
    statement
        .query_row(params![id.0, account], to_target)
        .optional()
}

pub(super) fn targets(
    it: &Connection,
    account: Option<&str>,
    after: Option<TargetId>,
    limit: usize,
) -> rusqlite::Result<Vec<StoredTarget>> {
    let after = after.map_or(-1, |after| after.0);
    let of_account = account.map_or("", |_| "account = ?3 AND");
    let sql = format!(
        "SELECT {TARGET} FROM delivery_target WHERE {of_account} id > ?1 AND state < 3 ORDER BY id LIMIT ?2"
    );
    let mut statement = it.prepare_cached(&sql)?;
    let limit = limit.min(MAX_PAGE) as i64;
    match account {
        Some(account) => statement
            .query_map(params![after, limit, account], to_target)?
            .collect(),
        None => statement
            .query_map(params![after, limit], to_target)?
            .collect(),
    }
}

pub(super) fn deliveries(
    it: &Connection,
    target: TargetId,
    state: Option<DeliveryState>,
    before: Option<i64>,
    limit: usize,
) -> rusqlite::Result<Vec<Delivery>> {
    let mut statement = it.prepare_cached(&list_sql("main", state))?;
    let parameters = params![
        target.0,
        before.unwrap_or(i64::MAX),
        limit.min(MAX_PAGE) as i64
    ];
    statement.query_map(parameters, to_delivery)?.collect()
}

pub(super) fn delivery(it: &Connection, id: DeliveryId) -> rusqlite::Result<Option<Delivery>> {
    let sql = format!(
        "SELECT {DELIVERY} FROM receipt AS r JOIN delivery AS d ON d.position = r.position \
         WHERE r.id = ?1 AND d.target = ?2"
    );
    let mut statement = it.prepare_cached(&sql)?;
    let parameters = params![id.receipt.to_string(), id.target.0];
    statement.query_row(parameters, to_delivery).optional()
}

pub(super) fn events(
    it: &Connection,
    account: Option<&str>,
    after: i64,
    limit: usize,
) -> rusqlite::Result<Events> {
    let (removed, newest) = newest(it)?;
    let is_elsewhere = after > newest;
    let after = if is_elsewhere { 0 } else { after };
    let of_account = account.map_or("", |_| "account = ?3 AND");
    let sql = format!(
        "SELECT {RECEIPT} FROM receipt WHERE {of_account} position > ?1 ORDER BY position LIMIT ?2"
    );
    let mut statement = it.prepare_cached(&sql)?;
    let limit = limit.min(MAX_PAGE) as i64;
    let mut found = match account {
        Some(account) => statement.query(params![after, limit, account])?,
        None => statement.query(params![after, limit])?,
    };
    let (mut receipts, mut bytes) = (Vec::new(), 0);
    while let Some(row) = found.next()?
        && bytes < MAX_READ
    {
        let receipt = to_receipt(row)?;
        bytes += receipt.sealed.len();
        receipts.push(receipt);
    }
    let last = receipts.last().map(|last| last.position);
    Ok(Events {
        receipts,
        through: last.unwrap_or(newest),
        is_gap: is_elsewhere || removed > after,
    })
}

pub(super) fn arrivals(it: &Connection, after: i64) -> rusqlite::Result<Arrivals> {
    let sql =
        "SELECT position, account FROM receipt WHERE position > ?1 ORDER BY position LIMIT ?2";
    let mut statement = it.prepare_cached(sql)?;
    let found = statement.query_map(params![after, MAX_PAGE as i64], |row| {
        Ok((row.get(0)?, rows::account(row.get(1)?)))
    })?;
    Ok(rows::arrivals(
        found.collect::<rusqlite::Result<_>>()?,
        newest(it)?.1,
    ))
}

/// The newest position that was removed, and the newest of all.
fn newest(it: &Connection) -> rusqlite::Result<(i64, i64)> {
    let sql = "SELECT coalesce(max(removed_through), 0) FROM receipt_total";
    let removed: i64 = it.prepare_cached(sql)?.query_row([], |row| row.get(0))?;
    let sql = "SELECT coalesce(max(position), 0) FROM receipt";
    let newest: i64 = it.prepare_cached(sql)?.query_row([], |row| row.get(0))?;
    Ok((removed, newest.max(removed)))
}

pub(super) fn counts(it: &Connection) -> rusqlite::Result<Counts> {
    let oldest = |row: &Row<'_>| Ok((row.get(0)?, row.get(1)?));
    let sql = "SELECT coalesce(sum(waiting), 0), min((SELECT min(position) FROM delivery \
               WHERE target = delivery_target.id AND state = 0)) FROM delivery_target \
               WHERE waiting > 0 AND state = 0";
    let (waiting, first): (i64, Option<i64>) = it.prepare_cached(sql)?.query_row([], oldest)?;
    let sql = "SELECT count(*), min(position) FROM unmatched_receipt";
    let (unmatched, other): (i64, Option<i64>) = it.prepare_cached(sql)?.query_row([], oldest)?;
    let oldest = [first, other].into_iter().flatten().min();
    let sql = "SELECT received_at FROM receipt WHERE position = ?1";
    let mut received = it.prepare_cached(sql)?;
    let received = received.query_row([oldest], |row| row.get(0)).optional()?;
    let sql = "SELECT coalesce(sum(receipts), 0), coalesce(sum(bytes), 0) FROM receipt_total";
    let totals = |row: &Row<'_>| Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?));
    let (receipts, bytes) = it.prepare_cached(sql)?.query_row([], totals)?;
    Ok(Counts {
        pending: (waiting + unmatched).cast_unsigned(),
        oldest_pending: received.map(time),
        receipts: receipts.cast_unsigned(),
        bytes: bytes.cast_unsigned(),
    })
}

pub(super) fn to_receipt(row: &Row<'_>) -> rusqlite::Result<StoredReceipt> {
    Ok(StoredReceipt {
        position: row.get(0)?,
        id: rows::receipt_id(text(row, 1)?),
        account: rows::account(row.get(2)?),
        class: text(row, 3)?.into(),
        received_at: time(row.get(4)?),
        sealed: row.get(5)?,
    })
}

pub(super) fn to_target(row: &Row<'_>) -> rusqlite::Result<StoredTarget> {
    Ok(StoredTarget {
        id: TargetId(row.get(0)?),
        account: rows::account(row.get(1)?),
        state: rows::target_state(row.get(2)?),
        revision: row.get(3)?,
        created_at: time(row.get(4)?),
        failing_since: row.get::<_, Option<i64>>(5)?.map(time),
        waiting: row.get::<_, i64>(6)?.cast_unsigned(),
        sealed: row.get(7)?,
    })
}

fn to_delivery(row: &Row<'_>) -> rusqlite::Result<Delivery> {
    let state = rows::delivery_state(row.get(5)?);
    let due_at = time(row.get(6)?);
    Ok(Delivery {
        position: row.get(0)?,
        id: DeliveryId {
            target: TargetId(row.get(1)?),
            receipt: rows::receipt_id(text(row, 2)?),
        },
        class: text(row, 3)?.into(),
        received_at: time(row.get(4)?),
        state,
        due_at: (state == DeliveryState::Waiting).then_some(due_at),
        tries: row.get(7)?,
        attempts: rows::attempts(text(row, 8)?),
    })
}

fn text<'r>(row: &'r Row<'_>, at: usize) -> rusqlite::Result<&'r str> {
    let text = row.get_ref(at)?.as_str();
    text.map_err(|error| rusqlite::Error::FromSqlConversionFailure(at, Type::Text, error.into()))
}
