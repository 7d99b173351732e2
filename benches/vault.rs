//! The cost of the vault.
//!
//! `cargo bench --bench vault` prints nanoseconds per operation of memory and SQLite.
//!
//! `cargo bench --bench vault -- --database-url URL --records N` fills the database at the URL, which has to
//! be empty (`sqlite:/path` or `postgres://user@host/database`), with so many credentials, and prints what
//! they cost; with PostgreSQL also how soon a removal is seen by another gateway.
//!
//! With `--count N` it makes that many cached lookups and nothing else, as in
//! `valgrind --tool=callgrind <the bench's binary> --count 10000`: the difference of two such runs is the
//! count of instructions.

use std::hint::black_box;
use std::time::{Duration, Instant};

use futures_util::{StreamExt as _, stream};
use portreeve::vault::{
    AppPassword, Change, Keyring, MemoryStore, SqliteStore, Store, Table, Vault,
};
#[cfg(feature = "postgres")]
use portreeve::vault::{PostgresOptions, PostgresStore};

const OLD_KEY: &str = "AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE=";
const NEW_KEY: &str = "AgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgI=";

/// Credentials that are stored concurrently.
const AT_ONCE: usize = 8;

/// Credentials that are stored one by one: each is synced to disk.
const SINGLE: u32 = 1_000;

/// Credentials that are copied at once.
const PAGE: usize = 256;

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
    let records = argument("--records").map(|text| text.parse().unwrap());
    let count = argument("--count").map(|text| text.parse().unwrap());
    match url.strip_prefix("sqlite:") {
        Some(path) => {
            let open = async || SqliteStore::open(path).await.unwrap();
            match (records, count) {
                (None, None) => small(open().await).await,
                (Some(records), _) => many(open, records).await,
                (None, Some(count)) => lookups(open().await, count).await,
            }
        }
        #[cfg(feature = "postgres")]
        None => {
            let open = async || {
                let options: PostgresOptions = url.parse().unwrap();
                // Filling it may keep the disk busy for a while.
                let options = options.timeout(Duration::from_secs(60));
                let store = PostgresStore::open(options).await.unwrap();
                while !store.is_subscribed() {
                    tokio::time::sleep(Duration::from_millis(10)).await;
                }
                store
            };
            match (records, count) {
                (Some(records), _) => many(open, records).await,
                (None, Some(count)) => lookups(open().await, count).await,
                (None, None) => revocations(open().await, open().await).await,
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

/// A store with this many credentials, reopened before it is measured.
async fn many<S: Store + Clone>(open: impl AsyncFn() -> S, records: u32) {
    let before = resident();
    let store = open().await;
    let old = Vault::new(keys(&[OLD_KEY]), store.clone());
    let password = password();
    let user = |number: u32| format!("user-{number:07}");
    let single = records.min(SINGLE);
    let start = Instant::now();
    let (old_keys, text) = (&old, &password);
    stream::iter(0..single)
        .for_each_concurrent(AT_ONCE, |number| async move {
            let user_id = user(number);
            old_keys.put(&user_id, &user_id, text).await.unwrap();
        })
        .await;
    line("put, 8 at once", start, single);
    // The others are stored like `portreeve vault copy` does.
    let mut copying = Duration::ZERO;
    for first in (single..records).step_by(PAGE) {
        let page = Vault::new(keys(&[OLD_KEY]), MemoryStore::new());
        for number in (first..records).take(PAGE) {
            page.put(&user(number), &user(number), text).await.unwrap();
        }
        let page = page
            .store()
            .page(Table::Credential, None, None, PAGE)
            .await
            .unwrap();
        let page = page.into_iter();
        let page = page.map(|row| Change::add(Table::Credential, row));
        let page = page.collect();
        let start = Instant::now();
        let stored = store.commit("store credentials", page);
        assert!(stored.await.unwrap().is_done());
        copying += start.elapsed();
    }
    if let Some(copied) = records.checked_sub(single).filter(|copied| *copied > 0) {
        print("copied, each record", copying, copied);
    }
    drop((old, store));

    let store = open().await;
    let vault = Vault::new(keys(&[OLD_KEY]), store.clone());
    vault.credential("user-0000000").await.unwrap().unwrap();
    report("sealed record, cached", 200_000, async |_| {
        black_box(store.cached(Table::Credential, "user-0000000").unwrap());
    })
    .await;
    report("credential, cached", 200_000, async |_| {
        black_box(vault.credential("user-0000000").await.unwrap());
    })
    .await;
    let step = (records / 2_000).max(1);
    report("credential, not cached", 2_000, async |number| {
        let user_id = format!("user-{:07}", (number * step + 1) % records);
        black_box(vault.credential(&user_id).await.unwrap());
    })
    .await;
    let start = Instant::now();
    assert_eq!(vault.list().count().await, records as usize);
    line("list, each record", start, records);
    let both = Vault::new(keys(&[NEW_KEY, OLD_KEY]), store);
    let start = Instant::now();
    assert_eq!(
        both.rotate_keys(|_| ()).await.unwrap().resealed,
        u64::from(records)
    );
    line("rotation, each record", start, records);
    println!(
        "{:<55} {:>10} KiB more than at the start",
        "resident memory",
        resident().saturating_sub(before)
    );
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
    line(what, start, times);
}

fn line(what: &str, start: Instant, times: u32) {
    print(what, start.elapsed(), times);
}

fn print(what: &str, time: Duration, times: u32) {
    let nanos = time.as_nanos() / u128::from(times);
    println!("{what:<55} {nanos:>10} ns");
}

/// Resident memory of this process in KiB; 0 if unknown.
fn resident() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let number = line.and_then(|line| line.split_whitespace().next()?.parse().ok());
    number.unwrap_or_default()
}
