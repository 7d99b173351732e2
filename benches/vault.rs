//! The cost of the vault.
//!
//! `cargo bench --bench vault` prints nanoseconds per operation of memory and SQLite.
//!
//! `cargo bench --bench vault -- --database-url postgres://user@host/database` prints how soon a removal is seen by another
//! gateway, on an empty database.
//!
//! With `--count N` it makes that many cached lookups and nothing else, as in
//! `valgrind --tool=callgrind <the bench's binary> --count 10000`: the difference of two such runs is the
//! count of instructions.

use std::hint::black_box;
use std::time::{Duration, Instant};

#[cfg(feature = "postgres")]
use portreeve::vault::PostgresStore;
use portreeve::vault::{AppPassword, Keyring, MemoryStore, SqliteStore, Store, Table, Vault};

const OLD_KEY: &str = "AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE=";

fn main() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(run());
}

async fn run() {
    let directory = tempfile::tempdir().unwrap();
    let in_directory = format!("sqlite:{}", directory.path().join("portreeve.db").display());
    let url = argument("--database-url").unwrap_or(in_directory);
    let count = argument("--count").map(|text| text.parse().unwrap());
    match url.strip_prefix("sqlite:") {
        Some(path) => {
            let store = SqliteStore::open(path).await.unwrap();
            match count {
                None => small(store).await,
                Some(count) => lookups(store, count).await,
            }
        }
        #[cfg(feature = "postgres")]
        None => {
            let open = async || {
                let store = PostgresStore::open(url.parse().unwrap()).await.unwrap();
                while !store.is_subscribed() {
                    tokio::time::sleep(Duration::from_millis(10)).await;
                }
                store
            };
            match count {
                None => revocations(open().await, open().await).await,
                Some(count) => lookups(open().await, count).await,
            }
        }
        #[cfg(not(feature = "postgres"))]
        None => panic!("{url}: this was built without PostgreSQL"),
    }
}

fn argument(name: &str) -> Option<String> {
    let mut arguments = std::env::args().skip_while(|argument| argument != name);
    arguments.nth(1)
}

fn keys(keys: &[&str]) -> Keyring {
    Keyring::from_base64_keys(keys.iter().copied()).unwrap()
}

fn password() -> AppPassword {
    AppPassword::new(&"x".repeat(72)).unwrap()
}

/// Memory and SQLite, with a thousand credentials.
async fn small(store: SqliteStore) {
    let sqlite = Vault::new(Keyring::generate().unwrap(), store.clone());
    let memory = Vault::new(Keyring::generate().unwrap(), MemoryStore::new());
    let password = password();
    memory.put("alice", "alice", &password).await.unwrap();
    for number in 0..1_000 {
        let user_id = format!("user-{number}");
        sqlite.put(&user_id, &user_id, &password).await.unwrap();
    }
    sqlite.put("alice", "alice", &password).await.unwrap();
    sqlite.credential("alice").await.unwrap().unwrap();
    report(
        "sealed record from the cache, checked for commits",
        200_000,
        async |_| {
            black_box(store.cached(Table::Credential, "alice").unwrap());
        },
    )
    .await;
    report(
        "credential, memory store (opening alone)",
        200_000,
        async |_| {
            black_box(memory.credential("alice").await.unwrap());
        },
    )
    .await;
    report("credential, SQLite, cached", 200_000, async |_| {
        black_box(sqlite.credential("alice").await.unwrap());
    })
    .await;
    report("credential, SQLite, not cached", 1_000, async |number| {
        black_box(sqlite.credential(&format!("user-{number}")).await.unwrap());
    })
    .await;
    report("put, SQLite, synced to disk", 500, async |_| {
        black_box(sqlite.put("bob", "bob", &password).await.unwrap());
    })
    .await;
}

/// How soon a removal by one gateway is seen by another, and the cost of each step.
#[cfg(feature = "postgres")]
async fn revocations(one: PostgresStore, other: PostgresStore) {
    const ROUNDS: usize = 1_000;

    let vault = Vault::new(keys(&[OLD_KEY]), one.clone());
    let mut times = Vec::new();
    for _ in 0..ROUNDS {
        vault.put("alice", "alice", &password()).await.unwrap();
        while other
            .get(Table::Credential, "alice")
            .await
            .unwrap()
            .is_none()
        {
            tokio::task::yield_now().await;
        }
        vault.remove("alice").await.unwrap();
        let removed = Instant::now();
        while other
            .get(Table::Credential, "alice")
            .await
            .unwrap()
            .is_some()
        {
            tokio::task::yield_now().await;
        }
        times.push(removed.elapsed());
    }
    times.sort();
    let at = |share: usize| times[ROUNDS * share / 100];
    println!(
        "a removal is seen by another gateway after {:?} (median), {:?} (99 of 100), {:?} (at most)",
        at(50),
        at(99),
        times[ROUNDS - 1]
    );
    report("put, PostgreSQL, synced to disk", 500, async |_| {
        black_box(vault.put("bob", "bob", &password()).await.unwrap());
    })
    .await;
}

/// Only cached lookups.
async fn lookups(store: impl Store, count: u32) {
    let vault = Vault::new(keys(&[OLD_KEY]), store);
    vault.put("alice", "alice", &password()).await.unwrap();
    tokio::time::sleep(Duration::from_millis(500)).await;
    for _ in 0..count {
        black_box(vault.credential("alice").await.unwrap());
    }
}

async fn report(what: &str, times: u32, mut work: impl AsyncFnMut(u32)) {
    let start = Instant::now();
    for number in 0..times {
        work(number).await;
    }
    let nanos = start.elapsed().as_nanos() / u128::from(times);
    println!("{what:<55} {nanos:>10} ns");
}
