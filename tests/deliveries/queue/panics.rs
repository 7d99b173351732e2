//! A fault in here while receipts are stored: the next ones are stored all the same.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use portreeve::deliveries::{Queue, Scope};
use portreeve::vault::StoreObserver;

use super::{MAX, at, receipt};

/// Panics once, as a fault beside the statements would.
#[derive(Debug, Default)]
struct Panicking(AtomicBool);

impl StoreObserver for Panicking {
    fn store_operation(&self, operation: &'static str, _: bool) {
        if operation == "change deliveries" && self.0.swap(false, Ordering::SeqCst) {
            panic!("as a fault in here would");
        }
    }
}

async fn the_next_receipts_are_kept(queue: Queue, panicking: &Panicking) {
    panicking.0.store(true, Ordering::SeqCst);
    let failed = queue.insert(receipt("alice"), MAX).await;
    // Whether it was kept is not known.
    assert!(failed.unwrap_err().to_string().contains("has ended"));
    let next = receipt("alice");
    let id = next.id;
    queue.insert(next, MAX).await.unwrap();
    let kept = queue.events(Scope::All, at(0), 300).await.unwrap();
    assert_eq!(kept.receipts.last().unwrap().id, id);
}

#[cfg(feature = "sqlite")]
#[tokio::test(flavor = "multi_thread")]
async fn a_panic_while_receipts_are_stored_in_a_file_stops_no_others() {
    use portreeve::vault::SqliteStore;

    let dir = tempfile::tempdir().unwrap();
    let panicking = Arc::<Panicking>::default();
    let mut store = SqliteStore::open(dir.path().join("db")).await.unwrap();
    store.observer = Some(panicking.clone());
    let queue = Queue::in_sqlite(&store);
    the_next_receipts_are_kept(queue, &panicking).await;
}

#[cfg(feature = "postgres")]
#[tokio::test(flavor = "multi_thread")]
async fn a_panic_while_receipts_are_stored_in_a_database_stops_no_others() {
    use portreeve::vault::PostgresStore;

    let Some(server) = tokio::task::block_in_place(crate::support::postgres::shared) else {
        return;
    };
    let panicking = Arc::<Panicking>::default();
    let options = server.database().parse().unwrap();
    let mut store = PostgresStore::open(options).await.unwrap();
    store.observer = Some(panicking.clone());
    let queue = Queue::in_postgres(&store);
    the_next_receipts_are_kept(queue, &panicking).await;
}
