//! Attempts that end with their worker, or in a panic.

use std::future::pending;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use http::StatusCode;
use portreeve::deliveries::{AttemptOutcome, DeliveryState, Scope};
use portreeve::vault::StoreObserver;

use super::{CREATED, Gateway, settings};
use crate::target::{Target, status, until};

/// It has its place in the schedule, and the place for attempts is free again.
#[tokio::test(flavor = "multi_thread")]
async fn an_attempt_that_panics_is_noted() {
    let mut gateway = Gateway::new().await;
    let uri = "https://panics.example/".to_owned();
    let id = gateway.target(Some("alice"), &settings(uri)).await;
    gateway.start();
    gateway.receive("alice", CREATED).await;
    until("it is noted", async || {
        let all = gateway.all(id).await;
        all.len() == 1 && all[0].attempts.len() == 1
    })
    .await;
    let delivery = &gateway.all(id).await[0];
    assert_eq!(delivery.attempts[0].outcome, AttemptOutcome::Broken);
    assert_eq!(delivery.state, DeliveryState::Waiting);
    gateway.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_in_flight_ends_before_the_worker_does() {
    let mut gateway = Gateway::new().await;
    let target = Target::serving(|target, stream| async move {
        tokio::time::sleep(Duration::from_millis(300)).await;
        target.http(stream, || status(StatusCode::OK)).await;
    })
    .await;
    let id = gateway.target(Some("alice"), &settings(target.uri())).await;
    gateway.start();
    gateway.receive("alice", CREATED).await;
    until("the attempt begins", async || target.connections() == 1).await;
    gateway.stop().await;
    assert_eq!(target.requests().len(), 1);
    assert_eq!(gateway.all(id).await[0].state, DeliveryState::Delivered);
}

/// Another process holds the database for longer than a statement waits, while the worker stops.
#[tokio::test(flavor = "multi_thread")]
async fn what_has_arrived_is_noted_although_the_queue_fails_while_the_worker_stops() {
    let mut gateway = Gateway::new().await;
    let target = Target::serving(|target, stream| async move {
        tokio::time::sleep(Duration::from_millis(300)).await;
        target.http(stream, || status(StatusCode::OK)).await;
    })
    .await;
    let id = gateway.target(Some("alice"), &settings(target.uri())).await;
    gateway.start();
    gateway.receive("alice", CREATED).await;
    until("the attempt begins", async || target.connections() == 1).await;
    let other =
        rusqlite::Connection::open(gateway.dir.as_ref().unwrap().path().join("deliveries.db"))
            .unwrap();
    other.busy_timeout(Duration::from_secs(1)).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    gateway.stop.cancel();
    tokio::time::sleep(Duration::from_millis(6500)).await;
    assert!(!gateway.running.as_ref().unwrap().is_finished());
    other.execute_batch("ROLLBACK").unwrap();
    gateway.stop().await;
    assert_eq!(target.requests().len(), 1);
    let delivery = &gateway.all(id).await[0];
    assert_eq!(delivery.state, DeliveryState::Delivered);
    assert_eq!(delivery.attempts.len(), 1);
}

/// As a failover does that loses the last change: the next one has its revision.
#[tokio::test(flavor = "multi_thread")]
async fn settings_that_the_database_has_lost_are_used_no_more() {
    let mut gateway = Gateway::new().await;
    let (lost, target) = (Target::ok().await, Target::ok().await);
    let id = gateway.target(Some("alice"), &settings("http://127.0.0.1:9/".into())).await;
    gateway.start();
    let read = async || gateway.deliveries.queue().target(Scope::All, id).await.unwrap().unwrap();
    let change = async |uri| {
        let (found, settings) = (read().await, settings(uri));
        let changed = gateway.deliveries.change_target(Scope::All, &found, &settings, None);
        assert!(changed.await.unwrap());
    };
    let kept = read().await;
    change(lost.uri()).await;
    gateway.receive("alice", CREATED).await;
    until("it arrives", async || lost.requests().len() == 1).await;
    let path = gateway.dir.as_ref().unwrap().path().join("deliveries.db");
    let database = rusqlite::Connection::open(path).unwrap();
    let sql = "UPDATE delivery_target SET sealed = ?1, revision = ?2";
    database.execute(sql, (&kept.sealed, kept.revision)).unwrap();
    change(target.uri()).await;
    gateway.receive("alice", CREATED).await;
    until("another one arrives", async || lost.requests().len() + target.requests().len() == 2)
        .await;
    assert_eq!(target.requests().len(), 1);
}

/// A target that takes what comes, and answers nothing at first.
#[tokio::test(flavor = "multi_thread")]
async fn ten_gateways_that_were_killed_during_an_attempt_cost_no_step() {
    let dir = tempfile::tempdir().unwrap();
    let hangs = Arc::new(AtomicBool::new(true));
    let hanging = hangs.clone();
    let target = Target::serving(move |target, stream| {
        let hangs = hanging.load(Ordering::SeqCst);
        async move {
            if hangs {
                pending::<()>().await;
            }
            target.http(stream, || status(StatusCode::INTERNAL_SERVER_ERROR)).await;
        }
    })
    .await;
    let gateway = Gateway::open(dir.path()).await;
    let id = gateway.target(Some("alice"), &settings(target.uri())).await;
    gateway.receive("alice", CREATED).await;
    drop(gateway);
    for attempts in 1..=10 {
        let mut gateway = Gateway::open(dir.path()).await;
        gateway.start_with(Duration::from_secs(600));
        until("an attempt is under way", async || target.connections() == attempts).await;
        let killed = gateway.running.take().unwrap();
        killed.abort();
        killed.await.unwrap_err();
    }
    hangs.store(false, Ordering::SeqCst);
    let mut gateway = Gateway::open(dir.path()).await;
    gateway.start();
    until("an attempt is noted", async || !gateway.all(id).await[0].attempts.is_empty()).await;
    gateway.stop().await;
    let delivery = &gateway.all(id).await[0];
    assert_eq!(delivery.state, DeliveryState::Waiting);
    let attempt = delivery.attempts[0];
    assert_eq!(attempt.status, Some(500));
    let wait = delivery.due_at.unwrap().duration_since(attempt.at).unwrap();
    assert!(wait < Duration::from_secs(7), "{wait:?}");
}

/// Panics so many times, as a fault beside the statements would.
#[derive(Debug, Default)]
struct Faults(AtomicUsize);

impl StoreObserver for Faults {
    fn store_operation(&self, _: &'static str, _: bool) {
        let is_one = |left: usize| left.checked_sub(1);
        let left = self.0.fetch_update(Ordering::SeqCst, Ordering::SeqCst, is_one);
        assert!(left.is_err(), "as a fault in here would");
    }
}

/// In whatever it does.
#[tokio::test(flavor = "multi_thread")]
async fn a_panic_of_the_worker_holds_nothing_up_until_a_restart() {
    let faults = Arc::<Faults>::default();
    let mut gateway = Gateway::observed(Some(faults.clone())).await;
    let target = Target::ok().await;
    gateway.target(Some("alice"), &settings(target.uri())).await;
    gateway.start();
    for number in 1..=3 {
        faults.0.store(10, Ordering::SeqCst);
        until("all have come", async || faults.0.load(Ordering::SeqCst) == 0).await;
        gateway.receive("alice", CREATED).await;
        until("it is delivered", async || target.received() == number).await;
    }
    gateway.stop().await;
}

/// As an application does that rebuilds its gateway.
#[tokio::test(flavor = "multi_thread")]
async fn a_worker_that_is_dropped_keeps_nothing_open() {
    #[derive(Debug)]
    struct Nobody;

    impl StoreObserver for Nobody {
        fn store_operation(&self, _: &'static str, _: bool) {}
    }

    let observer = Arc::new(Nobody);
    let mut gateway = Gateway::observed(Some(observer.clone())).await;
    gateway.start();
    // Until it has nothing to do.
    tokio::time::sleep(Duration::from_millis(500)).await;
    assert!(Arc::strong_count(&observer) > 1);
    gateway.kill();
    drop(gateway);
    until("its database is closed", async || Arc::strong_count(&observer) == 1).await;
}
