//! The tables of deliveries, and connections of their own for them, so that neither they nor the store waits for the
//! other's statements.
//!
//! A transaction holds an advisory lock from its beginning, so that transactions of all gateways come one after another as they
//! do in a file. It has a few statements, however much they change; a gateway that stalls in between loses its connection, and
//! with it the lock, after a quarter of the time that others wait for it (`idle_in_transaction_session_timeout`).

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::SeqCst;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use tokio::sync::Notify;
use tokio_postgres::types::Type;
use tokio_postgres::{Error, Row};

use super::error::Failure;
use super::pool::{InUse, Pool};
use super::schema::DELIVERIES;
use super::statement::{Kind, Parameter};
use super::{PostgresStore, Shared};
use crate::vault::deliveries::{
    CHANGE, DeliveryTables, DeliveryTransaction, Durability, Lock, News, Query, READ, Reader,
    SqlRow, SqlValue, Work,
};
use crate::vault::{Records, StoreError, StoreFuture};

/// Connections that change something at most: the worker's transaction, that of a caller, and one that removes what is old.
const TO_CHANGE: usize = 3;
/// Connections that read for callers at most.
const TO_LIST: usize = 3;
/// Connections that add receipts at most.
const TO_RECEIVE: usize = 2;

/// How long a gateway must be absent to be gone: longer than an attempt and what comes before it, for it may only have lost this
/// connection.
const ABSENT: Duration = Duration::from_secs(25);

/// The locks by which gateways show that they are there: "gate" in ASCII.
const GATEWAYS: i32 = 0x6761_7465;

#[derive(Debug)]
struct Tables {
    store: PostgresStore,
    /// Apart from each other: no change waits for those who read long lists, and receipts, and what the worker reads, do not wait
    /// with what waits for another gateway's lock.
    changes: Arc<Pool>,
    lists: Arc<Pool>,
    receipts: Arc<Pool>,
    /// The gateways that were not there when it was looked last, and since when.
    absent: Mutex<HashMap<i64, Instant>>,
}

struct Transaction<'c, 'p> {
    connection: &'c mut InUse<'p>,
    /// Whether its statements are prepared.
    prepares: bool,
    store: &'c PostgresStore,
    now: i64,
    excludes_all: bool,
    /// What is sent with the next statements, or with the commit.
    put: Vec<Query>,
    announced: Vec<News>,
}

// === impl PostgresStore ===

impl PostgresStore {
    /// All that the database keeps.
    pub fn records(&self) -> Records {
        let all = self.deliveries();
        Records { vault: all.clone(), deliveries: all }
    }

    pub(crate) fn deliveries(&self) -> Arc<dyn DeliveryTables> {
        let Shared { connector, .. } = &*self.shared;
        let patience = self.timeout.mul_f32(0.8);
        Arc::new(Tables {
            // Those that change something have half of the places.
            changes: Pool::new(connector.clone(), 2 * TO_CHANGE, patience),
            lists: Pool::new(connector.clone(), TO_LIST, patience),
            // The other half is for the worker's reading.
            receipts: Pool::new(connector.clone(), 2 * TO_RECEIVE, patience),
            store: self.clone(),
            absent: Mutex::default(),
        })
    }
}

// === impl Tables ===

impl DeliveryTables for Tables {
    fn read(&self, by: Reader, sql: String, values: Vec<SqlValue>) -> StoreFuture<'_, Vec<SqlRow>> {
        Box::pin(async move {
            let pool = match by {
                Reader::Worker => &self.receipts,
                Reader::Calls => &self.lists,
            };
            let query = Query { sql, values };
            self.store.run(pool, READ, &query, Kind::Read).await
        })
    }

    fn change(&self, lock: Lock, durability: Durability, work: Work) -> StoreFuture<'_, ()> {
        // The locks have ASCII names: "receipts" and "delivery".
        const OF_RECEIPTS: i64 = 0x7265_6365_6970_7473;
        const OF_DELIVERIES: i64 = 0x6465_6c69_7665_7279;
        let (pool, waits_for, has_both) = match lock {
            Lock::Receipts => (&self.receipts, OF_RECEIPTS, "false".to_owned()),
            Lock::Deliveries => (&self.changes, OF_DELIVERIES, "false".to_owned()),
            Lock::Both => {
                (&self.receipts, OF_RECEIPTS, format!("pg_try_advisory_xact_lock({OF_DELIVERIES})"))
            }
        };
        let begin = format!("BEGIN; SELECT pg_advisory_xact_lock({waits_for})");
        let commit = match durability {
            Durability::Synced => "COMMIT",
            Durability::Repeatable => "SET LOCAL synchronous_commit = off; COMMIT",
        };
        // Those that only insert receipts are not: none may fail because a pooler changes its mode while it serves.
        let prepares = lock != Lock::Receipts && self.store.shared.gateway.1.load(SeqCst);
        let fault = |failure| self.store.fault(CHANGE, failure);
        Box::pin(async move {
            // Before the commit is sent, nothing is changed.
            let is_open = AtomicBool::new(false);
            let transaction = async {
                let begun = pool.begin(&begin, &has_both).await;
                let (mut connection, now, excludes_all) = begun.map_err(fault)?;
                let mut transaction = Transaction {
                    connection: &mut connection,
                    prepares,
                    store: &self.store,
                    now,
                    excludes_all,
                    put: Vec::new(),
                    announced: Vec::new(),
                };
                work(&mut transaction).await?;
                let announced = std::mem::take(&mut transaction.announced);
                let gateway = self.store.shared.gateway.0;
                let notify = announced.iter().map(|&news| {
                    format!("NOTIFY {DELIVERIES}, '{}'; ", notification(news, gateway))
                });
                let end = notify.collect::<String>() + commit;
                let ended = transaction.send(Vec::new(), Some((&end, &is_open))).await;
                ended.map_err(|error| fault(error.into()))?;
                // In this process no notification has to be waited for.
                announced.iter().for_each(|&news| self.news(news).notify_waiters());
                connection.give_back();
                Ok(())
            };
            let done = tokio::time::timeout(self.store.timeout, transaction).await;
            let done = done.unwrap_or_else(|_| Err(fault(Failure::Timeout)));
            let is_effect_unknown = is_open.into_inner();
            let done = done.map_err(|error| StoreError { is_effect_unknown, ..error });
            if let Some(observer) = &self.store.observer {
                observer.store_operation(CHANGE, done.is_ok());
            }
            done
        })
    }

    fn gateway(&self) -> i64 {
        let (number, is_shown) = &self.store.shared.gateway;
        i64::from(*number) * i64::from(is_shown.load(SeqCst))
    }

    fn gone(&self, mut gateways: Vec<i64>) -> StoreFuture<'_, (Vec<i64>, bool)> {
        Box::pin(async move {
            let sql = format!(
                "SELECT objid::bigint FROM pg_locks JOIN pg_database ON pg_database.oid = database \
                 WHERE datname = current_database() AND locktype = 'advisory' AND classid = {GATEWAYS} AND objsubid = 2"
            );
            let there = self.read(Reader::Worker, sql, Vec::new()).await?;
            gateways.retain(|it| !there.iter().any(|row| row.number(0) == *it));
            let mut absent = self.absent.lock();
            absent.retain(|it, _| gateways.contains(it));
            gateways.retain(|it| absent.entry(*it).or_insert_with(Instant::now).elapsed() > ABSENT);
            Ok((gateways, true))
        })
    }

    fn news(&self, of: News) -> &Notify {
        &self.store.shared.deliveries[of as usize]
    }
}

// === impl Transaction ===

impl Transaction<'_, '_> {
    /// Carries out what was put, and `statements`; and ends with a commit, if there is one.
    async fn send(
        &mut self,
        statements: Vec<Query>,
        commit: Option<(&str, &AtomicBool)>,
    ) -> Result<Vec<Vec<Row>>, Error> {
        let all: Vec<_> = self.put.drain(..).chain(statements).collect();
        let all = all.iter().map(|it| (&*it.sql, typed(&it.values)));
        self.connection.query_all(all.collect(), self.prepares, commit).await
    }
}

impl DeliveryTransaction for Transaction<'_, '_> {
    fn now(&self) -> i64 {
        self.now
    }

    fn excludes_all(&self) -> bool {
        self.excludes_all
    }

    /// All are sent before the first is answered.
    fn run_all(&mut self, statements: Vec<Query>) -> StoreFuture<'_, Vec<Vec<SqlRow>>> {
        Box::pin(async move {
            let of_put = self.put.len();
            let rows = self.send(statements, None).await;
            let rows = rows.and_then(|all| all[of_put..].iter().map(|rows| decode(rows)).collect());
            rows.map_err(|error| self.store.fault(CHANGE, error.into()))
        })
    }

    fn put(&mut self, sql: String, values: Vec<SqlValue>) -> Result<(), StoreError> {
        self.put.push(Query { sql, values });
        Ok(())
    }

    fn announce(&mut self, news: News) {
        self.announced.push(news);
    }
}

/// What a gateway says that has `news`.
fn notification(news: News, gateway: u32) -> String {
    format!("{} {gateway}", news as usize)
}

/// Acts on what another gateway has said.
pub(super) fn on_notification(shared: &Shared, payload: &str) {
    let (news, gateway) = payload.split_once(' ').unwrap_or_default();
    if gateway != shared.gateway.0.to_string() {
        let known = news.parse().ok().and_then(|news: usize| shared.deliveries.get(news));
        let told = known.map_or(&shared.deliveries[..], std::slice::from_ref);
        told.iter().for_each(Notify::notify_waiters);
    }
}

/// Shows others that this gateway is there, for as long as the connection lasts.
pub(super) fn show(gateway: u32) -> String {
    format!("SELECT pg_advisory_lock_shared({GATEWAYS}, {gateway})")
}

pub(super) fn typed(values: &[SqlValue]) -> Vec<Parameter<'_>> {
    let typed = values.iter().map(|value| -> Parameter<'_> {
        match value {
            // Its type is that of the column that it is stored in.
            SqlValue::Null => (&None::<&str>, Type::UNKNOWN),
            SqlValue::Number(number) => (number, Type::INT8),
            SqlValue::Text(text) => (text, Type::TEXT),
            SqlValue::Bytes(bytes) => (bytes, Type::BYTEA),
        }
    });
    typed.collect()
}

pub(super) fn decode(rows: &[Row]) -> Result<Vec<SqlRow>, Error> {
    let value = |row: &Row, at: usize| {
        let its_type = row.columns()[at].type_();
        Ok(if *its_type == Type::INT8 {
            row.try_get::<_, Option<i64>>(at)?.map(SqlValue::Number)
        } else if *its_type == Type::INT4 {
            let number = row.try_get::<_, Option<i32>>(at)?;
            number.map(|number| SqlValue::Number(number.into()))
        } else if *its_type == Type::BYTEA {
            row.try_get::<_, Option<_>>(at)?.map(SqlValue::Bytes)
        } else {
            row.try_get::<_, Option<String>>(at)?.map(SqlValue::Text)
        }
        .unwrap_or(SqlValue::Null))
    };
    let rows = rows.iter().map(|row| {
        let values = (0..row.len()).map(|at| value(row, at));
        values.collect::<Result<_, _>>().map(SqlRow)
    });
    rows.collect()
}
