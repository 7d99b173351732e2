//! A pooler between the gateways and the database: one that passes connections from client to client answers
//! `LISTEN`, and drops the notifications.

use std::time::{Duration, Instant};

use portreeve::vault::PostgresStore;

use super::coherence::{SECOND, until_gone};
use super::{open, options, server, vault, wait_until_subscribed};
use crate::suite::{held, put};
use crate::support::pgbouncer::PgBouncer;

#[tokio::test(flavor = "multi_thread")]
async fn behind_a_pooler_that_drops_notifications_no_answer_is_stale_for_over_a_second() {
    let Some(server) = server() else { return };
    let Some(pooler) = PgBouncer::before(server, "transaction") else {
        return;
    };
    let url = server.database();
    let one = vault(&open(&url).await);
    let mut pooled = options(&pooler.through(&url));
    pooled.connections = 1;
    let pooled = PostgresStore::open(pooled).await.unwrap();
    for number in 0..3 {
        put(&one, "alice", number).await;
        // Long enough for any lookup to be answered from memory, if one ever is.
        let began = Instant::now();
        while began.elapsed() < SECOND || held(&vault(&pooled), "alice").await != Some(number) {
            assert!(began.elapsed() < 60 * SECOND);
            held(&vault(&pooled), "alice").await;
        }
        one.remove("alice").await.unwrap();
        until_gone(&vault(&pooled), Instant::now()).await;
        assert!(!pooled.is_subscribed());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pooler_that_is_told_to_drop_notifications_is_noticed() {
    let Some(server) = server() else { return };
    let Some(pooler) = PgBouncer::before(server, "session") else {
        return;
    };
    let url = pooler.through(&server.database());
    let store = open(&url).await;
    let vault = vault(&store);
    put(&vault, "alice", 1).await;
    assert_eq!(held(&vault, "alice").await, Some(1));
    pooler.set_pool_mode("transaction");
    wait_until_subscribed(&store, false).await;
    // It stays so, also on other connections.
    let began = Instant::now();
    while began.elapsed() < Duration::from_secs(3) {
        assert!(!store.is_subscribed());
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    pooler.set_pool_mode("session");
    wait_until_subscribed(&store, true).await;
}

/// The pooler gives the connections of one start to the next one, with all that was prepared on them.
#[tokio::test(flavor = "multi_thread")]
async fn each_of_many_starts_behind_a_pooler_in_transaction_mode_succeeds() {
    let Some(server) = server() else { return };
    let Some(pooler) = PgBouncer::before(server, "transaction") else {
        return;
    };
    let url = pooler.through(&server.database());
    for number in 0..12 {
        let store = PostgresStore::open(options(&url)).await.unwrap();
        put(&vault(&store), "alice", number).await;
        assert_eq!(held(&vault(&store), "alice").await, Some(number));
        PostgresStore::inspect(options(&url)).await.unwrap();
    }
}
