//! The queue in the vault's PostgreSQL database, which several gateways share.
//!
//! What takes several statements is a function of the database (`vault::postgres::deliveries`), so that it is one
//! round trip. Receipts that wait at the same time are inserted together, which the sync of the disk is shared by.

mod queue;

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use tokio::sync::{mpsc, oneshot};
use tokio_postgres::types::Type;
use tokio_postgres::{Error, Row};
use tokio_util::task::AbortOnDropHandle;

use super::QueueError;
use crate::deliveries::{NewReceipt, TargetId};
use crate::vault::{Parameter, PostgresStore, SidePool, StoreError};

/// Receipts that are inserted together, and that may wait for the next insertion.
const BATCH: usize = 256;

const CHANGE: &str = "change deliveries";
const READ: &str = "read deliveries";

/// A queue in the database of a [`PostgresStore`]. Clones share everything.
#[derive(Clone, Debug)]
pub struct PostgresQueue {
    pool: SidePool,
    receipts: mpsc::Sender<Waiting>,
    ahead: Arc<AtomicI64>,
    _inserter: Arc<AbortOnDropHandle<()>>,
}

/// A receipt that waits for its insertion.
struct Waiting {
    receipt: NewReceipt,
    max: u64,
    ahead: i64,
    answer: oneshot::Sender<Result<i64, QueueError>>,
}

// === impl PostgresQueue ===

impl PostgresQueue {
    /// The queue in the database of `store`, with a few connections of its own.
    ///
    /// # Panics
    /// Outside of a Tokio runtime.
    pub fn on(store: &PostgresStore) -> Self {
        let (receipts, waiting) = mpsc::channel(BATCH);
        let pool = SidePool::beside(store);
        let inserter = tokio::spawn(insert(pool.clone(), waiting));
        Self {
            pool,
            receipts,
            ahead: Arc::default(),
            _inserter: Arc::new(AbortOnDropHandle::new(inserter)),
        }
    }

    /// Reads a clock that is ahead of the database's by these milliseconds, for time that is simulated.
    #[must_use]
    pub fn clock_ahead(mut self, millis: Arc<AtomicI64>) -> Self {
        self.ahead = millis;
        self
    }

    fn ahead(&self) -> i64 {
        self.ahead.load(Ordering::SeqCst)
    }

    /// What `decode` makes of each row that was read.
    fn decode<T>(
        &self,
        rows: &[Row],
        decode: impl Fn(&Row) -> Result<T, Error>,
    ) -> Result<Vec<T>, QueueError> {
        let decoded = rows.iter().map(decode).collect::<Result<_, _>>();
        Ok(decoded.map_err(|error| self.pool.fault(READ, error))?)
    }

    /// What `decode` makes of the one row that a change answers with.
    async fn change<T>(
        &self,
        sql: &str,
        parameters: &[Parameter<'_>],
        decode: impl Fn(&Row) -> Result<T, Error>,
    ) -> Result<T, QueueError> {
        let rows = self.pool.change(CHANGE, sql, parameters).await?;
        let answer = self.decode(&rows, decode)?.pop();
        answer.ok_or_else(|| StoreError::new(CHANGE, "the database gave no answer").into())
    }

    async fn select<T>(
        &self,
        sql: &str,
        parameters: &[Parameter<'_>],
        decode: impl Fn(&Row) -> Result<T, Error>,
    ) -> Result<Vec<T>, QueueError> {
        let rows = self.pool.read(READ, sql, parameters).await?;
        self.decode(&rows, decode)
    }

    /// The number of deliveries that are due again; `None` if the account has no such target.
    async fn repeat(
        &self,
        account: Option<&str>,
        target: TargetId,
        positions: &[i64],
    ) -> Result<Option<i64>, QueueError> {
        let sql = "SELECT portreeve.repeat_deliveries($1, $2, $3, $4)";
        let parameters = [
            (&target.0 as _, Type::INT8),
            (&account as _, Type::TEXT),
            (&positions as _, Type::INT8_ARRAY),
            (&self.ahead() as _, Type::INT8),
        ];
        self.change(sql, &parameters, |row| row.try_get(0)).await
    }
}

/// Inserts the receipts that wait, until nobody can send one any more.
async fn insert(pool: SidePool, mut waiting: mpsc::Receiver<Waiting>) {
    let mut batch = Vec::with_capacity(BATCH);
    while waiting.recv_many(&mut batch, BATCH).await > 0 {
        let ids: Vec<_> = batch.iter().map(|it| it.receipt.id.to_string()).collect();
        let accounts = batch.iter().map(|it| it.receipt.account.as_deref());
        let accounts: Vec<_> = accounts.map(Option::unwrap_or_default).collect();
        let classes: Vec<_> = batch.iter().map(|it| &*it.receipt.class).collect();
        let bodies: Vec<_> = batch.iter().map(|it| &*it.receipt.sealed).collect();
        let (max, ahead) = batch.last().map_or((0, 0), |last| (last.max, last.ahead));
        let most = i64::try_from(max).unwrap_or(i64::MAX);
        let parameters = [
            (&ids as _, Type::TEXT_ARRAY),
            (&accounts as _, Type::TEXT_ARRAY),
            (&classes as _, Type::TEXT_ARRAY),
            (&bodies as _, Type::BYTEA_ARRAY),
            (&most as _, Type::INT8),
            (&ahead as _, Type::INT8),
        ];
        let sql =
            "SELECT of_id, at_position FROM portreeve.insert_receipts($1, $2, $3, $4, $5, $6)";
        let placed = pool.change(CHANGE, sql, &parameters).await;
        let placed = placed.map_err(Arc::new);
        // In this process no notification has to be waited for.
        pool.changed().notify_waiters();
        for waiting in batch.drain(..) {
            let id = waiting.receipt.id.to_string();
            let answer = match &placed {
                Ok(rows) => {
                    let row = rows
                        .iter()
                        .find(|row| row.try_get(0).is_ok_and(|it: &str| it == id));
                    let position = row.and_then(|row| row.try_get(1).ok());
                    position.ok_or(QueueError::Full { max: waiting.max })
                }
                Err(error) => {
                    let is_read_only = error.is_read_only();
                    let error = StoreError::new("cannot keep a receipt", error.clone());
                    Err(error.read_only(is_read_only).into())
                }
            };
            _ = waiting.answer.send(answer);
        }
    }
}
