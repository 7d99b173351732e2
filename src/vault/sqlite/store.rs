//! The operations on the file, each one transaction.

use std::sync::Arc;
use std::time::SystemTime;

use futures_util::future::BoxFuture;
use rusqlite::{OptionalExtension as _, params};

use super::super::time::{from_millis, to_millis};
use super::super::{
    BindOutcome, BindingRecord, CredentialCounts, FlowGrant, FlowRecord, FlowSwap, PermitLease,
    Record, Reseal, Store, StoreError,
};
use super::record_cache::Lookup;
use super::{SqliteStore, binding, credential, login_flow};

impl Store for SqliteStore {
    fn cached_record(&self, user_id: &str) -> Option<Option<Arc<Record>>> {
        match self.cache.lookup(user_id) {
            Lookup::Known(record) => Some(record),
            Lookup::Unknown(_) => None,
        }
    }

    fn cached_binding(&self, person_id: &str) -> Option<Option<Arc<BindingRecord>>> {
        match self.bindings.lookup(person_id) {
            Lookup::Known(binding) => Some(binding),
            Lookup::Unknown(_) => None,
        }
    }

    fn record<'a>(
        &'a self,
        user_id: &'a str,
    ) -> BoxFuture<'a, Result<Option<Arc<Record>>, StoreError>> {
        Box::pin(async move {
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
        })
    }

    fn put(
        &self,
        record: Record,
        grant: Option<FlowSwap>,
    ) -> BoxFuture<'_, Result<bool, StoreError>> {
        Box::pin(async move {
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
        })
    }

    fn add(&self, records: Vec<Arc<Record>>) -> BoxFuture<'_, Result<usize, StoreError>> {
        Box::pin(async move {
            self.write("store credentials", move |connection| {
                let added = records
                    .iter()
                    .map(|record| credential::add(connection, record));
                added.sum()
            })
            .await
        })
    }

    fn remove<'a>(&'a self, user_id: &'a str) -> BoxFuture<'a, Result<bool, StoreError>> {
        Box::pin(async move {
            let user_id: Box<str> = user_id.into();
            self.write("remove a credential", move |connection| {
                let sql = "DELETE FROM credential WHERE user_id = ?1";
                Ok(connection.prepare_cached(sql)?.execute([user_id])? > 0)
            })
            .await
        })
    }

    fn mark<'a>(
        &'a self,
        user_id: &'a str,
        revision: u64,
        suspended_at: Option<SystemTime>,
    ) -> BoxFuture<'a, Result<bool, StoreError>> {
        Box::pin(async move {
            let user_id: Box<str> = user_id.into();
            self.write("note the standing of a credential", move |connection| {
                let sql = "UPDATE credential SET suspended_at = ?3, \
                       refusals = CASE WHEN ?3 IS NULL THEN 0 ELSE refusals + 1 END \
                       WHERE user_id = ?1 AND revision = ?2";
                let values = params![user_id, revision.cast_signed(), suspended_at.map(to_millis)];
                Ok(connection.prepare_cached(sql)?.execute(values)? > 0)
            })
            .await
        })
    }

    fn put_refused_login(
        &self,
        at: SystemTime,
        forget_before: SystemTime,
    ) -> BoxFuture<'_, Result<(), StoreError>> {
        Box::pin(async move {
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
        })
    }

    fn refused_logins(
        &self,
        since: SystemTime,
    ) -> BoxFuture<'_, Result<Vec<SystemTime>, StoreError>> {
        Box::pin(async move {
            self.read("read the refused logins", move |connection| {
                connection
                    .prepare_cached("SELECT refused_at FROM refused_login WHERE refused_at >= ?1")?
                    .query_map([to_millis(since)], |row| row.get(0).map(from_millis))?
                    .collect()
            })
            .await
        })
    }

    fn put_bearer_server<'a>(&'a self, server: &'a str) -> BoxFuture<'a, Result<(), StoreError>> {
        Box::pin(async move {
            let server: Box<str> = server.into();
            self.write(
                "note that a server takes bearer logins",
                move |connection| {
                    let sql = "INSERT OR IGNORE INTO bearer_server (url) VALUES (?1)";
                    connection.prepare_cached(sql)?.execute([server]).map(drop)
                },
            )
            .await
        })
    }

    fn is_bearer_server<'a>(&'a self, server: &'a str) -> BoxFuture<'a, Result<bool, StoreError>> {
        Box::pin(async move {
            let server: Box<str> = server.into();
            self.read("read which server takes bearer logins", move |connection| {
                let sql = "SELECT 1 FROM bearer_server WHERE url = ?1";
                connection.prepare_cached(sql)?.exists([server])
            })
            .await
        })
    }

    fn lease_permits(&self) -> Option<Box<dyn PermitLease>> {
        self.permits.lease()
    }

    fn page<'a>(
        &'a self,
        after: Option<&'a str>,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<Arc<Record>>, StoreError>> {
        Box::pin(async move {
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
        })
    }

    fn count(&self) -> BoxFuture<'_, Result<CredentialCounts, StoreError>> {
        Box::pin(async move {
            self.read("count the credentials", |connection| {
                let sql =
                    "SELECT count(*) - count(suspended_at), count(suspended_at) FROM credential";
                connection.prepare_cached(sql)?.query_row([], |row| {
                    let number = |at| row.get(at).map(i64::cast_unsigned);
                    Ok(CredentialCounts {
                        active: number(0)?,
                        suspended: number(1)?,
                    })
                })
            })
            .await
        })
    }

    fn reseal(&self, mut batch: Vec<Reseal>) -> BoxFuture<'_, Result<Vec<Reseal>, StoreError>> {
        Box::pin(async move {
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
        })
    }

    fn flow<'a>(
        &'a self,
        flow_id: &'a str,
    ) -> BoxFuture<'a, Result<Option<FlowRecord>, StoreError>> {
        Box::pin(async move {
            let flow_id: Box<str> = flow_id.into();
            self.read("read a login flow", move |connection| {
                login_flow::read(connection, &flow_id)
            })
            .await
        })
    }

    fn put_flow(&self, flow: FlowRecord, limit: usize) -> BoxFuture<'_, Result<(), StoreError>> {
        Box::pin(async move {
            self.write("store a login flow", move |connection| {
                login_flow::put(connection, &flow, count(limit))
            })
            .await
        })
    }

    fn swap_flow(&self, swap: FlowSwap) -> BoxFuture<'_, Result<bool, StoreError>> {
        Box::pin(async move {
            self.write("change a login flow", move |connection| {
                login_flow::swap(connection, &swap)
            })
            .await
        })
    }

    fn flow_page<'a>(
        &'a self,
        after: Option<&'a str>,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<FlowRecord>, StoreError>> {
        Box::pin(async move {
            let after: Box<str> = after.unwrap_or_default().into();
            self.read("list the login flows", move |connection| {
                login_flow::page(connection, &after, count(limit))
            })
            .await
        })
    }

    fn remove_flow<'a>(
        &'a self,
        flow_id: &'a str,
        sealed: &'a [u8],
    ) -> BoxFuture<'a, Result<bool, StoreError>> {
        Box::pin(async move {
            let (flow_id, sealed): (Box<str>, Box<[u8]>) = (flow_id.into(), sealed.into());
            self.write("remove a login flow", move |connection| {
                login_flow::remove(connection, &flow_id, &sealed)
            })
            .await
        })
    }

    fn remove_expired_flows(&self, now: SystemTime) -> BoxFuture<'_, Result<u64, StoreError>> {
        Box::pin(async move {
            self.write("remove expired login flows", move |connection| {
                let sql = "DELETE FROM login_flow WHERE expires_at <= ?1 AND NOT holds_password";
                let removed = connection.prepare_cached(sql)?.execute([to_millis(now)])?;
                Ok(removed as u64)
            })
            .await
        })
    }

    fn binding<'a>(
        &'a self,
        person_id: &'a str,
    ) -> BoxFuture<'a, Result<Option<Arc<BindingRecord>>, StoreError>> {
        Box::pin(async move {
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
        })
    }

    fn bind(
        &self,
        binding: BindingRecord,
        grant: Option<FlowGrant>,
    ) -> BoxFuture<'_, Result<BindOutcome, StoreError>> {
        Box::pin(async move {
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
        })
    }

    fn unbind<'a>(&'a self, person_id: &'a str) -> BoxFuture<'a, Result<bool, StoreError>> {
        Box::pin(async move {
            let person_id: Box<str> = person_id.into();
            self.write("unbind an account", move |connection| {
                binding::remove(connection, &person_id)
            })
            .await
        })
    }

    fn binding_page<'a>(
        &'a self,
        after: Option<&'a str>,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<BindingRecord>, StoreError>> {
        Box::pin(async move {
            let after: Box<str> = after.unwrap_or_default().into();
            self.read("list the bindings", move |connection| {
                binding::page(connection, &after, count(limit))
            })
            .await
        })
    }

    fn reseal_binding<'a>(
        &'a self,
        from: &'a BindingRecord,
        to: Box<[u8]>,
    ) -> BoxFuture<'a, Result<bool, StoreError>> {
        Box::pin(async move {
            let from = from.clone();
            self.write("seal a binding anew", move |connection| {
                binding::reseal(connection, &from, &to)
            })
            .await
        })
    }

    fn scrub(&self) -> BoxFuture<'_, Result<(), StoreError>> {
        Box::pin(async move {
            self.run(&self.writer, "empty the write-ahead log", |connection| {
                // A reader of this instant keeps it from being emptied: then a later checkpoint does.
                connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
            })
            .await
        })
    }

    fn ready(&self) -> BoxFuture<'_, Result<(), StoreError>> {
        Box::pin(async move {
            self.read("reach the credentials", |connection| {
                let mut any = connection.prepare_cached("SELECT 1 FROM credential LIMIT 1")?;
                any.exists([]).map(|_| ())
            })
            .await
        })
    }
}

fn count(limit: usize) -> i64 {
    i64::try_from(limit).unwrap_or(i64::MAX)
}
