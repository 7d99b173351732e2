//! Credentials that are in use, kept open for an instant.
//!
//! To open a record and to write its password for HTTP Basic is a tenth of what a request costs. A
//! user whose calls follow each other has it done once in [`KEPT`].
//!
//! The store is asked by each call all the same, and what is kept counts only for the very record
//! that it answers with: a password that was removed, replaced or suspended is not found here.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::{Instant, sleep};

use super::proofs::FRESH;
use crate::groupware::Account;
use crate::vault::{Credential, Record};

/// How long an opened password counts. It is overwritten at the next sweep, so after twice that at the
/// latest, unless a call still uses it.
const KEPT: Duration = FRESH;

/// With one entry each; two users in one slot open their records in turn.
const SLOTS: usize = 1024;

/// A credential, and the account that it opens.
#[derive(Debug)]
pub(super) struct Usable {
    pub(super) credential: Credential,
    pub(super) account: Account,
}

/// The credentials of the last [`KEPT`]. Passwords are overwritten on their way out.
#[derive(Debug)]
pub(super) struct Opened {
    slots: Box<[Slot]>,
    is_swept: AtomicBool,
}

type Slot = Mutex<Option<Entry>>;

#[derive(Debug)]
struct Entry {
    record: Arc<Record>,
    usable: Arc<Usable>,
    since: Instant,
}

// === impl Opened ===

impl Opened {
    pub(super) fn new() -> Arc<Self> {
        Arc::new(Self {
            slots: (0..SLOTS).map(|_| Slot::default()).collect(),
            is_swept: AtomicBool::new(false),
        })
    }

    /// What `record` held when it was opened a moment ago.
    pub(super) fn find(&self, record: &Arc<Record>) -> Option<Arc<Usable>> {
        let slot = self.slot(record);
        let entry = slot.as_ref()?;
        let is_current = Arc::ptr_eq(&entry.record, record) && entry.since.elapsed() < KEPT;
        is_current.then(|| entry.usable.clone())
    }

    /// Keeps what `record` holds. The runtime overwrites it in time.
    pub(super) fn keep(self: &Arc<Self>, record: Arc<Record>, usable: Arc<Usable>) {
        let entry = Entry {
            record,
            usable,
            since: Instant::now(),
        };
        let mut slot = self.slot(&entry.record);
        *slot = Some(entry);
        drop(slot);
        if !self.is_swept.swap(true, Ordering::SeqCst) {
            tokio::spawn(Sweeper(self.clone()).run());
        }
    }

    fn slot(&self, record: &Record) -> MutexGuard<'_, Option<Entry>> {
        lock(&self.slots[record.revision as usize % SLOTS])
    }

    /// Drops what is old; whether anything is left.
    fn sweep(&self) -> bool {
        self.slots.iter().fold(false, |is_left, slot| {
            let mut slot = lock(slot);
            slot.take_if(|entry| entry.since.elapsed() >= KEPT);
            is_left || slot.is_some()
        })
    }
}

/// Drops what is old, as long as there is anything.
struct Sweeper(Arc<Opened>);

// === impl Sweeper ===

impl Sweeper {
    async fn run(self) {
        let opened = &self.0;
        loop {
            sleep(KEPT).await;
            if opened.sweep() {
                continue;
            }
            opened.is_swept.store(false, Ordering::SeqCst);
            // What came in before that relies on this task.
            if !opened.sweep() || opened.is_swept.swap(true, Ordering::SeqCst) {
                return;
            }
        }
    }
}

/// A runtime may end before its tasks do.
impl Drop for Sweeper {
    fn drop(&mut self) {
        self.0.is_swept.store(false, Ordering::SeqCst);
    }
}

fn lock(slot: &Slot) -> MutexGuard<'_, Option<Entry>> {
    slot.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gateway::login::stored::usable;
    use crate::vault::{AppPassword, Keyring, MemoryStore, Vault};

    async fn one() -> (Vault<MemoryStore>, Arc<Opened>, Arc<Record>) {
        let vault = Vault::new(Keyring::generate().unwrap(), MemoryStore::new());
        let password = AppPassword::new("aaaaa-bbbbb-ccccc-ddddd-eeeee").unwrap();
        vault.put("alice", "alice", &password).await.unwrap();
        let record = vault.record("alice").await.unwrap().unwrap();
        (vault, Opened::new(), record)
    }

    #[tokio::test(start_paused = true)]
    async fn nothing_stays_open_that_is_not_in_use() {
        let (vault, opened, record) = one().await;
        for _ in 0..3 {
            let kept = Arc::new(usable(vault.open(&record).await.unwrap()).unwrap());
            let seen = Arc::downgrade(&kept);
            opened.keep(record.clone(), kept);
            sleep(KEPT / 2).await;
            assert!(opened.find(&record).is_some());
            sleep(KEPT / 2).await;
            assert!(opened.find(&record).is_none());
            // Nobody asks for it again, and it goes all the same.
            sleep(KEPT).await;
            assert!(seen.upgrade().is_none());
            assert!(!opened.is_swept.load(Ordering::SeqCst));
        }
    }

    #[tokio::test]
    async fn it_counts_for_that_very_record_alone() {
        let (vault, opened, record) = one().await;
        let kept = usable(vault.open(&record).await.unwrap()).unwrap();
        opened.keep(record.clone(), Arc::new(kept));
        vault.suspend("alice", record.revision).await.unwrap();
        let suspended = vault.record("alice").await.unwrap().unwrap();
        assert_eq!(record.revision, suspended.revision);
        assert!(opened.find(&suspended).is_none());
    }

    #[test]
    fn a_runtime_that_ends_leaves_the_next_one_to_sweep() {
        let runtime = || {
            let mut builder = tokio::runtime::Builder::new_current_thread();
            builder.enable_all().build().unwrap()
        };
        let first = runtime();
        let (vault, opened, record) = first.block_on(one());
        let keep = || async {
            let kept = Arc::new(usable(vault.open(&record).await.unwrap()).unwrap());
            opened.keep(record.clone(), kept.clone());
            Arc::downgrade(&kept)
        };
        first.block_on(keep());
        drop(first);
        runtime().block_on(async {
            let seen = keep().await;
            while seen.upgrade().is_some() {
                sleep(KEPT).await;
            }
        });
    }
}
