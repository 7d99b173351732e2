//! The operations on the file, each one transaction.

use std::sync::Arc;
use std::time::SystemTime;

use rusqlite::{OptionalExtension as _, params};

use super::super::time::{from_millis, to_millis};
use super::super::{
    BindOutcome, BindingRecord, CredentialCounts, FlowGrant, FlowRecord, FlowSwap, PermitLease,
    Record, Reseal, Store, StoreError,
};
use super::record_cache::Lookup;
use super::{SqliteStore, binding, credential, login_flow};

impl Store for SqliteStore {
    async fn record(&self, user_id: &str) -> Result<Option<Arc<Record>>, StoreError> {
        let version = match self.cache.lookup(user_id) {
            Lookup::Known(record) => return Ok(record),
            Lookup::Unknown(version) => version,
        };
        let wanted: Arc<str> = user_id.into();
        let cache = Arc::clone(&self.cache);
        self.read("read a credential", move |connection| {
            let sql = "SELECT user_id, revision, sealed, suspended_at, refusals \
                       FROM credential WHERE user_id = ?1";
            let record = connection
                .prepare_cached(sql)?
                .query_row([&wanted], credential::record)
                .optional()?
                .map(Arc::new);
            if let Some(version) = version {
                cache.remember(version, wanted, record.clone());
            }
            Ok(record)
        })
        .await
    }

    async fn put(&self, record: Record, grant: Option<FlowSwap>) -> Result<bool, StoreError> {
        self.write("store a credential", move |connection| {
            if let Some(swap) = grant
                && !login_flow::swap(connection, &swap)?
            {
                return Ok(false);
            }
            credential::put(connection, &record)?;
            Ok(true)
        })
        .await
    }

    async fn add(&self, records: Vec<Arc<Record>>) -> Result<usize, StoreError> {
        self.write("store credentials", move |connection| {
            let added = records
                .iter()
                .map(|record| credential::add(connection, record));
            added.sum()
        })
        .await
    }

    async fn remove(&self, user_id: &str) -> Result<bool, StoreError> {
        let user_id: Box<str> = user_id.into();
        self.write("remove a credential", move |connection| {
            let sql = "DELETE FROM credential WHERE user_id = ?1";
            Ok(connection.prepare_cached(sql)?.execute([user_id])? > 0)
        })
        .await
    }

    async fn mark(
        &self,
        user_id: &str,
        revision: u64,
        suspended_at: Option<SystemTime>,
    ) -> Result<bool, StoreError> {
        let user_id: Box<str> = user_id.into();
        self.write("note the standing of a credential", move |connection| {
            let sql = "UPDATE credential SET suspended_at = ?3, \
                       refusals = CASE WHEN ?3 IS NULL THEN 0 ELSE refusals + 1 END \
                       WHERE user_id = ?1 AND revision = ?2";
            let values = params![user_id, revision.cast_signed(), suspended_at.map(to_millis)];
            Ok(connection.prepare_cached(sql)?.execute(values)? > 0)
        })
        .await
    }

    async fn put_refused_login(
        &self,
        at: SystemTime,
        forget_before: SystemTime,
    ) -> Result<(), StoreError> {
        self.write("note a refused login", move |connection| {
            connection
                .prepare_cached("DELETE FROM refused_login WHERE refused_at < ?1")?
                .execute([to_millis(forget_before)])?;
            connection
                .prepare_cached("INSERT INTO refused_login (refused_at) VALUES (?1)")?
                .execute([to_millis(at)])?;
            Ok(())
        })
        .await
    }

    async fn refused_logins(&self, since: SystemTime) -> Result<Vec<SystemTime>, StoreError> {
        self.read("read the refused logins", move |connection| {
            connection
                .prepare_cached("SELECT refused_at FROM refused_login WHERE refused_at >= ?1")?
                .query_map([to_millis(since)], |row| row.get(0).map(from_millis))?
                .collect()
        })
        .await
    }

    async fn put_bearer_server(&self, server: &str) -> Result<(), StoreError> {
        let server: Box<str> = server.into();
        self.write(
            "note that a server takes bearer logins",
            move |connection| {
                let sql = "INSERT OR IGNORE INTO bearer_server (url) VALUES (?1)";
                connection.prepare_cached(sql)?.execute([server]).map(drop)
            },
        )
        .await
    }

    async fn is_bearer_server(&self, server: &str) -> Result<bool, StoreError> {
        let server: Box<str> = server.into();
        self.read("read which server takes bearer logins", move |connection| {
            let sql = "SELECT 1 FROM bearer_server WHERE url = ?1";
            connection.prepare_cached(sql)?.exists([server])
        })
        .await
    }

    fn lease_permits(&self) -> Option<Box<dyn PermitLease>> {
        self.permits.lease()
    }

    async fn page(
        &self,
        after: Option<&str>,
        limit: usize,
    ) -> Result<Vec<Arc<Record>>, StoreError> {
        // No user id is empty.
        let after: Box<str> = after.unwrap_or_default().into();
        self.read("list the credentials", move |connection| {
            connection
                .prepare_cached(
                    "SELECT user_id, revision, sealed, suspended_at, refusals \
                     FROM credential WHERE user_id > ?1 ORDER BY user_id LIMIT ?2",
                )?
                .query_map(params![after, count(limit)], |row| {
                    credential::record(row).map(Arc::new)
                })?
                .collect()
        })
        .await
    }

    async fn count(&self) -> Result<CredentialCounts, StoreError> {
        self.read("count the credentials", |connection| {
            let sql = "SELECT count(*) - count(suspended_at), count(suspended_at) FROM credential";
            connection.prepare_cached(sql)?.query_row([], |row| {
                let number = |at| row.get(at).map(i64::cast_unsigned);
                Ok(CredentialCounts {
                    active: number(0)?,
                    suspended: number(1)?,
                })
            })
        })
        .await
    }

    async fn reseal(&self, mut batch: Vec<Reseal>) -> Result<Vec<Reseal>, StoreError> {
        if batch.is_empty() {
            return Ok(batch);
        }
        self.write("seal credentials anew", move |connection| {
            let sql = "UPDATE credential SET sealed = ?3 WHERE user_id = ?1 AND sealed = ?2";
            let mut update = connection.prepare_cached(sql)?;
            let mut late = Vec::new();
            for reseal in batch.drain(..) {
                let values = params![reseal.from.user_id, reseal.from.sealed, reseal.to];
                if update.execute(values)? == 0 {
                    late.push(reseal);
                }
            }
            Ok(late)
        })
        .await
    }

    async fn flow(&self, flow_id: &str) -> Result<Option<FlowRecord>, StoreError> {
        let flow_id: Box<str> = flow_id.into();
        self.read("read a login flow", move |connection| {
            login_flow::read(connection, &flow_id)
        })
        .await
    }

    async fn put_flow(&self, flow: FlowRecord, limit: usize) -> Result<(), StoreError> {
        self.write("store a login flow", move |connection| {
            login_flow::put(connection, &flow, count(limit))
        })
        .await
    }

    async fn swap_flow(&self, swap: FlowSwap) -> Result<bool, StoreError> {
        self.write("change a login flow", move |connection| {
            login_flow::swap(connection, &swap)
        })
        .await
    }

    async fn flow_page(
        &self,
        after: Option<&str>,
        limit: usize,
    ) -> Result<Vec<FlowRecord>, StoreError> {
        let after: Box<str> = after.unwrap_or_default().into();
        self.read("list the login flows", move |connection| {
            login_flow::page(connection, &after, count(limit))
        })
        .await
    }

    async fn remove_flow(&self, flow_id: &str, sealed: &[u8]) -> Result<bool, StoreError> {
        let (flow_id, sealed): (Box<str>, Box<[u8]>) = (flow_id.into(), sealed.into());
        self.write("remove a login flow", move |connection| {
            login_flow::remove(connection, &flow_id, &sealed)
        })
        .await
    }

    async fn remove_expired_flows(&self, now: SystemTime) -> Result<u64, StoreError> {
        self.write("remove expired login flows", move |connection| {
            let sql = "DELETE FROM login_flow WHERE expires_at <= ?1 AND NOT holds_password";
            let removed = connection.prepare_cached(sql)?.execute([to_millis(now)])?;
            Ok(removed as u64)
        })
        .await
    }

    async fn binding(&self, person_id: &str) -> Result<Option<Arc<BindingRecord>>, StoreError> {
        let version = match self.bindings.lookup(person_id) {
            Lookup::Known(binding) => return Ok(binding),
            Lookup::Unknown(version) => version,
        };
        let wanted: Arc<str> = person_id.into();
        let cache = Arc::clone(&self.bindings);
        self.read("read a binding", move |connection| {
            let binding = binding::read(connection, &wanted)?;
            if let Some(version) = version {
                cache.remember(version, wanted, binding.clone());
            }
            Ok(binding)
        })
        .await
    }

    async fn bind(
        &self,
        binding: BindingRecord,
        grant: Option<FlowGrant>,
    ) -> Result<BindOutcome, StoreError> {
        self.write("bind an account", move |connection| {
            let outcome = binding::outcome(connection, &binding)?;
            if !matches!(outcome, BindOutcome::Bound | BindOutcome::Already) {
                return Ok(outcome);
            }
            if let Some(FlowGrant { record, swap }) = grant {
                if !login_flow::swap(connection, &swap)? {
                    return Ok(BindOutcome::FlowChanged);
                }
                credential::put(connection, &record)?;
            }
            if outcome == BindOutcome::Bound {
                binding::insert(connection, &binding)?;
            }
            Ok(outcome)
        })
        .await
    }

    async fn unbind(&self, person_id: &str) -> Result<bool, StoreError> {
        let person_id: Box<str> = person_id.into();
        self.write("unbind an account", move |connection| {
            binding::remove(connection, &person_id)
        })
        .await
    }

    async fn binding_page(
        &self,
        after: Option<&str>,
        limit: usize,
    ) -> Result<Vec<BindingRecord>, StoreError> {
        let after: Box<str> = after.unwrap_or_default().into();
        self.read("list the bindings", move |connection| {
            binding::page(connection, &after, count(limit))
        })
        .await
    }

    async fn reseal_binding(
        &self,
        from: &BindingRecord,
        to: Box<[u8]>,
    ) -> Result<bool, StoreError> {
        let from = from.clone();
        self.write("seal a binding anew", move |connection| {
            binding::reseal(connection, &from, &to)
        })
        .await
    }

    async fn scrub(&self) -> Result<(), StoreError> {
        self.run(&self.writer, "empty the write-ahead log", |connection| {
            // A reader of this instant keeps it from being emptied: then a later checkpoint does.
            connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
        })
        .await
    }

    async fn ready(&self) -> Result<(), StoreError> {
        self.read("reach the credentials", |connection| {
            let mut any = connection.prepare_cached("SELECT 1 FROM credential LIMIT 1")?;
            any.exists([]).map(|_| ())
        })
        .await
    }
}

fn count(limit: usize) -> i64 {
    i64::try_from(limit).unwrap_or(i64::MAX)
}
