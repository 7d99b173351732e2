//! The cost of the queue of deliveries.
//!
//! `cargo bench --bench deliveries` prints how many receipts a second are acknowledged on disk, beside the syncs a second
//! of the same disk and beside receipts of which each waits for the one before; and with `--pending N` (100,000 if it is
//! not given) what opening, claiming and completing cost with so many pending.
//!
//! `-- --fair 1,3,100` measures instead what an account notices of so many others that do their worst.
//!
//! `-- --sent` measures how many deliveries are brought to targets.
//!
//! `-- --database-url postgres://user@host/database` measures an empty database there. `--dir PATH` says which disk.

mod fairness;

use std::collections::HashMap;
use std::fs::File;
use std::io::{Seek as _, SeekFrom, Write as _};
#[cfg(feature = "postgres")]
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use portreeve::deliveries::queue::{Accounts, Places};
use portreeve::deliveries::{
    AttemptOutcome, Completion, Maker, NewReceipt, Queue, ReceiptId, Shares, Target, TargetId,
};
use portreeve::vault::SqliteStore;

/// Bytes of a sealed body: an event of a file.
const BODY: usize = 700;

/// Receipts that are sent at once.
const MAX_CONCURRENT_PER_TARGET: u32 = 256;

/// Targets of what is pending.
const TARGETS: u32 = 1_000;

fn main() {
    let mut runtime = tokio::runtime::Builder::new_multi_thread();
    if let Some(attacks) = argument("--as-attackers") {
        let [address, accounts] = ["--at", "--accounts"].map(|name| argument(name).unwrap());
        let attacking = fairness::attack(&attacks, &address, accounts.parse().unwrap());
        runtime = tokio::runtime::Builder::new_current_thread();
        return runtime.enable_all().build().unwrap().block_on(attacking);
    }
    runtime.enable_all().build().unwrap().block_on(run());
}

async fn run() {
    if let Some(dir) = argument("--as-gateway") {
        return fairness::serve_gateway(dir.as_ref()).await;
    }
    let directory = argument("--dir").map_or_else(tempfile::tempdir, tempfile::tempdir_in).unwrap();
    let pending: u32 = argument("--pending").map_or(100_000, |text| text.parse().unwrap());
    if let Some(accounts) = argument("--fair") {
        return fairness::run(directory.path(), &accounts).await;
    }
    if std::env::args().any(|it| it == "--sent") {
        return fairness::sending::run(directory.path()).await;
    }
    let path = directory.path().join("portreeve.db");
    syncs(&directory.path().join("synced"));
    let queue = open(&path).await;
    alone(&queue).await;
    together(&queue, 20_000).await;
    fill(&queue, pending).await;
    drop(queue);
    let before = memory();
    let began = Instant::now();
    let queue = open(&path).await;
    queue.counts().await.unwrap();
    println!("opened with {pending} pending and counted in {:?}", began.elapsed());
    claims(&queue).await;
    println!("memory {} KiB before it was opened, {} KiB after", before, memory());
}

/// A directory, and an empty database: what an earlier measurement of this process has left is dropped, nothing else.
async fn make_empty(dir: &std::path::Path) {
    #[cfg(feature = "postgres")]
    if let Some(url) = argument("--database-url") {
        static IS_OURS: AtomicBool = AtomicBool::new(false);

        let (client, connection) =
            tokio_postgres::connect(&url, tokio_postgres::NoTls).await.unwrap();
        tokio::spawn(connection);
        // Nobody waits any more for what the measurement before has under way.
        let end = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity \
                   WHERE datname = current_database() AND pid <> pg_backend_pid(); \
                   DROP SCHEMA portreeve CASCADE";
        if IS_OURS.swap(true, Ordering::SeqCst) {
            client.batch_execute(end).await.unwrap();
        }
        let make = "CREATE SCHEMA portreeve";
        client.batch_execute(make).await.expect("the database is empty");
    }
    std::fs::create_dir_all(dir).unwrap();
}

async fn open(path: &std::path::Path) -> Queue {
    #[cfg(feature = "postgres")]
    if let Some(url) = argument("--database-url") {
        use portreeve::vault::PostgresStore;

        let store = PostgresStore::open(url.parse().unwrap()).await.unwrap();
        return Queue::in_postgres(&store);
    }
    let store = SqliteStore::open(path).await.unwrap();
    Queue::in_sqlite(&store)
}

/// What the disk can do: a page of a file that has its size already written and synced, again and again.
fn syncs(path: &std::path::Path) {
    let mut file = File::create(path).unwrap();
    file.write_all(&vec![7; 16 << 20]).unwrap();
    file.sync_all().unwrap();
    let began = Instant::now();
    let mut count = 0;
    while began.elapsed() < Duration::from_secs(3) {
        file.seek(SeekFrom::Start(count % 4096 * 4096)).unwrap();
        file.write_all(&[8; 4096]).unwrap();
        file.sync_data().unwrap();
        count += 1;
    }
    println!("fdatasync: {count} in 3 s, {} a second", count / 3);
}

async fn alone(queue: &Queue) {
    let began = Instant::now();
    let mut count = 0;
    while began.elapsed() < Duration::from_secs(3) {
        queue.insert(receipt(0), u64::MAX >> 1).await.unwrap();
        count += 1;
    }
    println!("receipts, one after another: {} a second", count / 3);
}

async fn together(queue: &Queue, count: u32) {
    let began = Instant::now();
    let sending = (0..MAX_CONCURRENT_PER_TARGET).map(|sender| {
        let queue = queue.clone();
        tokio::spawn(async move {
            for number in 0..count / MAX_CONCURRENT_PER_TARGET {
                let receipt = receipt(number * MAX_CONCURRENT_PER_TARGET + sender);
                queue.insert(receipt, u64::MAX >> 1).await.unwrap();
            }
        })
    });
    for sending in sending.collect::<Vec<_>>() {
        sending.await.unwrap();
    }
    let rate = f64::from(count) / began.elapsed().as_secs_f64();
    println!("receipts, {MAX_CONCURRENT_PER_TARGET} at once: {rate:.0} a second");
}

/// Has so many deliveries pending, each of a receipt of its own.
async fn fill(queue: &Queue, pending: u32) {
    let mut targets = HashMap::new();
    for number in 0..TARGETS {
        let (id, maker) = (TargetId::random().unwrap(), Maker::of("alice"));
        let target = Target::new(id, account(number).as_deref(), vec![8; 300].into(), maker);
        targets.insert(target.account.clone(), target.id);
        queue.add_target(target).await.unwrap();
    }
    let began = Instant::now();
    together(queue, pending).await;
    let mut made = 0;
    loop {
        let receipts = queue.lease(500, Accounts::AllBut(&[])).await.unwrap();
        if receipts.is_empty() {
            break;
        }
        let wanted = receipts.iter().map(|receipt| {
            made += 1;
            (receipt.position, vec![targets[&receipt.account]])
        });
        queue.fan_out(wanted.collect()).await.unwrap();
    }
    println!("received and matched {made} in {:?}", began.elapsed());
}

/// Claims and completes for a while.
async fn claims(queue: &Queue) {
    let (mut times, mut delivered) = (Vec::new(), 0);
    let places = Places { all: Shares::new(1 << 20), failing: Shares::new(1 << 20) };
    let began = Instant::now();
    while began.elapsed() < Duration::from_secs(10) {
        let start = Instant::now();
        let (_, claimed) = queue.complete_and_claim(Vec::new(), 64, places.clone()).await.unwrap();
        times.push(start.elapsed());
        if claimed.is_empty() {
            break;
        }
        delivered += claimed.len();
        let done = claimed.iter().map(|claimed| Completion {
            claimed: claimed.clone(),
            outcome: Some(AttemptOutcome::Delivered),
            status: Some(200),
            again: None,
        });
        let noting = queue.complete_and_claim(done.collect(), 0, places.clone());
        noting.await.unwrap();
    }
    assert!(delivered > 0, "nothing is due");
    let rate = delivered as f64 / began.elapsed().as_secs_f64();
    times.sort();
    println!(
        "claimed and completed, 64 at once: {rate:.0} a second; a claim takes {:?}, 99 of 100 at most {:?}",
        times[times.len() / 2],
        times[times.len() * 99 / 100]
    );
}

/// The account of each receipt and target.
fn account(number: u32) -> Option<Box<str>> {
    Some(format!("user{}", number % TARGETS).into())
}

fn receipt(number: u32) -> NewReceipt {
    NewReceipt {
        id: ReceiptId::random().unwrap(),
        account: account(number),
        class: r"OCP\Files\Events\Node\NodeCreatedEvent".into(),
        sealed: vec![7; BODY].into(),
    }
}

/// KiB of this process in memory.
fn memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let number = line.and_then(|line| line.split_whitespace().next());
    number.map_or(0, |number| number.parse().unwrap())
}

fn argument(name: &str) -> Option<String> {
    let mut arguments = std::env::args();
    arguments.find(|argument| argument == name)?;
    arguments.next()
}
