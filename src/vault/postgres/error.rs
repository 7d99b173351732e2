//! What goes wrong with the database, and what to do about it.

use std::error::Error as _;

use tokio_postgres::error::SqlState;

use crate::vault::StoreError;

/// Why a PostgreSQL database cannot be used as a store. Each message names the database, and says what to
/// do. None holds a password.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PostgresOpenError {
    /// A file that TLS needs cannot be used.
    #[error("cannot set up TLS to {database}: {reason}")]
    Tls {
        /// Which database.
        database: Box<str>,
        /// Which file, and why.
        reason: Box<str>,
    },
    /// It cannot be reached, or does not let this user in.
    #[error("cannot reach the database {database}: {reason}")]
    Unreachable {
        /// Which database.
        database: Box<str>,
        /// Why, for each address.
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
    /// Its tables cannot be made or upgraded.
    #[error("cannot prepare the database {database}: {}{hint}", causes(source))]
    Schema {
        /// Which database.
        database: Box<str>,
        /// Why.
        source: tokio_postgres::Error,
        /// What to do.
        hint: &'static str,
    },
    /// It was upgraded by a newer version that this one cannot work beside.
    #[error(
        "the database {database} has schema version {found} and this portreeve knows {known} at most; \
         run the newer version that upgraded it, or restore the backup made before the upgrade"
    )]
    Newer {
        /// Which database.
        database: Box<str>,
        /// Its schema version.
        found: i32,
        /// The newest one known here.
        known: i32,
    },
}

/// Why one statement failed.
#[derive(Debug, thiserror::Error)]
pub(super) enum Failure {
    #[error("{}", causes(.0))]
    Statement(#[from] tokio_postgres::Error),
    #[error("{0}")]
    Connect(#[from] super::connect::ConnectError),
    #[error("no connection came free in time; all are in use")]
    Exhausted,
    #[error("no answer in time")]
    Timeout,
}

/// What can be done about a failed statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Remedy {
    /// It was not carried out, and may be on another try.
    Repeat,
    /// It was not carried out by this connection, and may be by another.
    Reconnect,
    /// The connection ended, and nobody knows whether it was carried out.
    Unknown,
    /// Nothing.
    None,
}

// === impl Remedy ===

impl Remedy {
    pub(super) fn of(error: &tokio_postgres::Error) -> Self {
        let Some(code) = error.code() else {
            return Self::Unknown;
        };
        let repeated = [
            SqlState::T_R_SERIALIZATION_FAILURE,
            SqlState::T_R_DEADLOCK_DETECTED,
            // Two that bind at once: the second one sees the first one's row when it is repeated.
            SqlState::UNIQUE_VIOLATION,
        ];
        let reconnected = [
            // What was the primary is one no more.
            SqlState::READ_ONLY_SQL_TRANSACTION,
            SqlState::CANNOT_CONNECT_NOW,
            // The plan or the statement is of another time.
            SqlState::FEATURE_NOT_SUPPORTED,
            SqlState::INVALID_SQL_STATEMENT_NAME,
        ];
        let ended = [
            SqlState::ADMIN_SHUTDOWN,
            SqlState::CRASH_SHUTDOWN,
            SqlState::IDLE_IN_TRANSACTION_SESSION_TIMEOUT,
        ];
        if repeated.contains(code) {
            Self::Repeat
        } else if reconnected.contains(code) {
            Self::Reconnect
        } else if ended.contains(code) {
            Self::Unknown
        } else {
            Self::None
        }
    }
}

/// The text of `error` with its causes: by itself it does not even have the database's words.
pub(super) fn causes(error: &tokio_postgres::Error) -> String {
    if let Some(answer) = error.as_db_error() {
        return answer.to_string();
    }
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text = format!("{text}: {error}");
        cause = error.source();
    }
    text
}

/// An error of `action` on `database`.
pub(super) fn store_error(database: &str, action: &str, failure: Failure) -> StoreError {
    let hint = match &failure {
        Failure::Statement(error) => super::connect::hint(error),
        _ => "",
    };
    StoreError::new(format!("cannot {action} in {database}{hint}"), failure)
}
