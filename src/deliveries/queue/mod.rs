//! What is kept of receipts, targets and deliveries: in the vault's database, or beside its file. A target and its
//! deliveries are claimed and changed together, so it is here, too, with its secret.
//!
//! No account is an empty text. `state` of a target is 0 (active), 1 (paused), 2 (disabled) or 3 (removed), that of
//! a delivery 0 (waiting), 1 (delivered), 2 (failed) or 3 (expired: given up for lack of room; its receipt is left without
//! what was sealed). A delivery is claimed while `claim` is a number and `due_at`, the
//! end of the lease, has not come. A target gets receipts after the position `created_after`, the newest one when it was
//! made. `suspended` is the number of a [`Suspension`](super::Suspension), whatever the state is. Times are milliseconds
//! since the Unix epoch. A gateway is there from `seen_at` to `there_until` at least, which is the same if it has stopped.
//!
//! What an account takes is `bytes` of its `account_total`, which grows with each receipt, and of its `delivery_account`,
//! which has what was removed and its deliveries: each is changed under one lock only. That of `ALL_ROWS` has the
//! sum of what is no receipt.

/// Carries out one transaction by a method such as [`Queue::change`]: `tx` is the transaction, `now` its time.
macro_rules! transaction {
    ($($method:ident).+($($how:expr),*), |$tx:pat_param, $now:pat_param| $work:block) => {
        $($method).+($($how,)* move |$tx, $now| Box::pin(async move $work)).await
    };
}

mod attempts;
mod claims;
mod insertion;
mod makers;
mod presence;
mod receipts;
mod removal;
mod room;
mod rounds;
mod rows;
mod targets;
mod turns;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use parking_lot::Mutex;
use tokio::sync::{Mutex as AsyncMutex, Notify, Semaphore, mpsc, oneshot};
use tokio_util::task::AbortOnDropHandle;

use self::insertion::Waiting;
use self::receipts::Load;
use self::room::Inserter;
use self::rounds::Takers;
use self::rows::compared;
use self::turns::Turns;
use super::{Receipt, ReceiptId, Shares, Target};
#[cfg(feature = "postgres")]
use crate::vault::PostgresStore;
#[cfg(feature = "sqlite")]
use crate::vault::SqliteStore;
use crate::vault::deliveries::{
    CHANGE, DeliveryTables, DeliveryTransaction, Durability, Lock, Reader, SqlRow, SqlValue, Work,
};
use crate::vault::{KeyId, StoreError, StoreFuture, VaultError};

pub use makers::{AskedAt, OfAccount};
pub use presence::{Gap, GapReason, SIGN_INTERVAL};
pub use receipts::Accounts;
pub(super) use rounds::{Matcher, Round};
pub(crate) use turns::Call;

pub(crate) use crate::vault::deliveries::News;

/// How long a claim is in force. It is longer than an attempt may take, so that a delivery arrives twice only if a gateway ends,
/// or cannot note in time how the attempt ended.
pub const LEASE: Duration = Duration::from_secs(45);

/// The attempts at one target that are under way at once, over all gateways: one, while all its attempts fail.
pub const MAX_CONCURRENT_PER_TARGET: i64 = 4;

/// How long every attempt at a target must have failed before it is disabled.
pub const DISABLE_AFTER: Duration = Duration::from_secs(5 * 24 * 3600);

/// The most targets of one account.
pub const MAX_TARGETS: i64 = 100;

/// The most entries of a page.
pub const MAX_PAGE: usize = 300;

/// Bytes that a receipt takes besides its body, and a delivery besides its attempts, in the sum that `deliveries_max` limits.
pub const OVERHEAD: u64 = 512;
const DELIVERY_BYTES: u64 = 256;

/// Stands for the sum of the rows that are no receipts: no account has a control character.
const ALL_ROWS: &str = "\n";

/// Keeps receipts, targets and deliveries. It sees no body, secret or filter but sealed ones. Clones share everything.
///
/// What was answered with `Ok` is on disk, but for what is simply done again: leases, claims and the deliveries that are made of
/// receipts. Most methods take effect at one instant, as all gateways on the database see it, or not at all; some, in portions.
/// Times are those of the database's clock.
#[derive(Clone, Debug)]
pub struct Queue {
    database: Database,
    /// To the task that inserts them.
    receipts: mpsc::Sender<Waiting>,
    takers: Arc<Takers>,
    expired: Arc<AtomicU64>,
    /// The account that is looked at next for receipts to match, or the next one after it.
    turn: Arc<Mutex<String>>,
    /// Of the accounts that are matched in turn, and of those that are matched apart.
    load: Arc<Mutex<[Load; 2]>>,
    /// The position of the last receipt of each class among the newest, as far as somebody has asked.
    arrived: Arc<AsyncMutex<BTreeMap<String, i64>>>,
    /// By which it is known among those that receive.
    gateway: i64,
    turns: Arc<Turns>,
    /// Of the calls that change something, one at a time: receipts and attempts wait for no other.
    calls: Arc<Semaphore>,
    _inserter: Arc<AbortOnDropHandle<()>>,
}

#[derive(Clone, Debug)]
struct Database {
    tables: Arc<dyn DeliveryTables>,
    /// What the clock is ahead of the database's, in milliseconds.
    ahead: Arc<AtomicI64>,
    /// The position, id and time of the last receipt that this gateway has acknowledged, unless its loss was noted.
    last: Arc<Mutex<Option<(i64, ReceiptId, i64)>>>,
    /// The positions of receipts that are leased to nobody who matches them.
    abandoned: Arc<Mutex<Vec<i64>>>,
    /// When this process first and last refused a receipt since its last sign of life.
    refused: Arc<Mutex<Option<(i64, i64)>>>,
}

/// The places for attempts of one gateway.
#[derive(Clone, Debug, Default)]
pub struct Places {
    /// All of them.
    pub all: Shares,
    /// Those of them that targets may have whose attempts fail: however many hang, the others have the rest.
    pub failing: Shares,
}

/// Whose targets, deliveries and receipts a call is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope<'a> {
    /// Those of one account.
    Account(&'a str),
    /// Those of all accounts, and those of none: for administrators.
    All,
}

/// How far somebody has read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Mark {
    /// The position.
    pub position: i64,
    /// The first half of the id of the receipt there, or 0 if there was none; `None` if that is not known. After a restore or
    /// a failover another one may have the position.
    pub event: Option<u64>,
    /// The number of the last gap that they were told of.
    pub gap: i64,
}

/// Receipts that follow a position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Events {
    /// The receipts, in the order of their positions.
    pub receipts: Vec<Receipt>,
    /// What to go on after: the last receipt, or the newest one of all if there is none.
    pub through: Mark,
    /// Whether receipts of the scope after `after` were removed before they were read; or it is not what is there, so that the
    /// database has become another one: then all that is kept follows.
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
#[non_exhaustive]
pub struct Counts {
    /// The deliveries that wait for active targets, and receipts whose deliveries are not made yet.
    pub pending: u64,
    /// When the oldest of their receipts was received.
    pub oldest_pending: Option<SystemTime>,
    /// The receipts that are kept.
    pub receipts: u64,
    /// The bytes of all, which `deliveries_max` limits.
    pub bytes: u64,
    /// The targets in each state, in the order of [`TargetState::ALL`](super::TargetState::ALL).
    /// Those that are suspended are not among them.
    pub targets: [u64; 3],
    /// The targets that are suspended.
    pub suspended: u64,
}

/// Why an operation on deliveries failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum QueueError {
    /// The receipt alone has more bytes than may be kept, or nothing that is kept can be given up at present.
    #[error(
        "there is no room for the receipt in the {max} bytes that deliveries_max allows: raise it"
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
    /// The queue in the [file](SqliteStore::deliveries_of) beside that of `store`, which is made and opened when it is first
    /// needed: as long as that fails, so does each method.
    ///
    /// # Panics
    /// Outside of a Tokio runtime.
    #[cfg(feature = "sqlite")]
    pub fn in_sqlite(store: &SqliteStore) -> Self {
        Self::new(store.deliveries(), Arc::default())
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
        let (last, abandoned, refused) = Default::default();
        let database = Database { tables, ahead, last, abandoned, refused };
        let (receipts, waiting) = mpsc::channel(insertion::BATCH);
        let (expired, takers) = (Arc::<AtomicU64>::default(), Arc::<Takers>::default());
        let inserter = Inserter::new(database.clone(), expired.clone(), takers.clone());
        let inserting = tokio::spawn(insertion::insert_all(inserter, waiting));
        Self {
            database,
            receipts,
            takers,
            expired,
            turn: Arc::default(),
            load: Arc::default(),
            arrived: Arc::default(),
            gateway: i64::from(getrandom::u32().unwrap_or_default()),
            turns: Turns::new(),
            calls: Arc::new(Semaphore::new(1)),
            _inserter: Arc::new(AbortOnDropHandle::new(inserting)),
        }
    }

    /// Reads a clock that is ahead of the database's by these milliseconds, for time that is simulated.
    #[doc(hidden)]
    #[must_use]
    pub fn clock_ahead(self, millis: Arc<AtomicI64>) -> Self {
        Self::new(self.database.tables, millis)
    }

    /// How many deliveries this process has given up for lack of room, and receipts for which none were made yet.
    pub fn expired(&self) -> u64 {
        self.expired.load(Ordering::Relaxed)
    }

    /// Is notified of such news, as far as they are known: poll once a second besides.
    pub(crate) fn news(&self, of: News) -> &Notify {
        self.database.tables.news(of)
    }

    /// Takes keys away: what is sealed with one is refused from now on; or gives them back.
    pub async fn mark_keys(&self, ids: &[KeyId], are_gone: bool) -> Result<(), QueueError> {
        let keys: Vec<_> = ids.iter().map(|id| (id.to_string(), id.header())).collect();
        transaction!(self.change_for_call(), |tx, _| {
            let sql = "INSERT INTO portreeve.sealing_key (key, owner, number, sealed, count) VALUES ($1, $1, 0, $2, $3) \
                       ON CONFLICT (key) DO UPDATE SET count = excluded.count";
            for (key, header) in keys {
                let sealed = Box::<[u8]>::from(header);
                let values = vec![key.into(), sealed.into(), i64::from(are_gone).into()];
                tx.run(sql, values).await?;
            }
            Ok(())
        })
    }

    /// Notes that a call which reads for `account` is under way: accounts with few have their turns first.
    pub(crate) fn call(&self, account: &str) -> Call {
        self.turns.call(account)
    }

    /// Reads for a caller, in turn.
    async fn read_for(
        &self,
        scope: Scope<'_>,
        sql: String,
        values: Vec<SqlValue>,
    ) -> Result<Vec<SqlRow>, QueueError> {
        let _turn = self.turns.take(compared(scope)).await;
        self.read(sql, values).await
    }

    async fn read(&self, sql: String, values: Vec<SqlValue>) -> Result<Vec<SqlRow>, QueueError> {
        let tables = &self.database.tables;
        Ok(tables.read(Reader::Calls, sql, values).await?)
    }

    /// The same for receipts that are brought to targets, which do not wait for what callers read.
    async fn read_to_send(
        &self,
        sql: String,
        values: Vec<SqlValue>,
    ) -> Result<Vec<SqlRow>, QueueError> {
        let tables = &self.database.tables;
        Ok(tables.read(Reader::Worker, sql, values).await?)
    }

    /// Changes something for a caller.
    async fn change_for_call<T: Send + 'static>(
        &self,
        work: impl for<'t> FnOnce(&'t mut dyn DeliveryTransaction, i64) -> StoreFuture<'t, T>
        + Send
        + 'static,
    ) -> Result<T, QueueError> {
        let _turn = self.calls.acquire().await;
        self.change(work).await
    }

    async fn change<T: Send + 'static>(
        &self,
        work: impl for<'t> FnOnce(&'t mut dyn DeliveryTransaction, i64) -> StoreFuture<'t, T>
        + Send
        + 'static,
    ) -> Result<T, QueueError> {
        let synced = Durability::Synced;
        Ok((self.database.change(Lock::Deliveries, synced, work)).await?)
    }
}

// === impl Places ===

impl Places {
    /// Whether an attempt at `target` may be made.
    pub fn has_room(&self, target: &Target) -> bool {
        self.all.has_room(target.payer())
            && (target.failing_since.is_none() || self.failing.has_room(target.payer()))
    }

    /// Gives an attempt at `target` its place.
    pub fn take(&mut self, target: &Target) {
        for shares in self.of(target) {
            shares.take(target.payer());
        }
    }

    /// Takes the place of an attempt at `target` back.
    pub fn give_back(&mut self, target: &Target) {
        for shares in self.of(target) {
            shares.give_back(target.payer());
        }
    }

    fn of(&mut self, target: &Target) -> impl Iterator<Item = &mut Shares> {
        let failing = target.failing_since.map(|_| &mut self.failing);
        [&mut self.all].into_iter().chain(failing)
    }
}

// === impl Database ===

impl Database {
    /// Carries out `work`, which is told the time, in one transaction.
    async fn change<T: Send + 'static>(
        &self,
        lock: Lock,
        durability: Durability,
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
        self.tables.change(lock, durability, work).await?;
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
            Self::Store(error) => error.is_disk_full,
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
