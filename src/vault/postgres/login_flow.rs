//! The statements about login flows.

use tokio_postgres::{Error, Row};

use super::super::FlowRecord;
use super::super::time::from_millis;

pub(super) const READ: &str = "SELECT flow_id, user_id, expires_at, sealed, holds_password \
     FROM portreeve.login_flow WHERE flow_id = $1";

pub(super) const PAGE: &str = "SELECT flow_id, user_id, expires_at, sealed, holds_password \
     FROM portreeve.login_flow WHERE flow_id > $1 ORDER BY flow_id LIMIT $2";

/// The user keeps `$6` others that hold no password.
pub(super) const PUT: &str = "WITH dropped AS (\
         DELETE FROM portreeve.login_flow WHERE user_id = $2 AND NOT holds_password \
         AND flow_id NOT IN (\
             SELECT flow_id FROM portreeve.login_flow \
             WHERE user_id = $2 AND NOT holds_password ORDER BY expires_at DESC LIMIT $6)) \
     INSERT INTO portreeve.login_flow (flow_id, user_id, expires_at, sealed, holds_password) \
     VALUES ($1, $2, $3, $4, $5)";

pub(super) const SWAP: &str = "UPDATE portreeve.login_flow SET sealed = $3, holds_password = $4 \
     WHERE flow_id = $1 AND sealed = $2 RETURNING 1";

pub(super) const REMOVE: &str =
    "DELETE FROM portreeve.login_flow WHERE flow_id = $1 AND sealed = $2 RETURNING 1";

pub(super) const REMOVE_EXPIRED: &str = "WITH removed AS (\
         DELETE FROM portreeve.login_flow WHERE expires_at <= $1 AND NOT holds_password RETURNING 1) \
     SELECT count(*) FROM removed";

pub(super) fn record(row: &Row) -> Result<FlowRecord, Error> {
    Ok(FlowRecord {
        flow_id: row.try_get::<_, &str>(0)?.into(),
        user_id: row.try_get::<_, &str>(1)?.into(),
        expires_at: from_millis(row.try_get(2)?),
        sealed: row.try_get::<_, &[u8]>(3)?.into(),
        holds_password: row.try_get(4)?,
    })
}
