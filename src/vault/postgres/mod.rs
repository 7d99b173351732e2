//! The store that several gateways share: a PostgreSQL database.
//!
//! The gateways share nothing but the database, and none knows of another. Old versions of rows stay in the
//! database's files and log until it removes them.

mod connect;
mod deliveries;
mod echo;
mod error;
mod freshness;
mod listener;
mod options;
mod pass_file;
mod permits;
mod pool;
mod schema;
mod statement;
mod store;
mod tls;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use tokio::sync::Notify;
use tokio_util::task::AbortOnDropHandle;

pub use self::error::PostgresOpenError;
pub use self::options::{PostgresOptions, PostgresUrlError};

use self::connect::Connector;
use self::error::Failure;
use self::freshness::FreshnessLease;
use self::permits::Permits;
use self::pool::Pool;
use self::statement::Kind;
use super::deliveries::{News, Query, SqlRow};
use super::row_cache::RowCache;
use super::{Inspection, StoreError, StoreObserver, Table};

/// Keeps sealed records in a PostgreSQL database, 13 or later. Clones share the connections.
///
/// A change is on the database's disk when the call returns. Other gateways see it at once where they ask the
/// database, and in their caches when they are notified: usually within milliseconds, and always within a second.
#[derive(Clone, Debug)]
pub struct PostgresStore {
    shared: Arc<Shared>,
    timeout: Duration,
    /// Notified of each operation that reads or changes the database.
    pub observer: Option<Arc<dyn StoreObserver>>,
    _listener: Option<Arc<AbortOnDropHandle<()>>>,
}

/// What a database, and the way to it, allow a gateway.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PostgresCheck {
    /// Whether it accepts writes. It is a primary in any case.
    pub is_writable: bool,
    /// Whether a connection is sent the notifications of another one, without which a store asks the database for
    /// each credential.
    pub is_notified: bool,
}

/// The part of the store that the listener uses too.
#[derive(Debug)]
struct Shared {
    connector: Arc<Connector>,
    pool: Arc<Pool>,
    freshness: FreshnessLease,
    /// Each is notified of one kind of [`News`], of any gateway.
    deliveries: [Notify; News::NUMBER],
    cache: RowCache,
    permits: Permits,
    /// The number of this gateway, and whether its listening connection shows others that it is there.
    gateway: (u32, AtomicBool),
}

// === impl PostgresStore ===

impl PostgresStore {
    /// Connects to the database; makes its tables in a schema of their own, `portreeve`, if they are missing.
    ///
    /// # Errors
    /// If it cannot be reached or used, or belongs to another version that this one cannot work beside.
    ///
    /// # Panics
    /// Outside of a Tokio runtime.
    pub async fn open(options: PostgresOptions) -> Result<Self, PostgresOpenError> {
        let (connections, timeout, listens) =
            (options.connections, options.timeout, options.listen);
        let connector = Connector::new(options)?;
        let connected = connector.connect_patiently().await;
        let connected = connected.map_err(|error| error.on(&connector.name))?;
        // A failure may leave a lock, which goes with the connection.
        schema::prepare(&connected.spawn(), &connector.name).await?;

        let connector = Arc::new(connector);
        // Shorter than the timeout of a statement, so that the error names this reason.
        let patience = timeout.mul_f32(0.8);
        let shared = Arc::new(Shared {
            pool: Pool::new(connector.clone(), connections, patience),
            freshness: FreshnessLease::new(),
            deliveries: Default::default(),
            cache: RowCache::new(),
            permits: Permits::default(),
            gateway: (getrandom::u32().unwrap_or_default() >> 1, AtomicBool::new(false)),
            connector,
        });
        let listener = listens.then(|| {
            let task = tokio::spawn(listener::run(shared.clone()));
            Arc::new(AbortOnDropHandle::new(task))
        });
        Ok(Self { shared, timeout, observer: None, _listener: listener })
    }

    /// Looks at the records of the database without changing anything; `None` if it has no tables yet.
    ///
    /// # Errors
    /// If it cannot be reached or used.
    pub async fn inspect(
        options: PostgresOptions,
    ) -> Result<Option<Inspection>, PostgresOpenError> {
        let connector = Connector::new(options)?;
        let connected = connector.connect().await.map_err(|error| error.on(&connector.name))?;
        let found = schema::inspect(&connected.spawn()).await;
        found.map_err(|error| {
            let reason = error::causes(&error) + error::hint(&error);
            error::unusable("inspect", &connector.name, reason)
        })
    }

    /// Looks at what the database, and the way to it, allow a gateway.
    ///
    /// # Errors
    /// If it cannot be reached or used.
    pub async fn check(options: PostgresOptions) -> Result<PostgresCheck, PostgresOpenError> {
        let connector = Connector::new(options)?;
        listener::check(&connector).await.map_err(|error| error.on(&connector.name))
    }

    /// Whether it receives notifications of changes by others at present, so that lookups are answered from memory.
    pub fn is_subscribed(&self) -> bool {
        self.shared.freshness.holds()
    }

    async fn run(
        &self,
        pool: &Arc<Pool>,
        action: &'static str,
        query: &Query,
        kind: Kind,
    ) -> Result<Vec<SqlRow>, StoreError> {
        let is_open = AtomicBool::new(false);
        let parameters = deliveries::typed(&query.values);
        let attempts = pool.run(&query.sql, &parameters, kind, &is_open);
        let ended = tokio::time::timeout(self.timeout, attempts).await;
        let done = ended.unwrap_or(Err(Failure::Timeout));
        if let Some(observer) = &self.observer {
            observer.store_operation(action, done.is_ok());
        }
        let is_lost = kind == Kind::Write && is_open.into_inner();
        let rows = done.and_then(|rows| Ok(deliveries::decode(&rows)?));
        let fault = |failure| self.fault(action, failure);
        rows.map_err(|failure| StoreError { is_effect_unknown: is_lost, ..fault(failure) })
    }

    fn fault(&self, action: &str, failure: Failure) -> StoreError {
        error::store_error(&self.shared.connector.name, action, failure)
    }
}

// === impl Shared ===

impl Shared {
    /// Forgets what a notification says has changed.
    fn on_notification(&self, payload: &str) {
        match payload.split_at_checked(1) {
            Some(("c", user_id)) => self.cache.forget(Table::Credential, user_id),
            Some(("b", person_id)) => self.cache.forget(Table::Binding, person_id),
            // Also one of a later version.
            _ => self.freshness.start_epoch(),
        }
    }
}
