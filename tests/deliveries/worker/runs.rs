//! Deliveries that are claimed together, and receipts that are handed over.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use http::StatusCode;
use portreeve::deliveries::queue::{LEASE, MAX_CONCURRENT_PER_TARGET};
use portreeve::deliveries::{DeliveryState, Scope};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use super::fairness::Changes;
use super::{CREATED, Gateway, WRITTEN, changed, settings};
use crate::target::{Target, status, until};

/// As many as are claimed for a target at once.
const CLAIMED: usize = 16;

/// Those behind the first ones that failed are not attempted in the same run.
#[tokio::test(flavor = "multi_thread")]
async fn what_was_claimed_and_not_attempted_has_used_no_step() {
    let mut gateway = Gateway::new().await;
    let target = Target::always(StatusCode::SERVICE_UNAVAILABLE).await;
    let id = gateway.target(Some("alice"), &settings(target.uri())).await;
    for _ in 0..CLAIMED {
        gateway.receive("alice", CREATED).await;
    }
    gateway.start();
    for tries in [1, 2] {
        until("all have been tried", async || {
            let all = gateway.all(id).await;
            all.len() == CLAIMED && all.iter().all(|it| it.attempts.len() == tries)
        })
        .await;
        assert!(gateway.all(id).await.iter().all(|it| it.state == DeliveryState::Waiting));
        // The second step comes after five seconds, and the third after five minutes.
        gateway.forward(Duration::from_secs(20));
    }
    gateway.stop().await;
    assert_eq!(target.received(), 2 * CLAIMED);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_worker_that_stops_gives_back_what_it_has_claimed() {
    let mut gateway = Gateway::new().await;
    let (now, most) = (Arc::<AtomicUsize>::default(), Arc::<AtomicUsize>::default());
    let (in_flight, highest) = (now.clone(), most.clone());
    // It answers nothing before the worker stops.
    let answers = CancellationToken::new();
    let answering = answers.clone();
    let target = Target::serving(move |target, stream| {
        let (now, most, answers) = (in_flight.clone(), highest.clone(), answering.clone());
        async move {
            most.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            answers.cancelled().await;
            now.fetch_sub(1, Ordering::SeqCst);
            target.http(stream, || status(StatusCode::OK)).await;
        }
    })
    .await;
    let id = gateway.target(Some("alice"), &settings(target.uri())).await;
    for _ in 0..CLAIMED {
        gateway.receive("alice", CREATED).await;
    }
    gateway.start();
    until("attempts begin", async || target.connections() > 0).await;
    gateway.stop.cancel();
    answers.cancel();
    gateway.stop().await;
    let first = target.received();
    assert!(first <= MAX_CONCURRENT_PER_TARGET as usize, "{first}");
    let all = gateway.all(id).await;
    let delivered = all.iter().filter(|it| it.state == DeliveryState::Delivered);
    assert_eq!(delivered.count(), first);
    // What is under way is not due.
    let due = all.iter().filter(|it| it.due_at.is_some());
    assert_eq!(due.count(), all.len() - first);
    gateway.start();
    until("the others arrive", async || target.received() == CLAIMED).await;
    gateway.stop().await;
    assert!(gateway.all(id).await.iter().all(|it| it.attempts.len() == 1));
    assert!(most.load(Ordering::SeqCst) as i64 <= MAX_CONCURRENT_PER_TARGET);
}

/// Neither what was claimed with it nor what was claimed before and after.
#[tokio::test(flavor = "multi_thread")]
async fn nothing_waits_for_a_slow_attempt_at_the_same_target() {
    const EVENTS: usize = 100;
    let mut gateway = Gateway::new().await;
    let answers = CancellationToken::new();
    let answering = answers.clone();
    let target = Target::serving(move |target, stream| {
        let is_slow = target.connections() == 1;
        let answers = answering.clone();
        async move {
            if is_slow {
                answers.cancelled().await;
            }
            target.http(stream, || status(StatusCode::OK)).await;
        }
    })
    .await;
    let id = gateway.target(Some("alice"), &settings(target.uri())).await;
    for event in 0..EVENTS {
        if event == CLAIMED {
            gateway.start_with(LEASE);
        }
        gateway.receive("alice", CREATED).await;
    }
    // Otherwise they would be claimed anew.
    let others = until("the others arrive", async || target.received() == EVENTS - 1);
    tokio::time::timeout(LEASE / 2, others).await.expect("they wait for the slow one");
    answers.cancel();
    until("it arrives, too", async || target.received() == EVENTS).await;
    gateway.stop().await;
    assert!(gateway.all(id).await.iter().all(|it| it.attempts.len() == 1));
}

/// The database is busy from before a run is given back until the attempt that was still under way has failed.
#[tokio::test(flavor = "multi_thread")]
async fn the_attempts_of_a_run_are_noted_in_the_order_in_which_they_ended() {
    for _ in 0..6 {
        let mut gateway = Gateway::new().await;
        let (busy, late) = (CancellationToken::new(), CancellationToken::new());
        let target = |token: &CancellationToken| {
            let token = token.clone();
            Target::serving(move |_, stream| fail_if_written(stream, token.clone()))
        };
        let (target, other) = (target(&late).await, target(&busy).await);
        let id = gateway.target(Some("alice"), &settings(target.uri())).await;
        gateway.target(Some("bob"), &settings(other.uri())).await;
        // One run has the first of them and the last one.
        for class in [CREATED, CREATED, CREATED, CREATED, WRITTEN] {
            gateway.receive("alice", class).await;
        }
        gateway.receive("bob", WRITTEN).await;
        gateway.start();
        until("the attempts begin", async || other.connections() == 1).await;
        let path = gateway.dir.as_ref().unwrap().path().join("deliveries.db");
        let database = rusqlite::Connection::open(path).unwrap();
        database.busy_timeout(Duration::from_secs(1)).unwrap();
        database.execute_batch("BEGIN IMMEDIATE").unwrap();
        for ends in [busy, late] {
            ends.cancel();
            tokio::time::sleep(Duration::from_millis(150)).await;
        }
        database.execute_batch("ROLLBACK").unwrap();
        let is_noted = async || gateway.all(id).await.iter().all(|it| it.attempts.len() == 1);
        until("all are noted", is_noted).await;
        gateway.stop().await;
        let found = gateway.deliveries.queue().target(Scope::All, id).await.unwrap().unwrap();
        assert!(found.failing_since.is_some(), "the last one failed");
    }
}

/// Answers at once, but to the event that a file was written after `until`, and with an error.
async fn fail_if_written(mut stream: TcpStream, until: CancellationToken) {
    let mut read = Vec::new();
    while stream.read_buf(&mut read).await.is_ok_and(|it| it > 0) {
        if !read.ends_with(br#""time":1}"#) {
            continue;
        }
        let fails = read.windows(7).any(|it| it == b"Written");
        if fails {
            until.cancelled().await;
        }
        let code = if fails { 503 } else { 200 };
        let answer = format!("HTTP/1.1 {code} x\r\nContent-Length: 0\r\n\r\n");
        stream.write_all(answer.as_bytes()).await.ok();
        read.clear();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn receipts_are_kept_though_their_deliveries_cannot_be_made() {
    let mut gateway = Gateway::new().await;
    let target = Target::ok().await;
    gateway.target(Some("alice"), &settings(target.uri())).await;
    let path = gateway.dir.as_ref().unwrap().path().join("deliveries.db");
    let database = rusqlite::Connection::open(path).unwrap();
    database.busy_timeout(Duration::from_secs(10)).unwrap();
    let fails =
        "CREATE TRIGGER fails BEFORE INSERT ON delivery BEGIN SELECT RAISE(ABORT, 'it does'); END";
    gateway.start();
    // From then on deliveries are made with their receipts.
    gateway.receive("alice", CREATED).await;
    until("it arrives", async || target.received() == 1).await;
    database.execute_batch(fails).unwrap();
    for number in 1..=3_i64 {
        gateway.receive("alice", CREATED).await;
        let leased = "SELECT count(*), coalesce(max(leased_until), 0) FROM unmatched_receipt";
        // Their leases last for longer than each look.
        until("they are nobody's", async || {
            let found = database.query_row(leased, (), |row| Ok((row.get(0)?, row.get(1)?)));
            found.unwrap() == (number, 0_i64)
        })
        .await;
    }
    database.execute_batch("DROP TRIGGER fails").unwrap();
    until("they arrive", async || target.received() == 4).await;
    gateway.stop().await;
}

/// Receipts are stored with their deliveries, which are claimed then; and what came of them is noted. A filter is not looked at
/// in the first transaction.
#[tokio::test(flavor = "multi_thread")]
async fn an_event_takes_two_transactions_where_nothing_waits_and_three_for_a_filter() {
    let filter = r#"{"user.uid": "alice"}"#.to_owned();
    for (filter, transactions) in [(None, 2), (Some(filter), 3)] {
        const EVENTS: usize = 100;
        let changes = Arc::<Changes>::default();
        let mut gateway = Gateway::observed(Some(changes.clone() as _)).await;
        let target = Target::ok().await;
        let filtered = changed(settings(target.uri()), |it| it.filter = filter);
        let id = gateway.target(Some("alice"), &filtered).await;
        gateway.start();
        let mut before = 0;
        for event in 0..=EVENTS {
            gateway.receive("alice", CREATED).await;
            until("it is noted", async || {
                let all = gateway.all(id).await;
                all.len() > event && all.iter().all(|it| it.state == DeliveryState::Delivered)
            })
            .await;
            // The first one may find others under way.
            if event == 0 {
                before = changes.0.load(Ordering::SeqCst);
            }
        }
        let taken = changes.0.load(Ordering::SeqCst) - before;
        // It looks now and then besides, whether anything has come.
        let expected = transactions * EVENTS..(transactions + 1) * EVENTS;
        assert!(expected.contains(&taken), "{taken}");
        gateway.stop().await;
    }
}

/// The transaction that inserts them has them match the targets of their accounts, by their classes.
#[tokio::test(flavor = "multi_thread")]
async fn events_that_are_matched_at_once_arrive_only_where_they_are_wanted() {
    const ROUNDS: usize = 20;
    const EVENTS: [(&str, &str); 3] = [("alice", WRITTEN), ("alice", CREATED), ("bob", WRITTEN)];
    let mut gateway = Gateway::new().await;
    let target = Target::ok().await;
    let created = CREATED.replace(r"\\", r"\");
    let all = settings(target.uri());
    let of_class = changed(settings(target.uri()), |it| it.events = vec![created]);
    // With how many events of a round each wants.
    let targets = [
        (gateway.target(Some("alice"), &all).await, 2),
        (gateway.target(Some("alice"), &of_class).await, 1),
        (gateway.target(Some("bob"), &all).await, 1),
        (gateway.target(None, &all).await, 3),
    ];
    let path = gateway.dir.as_ref().unwrap().path().join("deliveries.db");
    let database = rusqlite::Connection::open(path).unwrap();
    database.busy_timeout(Duration::from_secs(10)).unwrap();
    let counts = "CREATE TABLE later (position INTEGER) STRICT; \
                  CREATE TRIGGER counts AFTER INSERT ON unmatched_receipt \
                  BEGIN INSERT INTO later VALUES (new.position); END";
    database.execute_batch(counts).unwrap();
    gateway.start();
    for _ in 0..ROUNDS {
        for (account, class) in EVENTS {
            let expected = target.received() + if class == CREATED { 3 } else { 2 };
            gateway.receive(account, class).await;
            until("each attempt is noted", async || {
                let mut noted = 0;
                for (id, _) in targets {
                    let all = gateway.all(id).await;
                    noted += all.iter().filter(|it| !it.attempts.is_empty()).count();
                }
                noted == expected
            })
            .await;
        }
    }
    for (id, of_round) in targets {
        assert_eq!(gateway.all(id).await.len(), of_round * ROUNDS);
    }
    // The first ones are, since their targets are opened then.
    let later = "SELECT count(*) FROM later";
    let later: i64 = database.query_row(later, (), |row| row.get(0)).unwrap();
    assert!(later < (EVENTS.len() * ROUNDS / 2) as i64, "{later}");
    gateway.stop().await;
}

/// Their deliveries are made when that has ended, though the worker waits for the next ones.
#[cfg(feature = "postgres")]
#[tokio::test(flavor = "multi_thread")]
async fn receipts_do_not_wait_for_another_gateway_that_changes_deliveries() {
    use portreeve::vault::{Keyring, MemoryStore, Vault};

    let Some(place) = crate::queue::Place::postgres().await else { return };
    let vault = Vault::new(Keyring::generate().unwrap(), MemoryStore::new());
    let mut gateway = Gateway::on(vault, place.gateways[0].clone(), Arc::default());
    let target = Target::ok().await;
    let id = gateway.target(Some("alice"), &settings(target.uri())).await;
    gateway.start();
    gateway.receive("alice", CREATED).await;
    until("it has arrived", async || {
        gateway.all(id).await.iter().any(|it| !it.attempts.is_empty())
    })
    .await;
    let psql = place.psql();
    let holding = psql.clone();
    // "delivery" in ASCII.
    let holds = "SELECT pg_advisory_lock(7234307576654295673); SELECT pg_sleep(5)";
    let holding = tokio::task::spawn_blocking(move || holding(holds));
    let is_held = "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep' \
                   AND datname = current_database()";
    while tokio::task::block_in_place(|| psql(is_held)) == "0" {}
    for _ in 0..5 {
        gateway.receive("alice", CREATED).await;
    }
    assert!(!holding.is_finished() && target.received() == 1, "they have waited for it");
    holding.await.unwrap();
    until("they arrive", async || target.received() == 6).await;
    gateway.stop().await;
}

/// One of them has the receipts handed over, and both are ended in the midst of it.
#[tokio::test(flavor = "multi_thread")]
async fn two_workers_on_one_queue_bring_each_event_once() {
    const EVENTS: usize = 300;
    let mut gateway = Gateway::new().await;
    let target = Target::ok().await;
    let id = gateway.target(Some("alice"), &settings(target.uri())).await;
    let mut other: Option<(CancellationToken, JoinHandle<()>)> = None;
    for event in 0..=EVENTS {
        if event == EVENTS {
            until("all arrive", async || target.received() >= EVENTS).await;
        }
        if event % 20 == 0 {
            gateway.stop().await;
            if let Some((stop, running)) = other.take() {
                stop.cancel();
                running.await.unwrap();
            }
        }
        if event < EVENTS {
            if event % 20 == 0 {
                gateway.start();
                other = Some((gateway.stop.clone(), gateway.running.take().unwrap()));
                gateway.start();
            }
            gateway.receive("alice", CREATED).await;
        }
    }
    assert!(gateway.all(id).await.iter().all(|it| it.attempts.len() == 1));
    assert_eq!(target.received(), EVENTS);
}
