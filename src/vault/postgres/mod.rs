//! The store that several gateways share: a PostgreSQL database.
//!
//! | part | what it does |
//! |---|---|
//! | [options] | the URL, and what must not stand in one |
//! | [connect], [tls], [pass_file] | a connection to the first address that can be written to |
//! | [schema] | makes and upgrades the tables; each change is told by a trigger |
//! | [store] | each operation is one statement, and so one transaction, synced before it is acknowledged |
//! | [given_up] | what was given up counts until the database has ended it |
//! | [record_cache], [listener] | what was read is kept for as long as changes by others are heard |
//! | [permits] | which gateway has the login permits: one that listens, by a lock of its connection |
//!
//! Nothing but the database is shared, and no gateway knows of another.

mod binding;
mod connect;
mod credential;
mod error;
mod given_up;
mod listener;
mod login;
mod login_flow;
mod options;
mod pass_file;
mod permits;
mod record_cache;
mod schema;
mod store;
mod tls;

use std::sync::Arc;
use std::time::Duration;

use deadpool::managed::{Object, Pool, PoolError};
use tokio::task::AbortHandle;
use tokio_postgres::Row;
use tokio_postgres::types::ToSql;

pub use self::error::PostgresOpenError;
pub use self::options::{PostgresOptions, PostgresUrlError};

use self::connect::{Connecting, Connector};
use self::error::{Failure, Remedy};
use self::given_up::GivenUp;
use self::permits::Permits;
use self::record_cache::{RecordCache, Trust};
use super::{BindingRecord, Inspection, Record, StoreError, StoreObserver};

/// Records of each kind that the cache holds at most, each of some 400 bytes.
const CACHED_RECORDS: usize = 10_000;

/// Tries of a statement that others keep in the way of.
const ATTEMPTS: u32 = 10;

/// Keeps sealed records in a PostgreSQL database, 13 or later. Clones share the connections.
///
/// A change is on the database's disk when the call returns. Other gateways see it at once in what they
/// ask the database, and in what they have cached when they are told of it: usually within milliseconds,
/// and within a second in any case.
#[derive(Clone, Debug)]
pub struct PostgresStore {
    shared: Arc<Shared>,
    pool: Pool<Connecting>,
    given_up: Arc<GivenUp>,
    timeout: Duration,
    observer: Option<Arc<dyn StoreObserver>>,
    _listener: Option<Arc<Listener>>,
}

/// What the listener and the store have in common.
#[derive(Debug)]
struct Shared {
    /// The database, as it may be shown.
    name: Box<str>,
    connector: Arc<Connector>,
    trust: Arc<Trust>,
    records: RecordCache<Record>,
    bindings: RecordCache<BindingRecord>,
    permits: Permits,
}

/// The task that listens; dropping it ends it.
#[derive(Debug)]
struct Listener(AbortHandle);

/// Parameters of a statement.
type Parameters<'a> = &'a [&'a (dyn ToSql + Sync)];

/// Whether a statement can be repeated although nobody knows what became of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Read,
    Write,
}

// === impl PostgresStore ===

impl PostgresStore {
    /// Connects to the database; makes its tables in a schema of their own, `portreeve`, or upgrades
    /// them, if need be.
    ///
    /// # Errors
    /// If it cannot be reached or used, or was upgraded by a newer version that this one cannot work
    /// beside.
    ///
    /// # Panics
    /// Outside of a Tokio runtime.
    pub async fn open(options: PostgresOptions) -> Result<Self, PostgresOpenError> {
        let name: Box<str> = options.to_string().into();
        let (connections, timeout, listens) =
            (options.connections, options.timeout, options.listen);
        let connector = Connector::new(options).map_err(|reason| PostgresOpenError::Tls {
            database: name.clone(),
            reason: reason.into(),
        })?;
        let connected = connector.connect_patiently().await;
        let (client, driver) = connected.map_err(|error| error.on(&name))?;
        let driving = tokio::spawn(driver.run());
        let prepared = schema::prepare(&client, &name).await;
        drop(client);
        // With the connection goes a lock that a failure may have left.
        driving.abort();
        prepared?;

        let trust = Arc::new(Trust::new());
        let connector = Arc::new(connector);
        let shared = Arc::new(Shared {
            records: RecordCache::new(trust.clone(), CACHED_RECORDS),
            bindings: RecordCache::new(trust.clone(), CACHED_RECORDS),
            trust,
            permits: Permits::default(),
            connector: connector.clone(),
            name,
        });
        let given_up = GivenUp::new(connections);
        let connecting = Connecting {
            connector,
            given_up: given_up.clone(),
            // As long as one waits for a connection of others.
            patience: timeout.mul_f32(0.8),
        };
        let pool = Pool::builder(connecting)
            .max_size(connections)
            .runtime(deadpool::Runtime::Tokio1)
            // So that this is the reason that is told, and not that there was no answer.
            .wait_timeout(Some(timeout.mul_f32(0.8)))
            .build()
            .expect("a pool with timeouts was given a runtime");
        let listener = listens.then(|| {
            let task = tokio::spawn(listener::run(Arc::downgrade(&shared)));
            Arc::new(Listener(task.abort_handle()))
        });
        Ok(Self {
            shared,
            pool,
            given_up,
            timeout,
            observer: None,
            _listener: listener,
        })
    }

    /// What the database holds; `None` if it has no tables yet. Nothing is changed.
    ///
    /// # Errors
    /// If it cannot be reached or used.
    pub async fn inspect(
        options: PostgresOptions,
    ) -> Result<Option<Inspection>, PostgresOpenError> {
        let name: Box<str> = options.to_string().into();
        let connector = Connector::new(options).map_err(|reason| PostgresOpenError::Tls {
            database: name.clone(),
            reason: reason.into(),
        })?;
        let connected = connector.connect().await;
        let (client, driver) = connected.map_err(|error| error.on(&name))?;
        tokio::spawn(driver.run());
        let found = schema::inspect(&client).await;
        found.map_err(|source| PostgresOpenError::Schema {
            database: name,
            source,
            hint: "",
        })
    }

    /// Tells `observer` of each operation that asks or changes the database.
    #[must_use]
    pub fn observed(mut self, observer: Arc<dyn StoreObserver>) -> Self {
        self.observer = Some(observer);
        self
    }

    /// Whether changes by others are heard at this instant, so that lookups are answered from memory.
    pub fn hears(&self) -> bool {
        self.shared.trust.holds()
    }

    async fn read(
        &self,
        action: &'static str,
        sql: &'static str,
        parameters: Parameters<'_>,
    ) -> Result<Vec<Row>, StoreError> {
        self.run(action, sql, parameters, Kind::Read).await
    }

    async fn write(
        &self,
        action: &'static str,
        sql: &'static str,
        parameters: Parameters<'_>,
    ) -> Result<Vec<Row>, StoreError> {
        self.run(action, sql, parameters, Kind::Write).await
    }

    async fn run(
        &self,
        action: &'static str,
        sql: &'static str,
        parameters: Parameters<'_>,
        kind: Kind,
    ) -> Result<Vec<Row>, StoreError> {
        // Boxed: the future of a lookup, which is nearly always answered from memory, stays small.
        let attempts = Box::pin(self.attempts(sql, parameters, kind));
        let done = tokio::time::timeout(self.timeout, attempts).await;
        let done = done.unwrap_or(Err(Failure::Timeout));
        if let Some(observer) = &self.observer {
            observer.store_operation(action, done.is_ok());
        }
        done.map_err(|failure| self.fault(action, failure))
    }

    /// Carries out one statement, as often as it takes if another transaction or a change of the
    /// primary came in between.
    async fn attempts(
        &self,
        sql: &'static str,
        parameters: Parameters<'_>,
        kind: Kind,
    ) -> Result<Vec<Row>, Failure> {
        let mut attempt = 0;
        loop {
            attempt += 1;
            let mut lent = Lent {
                connection: Some(self.pool.get().await?),
                given_up: &self.given_up,
            };
            let (failed, remedy) = match lent.query(sql, parameters).await {
                Ok(rows) => {
                    lent.give_back();
                    return Ok(rows);
                }
                Err(Unsent::Unsent(error)) => (error, Remedy::Reconnect),
                Err(Unsent::Sent(error)) => {
                    let remedy = Remedy::of(&error);
                    (error, remedy)
                }
            };
            match remedy {
                Remedy::Repeat if attempt < ATTEMPTS => {
                    lent.give_back();
                    let millis = getrandom::u32().unwrap_or_default() % (5 * attempt);
                    tokio::time::sleep(Duration::from_millis(millis.into())).await;
                }
                // The others of the pool may be dead as well.
                Remedy::Reconnect if attempt < ATTEMPTS => {}
                Remedy::Unknown if kind == Kind::Read && attempt < ATTEMPTS => {}
                Remedy::None | Remedy::Repeat => {
                    lent.give_back();
                    return Err(failed.into());
                }
                Remedy::Reconnect | Remedy::Unknown => return Err(failed.into()),
            }
        }
    }

    fn fault(&self, action: &str, failure: Failure) -> StoreError {
        error::store_error(&self.shared.name, action, failure)
    }
}

// === impl Shared ===

impl Shared {
    /// Acts on what the channel says.
    fn told(&self, payload: &str) {
        match payload.split_at_checked(1) {
            Some(("c", user_id)) => self.records.forget(user_id),
            Some(("b", person_id)) => self.bindings.forget(person_id),
            // Also what a later version says.
            _ => self.clear(),
        }
    }

    fn clear(&self) {
        self.records.clear();
        self.bindings.clear();
    }
}

// === impl Listener ===

impl Drop for Listener {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// A connection of the pool. One whose statement did not come to its end, since it failed or its
/// caller went away, is given up: nobody else is to get the answer.
struct Lent<'s> {
    connection: Option<Object<Connecting>>,
    given_up: &'s Arc<GivenUp>,
}

/// Why a statement failed, and whether the database may have it.
enum Unsent {
    Unsent(tokio_postgres::Error),
    Sent(tokio_postgres::Error),
}

// === impl Lent ===

impl Lent<'_> {
    async fn query(
        &mut self,
        sql: &'static str,
        parameters: Parameters<'_>,
    ) -> Result<Vec<Row>, Unsent> {
        let connection = self
            .connection
            .as_ref()
            .expect("it is given back after its use");
        let statement = connection.prepared(sql).await.map_err(Unsent::Unsent)?;
        let done = connection.client().query(&statement, parameters);
        done.await.map_err(Unsent::Sent)
    }

    fn give_back(&mut self) {
        drop(self.connection.take());
    }
}

impl Drop for Lent<'_> {
    fn drop(&mut self) {
        if let Some(object) = self.connection.take() {
            self.given_up.keep(Object::take(object));
        }
    }
}

// === impl Failure ===

impl From<PoolError<connect::ConnectError>> for Failure {
    fn from(error: PoolError<connect::ConnectError>) -> Self {
        match error {
            PoolError::Backend(error) => Self::Connect(error),
            _ => Self::Exhausted,
        }
    }
}
