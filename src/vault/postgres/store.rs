//! The operations on the database, each one statement.
//!
//! What an operation changes is forgotten by the cache here before it is acknowledged, and even if it
//! failed: nobody may know whether it was carried out.

use std::sync::Arc;
use std::time::SystemTime;

use futures_util::future::BoxFuture;
use tokio_postgres::types::ToSql;
use tokio_postgres::{Error, Row};

use super::super::time::{from_millis, to_millis};
use super::super::{
    BindOutcome, BindingRecord, CredentialCounts, FlowGrant, FlowRecord, FlowSwap, PermitLease,
    Record, Reseal, Store, StoreError,
};
use super::error::Failure;
use super::record_cache::Lookup;
use super::{PostgresStore, binding, credential, login, login_flow, permits};

/// Values of any types, as the parameters of a statement.
macro_rules! parameters {
    ($($value:expr),* $(,)?) => {
        &[$(&$value as &(dyn ToSql + Sync)),*]
    };
}

impl PostgresStore {
    /// The rows that `action` read, each made into what it stands for.
    pub(super) fn decode<T>(
        &self,
        action: &str,
        rows: &[Row],
        decode: impl Fn(&Row) -> Result<T, Error>,
    ) -> Result<Vec<T>, StoreError> {
        let decoded = rows.iter().map(decode).collect::<Result<_, _>>();
        decoded.map_err(|error| self.fault(action, Failure::Statement(error)))
    }
}

impl Store for PostgresStore {
    fn cached_record(&self, user_id: &str) -> Option<Option<Arc<Record>>> {
        match self.shared.records.lookup(user_id) {
            Lookup::Known(record) => Some(record),
            Lookup::Unknown(_) => None,
        }
    }

    fn cached_binding(&self, person_id: &str) -> Option<Option<Arc<BindingRecord>>> {
        match self.shared.bindings.lookup(person_id) {
            Lookup::Known(binding) => Some(binding),
            Lookup::Unknown(_) => None,
        }
    }

    fn record<'a>(
        &'a self,
        user_id: &'a str,
    ) -> BoxFuture<'a, Result<Option<Arc<Record>>, StoreError>> {
        Box::pin(async move {
            let ticket = match self.shared.records.lookup(user_id) {
                Lookup::Known(record) => return Ok(record),
                Lookup::Unknown(ticket) => ticket,
            };
            if is_no_text(user_id) {
                return Ok(None);
            }
            let action = "read a credential";
            let rows = self.read(action, credential::READ, &[&user_id]).await?;
            let record = self.decode(action, &rows, credential::record)?;
            let record = record.into_iter().next().map(Arc::new);
            if let Some(ticket) = ticket {
                self.shared
                    .records
                    .remember(ticket, user_id, record.clone());
            }
            Ok(record)
        })
    }

    fn put(
        &self,
        record: Record,
        grant: Option<FlowSwap>,
    ) -> BoxFuture<'_, Result<bool, StoreError>> {
        Box::pin(async move {
            let (revision, refusals) =
                (record.revision.cast_signed(), record.refusals.cast_signed());
            let suspended_at = record.suspended_at.map(to_millis);
            let (user_id, sealed) = (&*record.user_id, &*record.sealed);
            let action = "store a credential";
            let stored = match &grant {
                None => {
                    let values = parameters![user_id, revision, sealed, suspended_at, refusals];
                    self.write(action, credential::PUT, values).await
                }
                Some(swap) => {
                    let (flow_id, from, to) = (&*swap.flow_id, &*swap.from, &*swap.to);
                    let values = parameters![
                        user_id,
                        revision,
                        sealed,
                        suspended_at,
                        refusals,
                        flow_id,
                        from,
                        to,
                        swap.holds_password
                    ];
                    self.write(action, credential::PUT_GRANTED, values).await
                }
            };
            self.shared.records.forget(user_id);
            Ok(!stored?.is_empty())
        })
    }

    fn add(&self, records: Vec<Arc<Record>>) -> BoxFuture<'_, Result<usize, StoreError>> {
        Box::pin(async move {
            /// One field of all records.
            fn all<'a, T>(records: &'a [Arc<Record>], field: impl Fn(&'a Record) -> T) -> Vec<T> {
                records.iter().map(|record| field(record)).collect()
            }
            let values = parameters![
                all(&records, |it| &*it.user_id),
                all(&records, |it| it.revision.cast_signed()),
                all(&records, |it| &*it.sealed),
                all(&records, |it| it.suspended_at.map(to_millis)),
                all(&records, |it| it.refusals.cast_signed()),
            ];
            let added = self.write("store credentials", credential::ADD, values);
            let added = added.await;
            for record in &records {
                self.shared.records.forget(&record.user_id);
            }
            Ok(added?.len())
        })
    }

    fn remove<'a>(&'a self, user_id: &'a str) -> BoxFuture<'a, Result<bool, StoreError>> {
        Box::pin(async move {
            if is_no_text(user_id) {
                return Ok(false);
            }
            let removed = self
                .write("remove a credential", credential::REMOVE, &[&user_id])
                .await;
            self.shared.records.forget(user_id);
            Ok(!removed?.is_empty())
        })
    }

    fn mark<'a>(
        &'a self,
        user_id: &'a str,
        revision: u64,
        suspended_at: Option<SystemTime>,
    ) -> BoxFuture<'a, Result<bool, StoreError>> {
        Box::pin(async move {
            let (revision, suspended_at) = (revision.cast_signed(), suspended_at.map(to_millis));
            let action = "note the standing of a credential";
            let values = parameters![user_id, revision, suspended_at];
            let marked = self.write(action, credential::MARK, values).await;
            self.shared.records.forget(user_id);
            Ok(!marked?.is_empty())
        })
    }

    fn put_refused_login(
        &self,
        at: SystemTime,
        forget_before: SystemTime,
    ) -> BoxFuture<'_, Result<(), StoreError>> {
        Box::pin(async move {
            // So that a statement that is repeated notes it once.
            let id = getrandom::u64().unwrap_or_default() >> 1;
            let values = parameters![id.cast_signed(), to_millis(at), to_millis(forget_before)];
            let kept = self.write("note a refused login", login::PUT_REFUSED, values);
            kept.await.map(drop)
        })
    }

    fn refused_logins(
        &self,
        since: SystemTime,
    ) -> BoxFuture<'_, Result<Vec<SystemTime>, StoreError>> {
        Box::pin(async move {
            let action = "read the refused logins";
            let values = parameters![to_millis(since)];
            let rows = self.read(action, login::REFUSED, values).await?;
            self.decode(action, &rows, |row| row.try_get(0).map(from_millis))
        })
    }

    fn put_bearer_server<'a>(&'a self, server: &'a str) -> BoxFuture<'a, Result<(), StoreError>> {
        Box::pin(async move {
            let action = "note that a server takes bearer logins";
            let values = parameters![server];
            let noted = self.write(action, login::PUT_BEARER_SERVER, values).await;
            noted.map(drop)
        })
    }

    fn is_bearer_server<'a>(&'a self, server: &'a str) -> BoxFuture<'a, Result<bool, StoreError>> {
        Box::pin(async move {
            let action = "read which server takes bearer logins";
            let values = parameters![server];
            let rows = self.read(action, login::IS_BEARER_SERVER, values).await?;
            Ok(!rows.is_empty())
        })
    }

    fn lease_permits(&self) -> Option<Box<dyn PermitLease>> {
        permits::lease(&self.shared)
    }

    fn page<'a>(
        &'a self,
        after: Option<&'a str>,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<Arc<Record>>, StoreError>> {
        Box::pin(async move {
            let action = "list the credentials";
            // No user id is empty.
            let values = parameters![after.unwrap_or_default(), count(limit)];
            let rows = self.read(action, credential::PAGE, values).await?;
            self.decode(action, &rows, |row| credential::record(row).map(Arc::new))
        })
    }

    fn count(&self) -> BoxFuture<'_, Result<CredentialCounts, StoreError>> {
        Box::pin(async move {
            let action = "count the credentials";
            let rows = self.read(action, credential::COUNT, &[]).await?;
            let counted = self.decode(action, &rows, |row| {
                Ok(CredentialCounts {
                    active: row.try_get::<_, i64>(0)?.cast_unsigned(),
                    suspended: row.try_get::<_, i64>(1)?.cast_unsigned(),
                })
            })?;
            Ok(counted.into_iter().next().unwrap_or_default())
        })
    }

    fn reseal(&self, mut batch: Vec<Reseal>) -> BoxFuture<'_, Result<Vec<Reseal>, StoreError>> {
        Box::pin(async move {
            if batch.is_empty() {
                return Ok(batch);
            }
            let users: Vec<_> = batch.iter().map(|it| &*it.from.user_id).collect();
            let from: Vec<_> = batch.iter().map(|it| &*it.from.sealed).collect();
            let to: Vec<_> = batch.iter().map(|it| &*it.to).collect();
            let action = "seal credentials anew";
            let values = parameters![users, from, to];
            let resealed = self.write(action, credential::RESEAL, values).await;
            for user_id in users {
                self.shared.records.forget(user_id);
            }
            let user_id = |row: &Row| row.try_get::<_, String>(0);
            let resealed = self.decode(action, &resealed?, user_id)?;
            let resealed: std::collections::HashSet<_> = resealed.into_iter().collect();
            batch.retain(|it| !resealed.contains(&*it.from.user_id));
            Ok(batch)
        })
    }

    fn flow<'a>(
        &'a self,
        flow_id: &'a str,
    ) -> BoxFuture<'a, Result<Option<FlowRecord>, StoreError>> {
        Box::pin(async move {
            if is_no_text(flow_id) {
                return Ok(None);
            }
            let action = "read a login flow";
            let rows = self.read(action, login_flow::READ, &[&flow_id]).await?;
            let flows = self.decode(action, &rows, login_flow::record)?;
            Ok(flows.into_iter().next())
        })
    }

    fn put_flow(&self, flow: FlowRecord, limit: usize) -> BoxFuture<'_, Result<(), StoreError>> {
        Box::pin(async move {
            let others = limit.saturating_sub(usize::from(!flow.holds_password));
            let values = parameters![
                &*flow.flow_id,
                &*flow.user_id,
                to_millis(flow.expires_at),
                &*flow.sealed,
                flow.holds_password,
                count(others)
            ];
            let stored = self.write("store a login flow", login_flow::PUT, values);
            stored.await.map(drop)
        })
    }

    fn swap_flow(&self, swap: FlowSwap) -> BoxFuture<'_, Result<bool, StoreError>> {
        Box::pin(async move {
            let values = parameters![&*swap.flow_id, &*swap.from, &*swap.to, swap.holds_password];
            let swapped = self.write("change a login flow", login_flow::SWAP, values);
            Ok(!swapped.await?.is_empty())
        })
    }

    fn flow_page<'a>(
        &'a self,
        after: Option<&'a str>,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<FlowRecord>, StoreError>> {
        Box::pin(async move {
            let action = "list the login flows";
            let values = parameters![after.unwrap_or_default(), count(limit)];
            let rows = self.read(action, login_flow::PAGE, values).await?;
            self.decode(action, &rows, login_flow::record)
        })
    }

    fn remove_flow<'a>(
        &'a self,
        flow_id: &'a str,
        sealed: &'a [u8],
    ) -> BoxFuture<'a, Result<bool, StoreError>> {
        Box::pin(async move {
            let values = parameters![flow_id, sealed];
            let removed = self.write("remove a login flow", login_flow::REMOVE, values);
            Ok(!removed.await?.is_empty())
        })
    }

    fn remove_expired_flows(&self, now: SystemTime) -> BoxFuture<'_, Result<u64, StoreError>> {
        Box::pin(async move {
            let action = "remove expired login flows";
            let values = parameters![to_millis(now)];
            let rows = self
                .write(action, login_flow::REMOVE_EXPIRED, values)
                .await?;
            let removed = self.decode(action, &rows, |row| row.try_get::<_, i64>(0))?;
            Ok(removed.first().map_or(0, |removed| removed.cast_unsigned()))
        })
    }

    fn binding<'a>(
        &'a self,
        person_id: &'a str,
    ) -> BoxFuture<'a, Result<Option<Arc<BindingRecord>>, StoreError>> {
        Box::pin(async move {
            let ticket = match self.shared.bindings.lookup(person_id) {
                Lookup::Known(binding) => return Ok(binding),
                Lookup::Unknown(ticket) => ticket,
            };
            if is_no_text(person_id) {
                return Ok(None);
            }
            let action = "read a binding";
            let rows = self.read(action, binding::READ, &[&person_id]).await?;
            let bound = self.decode(action, &rows, binding::record)?;
            let bound = bound.into_iter().next().map(Arc::new);
            if let Some(ticket) = ticket {
                self.shared
                    .bindings
                    .remember(ticket, person_id, bound.clone());
            }
            Ok(bound)
        })
    }

    fn bind(
        &self,
        bound: BindingRecord,
        grant: Option<FlowGrant>,
    ) -> BoxFuture<'_, Result<BindOutcome, StoreError>> {
        Box::pin(async move {
            let (person_id, user_id, sealed) = (&*bound.person_id, &*bound.user_id, &*bound.sealed);
            let action = "bind an account";
            let rows = match &grant {
                None => {
                    let values = parameters![person_id, user_id, sealed];
                    self.write(action, binding::BIND, values).await
                }
                Some(FlowGrant { record, swap }) => {
                    let values = parameters![
                        person_id,
                        user_id,
                        sealed,
                        &*record.user_id,
                        record.revision.cast_signed(),
                        &*record.sealed,
                        record.suspended_at.map(to_millis),
                        record.refusals.cast_signed(),
                        &*swap.flow_id,
                        &*swap.from,
                        &*swap.to,
                        swap.holds_password
                    ];
                    self.write(action, binding::BIND_GRANTED, values).await
                }
            };
            self.shared.bindings.forget(person_id);
            if let Some(grant) = &grant {
                self.shared.records.forget(&grant.record.user_id);
            }
            let codes = self.decode(action, &rows?, |row| row.try_get::<_, i32>(0))?;
            Ok(binding::outcome(codes.first().copied().unwrap_or(i32::MAX)))
        })
    }

    fn unbind<'a>(&'a self, person_id: &'a str) -> BoxFuture<'a, Result<bool, StoreError>> {
        Box::pin(async move {
            let values = parameters![person_id];
            let removed = self.write("unbind an account", binding::REMOVE, values);
            let removed = removed.await;
            self.shared.bindings.forget(person_id);
            Ok(!removed?.is_empty())
        })
    }

    fn binding_page<'a>(
        &'a self,
        after: Option<&'a str>,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<BindingRecord>, StoreError>> {
        Box::pin(async move {
            let action = "list the bindings";
            let values = parameters![after.unwrap_or_default(), count(limit)];
            let rows = self.read(action, binding::PAGE, values).await?;
            self.decode(action, &rows, binding::record)
        })
    }

    fn reseal_binding<'a>(
        &'a self,
        from: &'a BindingRecord,
        to: Box<[u8]>,
    ) -> BoxFuture<'a, Result<bool, StoreError>> {
        Box::pin(async move {
            let values = parameters![&*from.person_id, &*from.sealed, &*to];
            let resealed = self.write("seal a binding anew", binding::RESEAL, values);
            let resealed = resealed.await;
            self.shared.bindings.forget(&from.person_id);
            Ok(!resealed?.is_empty())
        })
    }

    /// Old versions of rows are left to the database's own vacuum, and to its log.
    fn scrub(&self) -> BoxFuture<'_, Result<(), StoreError>> {
        Box::pin(async move { Ok(()) })
    }

    fn ready(&self) -> BoxFuture<'_, Result<(), StoreError>> {
        Box::pin(async move {
            let reached = self.read("reach the credentials", credential::ANY, &[]);
            reached.await.map(drop)
        })
    }
}

/// Whether PostgreSQL takes `text` for no text: nothing is stored under it.
fn is_no_text(text: &str) -> bool {
    text.contains('\0')
}

fn count(limit: usize) -> i64 {
    i64::try_from(limit).unwrap_or(i64::MAX)
}
