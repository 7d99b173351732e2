//! A connection for statements, each prepared once.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio_postgres::{Client, Statement};

/// A connection of the pool.
#[derive(Debug)]
pub(super) struct Connection {
    client: Client,
    statements: Mutex<HashMap<Box<str>, Statement>>,
    /// Whether the database accepted writes when the connection was made.
    pub(super) was_writable: bool,
    /// The generation of connections that it belongs to.
    pub(super) generation: u64,
}

// === impl Connection ===

impl Connection {
    pub(super) fn new(client: Client, was_writable: bool, generation: u64) -> Self {
        Self {
            client,
            statements: Mutex::default(),
            was_writable,
            generation,
        }
    }

    /// The statement of `sql`, prepared once for each connection.
    pub(super) async fn prepared(&self, sql: &str) -> Result<Statement, tokio_postgres::Error> {
        let known = self.statements().get(sql).cloned();
        if let Some(statement) = known {
            return Ok(statement);
        }
        let statement = self.client.prepare(sql).await?;
        self.statements().insert(sql.into(), statement.clone());
        Ok(statement)
    }

    pub(super) fn client(&self) -> &Client {
        &self.client
    }

    fn statements(&self) -> MutexGuard<'_, HashMap<Box<str>, Statement>> {
        self.statements
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}
