//! PostgreSQL as the store: tests beyond those for every store.

mod coherence;
mod faults;
mod keys;
mod opening;
mod permits;
mod pooler;
mod proxy;
mod url;

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use portreeve::vault::{PostgresOptions, PostgresStore, StoreObserver, Vault};

use crate::suite::{OLD_KEY, keys};
use crate::support::postgres::{self, Postgres};

/// A store on an empty database of its own; `None` if there is no PostgreSQL.
pub(crate) async fn store() -> Option<PostgresStore> {
    Some(open(&server()?.database()).await)
}

/// The name of the database at `url`.
fn name(url: &str) -> &str {
    url.rsplit('/').next().unwrap()
}

/// The server of this test binary.
fn server() -> Option<&'static Postgres> {
    tokio::task::block_in_place(postgres::shared)
}

fn options(url: &str) -> PostgresOptions {
    url.parse().unwrap()
}

/// A store that is notified of changes by others.
async fn open(url: &str) -> PostgresStore {
    let store = PostgresStore::open(options(url)).await.unwrap();
    wait_until_subscribed(&store, true).await;
    store
}

fn vault(store: &PostgresStore) -> Vault {
    Vault::new(keys(&[OLD_KEY]), store.clone())
}

/// Waits until `is_so`, for as long as a loaded machine may take.
async fn until(is_so: impl AsyncFn() -> bool) {
    let began = Instant::now();
    while !is_so().await {
        assert!(began.elapsed() < Duration::from_secs(120));
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// Waits until the store is notified of changes, or is not.
async fn wait_until_subscribed(store: &PostgresStore, wanted: bool) {
    until(async || store.is_subscribed() == wanted).await;
}

/// Counts the operations of the database.
#[derive(Debug, Default)]
struct Operations(AtomicU64);

impl StoreObserver for Operations {
    fn store_operation(&self, _: &'static str, _: bool) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

impl Operations {
    fn count(&self) -> u64 {
        self.0.load(Ordering::SeqCst)
    }
}
