//! Errors of the file, and advice on them.

use std::io;
use std::path::{Path, PathBuf};

use rusqlite::{ErrorCode, ffi};

use crate::vault::StoreError;
use crate::vault::schema::SCHEMA_VERSION;

/// Why a SQLite file cannot be used as a store. Each message names the file and says what to do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SqliteOpenError {
    /// The file or its directory is missing and cannot be made.
    #[error(
        "cannot make the database {}: {source}; name a new file in a directory this user may write to",
        .0.display(), source = .1
    )]
    Create(PathBuf, #[source] io::Error),
    /// SQLite cannot open it: it is damaged, locked for longer than 5 seconds, or not accessible.
    #[error("cannot open the database {}: {source}{}", .0.display(), hint(.1), source = .1)]
    Open(PathBuf, #[source] rusqlite::Error),
    /// It is a database of another program (`PRAGMA application_id`).
    #[error("{} is a SQLite database of another program; name another file, or move this one away", .0.display())]
    Foreign(PathBuf),
    /// It was written by another version: its file, and the version of its tables.
    #[error(
        "the database {} has schema version {found} and this portreeve knows {SCHEMA_VERSION}; run the version that wrote it, \
         restore the backup made before the upgrade, or move it away, and users provision again",
        .0.display(), found = .1
    )]
    Version(PathBuf, i64),
}

impl SqliteOpenError {
    /// The error of an operation that had to open the file first.
    pub(super) fn during(self, action: &str) -> StoreError {
        match self {
            Self::Open(path, source) => store_error(&path, action, source),
            error => StoreError::new(format!("cannot {action}"), error),
        }
    }

    pub(super) fn is_disk_full(&self) -> bool {
        matches!(self, Self::Open(_, source) if is_disk_full(source))
    }
}

pub(super) fn store_error(path: &Path, action: &str, source: rusqlite::Error) -> StoreError {
    let hint = hint(&source);
    let is_disk_full = is_disk_full(&source);
    let is_read_only = is_disk_full || source.sqlite_error_code() == Some(ErrorCode::ReadOnly);
    let action = format!("cannot {action} in {}{hint}", path.display());
    StoreError { is_read_only, is_disk_full, ..StoreError::new(action, source) }
}

/// Also if there is no room for the index of the log, which SQLite calls an I/O error.
fn is_disk_full(error: &rusqlite::Error) -> bool {
    error.sqlite_error().is_some_and(|error| {
        error.code == ErrorCode::DiskFull || error.extended_code == ffi::SQLITE_IOERR_SHMSIZE
    })
}

fn hint(error: &rusqlite::Error) -> &'static str {
    match error.sqlite_error_code() {
        _ if is_disk_full(error) => " (its disk is full: make room on it)",
        Some(ErrorCode::DatabaseBusy) => " (another process holds it; stop that, or wait)",
        Some(ErrorCode::SystemIoFailure) => " (its disk fails: the system's log says why)",
        Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt) => {
            " (the file is damaged: restore it from a backup)"
        }
        Some(ErrorCode::ReadOnly | ErrorCode::CannotOpen | ErrorCode::PermissionDenied) => {
            " (let this user read and write the file and its directory, on a file system that is mounted for writing)"
        }
        _ => "",
    }
}
