//! Records of logins at the groupware server in the vault.

use std::sync::Arc;
use std::time::SystemTime;

use futures_util::TryStreamExt as _;

use super::time::{from_millis, to_millis};
use super::{Change, Row, Table, Vault, VaultError};
use crate::random;

impl Vault {
    /// Records that the groupware server refused, and counted, a login at `at`, and drops the records
    /// of those before `forget_before`.
    ///
    /// # Errors
    /// If the store failed.
    pub async fn put_refused_login(
        &self,
        at: SystemTime,
        forget_before: SystemTime,
    ) -> Result<(), VaultError> {
        let (action, table) = ("note a refused login", Table::RefusedLogin);
        // Random, so that a statement that is repeated stores one row.
        let number = u64::from_ne_bytes(random::bytes().map_err(VaultError::Random)?);
        let key: Arc<str> = format!("{number:016x}").into();
        let change = Change::put(table, Row::new(key.clone(), key, to_millis(at)));
        self.commit_one(action, change).await?;
        let before = to_millis(forget_before);
        self.remove_rows(action, table, |row| row.number < before).await?;
        Ok(())
    }

    /// The times of the logins recorded by [`put_refused_login`](Self::put_refused_login), of `since`
    /// or later; whole milliseconds.
    ///
    /// # Errors
    /// If the store failed.
    pub async fn refused_logins(&self, since: SystemTime) -> Result<Vec<SystemTime>, VaultError> {
        let all: Vec<_> = self.rows(Table::RefusedLogin).try_collect().await?;
        Ok(all.iter().map(|row| from_millis(row.number)).filter(|at| *at >= since).collect())
    }

    /// Records that the groupware server at the address `server` took an app password as a bearer token.
    ///
    /// # Errors
    /// If the store failed.
    pub async fn put_bearer_server(&self, server: &str) -> Result<(), VaultError> {
        let server: Arc<str> = server.into();
        let change = Change::put(Table::BearerServer, Row::new(server.clone(), server, 0));
        self.commit_one("note that a server takes bearer logins", change).await?;
        Ok(())
    }

    /// Whether [`put_bearer_server`](Self::put_bearer_server) recorded that address.
    ///
    /// # Errors
    /// If the store failed.
    pub async fn is_bearer_server(&self, server: &str) -> Result<bool, VaultError> {
        Ok(self.row(Table::BearerServer, server).await?.is_some())
    }
}
