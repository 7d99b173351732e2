//! The queue in the vault's SQLite file.
//!
//! One task makes all changes: it takes those that wait, carries them out in one transaction, each within a savepoint,
//! and answers all once that is on disk. So the sync of the disk, which is most of the cost, is shared. It uses the
//! connection by which the vault makes its own changes, in turn with them.

mod change;
mod read;

use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use rusqlite::{Connection, TransactionBehavior};
use tokio::sync::{Notify, mpsc, oneshot};
use tokio_util::task::AbortOnDropHandle;

use super::rows::{compared, since_epoch};
use super::{Arrivals, Counts, Events, Queue, QueueError, QueueFuture, Scope};
use crate::deliveries::{
    Claimed, Completed, Completion, Delivery, DeliveryId, DeliveryState, NewReceipt, StoredReceipt,
    StoredTarget, TargetId, TargetState,
};
use crate::vault::{SqliteOpenError, SqliteStore, StoreError};

/// Changes that one transaction makes, and that may wait for the next one.
const BATCH: usize = 256;

/// The action of a batch, in errors and metrics.
const CHANGE: &str = "change deliveries";
const READ: &str = "read deliveries";

/// A queue in the file of a [`SqliteStore`]. Clones share everything.
#[derive(Clone, Debug)]
pub struct SqliteQueue {
    store: SqliteStore,
    reader: Arc<tokio::sync::Mutex<Connection>>,
    jobs: mpsc::Sender<Job>,
    changed: Arc<Notify>,
    ahead: Arc<AtomicI64>,
    _committer: Arc<AbortOnDropHandle<()>>,
}

/// A change, whose answer waits for the commit.
type Job = Box<dyn FnOnce(&Connection) -> Answer + Send>;
type Answer = Box<dyn FnOnce(Result<(), StoreError>) + Send>;

/// Why a change was not made.
enum Fault {
    Sqlite(rusqlite::Error),
    Queue(QueueError),
}

impl From<rusqlite::Error> for Fault {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sqlite(error)
    }
}

// === impl SqliteQueue ===

impl SqliteQueue {
    /// The queue in the file of `store`.
    ///
    /// # Errors
    /// If the file cannot be opened once more.
    ///
    /// # Panics
    /// Outside of a Tokio runtime.
    pub fn on(store: &SqliteStore) -> Result<Self, SqliteOpenError> {
        let (jobs, waiting) = mpsc::channel(BATCH);
        let committer = tokio::spawn(commit(store.clone(), waiting));
        Ok(Self {
            reader: store.another_reader()?,
            store: store.clone(),
            jobs,
            changed: Arc::default(),
            ahead: Arc::default(),
            _committer: Arc::new(AbortOnDropHandle::new(committer)),
        })
    }

    /// Reads a clock that is ahead of the real one by these milliseconds, for time that is simulated.
    #[must_use]
    pub fn clock_ahead(mut self, millis: Arc<AtomicI64>) -> Self {
        self.ahead = millis;
        self
    }

    fn now(&self) -> i64 {
        since_epoch(SystemTime::now()) + self.ahead.load(Ordering::SeqCst)
    }

    async fn change<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T, Fault> + Send + 'static,
    ) -> Result<T, QueueError> {
        let (answer, answered) = oneshot::channel();
        let job: Job = Box::new(move |connection| {
            let done = in_savepoint(connection, work);
            Box::new(move |committed| {
                _ = answer.send(committed.map(|()| done));
            })
        });
        let ended = || StoreError::new(CHANGE, "the runtime ends");
        self.jobs.send(job).await.map_err(|_| ended())?;
        let done = answered.await.map_err(|_| ended())??;
        done.map_err(|fault| match fault {
            Fault::Sqlite(error) => self.store.fault(CHANGE, error).into(),
            Fault::Queue(error) => error,
        })
    }

    async fn read<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T, QueueError> {
        let read = self.store.run(&self.reader, READ, |connection| {
            // What belongs together is read at one instant.
            let look = connection.transaction()?;
            work(&look)
        });
        Ok(read.await?)
    }
}

/// Makes the changes that wait, until nobody can send one any more.
async fn commit(store: SqliteStore, mut waiting: mpsc::Receiver<Job>) {
    let mut jobs = Vec::new();
    while waiting.recv_many(&mut jobs, BATCH).await > 0 {
        let batch = std::mem::take(&mut jobs);
        let answers: Arc<Mutex<Vec<Answer>>> = Arc::default();
        let into = answers.clone();
        let committed = store.change(CHANGE, move |connection| {
            let transaction =
                connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let mut answers = into.lock().unwrap_or_else(PoisonError::into_inner);
            for job in batch {
                answers.push(job(&transaction));
                // Some failures, such as a full disk, undo the whole transaction.
                if transaction.is_autocommit() {
                    let full = rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_FULL);
                    return Err(rusqlite::Error::SqliteFailure(full, None));
                }
            }
            transaction.commit()
        });
        let committed = committed.await.map_err(Arc::new);
        let answers = std::mem::take(&mut *answers.lock().unwrap_or_else(PoisonError::into_inner));
        for answer in answers {
            // The others are dropped, which is an answer too.
            let outcome = committed.as_ref().map_err(|error| {
                let is_read_only = error.is_read_only();
                StoreError::new("cannot commit", error.clone()).read_only(is_read_only)
            });
            answer(outcome.copied());
        }
    }
}

fn in_savepoint<T>(
    connection: &Connection,
    work: impl FnOnce(&Connection) -> Result<T, Fault>,
) -> Result<T, Fault> {
    connection.prepare_cached("SAVEPOINT job")?.execute([])?;
    let done = work(connection);
    if done.is_err() && !connection.is_autocommit() {
        connection.prepare_cached("ROLLBACK TO job")?.execute([])?;
    }
    if !connection.is_autocommit() {
        connection.prepare_cached("RELEASE job")?.execute([])?;
    }
    done
}

impl Queue for SqliteQueue {
    fn insert(&self, receipt: NewReceipt, max: u64) -> QueueFuture<'_, i64> {
        Box::pin(async move {
            let now = self.now();
            let inserting = self.change(move |it| change::insert(it, now, &receipt, max));
            let position = inserting.await?;
            self.changed.notify_waiters();
            Ok(position)
        })
    }

    fn unmatched(&self, limit: usize) -> QueueFuture<'_, Vec<StoredReceipt>> {
        let now = self.now();
        Box::pin(self.change(move |it| change::unmatched(it, now, limit)))
    }

    fn targets_for<'a>(&'a self, account: Option<&'a str>) -> QueueFuture<'a, Vec<StoredTarget>> {
        let account = account.unwrap_or_default().to_owned();
        Box::pin(self.read(move |it| read::targets_for(it, &account)))
    }

    fn fan_out(&self, wanted: Vec<(i64, Vec<TargetId>)>) -> QueueFuture<'_, ()> {
        Box::pin(async move {
            let now = self.now();
            self.change(move |it| change::fan_out(it, now, &wanted))
                .await?;
            self.changed.notify_waiters();
            Ok(())
        })
    }

    fn claim(&self, limit: usize) -> QueueFuture<'_, Vec<Claimed>> {
        let now = self.now();
        Box::pin(self.change(move |it| change::claim(it, now, limit)))
    }

    fn complete(&self, ended: Vec<Completion>) -> QueueFuture<'_, Vec<Completed>> {
        let now = self.now();
        Box::pin(self.change(move |it| {
            let ended = ended.iter();
            ended
                .map(|ended| change::complete(it, now, ended))
                .collect()
        }))
    }

    fn receipt(&self, position: i64) -> QueueFuture<'_, Option<StoredReceipt>> {
        Box::pin(self.read(move |it| read::receipt(it, position)))
    }

    fn add_target(&self, target: StoredTarget) -> QueueFuture<'_, ()> {
        let now = self.now();
        Box::pin(self.change(move |it| change::add_target(it, now, &target)))
    }

    fn target<'a>(
        &'a self,
        scope: Scope<'a>,
        id: TargetId,
    ) -> QueueFuture<'a, Option<StoredTarget>> {
        let account = compared(scope).map(String::from);
        Box::pin(self.read(move |it| read::target(it, account.as_deref(), id)))
    }

    fn targets<'a>(
        &'a self,
        scope: Scope<'a>,
        after: Option<TargetId>,
        limit: usize,
    ) -> QueueFuture<'a, Vec<StoredTarget>> {
        let account = compared(scope).map(String::from);
        Box::pin(self.read(move |it| read::targets(it, account.as_deref(), after, limit)))
    }

    fn change_target<'a>(
        &'a self,
        scope: Scope<'a>,
        id: TargetId,
        revision: i64,
        state: TargetState,
        sealed: Box<[u8]>,
    ) -> QueueFuture<'a, bool> {
        Box::pin(async move {
            let (now, account) = (self.now(), compared(scope).map(String::from));
            let changing = self.change(move |it| {
                change::change_target(it, now, account.as_deref(), (id, revision), state, &sealed)
            });
            let is_changed = changing.await?;
            self.changed.notify_waiters();
            Ok(is_changed)
        })
    }

    fn remove_target<'a>(&'a self, scope: Scope<'a>, id: TargetId) -> QueueFuture<'a, bool> {
        let account = compared(scope).map(String::from);
        Box::pin(self.change(move |it| change::remove_target(it, account.as_deref(), id)))
    }

    fn deliveries<'a>(
        &'a self,
        scope: Scope<'a>,
        target: TargetId,
        state: Option<DeliveryState>,
        before: Option<i64>,
        limit: usize,
    ) -> QueueFuture<'a, Option<Vec<Delivery>>> {
        let account = compared(scope).map(String::from);
        Box::pin(self.read(
            move |it| match read::target(it, account.as_deref(), target)? {
                Some(_) => read::deliveries(it, target, state, before, limit).map(Some),
                None => Ok(None),
            },
        ))
    }

    fn delivery<'a>(
        &'a self,
        scope: Scope<'a>,
        id: DeliveryId,
    ) -> QueueFuture<'a, Option<Delivery>> {
        let account = compared(scope).map(String::from);
        Box::pin(self.read(
            move |it| match read::target(it, account.as_deref(), id.target)? {
                Some(_) => read::delivery(it, id),
                None => Ok(None),
            },
        ))
    }

    fn retry<'a>(&'a self, scope: Scope<'a>, id: DeliveryId) -> QueueFuture<'a, bool> {
        Box::pin(async move {
            let (now, account) = (self.now(), compared(scope).map(String::from));
            let retrying = self.change(move |it| change::retry(it, now, account.as_deref(), id));
            let is_there = retrying.await?;
            self.changed.notify_waiters();
            Ok(is_there)
        })
    }

    fn replay<'a>(
        &'a self,
        scope: Scope<'a>,
        target: TargetId,
        since: SystemTime,
        all: bool,
        after: i64,
    ) -> QueueFuture<'a, Option<(u64, Option<i64>)>> {
        Box::pin(async move {
            let (now, account) = (self.now(), compared(scope).map(String::from));
            let since = since_epoch(since);
            let replaying = self.change(move |it| {
                change::replay(it, now, account.as_deref(), target, (since, all, after))
            });
            let replayed = replaying.await?;
            self.changed.notify_waiters();
            Ok(replayed)
        })
    }

    fn events<'a>(&'a self, scope: Scope<'a>, after: i64, limit: usize) -> QueueFuture<'a, Events> {
        let account = compared(scope).map(String::from);
        Box::pin(self.read(move |it| read::events(it, account.as_deref(), after, limit)))
    }

    fn arrivals(&self, after: i64) -> QueueFuture<'_, Arrivals> {
        Box::pin(self.read(move |it| read::arrivals(it, after)))
    }

    fn clean(&self, keep: Duration) -> QueueFuture<'_, u64> {
        let now = self.now();
        Box::pin(self.change(move |it| change::clean(it, now, keep)))
    }

    fn counts(&self) -> QueueFuture<'_, Counts> {
        Box::pin(self.read(read::counts))
    }

    fn changed(&self) -> &Notify {
        &self.changed
    }
}
