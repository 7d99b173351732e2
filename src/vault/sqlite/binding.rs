//! The statements about bindings.

use std::sync::Arc;

use rusqlite::{Connection, OptionalExtension as _, Row, params};

use super::super::{BindOutcome, BindingRecord};

pub(super) fn read(
    connection: &Connection,
    person_id: &str,
) -> rusqlite::Result<Option<Arc<BindingRecord>>> {
    let sql = "SELECT person_id, user_id, sealed FROM binding WHERE person_id = ?1";
    let mut select = connection.prepare_cached(sql)?;
    let found = select.query_row([person_id], record).optional()?;
    Ok(found.map(Arc::new))
}

/// What binding them would come to, as the table is now: [`BindOutcome::Bound`] if nothing is in the
/// way. The caller is in the transaction that then inserts.
pub(super) fn outcome(
    connection: &Connection,
    binding: &BindingRecord,
) -> rusqlite::Result<BindOutcome> {
    let sql = "SELECT user_id FROM binding WHERE person_id = ?1";
    let account = connection
        .prepare_cached(sql)?
        .query_row([&binding.person_id], |row| row.get::<_, Box<str>>(0))
        .optional()?;
    if let Some(account) = account {
        return Ok(match *account == *binding.user_id {
            true => BindOutcome::Already,
            false => BindOutcome::PersonTaken,
        });
    }
    let sql = "SELECT 1 FROM binding WHERE user_id = ?1";
    let is_taken = connection.prepare_cached(sql)?.exists([&binding.user_id])?;
    Ok(match is_taken {
        true => BindOutcome::AccountTaken,
        false => BindOutcome::Bound,
    })
}

pub(super) fn insert(connection: &Connection, binding: &BindingRecord) -> rusqlite::Result<()> {
    let sql = "INSERT INTO binding (person_id, user_id, sealed) VALUES (?1, ?2, ?3)";
    let values = params![binding.person_id, binding.user_id, binding.sealed];
    connection.prepare_cached(sql)?.execute(values).map(drop)
}

pub(super) fn remove(connection: &Connection, person_id: &str) -> rusqlite::Result<bool> {
    let sql = "DELETE FROM binding WHERE person_id = ?1";
    Ok(connection.prepare_cached(sql)?.execute([person_id])? > 0)
}

pub(super) fn page(
    connection: &Connection,
    after: &str,
    limit: i64,
) -> rusqlite::Result<Vec<BindingRecord>> {
    connection
        .prepare_cached(
            "SELECT person_id, user_id, sealed FROM binding \
             WHERE person_id > ?1 ORDER BY person_id LIMIT ?2",
        )?
        .query_map(params![after, limit], record)?
        .collect()
}

pub(super) fn reseal(
    connection: &Connection,
    from: &BindingRecord,
    to: &[u8],
) -> rusqlite::Result<bool> {
    let sql = "UPDATE binding SET sealed = ?3 WHERE person_id = ?1 AND sealed = ?2";
    let values = params![from.person_id, from.sealed, to];
    Ok(connection.prepare_cached(sql)?.execute(values)? > 0)
}

fn record(row: &Row<'_>) -> rusqlite::Result<BindingRecord> {
    Ok(BindingRecord {
        person_id: row.get(0)?,
        user_id: row.get(1)?,
        sealed: row.get(2)?,
    })
}
