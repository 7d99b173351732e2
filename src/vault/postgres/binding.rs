//! The statements about bindings.

use tokio_postgres::{Error, Row};

use super::super::{BindOutcome, BindingRecord};

pub(super) const READ: &str =
    "SELECT person_id, user_id, sealed FROM portreeve.binding WHERE person_id = $1";

pub(super) const PAGE: &str = "SELECT person_id, user_id, sealed FROM portreeve.binding \
     WHERE person_id > $1 ORDER BY person_id LIMIT $2";

/// Binds, if nothing is in the way. What is bound to the person is locked, so that the answer still holds
/// when it is given; one who binds the same person or account at the same instant violates a unique
/// index, and the statement is repeated.
pub(super) const BIND: &str = "WITH person AS (\
         SELECT user_id FROM portreeve.binding WHERE person_id = $1 FOR UPDATE), \
     outcome AS (SELECT CASE \
         WHEN EXISTS (SELECT FROM person WHERE user_id = $2) THEN 1 \
         WHEN EXISTS (SELECT FROM person) THEN 2 \
         WHEN EXISTS (SELECT FROM portreeve.binding WHERE user_id = $2) THEN 3 \
         ELSE 0 END AS code), \
     bound AS (\
         INSERT INTO portreeve.binding (person_id, user_id, sealed) \
         SELECT $1::text, $2::text, $3::bytea FROM outcome WHERE code = 0) \
     SELECT code FROM outcome";

/// As [`BIND`], with a password that is stored and a flow that is changed, or nothing of all.
pub(super) const BIND_GRANTED: &str = "WITH person AS (\
         SELECT user_id FROM portreeve.binding WHERE person_id = $1 FOR UPDATE), \
     outcome AS (SELECT CASE \
         WHEN EXISTS (SELECT FROM person WHERE user_id = $2) THEN 1 \
         WHEN EXISTS (SELECT FROM person) THEN 2 \
         WHEN EXISTS (SELECT FROM portreeve.binding WHERE user_id = $2) THEN 3 \
         ELSE 0 END AS code), \
     swapped AS (\
         UPDATE portreeve.login_flow SET sealed = $11, holds_password = $12 \
         WHERE flow_id = $9 AND sealed = $10 AND (SELECT code FROM outcome) IN (0, 1) \
         RETURNING 1), \
     stored AS (\
         INSERT INTO portreeve.credential \
         (user_id, revision, sealed, suspended_at, refusals) \
         SELECT $4::text, $5::bigint, $6::bytea, $7::bigint, $8::integer FROM swapped \
         ON CONFLICT (user_id) DO UPDATE \
         SET (revision, sealed, suspended_at, refusals) = \
         (excluded.revision, excluded.sealed, excluded.suspended_at, excluded.refusals)), \
     bound AS (\
         INSERT INTO portreeve.binding (person_id, user_id, sealed) \
         SELECT $1::text, $2::text, $3::bytea FROM outcome, swapped WHERE code = 0) \
     SELECT CASE WHEN code IN (0, 1) AND NOT EXISTS (SELECT FROM swapped) THEN 4 ELSE code END \
     FROM outcome";

pub(super) const REMOVE: &str = "DELETE FROM portreeve.binding WHERE person_id = $1 RETURNING 1";

pub(super) const RESEAL: &str = "UPDATE portreeve.binding SET sealed = $3 \
     WHERE person_id = $1 AND sealed = $2 RETURNING 1";

/// The outcome that a statement gives as a number.
pub(super) fn outcome(code: i32) -> BindOutcome {
    match code {
        0 => BindOutcome::Bound,
        1 => BindOutcome::Already,
        2 => BindOutcome::PersonTaken,
        3 => BindOutcome::AccountTaken,
        _ => BindOutcome::FlowChanged,
    }
}

pub(super) fn record(row: &Row) -> Result<BindingRecord, Error> {
    Ok(BindingRecord {
        person_id: row.try_get::<_, &str>(0)?.into(),
        user_id: row.try_get::<_, &str>(1)?.into(),
        sealed: row.try_get::<_, &[u8]>(2)?.into(),
    })
}
