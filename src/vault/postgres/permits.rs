//! Which gateway has the login permits: the one whose listening connection holds an advisory lock.
//!
//! The database releases the lock when that connection ends, and so when the gateway is gone. A gateway
//! relies on it for as long as its [lease](super::freshness::FreshnessLease) holds.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};

use tokio_postgres::{Client, Error};

use super::super::PermitLease;
use super::Shared;
use super::statement::last_row;

/// "permits" in ASCII.
const LOCK: i64 = 0x0070_6572_6d69_7473;

/// Whether a gateway wants the lock, and whether it has it.
#[derive(Debug, Default)]
pub(super) struct Permits {
    is_wanted: AtomicBool,
    is_leased: AtomicBool,
    /// Counts up each time the lock is acquired or lost: an odd number while it is held.
    locked: AtomicU64,
}

/// The lock, as acquired that time.
#[derive(Debug)]
struct Lease {
    shared: Arc<Shared>,
    locked: u64,
}

/// The lock if the listening connection has it. If not, it will try to get it.
pub(super) fn lease(shared: &Arc<Shared>) -> Option<Box<dyn PermitLease>> {
    let permits = &shared.permits;
    permits.is_wanted.store(true, SeqCst);
    let locked = permits.locked.load(SeqCst);
    if !is_locked(locked) || !shared.freshness.holds() || permits.is_leased.swap(true, SeqCst) {
        return None;
    }
    let shared = shared.clone();
    Some(Box::new(Lease { shared, locked }))
}

fn is_locked(locked: u64) -> bool {
    locked % 2 == 1
}

// === impl Permits ===

impl Permits {
    /// Acquires or releases the lock on the listening connection, if that is wanted.
    pub(super) async fn adjust(&self, client: &Client) -> Result<(), Error> {
        match (self.is_wanted.load(SeqCst), self.is_locked()) {
            (true, false) => {
                let sql = format!("SELECT pg_try_advisory_lock({LOCK})");
                let answer = client.simple_query(&sql).await?;
                if last_row(&answer).is_some_and(|row| row.get(0) == Some("t")) {
                    self.locked.fetch_add(1, SeqCst);
                }
            }
            (false, true) => {
                self.lost();
                let sql = format!("SELECT pg_advisory_unlock({LOCK})");
                client.batch_execute(&sql).await?;
            }
            _ => {}
        }
        Ok(())
    }

    /// The connection has ended, and the lock with it.
    pub(super) fn lost(&self) {
        if self.is_locked() {
            self.locked.fetch_add(1, SeqCst);
        }
    }

    // The task that listens alone changes it.
    fn is_locked(&self) -> bool {
        is_locked(self.locked.load(SeqCst))
    }
}

// === impl Lease ===

impl PermitLease for Lease {
    fn holds(&self) -> bool {
        self.shared.permits.locked.load(SeqCst) == self.locked && self.shared.freshness.holds()
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        let permits = &self.shared.permits;
        permits.is_wanted.store(false, SeqCst);
        permits.is_leased.store(false, SeqCst);
    }
}
