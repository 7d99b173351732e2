//! The cache of one of several gateways: while it is notified of changes, it answers without the database,
//! and never with a record that was replaced or removed more than a second ago.

use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use portreeve::vault::{FlowState, Login, PostgresStore, Store as _, Table, Vault};

use super::proxy::Proxy;
use super::{Operations, name, open, options, server, until, vault, wait_until_subscribed};
use crate::suite::{held, password, put};
use crate::support::postgres::Postgres;

pub(super) const SECOND: Duration = Duration::from_secs(1);

/// Looks alice up until nothing is found any more, and returns how long after `removed` that was; panics
/// if a lookup that begins more than a second after `removed` still finds something.
pub(super) async fn until_gone(vault: &Vault, removed: Instant) -> Duration {
    loop {
        let began = Instant::now();
        let found = vault.store().get(Table::Credential, "alice").await;
        if matches!(found, Ok(None)) {
            return removed.elapsed();
        }
        if matches!(found, Ok(Some(_))) {
            let late = began.duration_since(removed);
            assert!(late <= SECOND, "found {late:?} after its removal");
        }
        assert!(removed.elapsed() < 60 * SECOND, "{found:?}");
        tokio::task::yield_now().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_removal_is_seen_by_other_gateways() {
    let Some(server) = server() else { return };
    let url = server.database();
    let (one, other) = (vault(&open(&url).await), vault(&open(&url).await));
    let mut times = Vec::new();
    for number in 0..200 {
        put(&one, "alice", number).await;
        // Until the other gateway sees the new password.
        until(async || held(&other, "alice").await == Some(number)).await;
        one.remove("alice").await.unwrap();
        let removed = Instant::now();
        assert_eq!(held(&one, "alice").await, None, "at once where it was removed");
        times.push(until_gone(&other, removed).await);
    }
    times.sort();
    println!(
        "a removal by another gateway is seen after {:?} (median), {:?} (99 of 100)",
        times[100], times[198]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unbinding_is_seen_by_other_gateways() {
    let Some(server) = server() else { return };
    let url = server.database();
    let (one, other) = (vault(&open(&url).await), vault(&open(&url).await));
    let bound = async |vault: &Vault| {
        let binding = vault.binding("https://id", "anna").await;
        binding.unwrap().is_some()
    };
    for _ in 0..20 {
        one.bind("https://id", "anna", "alice").await.unwrap();
        until(async || bound(&other).await).await;
        one.unbind_user("alice").await.unwrap();
        let ended = Instant::now();
        loop {
            let began = Instant::now();
            if !bound(&other).await {
                break;
            }
            assert!(began.duration_since(ended) <= SECOND);
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn lookups_are_answered_from_memory_while_changes_are_notified() {
    let Some(server) = server() else { return };
    let url = server.database();
    let operations = Arc::new(Operations::default());
    let mut store = open(&url).await;
    store.observer = Some(operations.clone());
    let vault = vault(&store);
    put(&vault, "alice", 1).await;
    // This store is notified of its own change too; until then, a read is not cached for long.
    until(async || {
        let before = operations.count();
        for _ in 0..1000 {
            vault.credential("alice").await.unwrap().unwrap();
            assert!(vault.credential("nobody").await.unwrap().is_none());
        }
        operations.count() == before
    })
    .await;
    // A store that does not listen asks the database each time.
    let mut asking = options(&url);
    asking.listen = false;
    let asking = PostgresStore::open(asking).await;
    let operations = Arc::new(Operations::default());
    let mut asking = asking.unwrap();
    asking.observer = Some(operations.clone());
    for _ in 0..10 {
        let found = asking.get(Table::Credential, "alice").await;
        assert!(found.unwrap().is_some());
    }
    assert_eq!(operations.count(), 10);
}

/// Changes by hand cause notifications too.
#[tokio::test(flavor = "multi_thread")]
async fn changes_by_hand_are_seen() {
    let Some(server) = server() else { return };
    let url = server.database();
    let database = name(&url);
    let vault = vault(&open(&url).await);
    for sql in [
        "DELETE FROM portreeve.credential WHERE key = 'alice'",
        "UPDATE portreeve.credential SET key = 'other' WHERE key = 'alice'",
        "TRUNCATE portreeve.credential",
    ] {
        put(&vault, "alice", 1).await;
        vault.credential("alice").await.unwrap().unwrap();
        server.psql(database, sql);
        until_gone(&vault, Instant::now()).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn with_a_proxy_that_swallows_bytes_no_answer_is_stale_for_over_a_second() {
    let Some(server) = server() else { return };
    let url = server.database();
    let proxy = Proxy::before(server.port).await;
    let through = url.replace(&server.port.to_string(), &proxy.address.port().to_string());
    let one = vault(&open(&url).await);
    let mut stalled = options(&through);
    stalled.timeout = 2 * SECOND;
    let stalled = PostgresStore::open(stalled).await.unwrap();
    for number in 0..3 {
        wait_until_subscribed(&stalled, true).await;
        put(&one, "alice", number).await;
        until(async || held(&vault(&stalled), "alice").await == Some(number)).await;
        proxy.swallow();
        one.remove("alice").await.unwrap();
        until_gone(&vault(&stalled), Instant::now()).await;
    }
    wait_until_subscribed(&stalled, true).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_listening_connection_that_ends_is_replaced() {
    let Some(server) = server() else { return };
    let url = server.database();
    let database = name(&url);
    let listening = open(&url).await;
    let (one, other) = (vault(&open(&url).await), vault(&listening));
    for number in 0..5 {
        put(&one, "alice", number).await;
        until(async || held(&other, "alice").await == Some(number)).await;
        server.psql(
            database,
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity \
             WHERE datname = current_database() AND pid <> pg_backend_pid() AND query LIKE 'LISTEN%' \
             OR (datname = current_database() AND query = '' AND pid <> pg_backend_pid())",
        );
        one.remove("alice").await.unwrap();
        until_gone(&other, Instant::now()).await;
        wait_until_subscribed(&listening, true).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn with_a_database_that_hangs_no_answer_is_stale_for_over_a_second() {
    let Some(server) = tokio::task::block_in_place(Postgres::start) else {
        return;
    };
    let mut store = options(&server.database());
    store.timeout = SECOND;
    let store = PostgresStore::open(store).await.unwrap();
    wait_until_subscribed(&store, true).await;
    let vault = vault(&store);
    put(&vault, "alice", 1).await;
    vault.credential("alice").await.unwrap().unwrap();
    server.signal("STOP");
    let stopped = Instant::now();
    loop {
        let began = Instant::now();
        let found = store.get(Table::Credential, "alice").await;
        if began.duration_since(stopped) > SECOND {
            let said = found.unwrap_err().to_string();
            assert!(said.contains("cannot read a credential in postgres://"), "{said}");
            break;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert!(store.ready().await.is_err());
    server.signal("CONT");
    until(async || store.ready().await.is_ok()).await;
    wait_until_subscribed(&store, true).await;
    assert!(vault.credential("alice").await.unwrap().is_some());
}

/// If many tasks pick up one login flow at once through several gateways, exactly one succeeds.
#[tokio::test(flavor = "multi_thread")]
async fn a_login_flow_is_picked_up_only_once() {
    let Some(server) = server() else { return };
    let url = server.database();
    let gateways = [open(&url).await, open(&url).await, open(&url).await];
    for round in 0..20 {
        let expires_at = SystemTime::now() + 60 * SECOND;
        let state = FlowState::OtherAccount;
        let one = vault(&gateways[0]);
        let flow = one.put_flow("alice", expires_at, state).await.unwrap();
        let picking = (0..9).map(|at| {
            let vault = vault(&gateways[at % 3]);
            let id = flow.flow_id().to_owned();
            tokio::spawn(async move {
                let flow = vault.flow("alice", &id).await.unwrap().unwrap();
                let is_collected = matches!(flow.state, FlowState::Collected(_));
                let collected =
                    FlowState::Collected(Login { name: "alice".into(), password: password(round) });
                !is_collected && vault.update_flow(&flow, collected).await.unwrap().is_some()
            })
        });
        let picked = futures_util::future::join_all(picking).await;
        let picked = picked.into_iter().filter(|picked| *picked.as_ref().unwrap());
        assert_eq!(picked.count(), 1);
    }
}
