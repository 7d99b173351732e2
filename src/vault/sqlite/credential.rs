//! The rows of credentials.

use rusqlite::{Connection, Row, params};

use super::super::Record;
use super::super::time::{from_millis, to_millis};

pub(super) fn put(connection: &Connection, record: &Record) -> rusqlite::Result<()> {
    let sql = "INSERT OR REPLACE INTO credential \
               (user_id, revision, sealed, suspended_at, refusals) \
               VALUES (?1, ?2, ?3, ?4, ?5)";
    insert(connection, sql, record).map(drop)
}

/// Stores `record` unless its user has one; how many were stored.
pub(super) fn add(connection: &Connection, record: &Record) -> rusqlite::Result<usize> {
    let sql = "INSERT INTO credential \
               (user_id, revision, sealed, suspended_at, refusals) \
               VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT (user_id) DO NOTHING";
    insert(connection, sql, record)
}

fn insert(connection: &Connection, sql: &str, record: &Record) -> rusqlite::Result<usize> {
    connection.prepare_cached(sql)?.execute(params![
        record.user_id,
        record.revision.cast_signed(),
        record.sealed,
        record.suspended_at.map(to_millis),
        record.refusals,
    ])
}

pub(super) fn record(row: &Row<'_>) -> rusqlite::Result<Record> {
    Ok(Record {
        user_id: row.get(0)?,
        revision: row.get::<_, i64>(1)?.cast_unsigned(),
        sealed: row.get(2)?,
        suspended_at: row.get::<_, Option<i64>>(3)?.map(from_millis),
        refusals: row.get(4)?,
    })
}
