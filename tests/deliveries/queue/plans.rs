//! Every statement finds its rows by an index.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::{Duration, UNIX_EPOCH};

use portreeve::deliveries::queue::Accounts;
use portreeve::deliveries::{AttemptOutcome, DeliveryState, Replay, Scope, TargetState};
use rusqlite::config::DbConfig;
use serde_json::Value;

use super::{Halves as _, Place, at, ended, receipt};
use crate::support::log::Log;
use crate::support::own_process;

/// What is left to be sorted or read as a whole: a page at most, the claims of a target, what has one row for each key or
/// target, and what waits for a moment.
const ALLOWED: [(&str, &str); 23] = [
    ("SELECT d.position, d.target, r.id", "TEMP B-TREE"),
    ("SELECT r.position, r.account, known", "TEMP B-TREE"),
    ("SELECT r.position, r.account, known", "SCAN r LEFT-JOIN"),
    ("WITH known AS", "TEMP B-TREE"),
    ("receipt_total AS total", "TEMP B-TREE"),
    ("UPDATE receipt_total", "SCAN receipt_total"),
    ("INTO receipt_total (", "SCAN receipt_total"),
    ("max(position), CAST(sum(CASE", "TEMP B-TREE"),
    ("GROUP BY account ORDER BY sum(bytes)", "TEMP B-TREE"),
    ("GROUP BY account ORDER BY sum(bytes)", "SCAN delivery_account"),
    ("WITH waiting AS", "SCAN t"),
    ("WHERE state = 3", "SCAN delivery_target USING COVERING INDEX"),
    ("WHERE as_administrator = 1", "SCAN delivery_target USING INDEX delivery_target_made"),
    ("SELECT DISTINCT made_by", "TEMP B-TREE"),
    ("failed_at IS NOT NULL", "SCAN delivery_target USING INDEX delivery_target_answers"),
    ("claim >> 32", "SCAN delivery USING INDEX delivery_claimed"),
    ("claim >> 32 FROM", "TEMP B-TREE"),
    ("SET missed = missed", "TEMP B-TREE"),
    ("INTO delivery_account AS a", "TEMP B-TREE"),
    ("sum(bytes)", "SCAN receipt_total"),
    ("DISTINCT d.claim", "count(DISTINCT)"),
    ("'lost'", "SCAN receipt_total"),
    ("min(position) FROM unmatched_receipt", "SCAN unmatched_receipt"),
];

/// The index by which a statement, of which this is a part, finds its rows.
const SEARCHED: [(&str, &str); 33] = [
    ("'lost'", "SEARCH receipt USING COVERING INDEX receipt_received (received_at<?)"),
    ("'lost'", "SEARCH receipt USING INTEGER PRIMARY KEY (rowid=?)"),
    ("FROM delivery_account AS a", "a USING COVERING INDEX delivery_account_due (due_at<?)"),
    ("FROM delivery_account AS a", "t USING INDEX delivery_target_due (<expr>=? AND due_at<?)"),
    ("min(t.due_at)", "delivery_target_due (<expr>=? AND due_at>?)"),
    ("t.id IN (", "t USING INTEGER PRIMARY KEY (rowid=?)"),
    ("t.id IN (", "delivery_claimed (target=?)"),
    ("t.id IN (", "delivery_due (target=? AND due_at<?)"),
    ("UPDATE delivery SET claim", "PRIMARY KEY (position=? AND target=?)"),
    ("UPDATE delivery SET claim = NULL, due_at = e.", "PRIMARY KEY (position=? AND target=?)"),
    ("FROM receipt AS r WHERE r.position IN", "r USING INTEGER PRIMARY KEY (rowid=?)"),
    ("UPDATE delivery SET state = 0", "(target=? AND state=? AND position=?)"),
    ("UPDATE delivery_target AS t", "USING INTEGER PRIMARY KEY (rowid=?)"),
    ("UPDATE delivery_target SET sealed", "USING INTEGER PRIMARY KEY (rowid=?)"),
    ("UPDATE delivery_target SET state", "USING INTEGER PRIMARY KEY (rowid=?)"),
    ("state < 3 AND made_by = ?1", "delivery_target_made (made_by=?)"),
    ("SET waiting = t.waiting", "delivery_claimed (target=?)"),
    ("SET waiting = t.waiting", "delivery_due (target=?)"),
    ("account IN (?1, '')", "delivery_target_account (account=?)"),
    (
        "u.account = turn.account",
        "u USING INDEX unmatched_receipt_turn (account=? AND leased_until<?)",
    ),
    ("WITH RECURSIVE turn", "unmatched_receipt_turn (account>?)"),
    (
        "SELECT d.position, d.target, r.id, r.class, r.received_at, d.state, d.due_at, d.attempts, d.claim FROM (",
        "delivery_state (target=? AND state=? AND position<?)",
    ),
    ("SELECT r.position, r.received_at, r.class", "d USING PRIMARY KEY (position=? AND target=?)"),
    ("r.account = ?3 AND r.position >", "receipt_account (account=? AND position>?)"),
    ("?3 = '' AND r.position >", "r USING INTEGER PRIMARY KEY (rowid>?)"),
    ("account = ?3 AND position", "receipt_account (account=? AND position>?)"),
    ("r.account, known", "receipt USING INTEGER PRIMARY KEY (rowid>?)"),
    ("WHERE r.received_at <=", "receipt_received (received_at<?)"),
    ("r.id = ?3", "sqlite_autoindex_receipt_1 (id=?)"),
    ("DELETE FROM delivery WHERE position", "PRIMARY KEY (position=?)"),
    ("WHERE r.account = ?1", "receipt_account (account=? AND position>?)"),
    ("WHERE r.account = ?1", "d USING PRIMARY KEY (position=?)"),
    ("min(d.position)", "delivery_state (target=? AND state=?)"),
];

/// Whether a step of a plan reads all of a table, or keeps rows in a table of its own.
fn is_costly(step: &str) -> bool {
    let scanned = step.strip_prefix("SCAN ").map(|rest| rest.split(' ').next().unwrap_or(rest));
    let is_table = |name: &str| {
        let tables = [
            "r",
            "a",
            "u",
            "t",
            "d",
            "delivery_account",
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
    queue.lease(64, Accounts::AllBut(&[])).await.unwrap();
    queue.lease(64, Accounts::Only(&[None])).await.unwrap();
    queue.release(vec![unmatched]).await.unwrap();
    queue.fan_out(vec![(unmatched, Vec::new())]).await.unwrap();
    queue.targets_for(Some("alice")).await.unwrap();
    let claimed = queue.claim(64, None).await.unwrap();
    let outcomes =
        [AttemptOutcome::Delivered, AttemptOutcome::Rejected, AttemptOutcome::Gone].into_iter();
    let done = claimed.iter().zip(outcomes.cycle());
    let done = done.map(|(it, outcome)| ended(it, outcome, None));
    queue.complete(done.collect()).await.unwrap();
    let known = claimed[0].id();
    for id in [one, two] {
        let target = queue.target(Scope::All, id).await.unwrap().unwrap();
        let replay = Replay { since: UNIX_EPOCH, until: None, all: true };
        queue.replayable(&target, replay, 0, 10).await.unwrap();
    }
    for scope in [alice, Scope::All] {
        queue.targets(scope, None, 300).await.unwrap();
        queue.events(scope, at(0), 300).await.unwrap();
        queue.delivery(scope, known).await.unwrap();
        queue.retry(scope, known).await.unwrap();
        for all in [false, true] {
            let replayed = queue.replay(scope, one, vec![unmatched], all);
            replayed.await.unwrap();
        }
        for state in [None, Some(DeliveryState::Failed)] {
            let listed = queue.deliveries(scope, one, state, None, 300);
            listed.await.unwrap();
        }
    }
    queue.receipt(1).await.unwrap();
    queue.sign_of_life(Duration::from_secs(3600)).await.unwrap();
    queue.arrivals(0).await.unwrap();
    queue.counts().await.unwrap();
    // There is no room, and one that can go.
    place.receive("alice").await;
    _ = queue.insert(receipt("alice"), 612).await;
    let changed =
        queue.change_target(alice, one, (1, TargetState::Active), Box::from([0; 9]), None);
    changed.await.unwrap();
    queue.bound_targets(None).await.unwrap();
    queue.set_unbound(one, 2, true).await.unwrap();
    place.pass(Duration::from_secs(1));
    let (_, asked) = queue.makers_to_ask(Duration::ZERO).await.unwrap();
    queue.administrators().await.unwrap();
    for is_so in [false, true] {
        queue.confirm_maker("alice", is_so, asked).await.unwrap();
        let maker = portreeve::deliveries::Maker::of("alice");
        queue.maker_seen(&maker, is_so).await.unwrap();
    }
    queue.maker_left("alice").await.unwrap();
    queue.suspend_unconfirmed(Duration::ZERO).await.unwrap();
    queue.remove_target(alice, one).await.unwrap();
    for keep in [3600, 0] {
        place.pass(Duration::from_secs(1));
        while queue.clean(Duration::from_secs(keep)).await.unwrap() > 0 {}
    }
    let failed = place.target("alice").await;
    for outcome in [AttemptOutcome::Rejected, AttemptOutcome::Delivered] {
        place.pass(Duration::from_secs(5));
        place.due(&[failed]).await;
        let claimed = queue.claim(1, None).await.unwrap();
        let done = ended(&claimed[0], outcome, None);
        queue.complete(vec![done]).await.unwrap();
    }
    place.due(&[failed]).await;
    queue.claim(1, None).await.unwrap();
}

/// The statements in a log.
fn statements(log: &Log) -> BTreeSet<String> {
    let text = log.text();
    let lines = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let sql = lines.filter_map(|line| Some(line["fields"]["sql"].as_str()?.to_owned()));
    sql.collect()
}

fn plan(path: &Path, sql: &str) -> String {
    let connection = rusqlite::Connection::open(path).unwrap();
    // As the store has it.
    let stable = DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG;
    connection.set_db_config(stable, true).unwrap();
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
        let path = dir.path().join("deliveries.db");
        // As if a gateway had it that is gone.
        let database = rusqlite::Connection::open(&path).unwrap();
        let claims = "UPDATE delivery SET claim = 7 << 32 WHERE claim IS NOT NULL";
        assert_eq!(database.execute(claims, []).unwrap(), 1);
        place.gateways[1].take_over().await.unwrap();
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
