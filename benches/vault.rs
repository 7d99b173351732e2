//! The cost of a lookup in the vault.
//!
//! `cargo bench --bench vault` prints nanoseconds per operation. With a number, as in
//! `valgrind --tool=callgrind <the bench's binary> 10000`, it makes that many cached lookups in
//! SQLite and nothing else: the difference of two such runs is the count of instructions.

use std::hint::black_box;
use std::time::Instant;

use portreeve::vault::{AppPassword, Keyring, MemoryStore, SqliteStore, Store, Vault};

fn main() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("portreeve.db");
    let store = runtime.block_on(SqliteStore::open(&path)).unwrap();
    let sqlite = Vault::new(Keyring::generate().unwrap(), store.clone());
    let memory = Vault::new(Keyring::generate().unwrap(), MemoryStore::new());
    runtime.block_on(async {
        let password = AppPassword::new(&"x".repeat(72)).unwrap();
        memory.put("alice", "alice", &password).await.unwrap();
        for number in 0..1_000 {
            let user_id = format!("user-{number}");
            sqlite.put(&user_id, &user_id, &password).await.unwrap();
        }
        sqlite.put("alice", "alice", &password).await.unwrap();
        sqlite.credential("alice").await.unwrap().unwrap();

        let counted = std::env::args().nth(1).and_then(|text| text.parse().ok());
        if let Some(times) = counted {
            for _ in 0..times {
                black_box(sqlite.credential("alice").await.unwrap());
            }
            return;
        }

        report(
            "sealed record from the cache, checked for commits",
            200_000,
            async || {
                black_box(store.record("alice").await.unwrap());
            },
        )
        .await;
        report(
            "credential, memory store (opening alone)",
            200_000,
            async || {
                black_box(memory.credential("alice").await.unwrap());
            },
        )
        .await;
        report("credential, SQLite, cached", 200_000, async || {
            black_box(sqlite.credential("alice").await.unwrap());
        })
        .await;
        let mut number = 0;
        report("credential, SQLite, not cached", 1_000, async || {
            black_box(sqlite.credential(&format!("user-{number}")).await.unwrap());
            number += 1;
        })
        .await;
        report("put, SQLite, synced to disk", 500, async || {
            black_box(sqlite.put("bob", "bob", &password).await.unwrap());
        })
        .await;
    });
}

async fn report(what: &str, times: u32, mut work: impl AsyncFnMut()) {
    let start = Instant::now();
    for _ in 0..times {
        work().await;
    }
    let nanos = start.elapsed().as_nanos() / u128::from(times);
    println!("{what:<55} {nanos:>10} ns");
}
