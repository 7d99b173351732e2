//! Every statement finds its rows by an index, and leaves the vault's cache alone.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::{Duration, UNIX_EPOCH};

use portreeve::deliveries::{DeliveryState, NewReceipt, Outcome, Queue, Scope, TargetState};
use portreeve::vault::{AppPassword, Keyring, SqliteStore, Store as _, Table, Vault};
use serde_json::Value;
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;

use super::{MAX, Place, ended, receipt};
use crate::support::log::Log;
use crate::support::own_process;

/// What is left to be sorted or read as a whole: a page at most, what has one row for each key or target, and what waits
/// for a moment.
const ALLOWED: [(&str, &str); 11] = [
    ("SELECT d.position, d.target, r.id", "TEMP B-TREE"),
    ("SELECT r.position, r.received_at FROM", "TEMP B-TREE"),
    ("SELECT r.position, r.account, known", "TEMP B-TREE"),
    ("SELECT r.position, r.account, known", "SCAN r LEFT-JOIN"),
    ("WITH known AS", "TEMP B-TREE"),
    ("receipt_total AS total", "TEMP B-TREE"),
    ("UPDATE receipt_total", "TEMP B-TREE"),
    ("WITH waiting AS", "SCAN t"),
    (
        "WHERE state = 3",
        "SCAN delivery_target USING COVERING INDEX",
    ),
    ("sum(bytes)", "SCAN receipt_total"),
    (
        "min(position) FROM unmatched_receipt",
        "SCAN unmatched_receipt",
    ),
];

/// The index by which a statement, of which this is a part, finds its rows.
const SEARCHED: [(&str, &str); 22] = [
    ("string_agg", "t USING INDEX delivery_target_due (due_at<?)"),
    ("string_agg", "delivery_claimed (target=?)"),
    ("string_agg", "delivery_due (target=? AND due_at<?)"),
    (
        "UPDATE delivery SET claim",
        "PRIMARY KEY (position=? AND target=?)",
    ),
    (
        "UPDATE delivery SET state = e.",
        "PRIMARY KEY (position=? AND target=?)",
    ),
    (
        "AS e CROSS JOIN delivery",
        "delivery_claimed (target=? AND position=?)",
    ),
    (
        "FROM receipt AS r WHERE r.position IN",
        "r USING INTEGER PRIMARY KEY (rowid=?)",
    ),
    (
        "UPDATE delivery SET state = 0",
        "(target=? AND state=? AND position=?)",
    ),
    (
        "UPDATE delivery_target",
        "USING INTEGER PRIMARY KEY (rowid=?)",
    ),
    ("SET waiting = t.waiting", "delivery_claimed (target=?)"),
    ("SET waiting = t.waiting", "delivery_due (target=?)"),
    ("account IN (?1, '')", "delivery_target_account (account=?)"),
    (
        "AS u CROSS JOIN receipt",
        "r USING INTEGER PRIMARY KEY (rowid=?)",
    ),
    (
        "SELECT d.position, d.target, r.id, r.class, r.received_at, d.state, d.due_at, d.attempts, d.claim FROM (",
        "delivery_state (target=? AND state=? AND position<?)",
    ),
    (
        "SELECT r.position, r.received_at FROM",
        "delivery_state (target=? AND state=? AND position>?)",
    ),
    (
        "account = ?3 AND position",
        "receipt_account (account=? AND position>?)",
    ),
    (
        "r.account, known",
        "receipt USING INTEGER PRIMARY KEY (rowid>?)",
    ),
    ("WHERE received_at <=", "receipt_received (received_at<?)"),
    ("r.id = ?3", "sqlite_autoindex_receipt_1 (id=?)"),
    (
        "DELETE FROM delivery WHERE position",
        "PRIMARY KEY (position=?)",
    ),
    ("d.state <> 1", "d USING PRIMARY KEY (position=?)"),
    ("min(d.position)", "delivery_state (target=? AND state=?)"),
];

/// Whether a step of a plan reads all of a table, or keeps rows in a table of its own.
fn is_costly(step: &str) -> bool {
    let scanned = step
        .strip_prefix("SCAN ")
        .map(|rest| rest.split(' ').next().unwrap_or(rest));
    let is_table = |name: &str| {
        let tables = [
            "r",
            "t",
            "d",
            "delivery",
            "delivery_target",
            "receipt",
            "receipt_total",
        ];
        tables.contains(&name) || name == "unmatched_receipt"
    };
    scanned.is_some_and(is_table) || step.contains("AUTOMATIC") || step.contains("TEMP B-TREE")
}

/// Does everything that is done with a queue.
async fn use_all_of(place: &Place) {
    let (queue, alice) = (place.queue(), Scope::Account("alice"));
    let (one, two) = (place.target("alice").await, place.target("").await);
    for _ in 0..3 {
        place.due(&[one, two]).await;
    }
    let (_, unmatched) = place.receive("alice").await;
    queue.unmatched(64, &[]).await.unwrap();
    queue.fan_out(vec![(unmatched, Vec::new())]).await.unwrap();
    queue.targets_for(Some("alice")).await.unwrap();
    queue.claim(1, Some(vec![one])).await.unwrap();
    let claimed = queue.claim(64, None).await.unwrap();
    let outcomes = [Outcome::Delivered, Outcome::Rejected, Outcome::Gone].into_iter();
    let done = claimed.iter().zip(outcomes.cycle());
    let done = done.map(|(it, outcome)| ended(it, outcome, None));
    queue.complete(done.collect()).await.unwrap();
    let known = claimed[0].id;
    for scope in [alice, Scope::All] {
        queue.targets(scope, None, 300).await.unwrap();
        queue.events(scope, 0, 300).await.unwrap();
        queue.delivery(scope, known).await.unwrap();
        queue.retry(scope, known).await.unwrap();
        for all in [false, true] {
            let replayed = queue.replay(scope, one, UNIX_EPOCH, None, all, 0);
            replayed.await.unwrap();
        }
        for state in [None, Some(DeliveryState::Failed)] {
            let listed = queue.deliveries(scope, one, state, None, 300);
            listed.await.unwrap();
        }
    }
    queue.receipt(1).await.unwrap();
    queue.arrivals(0).await.unwrap();
    queue.counts().await.unwrap();
    // There is no room, and one that can go.
    place.receive("alice").await;
    _ = queue.insert(receipt("alice"), 612).await;
    let changed = queue.change_target(alice, one, 1, TargetState::Active, Box::from([0; 9]));
    changed.await.unwrap();
    queue.remove_target(alice, one).await.unwrap();
    for keep in [3600, 0] {
        place.pass(Duration::from_secs(1));
        while queue.clean(Duration::from_secs(keep)).await.unwrap() > 0 {}
    }
}

/// The statements in a log.
fn statements(log: &Log) -> BTreeSet<String> {
    let text = log.text();
    let lines = text
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap());
    let sql = lines.filter_map(|line| Some(line["fields"]["sql"].as_str()?.to_owned()));
    sql.collect()
}

fn plan(path: &Path, sql: &str) -> String {
    let connection = rusqlite::Connection::open(path).unwrap();
    let sql = format!("EXPLAIN QUERY PLAN {sql}");
    let mut statement = connection.prepare(&sql).unwrap();
    let (mut rows, mut lines) = (statement.raw_query(), String::new());
    while let Some(row) = rows.next().unwrap() {
        lines += &row.get::<_, String>(3).unwrap();
        lines.push('\n');
    }
    lines
}

#[test]
fn each_statement_uses_its_index() {
    let test = "queue::plans::each_statement_uses_its_index";
    own_process::run_async(test, async {
        let log = Log::default();
        tracing_subscriber::fmt()
            .json()
            .with_max_level(tracing::Level::TRACE)
            .with_writer(log.clone())
            .init();
        let dir = tempfile::tempdir().unwrap();
        let place = Place::sqlite_in(dir.path()).await;
        use_all_of(&place).await;
        let path = dir.path().join("portreeve.db");
        let statements = statements(&log).into_iter();
        let plans = statements.map(|sql| (plan(&path, &sql), sql));
        let plans: Vec<_> = plans.collect();
        for (plan, sql) in &plans {
            let allowed = |(part, step): &(&str, &str)| match sql.contains(part) {
                true => plan.lines().filter(|line| line.contains(step)).count(),
                false => 0,
            };
            let costly = plan.lines().filter(|line| is_costly(line)).count();
            let allowed: usize = ALLOWED.iter().map(allowed).sum();
            assert_eq!(costly, allowed, "{sql}\n{plan}");
        }
        for (part, index) in SEARCHED {
            let found = plans.iter().filter(|(_, sql)| sql.contains(part));
            let found: Vec<_> = found.collect();
            assert!(!found.is_empty(), "no statement has {part}");
            for (plan, sql) in found {
                assert!(plan.contains(index), "{index} is not used:\n{sql}\n{plan}");
            }
        }
    });
}

/// Elsewhere the header of the log's index is not read.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_change_of_deliveries_leaves_what_the_vault_has_cached() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("portreeve.db");
    let store = SqliteStore::open(&path).await.unwrap();
    let queue = Queue::in_sqlite(&store).unwrap();
    let cached = || store.cached(Table::Credential, "alice");
    store.get(Table::Credential, "alice").await.unwrap();
    for _ in 0..10 {
        assert!(matches!(cached(), Some(None)));
        queue.insert(receipt("alice"), MAX).await.unwrap();
    }
    // What another process stores is seen at once, before and after a change of deliveries.
    let other = SqliteStore::open(&path).await.unwrap();
    let vault = Vault::new(Keyring::generate().unwrap(), other);
    let password = AppPassword::new("aaaaa-bbbbb-ccccc-ddddd-eeeee").unwrap();
    for _ in 0..3 {
        vault.put("alice", "alice", &password).await.unwrap();
        assert!(cached().is_none());
        store.get(Table::Credential, "alice").await.unwrap();
        assert!(matches!(cached(), Some(Some(_))));
        vault.remove("alice").await.unwrap();
        queue.insert(receipt("alice"), MAX).await.unwrap();
        assert!(cached().is_none());
        let found = store.get(Table::Credential, "alice").await.unwrap();
        assert!(found.is_none());
    }
}

/// Also at the instants of commits, which may write the log back to the file.
#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread")]
async fn what_the_vault_has_cached_stays_during_changes_of_deliveries() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("portreeve.db");
    let store = SqliteStore::open(&path).await.unwrap();
    let queue = Queue::in_sqlite(&store).unwrap();
    store.get(Table::Credential, "alice").await.unwrap();
    let stop = CancellationToken::new();
    let guard = stop.clone().drop_guard();
    let looking = tokio::task::spawn_blocking({
        let (store, stop) = (store.clone(), stop.clone());
        move || {
            while !stop.is_cancelled() {
                store.cached(Table::Credential, "alice");
            }
        }
    });
    for _ in 0..400 {
        let large = NewReceipt {
            sealed: vec![7; 100_000].into(),
            ..receipt("alice")
        };
        queue.insert(large, MAX).await.unwrap();
        let cached = store.cached(Table::Credential, "alice");
        assert!(matches!(cached, Some(None)));
    }
    drop(guard);
    looking.await.unwrap();
}

/// Most transactions of deliveries find nothing to do and commit nothing. Another process commits as soon as one has ended.
#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread")]
async fn a_password_that_another_process_removes_is_not_answered_from_memory() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("portreeve.db");
    let store = SqliteStore::open(&path).await.unwrap();
    let queue = Queue::in_sqlite(&store).unwrap();
    let vault = Vault::new(Keyring::generate().unwrap(), store.clone());
    let password = AppPassword::new("aaaaa-bbbbb-ccccc-ddddd-eeeee").unwrap();
    vault.put("alice", "alice", &password).await.unwrap();
    let other = rusqlite::Connection::open(&path).unwrap();
    other.busy_timeout(Duration::ZERO).unwrap();
    let kept = "CREATE TEMP TABLE kept AS SELECT * FROM main.credential";
    other.execute_batch(kept).unwrap();
    let change = |sql: &str| {
        tokio::task::block_in_place(|| {
            while other.execute_batch("BEGIN IMMEDIATE").is_err() {}
            other.execute_batch(&format!("{sql}; COMMIT")).unwrap();
        });
    };
    let claiming = tokio::spawn(async move {
        loop {
            queue.claim(64, None).await.unwrap();
        }
    });
    let claiming = AbortOnDropHandle::new(claiming);
    for round in 0..1000 {
        change("DELETE FROM main.credential");
        let cached = store.cached(Table::Credential, "alice");
        assert!(!matches!(cached, Some(Some(_))), "round {round}");
        change("INSERT INTO main.credential SELECT * FROM kept");
        let found = store.get(Table::Credential, "alice").await.unwrap();
        assert!(found.is_some(), "round {round}");
    }
    drop(claiming);
}
