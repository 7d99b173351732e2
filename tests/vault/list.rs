//! A listing of 100,000 records uses memory that does not grow with their number.
//!
//! In a process of its own, since it measures the memory of the process.

use futures_util::StreamExt as _;
use portreeve::vault::{MemoryStore, SqliteStore, Table, Vault};

use crate::suite::{OLD_KEY, keys, password};
use crate::support::own_process;

const RECORDS: usize = 100_000;

#[test]
fn a_listing_of_100_000_records_streams() {
    own_process::run_async("list::a_listing_of_100_000_records_streams", listing());
}

async fn listing() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("portreeve.db");
    let vault = Vault::new(keys(&[OLD_KEY]), SqliteStore::open(&path).await.unwrap());
    fill(&path).await;

    let before = resident();
    let mut most = 0;
    let mut number = 0;
    let mut listing = std::pin::pin!(vault.list());
    while let Some(listed) = listing.next().await {
        let listed = listed.unwrap();
        assert_eq!(*listed.user_id, format!("user-{number:06}"));
        number += 1;
        if number % 1_000 == 0 {
            most = most.max(resident());
        }
    }
    assert_eq!(number, RECORDS);
    // The records are 20 MB; a page of them and SQLite's cache are 3.
    let grown = most.saturating_sub(before);
    assert!(grown < 8_000_000, "the listing took {grown} bytes");
}

/// Seals in memory and writes the rows in one transaction: 100,000 synced ones would take minutes.
async fn fill(path: &std::path::Path) {
    let sealer = Vault::new(keys(&[OLD_KEY]), MemoryStore::new());
    let mut raw = rusqlite::Connection::open(path).unwrap();
    let rows = raw.transaction().unwrap();
    for number in 0..RECORDS {
        let user_id = format!("user-{number:06}");
        let password = password(number);
        let stored = sealer.put(&user_id, "somebody@example.org", &password);
        stored.await.unwrap();
        let record = sealer.store().get(Table::Credential, &user_id).await;
        let record = record.unwrap().unwrap();
        sealer.remove(&user_id).await.unwrap();
        rows.execute(
            "INSERT INTO credential VALUES (?1, ?1, ?2, ?3, 0, NULL)",
            (&user_id, record.number, &record.sealed),
        )
        .unwrap();
    }
    rows.commit().unwrap();
}

/// Resident memory of this process in bytes.
fn resident() -> usize {
    let statm = std::fs::read_to_string("/proc/self/statm").unwrap();
    let pages: usize = statm.split(' ').nth(1).unwrap().parse().unwrap();
    pages * 4096
}
