//! State behind several locks, so that requests on several cores rarely wait for each other.

use std::hash::{BuildHasher as _, RandomState};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The number of locks.
const SHARDS: usize = 16;

/// A `T` for each shard, each behind a lock. A key belongs to one of them.
pub(super) struct Sharded<T> {
    hasher: RandomState,
    shards: Box<[Mutex<T>]>,
}

// === impl Sharded ===

impl<T> Sharded<T> {
    /// `shard` makes each of them, given its share of `capacity`.
    pub(super) fn new(capacity: usize, shard: impl Fn(usize) -> T) -> Self {
        let share = capacity.div_ceil(SHARDS);
        Self {
            hasher: RandomState::new(),
            shards: (0..SHARDS).map(|_| Mutex::new(shard(share))).collect(),
        }
    }

    /// The shard of `key`.
    pub(super) fn of(&self, key: &str) -> MutexGuard<'_, T> {
        let at = self.hasher.hash_one(key) as usize % SHARDS;
        lock(&self.shards[at])
    }

    /// All shards, one after the other.
    #[cfg(feature = "postgres")]
    pub(super) fn each(&self) -> impl Iterator<Item = MutexGuard<'_, T>> {
        self.shards.iter().map(lock)
    }
}

fn lock<T>(shard: &Mutex<T>) -> MutexGuard<'_, T> {
    shard.lock().unwrap_or_else(PoisonError::into_inner)
}
