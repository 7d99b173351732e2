//! The statements about login flows.

use rusqlite::{Connection, OptionalExtension as _, Row, params};

use super::super::time::{from_millis, to_millis};
use super::super::{FlowRecord, FlowSwap};

pub(super) fn read(connection: &Connection, flow_id: &str) -> rusqlite::Result<Option<FlowRecord>> {
    let sql = "SELECT flow_id, user_id, expires_at, sealed, holds_password \
               FROM login_flow WHERE flow_id = ?1";
    connection
        .prepare_cached(sql)?
        .query_row([flow_id], record)
        .optional()
}

pub(super) fn put(connection: &Connection, flow: &FlowRecord, limit: i64) -> rusqlite::Result<()> {
    let values = params![
        flow.flow_id,
        flow.user_id,
        to_millis(flow.expires_at),
        flow.sealed,
        flow.holds_password
    ];
    connection
        .prepare_cached(
            "INSERT INTO login_flow (flow_id, user_id, expires_at, sealed, holds_password) \
             VALUES (?1, ?2, ?3, ?4, ?5)",
        )?
        .execute(values)?;
    connection
        .prepare_cached(
            "DELETE FROM login_flow WHERE user_id = ?1 AND NOT holds_password \
             AND flow_id NOT IN \
             (SELECT flow_id FROM login_flow WHERE user_id = ?1 AND NOT holds_password \
              ORDER BY flow_id = ?2 DESC, expires_at DESC LIMIT ?3)",
        )?
        .execute(params![flow.user_id, flow.flow_id, limit])?;
    Ok(())
}

pub(super) fn swap(connection: &Connection, swap: &FlowSwap) -> rusqlite::Result<bool> {
    let sql = "UPDATE login_flow SET sealed = ?3, holds_password = ?4 \
               WHERE flow_id = ?1 AND sealed = ?2";
    let values = params![swap.flow_id, swap.from, swap.to, swap.holds_password];
    Ok(connection.prepare_cached(sql)?.execute(values)? > 0)
}

pub(super) fn page(
    connection: &Connection,
    after: &str,
    limit: i64,
) -> rusqlite::Result<Vec<FlowRecord>> {
    connection
        .prepare_cached(
            "SELECT flow_id, user_id, expires_at, sealed, holds_password \
             FROM login_flow WHERE flow_id > ?1 ORDER BY flow_id LIMIT ?2",
        )?
        .query_map(params![after, limit], record)?
        .collect()
}

pub(super) fn remove(
    connection: &Connection,
    flow_id: &str,
    sealed: &[u8],
) -> rusqlite::Result<bool> {
    let sql = "DELETE FROM login_flow WHERE flow_id = ?1 AND sealed = ?2";
    let removed = connection
        .prepare_cached(sql)?
        .execute(params![flow_id, sealed])?;
    Ok(removed > 0)
}

fn record(row: &Row<'_>) -> rusqlite::Result<FlowRecord> {
    Ok(FlowRecord {
        flow_id: row.get(0)?,
        user_id: row.get(1)?,
        expires_at: from_millis(row.get(2)?),
        sealed: row.get(3)?,
        holds_password: row.get(4)?,
    })
}
