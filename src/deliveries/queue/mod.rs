//! What is kept of receipts, targets and deliveries, in the vault's database.
//!
//! No account is an empty text. `state` of a target is 0 (active), 1 (paused), 2 (disabled) or 3 (removed), that of
//! a delivery 0 (waiting), 1 (delivered) or 2 (failed). A delivery is claimed while `claim` is a number and `due_at`, the
//! end of the lease, has not come. A target gets receipts after the position `created_after`, the newest one when it was
//! made. Times are milliseconds since the Unix epoch.

mod attempts;
mod copy;
mod insertion;
mod receipts;
mod rows;
mod targets;

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, SystemTime};

use tokio::sync::{Notify, mpsc, oneshot};
use tokio_util::task::AbortOnDropHandle;

use self::insertion::Waiting;
use super::Receipt;
#[cfg(feature = "postgres")]
use crate::vault::PostgresStore;
use crate::vault::deliveries::{
    CHANGE, DeliveryTables, DeliveryTransaction, Lock, SqlRow, SqlValue, Work,
};
#[cfg(feature = "sqlite")]
use crate::vault::{SqliteOpenError, SqliteStore};
use crate::vault::{StoreError, StoreFuture, VaultError};

pub use copy::{CopyError, copy};

/// How long a claim is in force. It is longer than an attempt may take, so that only what ends a gateway
/// makes a delivery arrive twice.
pub const LEASE: Duration = Duration::from_secs(45);

/// How long a receipt is put off whose account has costly filters.
pub const PUT_OFF: Duration = Duration::from_secs(5);

/// The attempts at one target that are under way at once, over all gateways: one, while all its attempts fail.
pub const AT_ONCE: i64 = 4;

/// How long every attempt at a target must have failed before it is disabled.
pub const DISABLE_AFTER: Duration = Duration::from_secs(5 * 24 * 3600);

/// The most targets of one account.
pub const MAX_TARGETS: i64 = 100;

/// The most entries of a page.
pub const MAX_PAGE: usize = 300;

/// Bytes that a receipt takes besides its body, in the sum that `deliveries_max` limits.
pub const OVERHEAD: u64 = 512;

/// Keeps receipts, targets and deliveries. It sees no body, secret or filter but sealed ones. Clones share everything.
///
/// Each method takes effect at one instant, as all gateways on the database see it, or not at all; and what was answered
/// with `Ok` is on disk. Times are those of the database's clock.
#[derive(Clone, Debug)]
pub struct Queue {
    database: Database,
    /// To the task that inserts them.
    receipts: mpsc::Sender<Waiting>,
    _inserter: Arc<AbortOnDropHandle<()>>,
}

#[derive(Clone, Debug)]
struct Database {
    tables: Arc<dyn DeliveryTables>,
    /// What the clock is ahead of the database's, in milliseconds.
    ahead: Arc<AtomicI64>,
}

/// Whose targets, deliveries and receipts a call is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope<'a> {
    /// Those of one account.
    Account(&'a str),
    /// Those of all accounts, and those of none: for administrators.
    All,
}

/// Receipts that follow a position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Events {
    /// The receipts, in the order of their positions.
    pub receipts: Vec<Receipt>,
    /// The position to go on after: that of the last receipt, or of the newest one of all if there is none.
    pub through: i64,
    /// Whether receipts after `after` were removed before they were read; or the position is one of another database,
    /// since the newest one here is lower: then all that is kept follows.
    pub is_gap: bool,
}

/// Which receipts follow a position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arrivals {
    /// Their positions, in ascending order, and accounts.
    pub receipts: Vec<(i64, Option<Box<str>>)>,
    /// The position to go on after: that of the last one if there are [`MAX_PAGE`], otherwise that of the newest one
    /// there has been.
    pub through: i64,
}

/// What waits, and what is kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// The deliveries that wait for active targets, and receipts whose deliveries are not made yet.
    pub pending: u64,
    /// When the oldest of their receipts was received.
    pub oldest_pending: Option<SystemTime>,
    /// The receipts that are kept.
    pub receipts: u64,
    /// Their bytes, which `deliveries_max` limits.
    pub bytes: u64,
    /// The targets in each state, in the order of [`TargetState::ALL`](super::TargetState::ALL).
    pub targets: [u64; 3],
}

/// Why an operation on deliveries failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum QueueError {
    /// The receipts have as many bytes as they may, and none of them has been delivered.
    #[error(
        "the receipts that are kept take all of the {max} bytes that deliveries_max allows: raise it, or shorten deliveries_keep"
    )]
    Full {
        /// How many.
        max: u64,
    },
    /// The account has as many targets as it may.
    #[error("the account has {MAX_TARGETS} targets, which is the limit: delete one first")]
    TooManyTargets,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Sealing or opening failed.
    #[error(transparent)]
    Vault(#[from] VaultError),
}

// === impl Queue ===

impl Queue {
    /// The queue in the file of `store`.
    ///
    /// # Errors
    /// If the file cannot be opened once more.
    ///
    /// # Panics
    /// Outside of a Tokio runtime.
    #[cfg(feature = "sqlite")]
    pub fn in_sqlite(store: &SqliteStore) -> Result<Self, SqliteOpenError> {
        Ok(Self::new(store.deliveries()?, Arc::default()))
    }

    /// The queue in the database of `store`, with a few connections of its own.
    ///
    /// # Panics
    /// Outside of a Tokio runtime.
    #[cfg(feature = "postgres")]
    pub fn in_postgres(store: &PostgresStore) -> Self {
        Self::new(store.deliveries(), Arc::default())
    }

    fn new(tables: Arc<dyn DeliveryTables>, ahead: Arc<AtomicI64>) -> Self {
        let database = Database { tables, ahead };
        let (receipts, waiting) = mpsc::channel(insertion::BATCH);
        let inserter = tokio::spawn(insertion::insert_all(database.clone(), waiting));
        Self {
            database,
            receipts,
            _inserter: Arc::new(AbortOnDropHandle::new(inserter)),
        }
    }

    /// Reads a clock that is ahead of the database's by these milliseconds, for time that is simulated.
    #[must_use]
    pub fn clock_ahead(self, millis: Arc<AtomicI64>) -> Self {
        Self::new(self.database.tables, millis)
    }

    /// Is notified when there may be new receipts or deliveries that are due, as far as that is known: poll once a
    /// second besides.
    pub fn changed(&self) -> &Notify {
        self.database.tables.changed()
    }

    async fn read(&self, sql: String, values: Vec<SqlValue>) -> Result<Vec<SqlRow>, QueueError> {
        Ok(self.database.tables.read(sql, values).await?)
    }

    async fn change<T: Send + 'static>(
        &self,
        work: impl for<'t> FnOnce(&'t mut dyn DeliveryTransaction, i64) -> StoreFuture<'t, T>
        + Send
        + 'static,
    ) -> Result<T, QueueError> {
        Ok(self.database.change(Lock::Deliveries, work).await?)
    }
}

// === impl Database ===

impl Database {
    /// Carries out `work`, which is told the time, in one transaction.
    async fn change<T: Send + 'static>(
        &self,
        lock: Lock,
        work: impl for<'t> FnOnce(&'t mut dyn DeliveryTransaction, i64) -> StoreFuture<'t, T>
        + Send
        + 'static,
    ) -> Result<T, StoreError> {
        let ahead = self.ahead.load(Ordering::SeqCst);
        let (answer, mut answered) = oneshot::channel();
        let work: Work = Box::new(move |transaction| {
            Box::pin(async move {
                let now = transaction.now() + ahead;
                _ = answer.send(work(transaction, now).await?);
                Ok(())
            })
        });
        self.tables.change(lock, work).await?;
        let answer = answered.try_recv();
        answer.map_err(|_| StoreError::new(CHANGE, "it ended without an answer"))
    }
}

// === impl QueueError ===

impl QueueError {
    /// Whether there is no room: the limit is reached, or the disk is full.
    pub fn is_full(&self) -> bool {
        match self {
            Self::Full { .. } => true,
            Self::Store(error) => error.is_read_only(),
            _ => false,
        }
    }
}

// === impl Scope ===

impl<'a> Scope<'a> {
    /// The account; `None` for all.
    pub fn account(self) -> Option<&'a str> {
        match self {
            Self::Account(account) => Some(account),
            Self::All => None,
        }
    }
}
