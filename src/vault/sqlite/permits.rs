//! Which process has the login permits: whoever has locked a file beside the database.
//!
//! The kernel gives the lock up when its process ends, however that happens. The database itself cannot
//! be the file: closing it would drop SQLite's own locks.

use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use super::super::PermitLease;
pub(super) use crate::files::{beside, open_or_create as open};

#[derive(Debug)]
pub(super) struct PermitFile {
    path: PathBuf,
    /// Whether it was logged that it cannot be locked.
    is_logged: AtomicBool,
}

#[derive(Debug)]
struct Locked(#[expect(dead_code, reason = "the lock ends with it")] File);

impl PermitFile {
    /// The file beside the database at `path`: its name with `-permits` added.
    pub(super) fn beside(path: &Path) -> Self {
        Self { path: beside(path, "-permits"), is_logged: AtomicBool::new(false) }
    }

    /// Locks it; `None` while another process or store holds the lock.
    pub(super) fn lease(&self) -> Option<Box<dyn PermitLease>> {
        let file = open(&self.path).map_err(TryLockError::Error);
        match file.and_then(|file| file.try_lock().map(|()| file)) {
            Ok(file) => Some(Box::new(Locked(file))),
            Err(TryLockError::WouldBlock) => None,
            Err(TryLockError::Error(error)) => {
                if !self.is_logged.swap(true, Ordering::Relaxed) {
                    tracing::warn!(
                        %error, file = %self.path.display(),
                        "the file cannot be locked: this gateway logs in by bearer token alone. Some network file systems have no locks"
                    );
                }
                None
            }
        }
    }
}

impl PermitLease for Locked {}
