//! Statements on a pool of connections, each repeated where that may help.
//!
//! A statement whose caller has left goes on in the database: closing its connection would not end a commit that waits
//! for a stuck disk. So the connection keeps its place in the pool until the statement has ended, and there are never
//! more connections than places. Those that change something have half of the places, so that what is stored can be
//! read however slow the disk is.

use std::collections::HashMap;
use std::mem;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use futures_util::future::{try_join, try_join_all};
use parking_lot::Mutex;
use tokio::runtime::Handle;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_postgres::types::Type;
use tokio_postgres::{Client, Error, Row, Statement};

use super::connect::Connector;
use super::error::{ConnectError, Failure, Remedy, is_answer};
use super::statement::{Kind, Parameter, last_row};
use crate::opaque::opaque_debug;

/// Attempts at a statement that fails because of others.
const ATTEMPTS: u32 = 10;

/// How long a connection whose caller has left keeps its place at most: the way to the database may be cut.
const LONGEST: Duration = Duration::from_secs(30);

/// Statements that a connection keeps prepared, and for how long: a plan for a few rows is wrong once a table has grown a
/// hundredfold.
const MAX_PREPARED: usize = 128;
const REPLAN: Duration = Duration::from_secs(10);
/// The most parameters of one.
const MAX_PARAMETERS: usize = 8;

/// The id of the process that carries out a transaction.
const BACKEND: &str = "pg_backend_pid()";

#[derive(Debug)]
pub(super) struct Pool {
    connector: Arc<Connector>,
    places: Arc<Semaphore>,
    places_to_write: Arc<Semaphore>,
    idle: Mutex<Vec<Connection>>,
    /// The longest time that a statement waits for a place.
    patience: Duration,
}

struct Connection {
    client: Client,
    generation: u64,
    /// The id of the process of the database that serves it, and whether that one carries out the present transaction.
    backend: Option<Box<str>>,
    is_there: bool,
    /// Statements that are prepared there, by their text, and since when there are any.
    prepared: HashMap<Box<str>, Statement>,
    prepared_since: Instant,
}

opaque_debug!(Connection);

/// A connection that a statement uses. If it is dropped before the statement has ended, it is idle again when it has:
/// no other statement must get the answer.
pub(super) struct InUse<'p> {
    pool: &'p Arc<Pool>,
    /// `None` once the statement has ended.
    connection: Option<Connection>,
    places: Vec<OwnedSemaphorePermit>,
    /// Whether it was made for this statement.
    is_new: bool,
}

// === impl Pool ===

impl Pool {
    /// A pool of up to `size` connections, at least one. A statement waits `patience` at most for one that is free.
    pub(super) fn new(connector: Arc<Connector>, size: usize, patience: Duration) -> Arc<Self> {
        let size = size.max(1);
        Arc::new(Self {
            connector,
            places: Arc::new(Semaphore::new(size)),
            places_to_write: Arc::new(Semaphore::new(size.div_ceil(2))),
            idle: Mutex::default(),
            patience,
        })
    }

    /// Carries out one statement, again if another transaction or a change of the primary interfered; see [`answer`].
    pub(super) async fn run(
        self: &Arc<Self>,
        sql: &str,
        parameters: &[Parameter<'_>],
        kind: Kind,
        is_open: &AtomicBool,
    ) -> Result<Vec<Row>, Failure> {
        let (mut attempt, mut must_be_new) = (0, false);
        loop {
            attempt += 1;
            let connection = self.check_out(kind, must_be_new).await?;
            // Not prepared: a pooler may carry out the next statement on another connection.
            let done = connection.client().query_typed(sql, parameters);
            let done = answer(done, is_open).await;
            let is_new = connection.is_new;
            connection.give_back();
            let error = match done {
                Ok(rows) => return Ok(rows),
                Err(error) => error,
            };
            match Remedy::of(&error, kind) {
                Remedy::Repeat if attempt < ATTEMPTS => {
                    let millis = getrandom::u32().unwrap_or_default() % (5 * attempt);
                    tokio::time::sleep(Duration::from_millis(millis.into())).await;
                }
                // One that was made a moment ago would not be made better.
                Remedy::Reconnect if !is_new => must_be_new = true,
                _ => return Err(error.into()),
            }
        }
    }

    /// Begins a transaction with the statements `sql`, then reads a clock; returns the connection, the clock's time, and whether
    /// the `condition` is met.
    pub(super) async fn begin(
        self: &Arc<Self>,
        sql: &str,
        condition: &str,
    ) -> Result<(InUse<'_>, i64, bool), Failure> {
        let sql = format!(
            "{sql}; SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint, \
             current_setting('transaction_read_only'), {BACKEND}, {condition}"
        );
        let mut must_be_new = false;
        loop {
            let mut connection = self.check_out(Kind::Write, must_be_new).await?;
            let begun = connection.client().simple_query(&sql).await;
            let row = begun.as_ref().ok().and_then(|answers| last_row(answers));
            let column = |at| row.and_then(|row| row.get(at));
            let (is_usable, remedy) = match &begun {
                Ok(_) => (column(1) == Some("off"), Remedy::Reconnect),
                Err(error) => (false, Remedy::of(error, Kind::Read)),
            };
            if !is_usable && !connection.is_new && remedy == Remedy::Reconnect {
                must_be_new = true;
                continue;
            }
            let now = column(0).and_then(|now| now.parse().ok()).unwrap_or_default();
            let is_met = column(3) == Some("t");
            if let Some(connection) = &mut connection.connection {
                connection.is_there = row.is_some() && connection.backend.as_deref() == column(2);
            }
            begun?;
            return Ok((connection, now, is_met));
        }
    }

    async fn check_out(
        self: &Arc<Self>,
        kind: Kind,
        must_be_new: bool,
    ) -> Result<InUse<'_>, Failure> {
        let places = tokio::time::timeout(self.patience, self.take_places(kind));
        let places = places.await.map_err(|_| Failure::Exhausted)?;
        // One that is of no use any more makes room for a new one.
        let idle = self.idle.lock().pop();
        let idle = idle.filter(|idle| {
            let generation = *self.connector.generation.borrow();
            !must_be_new && idle.generation == generation && !idle.client.is_closed()
        });
        Ok(InUse {
            pool: self,
            is_new: idle.is_none(),
            connection: Some(match idle {
                Some(idle) => idle,
                None => self.open().await?,
            }),
            places,
        })
    }

    async fn take_places(&self, kind: Kind) -> Vec<OwnedSemaphorePermit> {
        let of_writes = (kind == Kind::Write).then_some(&self.places_to_write);
        let mut taken = Vec::with_capacity(2);
        for places in of_writes.into_iter().chain([&self.places]) {
            let place = places.clone().acquire_owned().await;
            taken.push(place.expect("places are never closed"));
        }
        taken
    }

    async fn open(&self) -> Result<Connection, ConnectError> {
        // Before it is known where the database is.
        let generation = *self.connector.generation.borrow();
        let client = self.connector.connect().await?.spawn();
        self.connector.prepare_session(&client).await?;
        let backend = client.simple_query(&format!("SELECT {BACKEND}")).await?;
        Ok(Connection {
            client,
            generation,
            backend: last_row(&backend).and_then(|row| row.get(0).map(Into::into)),
            is_there: false,
            prepared: HashMap::new(),
            prepared_since: Instant::now(),
        })
    }
}

// === impl InUse ===

impl InUse<'_> {
    pub(super) fn client(&self) -> &Client {
        let connection = self.connection.as_ref();
        &connection.expect("it is given back after its use").client
    }

    /// Carries out statements of a transaction, which do not wait for each other's answers. If it `prepares` them, they are kept
    /// prepared on this connection: to plan one takes longer than to carry it out. If a pooler has moved the transaction to
    /// another process of the database, they are not. A `commit` is sent with them, and becomes a rollback if one fails; see
    /// [`answer`].
    pub(super) async fn query_all(
        &mut self,
        statements: Vec<(&str, Vec<Parameter<'_>>)>,
        prepares: bool,
        commit: Option<(&str, &AtomicBool)>,
    ) -> Result<Vec<Vec<Row>>, Error> {
        let connection = self.connection.as_mut().expect("it is given back after its use");
        let mut prepared = Vec::with_capacity(statements.len());
        for (sql, parameters) in &statements {
            prepared.push(if prepares { connection.prepare(sql, parameters).await? } else { None });
        }
        let client = &connection.client;
        let all =
            statements.iter().zip(&prepared).map(|((sql, parameters), prepared)| async move {
                let Some(prepared) = prepared else {
                    return client.query_typed(sql, parameters).await;
                };
                let values: Vec<_> = parameters.iter().map(|it| it.0).collect();
                client.query(prepared, &values).await
            });
        let all = try_join_all(all);
        let Some((sql, is_open)) = commit else { return all.await };
        // Not sent after a statement that could not be.
        let ended = answer(try_join(all, client.batch_execute(sql)), is_open).await;
        ended.map(|(rows, ())| rows)
    }

    /// The statement, or the transaction, has ended.
    pub(super) fn give_back(mut self) {
        self.pool.idle.lock().extend(self.connection.take());
    }
}

// === impl Connection ===

impl Connection {
    /// The statement as it is prepared here, unless it had better not be.
    async fn prepare(
        &mut self,
        sql: &str,
        parameters: &[Parameter<'_>],
    ) -> Result<Option<Statement>, Error> {
        if self.prepared_since.elapsed() > REPLAN {
            self.prepared.clear();
            self.prepared_since = Instant::now();
        }
        // The type of a NULL depends on where it stands, and a text with many parameters on the number of rows.
        let is_unknown = parameters.iter().any(|it| it.1 == Type::UNKNOWN);
        if !self.is_there || is_unknown || parameters.len() > MAX_PARAMETERS {
            return Ok(None);
        }
        if let Some(statement) = self.prepared.get(sql) {
            return Ok(Some(statement.clone()));
        }
        if self.prepared.len() == MAX_PREPARED {
            return Ok(None);
        }
        let types: Vec<_> = parameters.iter().map(|it| it.1.clone()).collect();
        let statement = self.client.prepare_typed(sql, &types).await?;
        self.prepared.insert(sql.into(), statement.clone());
        Ok(Some(statement))
    }
}

/// The answer to a statement. `is_open` is true from when it is sent until it is answered, and stays so if it never is.
pub(super) async fn answer<T>(
    statement: impl Future<Output = Result<T, Error>>,
    is_open: &AtomicBool,
) -> Result<T, Error> {
    is_open.store(true, Ordering::Relaxed);
    let done = statement.await;
    let is_lost = done.as_ref().is_err_and(|error| !is_answer(error));
    is_open.store(is_lost, Ordering::Relaxed);
    done
}

impl Drop for InUse<'_> {
    fn drop(&mut self) {
        // A runtime that ends drops the connection with everything else.
        let (Some(connection), Ok(runtime)) = (self.connection.take(), Handle::try_current())
        else {
            return;
        };
        let (pool, places) = (self.pool.clone(), mem::take(&mut self.places));
        runtime.spawn(async move {
            let mut generation = pool.connector.generation.subscribe();
            tokio::select! {
                // This is answered once the statement before it has ended, and ends its transaction.
                _ = connection.client.batch_execute("ROLLBACK") => pool.idle.lock().push(connection),
                // It would be replaced anyway, and may never be answered.
                _ = generation.wait_for(|now| *now != connection.generation) => {}
                () = tokio::time::sleep(LONGEST) => {}
            }
            drop(places);
        });
    }
}
