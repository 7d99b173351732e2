//! A mutex per key, such as a user id or an address.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::Mutex;
use tokio::sync::{Mutex as AsyncMutex, OwnedMutexGuard};

use crate::opaque::opaque_debug;

/// A mutex for each key that is locked or waited for; other keys have no entry.
#[derive(Clone, Default)]
pub(crate) struct KeyedMutex(Arc<Mutex<ByKey>>);

type ByKey = HashMap<Box<str>, Arc<AsyncMutex<()>>>;

pub(crate) struct KeyedGuard {
    mutex: KeyedMutex,
    key: Box<str>,
    guard: Option<OwnedMutexGuard<()>>,
}

// === impl KeyedMutex ===

impl KeyedMutex {
    /// Locks `key`, in the order of the calls.
    pub(super) async fn lock(&self, key: &str) -> KeyedGuard {
        let entry = {
            let mut by_key = self.0.lock();
            by_key.entry(key.into()).or_default().clone()
        };
        // Created before the wait, so that a cancelled wait removes its entry, too.
        let mut guard = KeyedGuard { mutex: self.clone(), key: key.into(), guard: None };
        guard.guard = Some(entry.lock_owned().await);
        guard
    }
}

opaque_debug!(KeyedMutex);

// === impl KeyedGuard ===

impl Drop for KeyedGuard {
    fn drop(&mut self) {
        let mut by_key = self.mutex.0.lock();
        drop(self.guard.take());
        // Each waiting task holds a clone of the entry.
        if by_key.get(&self.key).is_some_and(|entry| Arc::strong_count(entry) == 1) {
            by_key.remove(&self.key);
        }
    }
}

#[cfg(test)]
#[path = "../../tests/unit/keyed_mutex.rs"]
mod tests;
