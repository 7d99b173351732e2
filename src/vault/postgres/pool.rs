//! Statements on a pool of connections, each repeated where that may help.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::time::Duration;

use deadpool::managed::{self, Manager, Metrics, Object, PoolError, RecycleError, RecycleResult};
use tokio_postgres::Row;
use tokio_postgres::types::ToSql;

use super::abandoned::AbandonedConnections;
use super::connect::{Connected, Connector, drive};
use super::connection::Connection;
use super::error::{ConnectError, Failure, Remedy};

/// Attempts at a statement that fails because of others.
const ATTEMPTS: u32 = 10;

/// The connections to the database. Clones share them.
#[derive(Clone, Debug)]
pub(super) struct Pool {
    connections: managed::Pool<ConnectionManager>,
    abandoned: Arc<AbandonedConnections>,
}

/// Parameters of a statement.
pub(super) type Parameters<'a> = &'a [&'a (dyn ToSql + Sync)];

/// Whether a statement can be repeated although it may have been carried out already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Read,
    Write,
}

/// Makes the connections.
#[derive(Debug)]
struct ConnectionManager {
    connector: Arc<Connector>,
    abandoned: Arc<AbandonedConnections>,
    /// The current generation of connections.
    generation: AtomicU64,
    /// The longest time that a new connection waits for abandoned ones to end.
    patience: Duration,
}

/// A connection that a statement has checked out. It is abandoned if the statement does not complete, since it
/// failed or was cancelled: no other statement must get the answer.
struct CheckedOut<'p> {
    connection: Option<Object<ConnectionManager>>,
    abandoned: &'p Arc<AbandonedConnections>,
}

/// Why a statement failed, and whether the database may have got it.
enum QueryError {
    NotSent(tokio_postgres::Error),
    Sent(tokio_postgres::Error),
}

// === impl Pool ===

impl Pool {
    /// A pool of up to `size` connections. A statement waits `patience` at most for one that is free.
    pub(super) fn new(connector: Arc<Connector>, size: usize, patience: Duration) -> Self {
        let abandoned = AbandonedConnections::new(size);
        let manager = ConnectionManager {
            connector,
            abandoned: abandoned.clone(),
            generation: AtomicU64::new(0),
            patience,
        };
        let connections = managed::Pool::builder(manager)
            .max_size(size)
            .runtime(deadpool::Runtime::Tokio1)
            .wait_timeout(Some(patience))
            .build()
            .expect("a pool with timeouts was given a runtime");
        Self {
            connections,
            abandoned,
        }
    }

    /// Replaces each connection before its next statement: the database may have moved.
    pub(super) fn renew(&self) {
        self.connections.manager().generation.fetch_add(1, SeqCst);
    }

    /// Carries out one statement, again if another transaction or a change of the primary interfered.
    pub(super) async fn run(
        &self,
        sql: &str,
        parameters: Parameters<'_>,
        kind: Kind,
    ) -> Result<Vec<Row>, Failure> {
        let mut attempt = 0;
        loop {
            attempt += 1;
            let mut connection = self.check_out().await?;
            let (failed, remedy) = match connection.query(sql, parameters).await {
                Ok(rows) => {
                    connection.give_back();
                    return Ok(rows);
                }
                Err(QueryError::NotSent(error)) => (error, Remedy::Reconnect),
                Err(QueryError::Sent(error)) => {
                    let remedy = Remedy::of(&error);
                    (error, remedy)
                }
            };
            match remedy {
                Remedy::Repeat if attempt < ATTEMPTS => {
                    connection.give_back();
                    let millis = getrandom::u32().unwrap_or_default() % (5 * attempt);
                    tokio::time::sleep(Duration::from_millis(millis.into())).await;
                }
                // The others of the pool may be dead as well.
                Remedy::Reconnect if attempt < ATTEMPTS => {}
                // A new connection to a database that accepts only reads has not found another one.
                Remedy::FindPrimary
                    if attempt == 1 || (connection.was_writable() && attempt < ATTEMPTS) => {}
                Remedy::Unknown if kind == Kind::Read && attempt < ATTEMPTS => {}
                Remedy::None | Remedy::Repeat | Remedy::FindPrimary => {
                    connection.give_back();
                    return Err(failed.into());
                }
                Remedy::Reconnect | Remedy::Unknown => return Err(failed.into()),
            }
        }
    }

    async fn check_out(&self) -> Result<CheckedOut<'_>, Failure> {
        let connection = self.connections.get().await;
        Ok(CheckedOut {
            connection: Some(connection?),
            abandoned: &self.abandoned,
        })
    }
}

// === impl ConnectionManager ===

impl Manager for ConnectionManager {
    type Type = Connection;
    type Error = ConnectError;

    async fn create(&self) -> Result<Connection, ConnectError> {
        self.abandoned.wait_for_capacity(self.patience).await?;
        // Before it is known where the database is.
        let generation = self.generation.load(SeqCst);
        let Connected {
            client,
            driver,
            is_writable,
        } = self.connector.connect().await?;
        // It ends with the client, or with the connection.
        tokio::spawn(drive(driver));
        let prepared = self.connector.prepare_session(&client).await;
        prepared.map_err(ConnectError::from)?;
        Ok(Connection::new(client, is_writable, generation))
    }

    async fn recycle(
        &self,
        connection: &mut Connection,
        _: &Metrics,
    ) -> RecycleResult<ConnectError> {
        let is_old = connection.generation != self.generation.load(SeqCst);
        if is_old || connection.client().is_closed() {
            Err(RecycleError::message("closed, or of an earlier generation"))
        } else {
            Ok(())
        }
    }
}

// === impl CheckedOut ===

impl CheckedOut<'_> {
    async fn query(
        &mut self,
        sql: &str,
        parameters: Parameters<'_>,
    ) -> Result<Vec<Row>, QueryError> {
        let connection = self
            .connection
            .as_ref()
            .expect("it is given back after its use");
        let statement = connection.prepared(sql).await;
        let statement = statement.map_err(QueryError::NotSent)?;
        let done = connection.client().query(&statement, parameters);
        done.await.map_err(QueryError::Sent)
    }

    fn was_writable(&self) -> bool {
        self.connection.as_ref().is_some_and(|it| it.was_writable)
    }

    fn give_back(&mut self) {
        drop(self.connection.take());
    }
}

impl Drop for CheckedOut<'_> {
    fn drop(&mut self) {
        if let Some(object) = self.connection.take() {
            self.abandoned.keep(Object::take(object));
        }
    }
}

// === impl Failure ===

impl From<PoolError<ConnectError>> for Failure {
    fn from(error: PoolError<ConnectError>) -> Self {
        match error {
            PoolError::Backend(error) => Self::Connect(error),
            _ => Self::Exhausted,
        }
    }
}
