//! The statements about refused logins.

use tokio_postgres::{Error, Row};

use super::super::time::from_millis;
use super::super::{LoginPurpose, RefusedLogin};

/// It takes the place that was claimed for it, or, without one, makes claims look again.
pub(super) const PUT: &str = "WITH dropped AS (\
         DELETE FROM portreeve.refused_login WHERE refused_at < $6), \
     placed AS (DELETE FROM portreeve.place WHERE id = $1), \
     claims AS (UPDATE portreeve.place_version SET version = version + 1) \
     INSERT INTO portreeve.refused_login (id, user_id, refused_at, purpose, forgivable) \
     VALUES ($1, $2, $3, $4, $5) ON CONFLICT (id) DO NOTHING";

pub(super) const READ: &str = "SELECT id, user_id, refused_at, purpose, forgivable \
     FROM portreeve.refused_login WHERE refused_at >= $1";

pub(super) const REMOVE: &str = "DELETE FROM portreeve.refused_login WHERE id = ANY($1)";

pub(super) fn record(row: &Row) -> Result<RefusedLogin, Error> {
    Ok(RefusedLogin {
        id: row.try_get::<_, i64>(0)?.cast_unsigned(),
        user_id: row.try_get::<_, &str>(1)?.into(),
        refused_at: from_millis(row.try_get(2)?),
        purpose: LoginPurpose::from_code(
            u8::try_from(row.try_get::<_, i16>(3)?).unwrap_or(u8::MAX),
        ),
        forgivable: row.try_get(4)?,
    })
}
