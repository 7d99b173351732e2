//! The statements about credentials.

use tokio_postgres::{Error, Row};

use super::super::Record;
use super::super::time::from_millis;

pub(super) const READ: &str = "SELECT user_id, revision, sealed, suspended_at, refusals \
     FROM portreeve.credential WHERE user_id = $1";

pub(super) const PAGE: &str = "SELECT user_id, revision, sealed, suspended_at, refusals \
     FROM portreeve.credential WHERE user_id > $1 ORDER BY user_id LIMIT $2";

pub(super) const PUT: &str = "INSERT INTO portreeve.credential AS stored \
     (user_id, revision, sealed, suspended_at, refusals) \
     VALUES ($1, $2, $3, $4, $5) \
     ON CONFLICT (user_id) DO UPDATE SET (revision, sealed, suspended_at, refusals) = \
     (excluded.revision, excluded.sealed, excluded.suspended_at, excluded.refusals) \
     RETURNING 1";

/// Those that are new are returned.
pub(super) const ADD: &str = "INSERT INTO portreeve.credential \
     (user_id, revision, sealed, suspended_at, refusals) \
     SELECT * FROM unnest($1::text[], $2::bigint[], $3::bytea[], $4::bigint[], $5::integer[]) \
     ON CONFLICT (user_id) DO NOTHING RETURNING 1";

/// As [`PUT`], if the flow `$6` is still `$7`; that becomes `$8` and `$9`.
pub(super) const PUT_GRANTED: &str = "WITH swapped AS (\
         UPDATE portreeve.login_flow SET sealed = $8, holds_password = $9 \
         WHERE flow_id = $6 AND sealed = $7 RETURNING 1) \
     INSERT INTO portreeve.credential AS stored \
     (user_id, revision, sealed, suspended_at, refusals) \
     SELECT $1::text, $2::bigint, $3::bytea, $4::bigint, $5::integer FROM swapped \
     ON CONFLICT (user_id) DO UPDATE SET (revision, sealed, suspended_at, refusals) = \
     (excluded.revision, excluded.sealed, excluded.suspended_at, excluded.refusals) \
     RETURNING 1";

pub(super) const REMOVE: &str = "DELETE FROM portreeve.credential WHERE user_id = $1 RETURNING 1";

pub(super) const MARK: &str = "UPDATE portreeve.credential SET suspended_at = $3, \
     refusals = CASE WHEN $3::bigint IS NULL THEN 0 ELSE refusals + 1 END \
     WHERE user_id = $1 AND revision = $2 RETURNING 1";

pub(super) const COUNT: &str = "SELECT count(*) - count(suspended_at), count(suspended_at) \
     FROM portreeve.credential";

/// Those that are unchanged get their new bytes, and are returned.
pub(super) const RESEAL: &str = "UPDATE portreeve.credential AS stored SET sealed = resealed.\"to\" \
     FROM unnest($1::text[], $2::bytea[], $3::bytea[]) AS resealed (user_id, \"from\", \"to\") \
     WHERE stored.user_id = resealed.user_id AND stored.sealed = resealed.\"from\" \
     RETURNING stored.user_id";

pub(super) const ANY: &str = "SELECT 1 FROM portreeve.credential LIMIT 1";

pub(super) fn record(row: &Row) -> Result<Record, Error> {
    Ok(Record {
        user_id: row.try_get::<_, &str>(0)?.into(),
        revision: row.try_get::<_, i64>(1)?.cast_unsigned(),
        sealed: row.try_get::<_, &[u8]>(2)?.into(),
        suspended_at: row.try_get::<_, Option<i64>>(3)?.map(from_millis),
        refusals: row.try_get::<_, i32>(4)?.cast_unsigned(),
    })
}
