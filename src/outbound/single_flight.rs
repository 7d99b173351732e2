//! Shares one computation among all that wait for the same result.

use std::collections::HashMap;
use std::future::Future;
use std::hash::Hash;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures_util::FutureExt as _;
use futures_util::future::{BoxFuture, Shared};
use parking_lot::Mutex;

/// Runs at most one computation per key at a time; concurrent callers share its result.
///
/// It runs in its own task, so that it continues if the request that started it is dropped.
pub(crate) struct SingleFlight<K, T>(Arc<Mutex<Flights<K, T>>>);

type Flights<K, T> = HashMap<K, Flight<T>>;

/// The result of the computation; `None` if it panicked.
pub(crate) type Flight<T> = Shared<BoxFuture<'static, Option<T>>>;

impl<K, T> SingleFlight<K, T>
where
    K: Clone + Eq + Hash + Send + 'static,
    T: Clone + Send + Sync + 'static,
{
    pub(crate) fn new() -> Self {
        Self(Arc::default())
    }

    pub(crate) fn in_flight(&self, key: &K) -> Option<Flight<T>> {
        let flights = self.0.lock();
        flights.get(key).cloned()
    }

    /// Joins the computation in flight for `key`, or else starts the one that `begin` returns.
    ///
    /// Must be called within a tokio runtime.
    pub(crate) fn join<F>(&self, key: K, begin: impl FnOnce() -> F) -> Flight<T>
    where
        F: Future<Output = T> + Send + 'static,
    {
        let mut flights = self.0.lock();
        if let Some(flight) = flights.get(&key) {
            return flight.clone();
        }
        let (work, list, listed) = (begin(), self.0.clone(), key.clone());
        let flight = async move {
            let result = AssertUnwindSafe(work).catch_unwind().await.ok();
            list.lock().remove(&listed);
            result
        }
        .boxed()
        .shared();
        flights.insert(key, flight.clone());
        drop(flights);
        tokio::spawn(flight.clone().map(drop));
        flight
    }
}
