//! Errors of the database, and advice on them.

use std::error::Error as _;
use std::io;

use tokio_postgres::error::{DbError, Severity, SqlState};

use super::statement::Kind;
use crate::causes::with_causes;
use crate::vault::StoreError;
use crate::vault::schema::SCHEMA_VERSION;

/// Why a PostgreSQL database cannot be used as a store. Each message names the database, and says what to
/// do. None holds a password.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PostgresOpenError {
    /// It cannot be reached, does not let this user in, or its tables cannot be made or read; or a file that TLS needs
    /// cannot be used.
    #[error("cannot {action} the database {database}: {reason}")]
    Unusable {
        /// What was tried.
        action: &'static str,
        /// Which database.
        database: Box<str>,
        /// Why: for each address, or which file.
        reason: Box<str>,
    },
    /// It asks for a password, and none is given.
    #[error("cannot log in to the database {database}: {reason}")]
    NoPassword {
        /// Which database.
        database: Box<str>,
        /// For each address, why there is none.
        reason: Box<str>,
    },
    /// It belongs to another version that this one cannot work beside.
    #[error(
        "the database {database} has schema version {found} and this portreeve knows {SCHEMA_VERSION}; run the version \
         that wrote it, or restore the backup made before the upgrade"
    )]
    Version {
        /// Which database.
        database: Box<str>,
        /// Its schema version.
        found: i32,
    },
}

/// Why an address gave no connection; or why none did, with a reason for each.
#[derive(Debug, thiserror::Error)]
#[error("{reason}")]
pub(super) struct ConnectError {
    pub(super) reason: Box<str>,
    /// Whether another try may succeed: the database is late, or just starting.
    pub(super) may_pass: bool,
    /// Whether an address asks for a password, and there is none for it.
    pub(super) lacks_password: bool,
}

#[derive(Debug, thiserror::Error)]
pub(super) enum Failure {
    #[error("{}", causes(.0))]
    Statement(#[from] tokio_postgres::Error),
    #[error(transparent)]
    Connect(#[from] ConnectError),
    #[error("no connection came free in time; all are in use (database_connections)")]
    Exhausted,
    #[error("no answer in time (database_timeout)")]
    Timeout,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Remedy {
    /// It was not carried out, and may be on another try.
    Repeat,
    /// It was not carried out, or can be twice, and may succeed on a new connection: another database may have become
    /// the primary.
    Reconnect,
    /// Another try would fail in the same way, or might carry it out a second time.
    None,
}

// === impl ConnectError ===

impl ConnectError {
    /// One that another try would meet again.
    pub(super) fn new(reason: impl Into<Box<str>>) -> Self {
        Self { reason: reason.into(), may_pass: false, lacks_password: false }
    }

    pub(super) fn on(self, name: &str) -> PostgresOpenError {
        let (database, reason) = (name.into(), self.reason);
        if self.lacks_password {
            PostgresOpenError::NoPassword { database, reason }
        } else {
            unusable("reach", name, reason)
        }
    }
}

impl From<tokio_postgres::Error> for ConnectError {
    fn from(error: tokio_postgres::Error) -> Self {
        Self {
            may_pass: error.code() == Some(&SqlState::CANNOT_CONNECT_NOW),
            ..Self::new(causes(&error) + hint(&error))
        }
    }
}

// === impl Remedy ===

impl Remedy {
    pub(super) fn of(error: &tokio_postgres::Error, kind: Kind) -> Self {
        let repeated = [
            SqlState::T_R_SERIALIZATION_FAILURE,
            SqlState::T_R_DEADLOCK_DETECTED,
            // Two that bind at once: the second one sees the first one's row when it is repeated.
            SqlState::UNIQUE_VIOLATION,
        ];
        match error.code() {
            Some(code) if repeated.contains(code) => Self::Repeat,
            Some(code) if *code == SqlState::READ_ONLY_SQL_TRANSACTION => Self::Reconnect,
            _ if kind == Kind::Read && !is_answer(error) => Self::Reconnect,
            _ => Self::None,
        }
    }
}

/// Whether `error` is an answer to the statement, which was not carried out then. That the connection ends is none, even
/// if the server or a pooler says so: the statement may have been carried out before.
pub(super) fn is_answer(error: &tokio_postgres::Error) -> bool {
    error.as_db_error().and_then(DbError::parsed_severity) == Some(Severity::Error)
}

pub(super) fn unusable(
    action: &'static str,
    name: &str,
    reason: impl Into<Box<str>>,
) -> PostgresOpenError {
    PostgresOpenError::Unusable { action, database: name.into(), reason: reason.into() }
}

/// The text of `error` with its causes: by itself it lacks even the message of the database.
pub(super) fn causes(error: &tokio_postgres::Error) -> String {
    error.as_db_error().map_or_else(|| with_causes(error).to_string(), ToString::to_string)
}

pub(super) fn store_error(database: &str, action: &str, failure: Failure) -> StoreError {
    let (hint, code) = match &failure {
        Failure::Statement(error) => (hint(error), error.code().filter(|_| is_answer(error))),
        _ => ("", None),
    };
    let is_disk_full = code == Some(&SqlState::DISK_FULL);
    let is_read_only = is_disk_full || code == Some(&SqlState::READ_ONLY_SQL_TRANSACTION);
    let is_of_values = code.is_some_and(|code| code.code().starts_with("22"));
    let action = format!("cannot {action} in {database}{hint}");
    StoreError { is_read_only, is_disk_full, is_of_values, ..StoreError::new(action, failure) }
}

pub(super) fn hint(error: &tokio_postgres::Error) -> &'static str {
    let Some(code) = error.code() else {
        let cause = error.source().and_then(|it| it.downcast_ref::<io::Error>());
        return match cause.map(io::Error::kind) {
            Some(io::ErrorKind::ConnectionRefused) => {
                " (nobody listens there: check the host, the port, and that PostgreSQL runs)"
            }
            Some(io::ErrorKind::NotFound) => " (there is no such socket: check host and port)",
            _ => "",
        };
    };
    if *code == SqlState::INVALID_PASSWORD || *code == SqlState::INVALID_AUTHORIZATION_SPECIFICATION
    {
        " (check the user, the password and pg_hba.conf)"
    } else if *code == SqlState::INVALID_CATALOG_NAME {
        " (make it with `createdb`)"
    } else if *code == SqlState::INSUFFICIENT_PRIVILEGE {
        " (grant the role what docs/OPERATIONS.md lists under \"Privileges\": GRANT USAGE ON SCHEMA portreeve, and GRANT \
         SELECT, INSERT, UPDATE, DELETE on its tables)"
    } else if *code == SqlState::DISK_FULL {
        " (make room on its disk)"
    } else if *code == SqlState::READ_ONLY_SQL_TRANSACTION {
        " (it accepts only reads at present: make room if its disk is full, or wait for the end of a failover)"
    } else if *code == SqlState::QUERY_CANCELED || *code == SqlState::LOCK_NOT_AVAILABLE {
        " (it took too long)"
    } else {
        ""
    }
}
