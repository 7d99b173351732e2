//! The two files of SQLite: neither has anything of the other, or waits for it.

use std::fs;

use portreeve::deliveries::{NewReceipt, Queue};
use portreeve::vault::{AppPassword, Keyring, SqliteStore, Store as _, Table, Vault};
use rusqlite::Connection;

use super::{MAX, Place, receipt};

#[tokio::test]
async fn a_change_of_deliveries_leaves_what_the_vault_has_cached() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("portreeve.db");
    let store = SqliteStore::open(&path).await.unwrap();
    let queue = Queue::in_sqlite(&store);
    store.get(Table::Credential, "alice").await.unwrap();
    for _ in 0..10 {
        queue.insert(receipt("alice"), MAX).await.unwrap();
        let cached = store.cached(Table::Credential, "alice");
        assert!(matches!(cached, Some(None)));
    }
    // Nothing of it waits for the vault's file, or that for it.
    let hold = |name: &str| {
        let held = Connection::open(dir.path().join(name)).unwrap();
        held.execute_batch("BEGIN IMMEDIATE").unwrap();
        held
    };
    let vault = Vault::new(Keyring::generate().unwrap(), store);
    vault.sealing_key().await.unwrap();
    let held = hold("portreeve.db");
    queue.insert(receipt("alice"), MAX).await.unwrap();
    drop(held);
    let _held = hold("deliveries.db");
    let password = AppPassword::new("aaaaa-bbbbb-ccccc-ddddd-eeeee").unwrap();
    vault.put("alice", "alice", &password).await.unwrap();
}

/// A reader that takes long keeps the log from being written back to the file, so that it grows.
#[tokio::test(flavor = "multi_thread")]
async fn the_log_of_a_burst_beside_a_long_reader_is_small_again_once_that_has_gone() {
    const MIB: u64 = 1 << 20;
    let dir = tempfile::tempdir().unwrap();
    let place = Place::sqlite_in(dir.path()).await;
    place.receive("alice").await;
    let file = |name| dir.path().join(name);
    let log = || fs::metadata(file("deliveries.db-wal")).unwrap().len();
    let reader = Connection::open(file("deliveries.db")).unwrap();
    reader.execute_batch("BEGIN").unwrap();
    let count = "SELECT count(*) FROM receipt";
    let count = reader.query_row(count, [], |row| row.get::<_, i64>(0));
    assert_eq!(count.unwrap(), 1);
    for _ in 0..200 {
        let large = NewReceipt { sealed: vec![7; 200_000].into(), ..receipt("alice") };
        place.queue().insert(large, MAX).await.unwrap();
    }
    assert!(log() > 32 * MIB, "{}", log());
    drop(reader);
    // The next change writes it back, and the one after that begins anew.
    for _ in 0..2 {
        place.receive("alice").await;
    }
    assert!(log() <= 16 * MIB, "{}", log());
}
