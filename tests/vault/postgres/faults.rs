//! The database fails, restarts, moves to another address, and has conflicting transactions.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use portreeve::vault::{PostgresStore, Vault, VaultError};

use super::{name, open, options, server, until, vault, wait_until_subscribed};
use crate::suite::{held, password, put};
use crate::support::postgres::Postgres;
use crate::support::seed;

const SECOND: Duration = Duration::from_secs(1);

async fn wait_until_ready(vault: &Vault) {
    until(async || vault.ready().await.is_ok()).await;
}

/// Two independent servers with a database of one name, and a URL of both.
fn pair() -> Option<(Postgres, Postgres, String)> {
    tokio::task::block_in_place(|| {
        let (first, second) = (Postgres::start()?, Postgres::start()?);
        let database = name(&first.database()).to_owned();
        second.psql("postgres", &format!("CREATE DATABASE {database}"));
        let (one, other) = (first.port, second.port);
        let both = format!("postgres://port@127.0.0.1:{one},127.0.0.1:{other}/{database}");
        Some((first, second, both))
    })
}

/// The state of one user, as far as it is known from the answers.
#[derive(Clone, Copy, Debug, Default)]
struct Known {
    /// The last change that was acknowledged: a password of this number, or none.
    acknowledged: Option<usize>,
    /// A later change whose answer was an error: it may have been made or not.
    unknown: Option<Option<usize>>,
}

/// PostgreSQL is killed at random moments while eight users store and remove; no acknowledged change
/// is lost, and none is half done.
#[tokio::test(flavor = "multi_thread")]
async fn acknowledged_changes_survive_kills_of_the_database() {
    let Some(mut server) = tokio::task::block_in_place(Postgres::start) else {
        return;
    };
    let mut store = options(&server.database());
    store.timeout = 2 * SECOND;
    let store = PostgresStore::open(store).await.unwrap();
    let vault = vault(&store);
    let known: Arc<Mutex<HashMap<String, Known>>> = Arc::default();
    let mut number = 0;
    let mut random = seed::rng();
    for round in 0..4 {
        let stop = Arc::new(AtomicBool::new(false));
        let users: Vec<_> = (0..8)
            .map(|user| {
                let (vault, known, stop) = (vault.clone(), known.clone(), stop.clone());
                number += 100_000;
                let mut number = number;
                tokio::spawn(async move {
                    let user_id = format!("user{user}");
                    while !stop.load(Ordering::SeqCst) {
                        number += 1;
                        let wanted = (number % 3 > 0).then_some(number);
                        let done = match wanted {
                            Some(number) => {
                                vault.put(&user_id, "x", &password(number)).await.map(drop)
                            }
                            None => vault.remove(&user_id).await.map(drop),
                        };
                        let is_done = done.is_ok();
                        let mut known = known.lock().unwrap();
                        let known = known.entry(user_id.clone()).or_default();
                        match is_done {
                            true => *known = Known { acknowledged: wanted, unknown: None },
                            false => {
                                known.unknown = Some(wanted);
                                return;
                            }
                        }
                    }
                })
            })
            .collect();
        let wait = random.u64(20..320);
        tokio::time::sleep(Duration::from_millis(wait)).await;
        server.kill();
        stop.store(true, Ordering::SeqCst);
        for user in users {
            user.await.unwrap();
        }
        assert!(vault.ready().await.is_err());
        server.start_again();
        wait_until_ready(&vault).await;
        let before = known.lock().unwrap().clone();
        for (user_id, before) in before {
            let number = held(&vault, &user_id).await;
            let fits = number == before.acknowledged || Some(number) == before.unknown;
            assert!(fits, "round {round}: {user_id} has {number:?} after {before:?}");
            let now = Known { acknowledged: number, unknown: None };
            known.lock().unwrap().insert(user_id, now);
        }
    }
    wait_until_subscribed(&store, true).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_store_recovers_from_a_restart_of_the_database() {
    let Some(mut server) = tokio::task::block_in_place(Postgres::start) else {
        return;
    };
    let store = open(&server.database()).await;
    let vault = vault(&store);
    put(&vault, "alice", 1).await;
    for _ in 0..3 {
        server.stop();
        assert!(vault.ready().await.is_err());
        let began = Instant::now();
        while vault.credential("alice").await.is_ok() {
            assert!(began.elapsed() <= SECOND, "used although no notification arrives");
        }
        let said = vault.credential("alice").await.unwrap_err().to_string();
        assert!(said.contains("cannot read a credential"), "{said}");
        server.start_again();
        wait_until_ready(&vault).await;
        assert!(vault.credential("alice").await.unwrap().is_some());
        wait_until_subscribed(&store, true).await;
    }
}

/// Two independent servers act as a primary and its standby: the second replaces the first while the
/// store is open.
#[tokio::test(flavor = "multi_thread")]
async fn another_address_takes_over() {
    let Some((mut first, second, both)) = pair() else {
        return;
    };
    let database = name(&both);
    // The second one is ready, as a standby would be.
    let stored = vault(&open(&second.url(database)).await);
    let stored = stored.put("alice", "second", &password(2)).await;
    assert!(stored.is_ok());
    let store = open(&both).await;
    let vault = vault(&store);
    vault.put("alice", "first", &password(1)).await.unwrap();
    assert_eq!(&*vault.metadata("alice").await.unwrap().unwrap().login_name, "first");
    tokio::task::block_in_place(|| first.kill());
    let began = Instant::now();
    loop {
        let asked = Instant::now();
        match vault.metadata("alice").await {
            Ok(Some(found)) if &*found.login_name == "second" => break,
            Ok(Some(_)) => assert!(asked.duration_since(began) <= SECOND),
            _ => {}
        }
        assert!(began.elapsed() < 60 * SECOND);
    }
    wait_until_subscribed(&store, true).await;
    put(&vault, "bob", 3).await;
    assert_eq!(second.psql(database, "SELECT count(*) FROM portreeve.credential"), "2");
}

/// The first one comes back although the second has replaced it, and accepts writes: no connection goes there, for then a
/// store would be on both.
#[tokio::test(flavor = "multi_thread")]
async fn a_store_stays_at_the_address_that_has_taken_over() {
    let Some((mut first, second, both)) = pair() else {
        return;
    };
    let database = name(&both);
    open(&second.url(database)).await;
    let store = open(&both).await;
    let vault = vault(&store);
    put(&vault, "alice", 1).await;
    tokio::task::block_in_place(|| first.kill());
    until(async || vault.put("bob", "bob", &password(2)).await.is_ok()).await;
    wait_until_subscribed(&store, true).await;
    tokio::task::block_in_place(|| first.start_again());
    // More at once than there are connections yet.
    let many = (0..30).map(|number| {
        let vault = vault.clone();
        async move { put(&vault, &format!("user{number}"), number).await }
    });
    futures_util::future::join_all(many).await;
    let count = "SELECT count(*) FROM portreeve.credential";
    assert_eq!(second.psql(database, count), "31");
    assert_eq!(first.psql(database, count), "1");
}

/// A server becomes read-only while connections to it are open: the statement is repeated on another
/// server that is not.
#[tokio::test(flavor = "multi_thread")]
async fn statements_move_on_from_a_primary_that_becomes_read_only() {
    let Some((first, second, both)) = pair() else {
        return;
    };
    let database = name(&both);
    open(&second.url(database)).await;
    let vault = vault(&open(&both).await);
    for number in 0..20 {
        put(&vault, &format!("user{number}"), 1).await;
    }
    set_read_only(&first, true);
    until(async || {
        put(&vault, "late", 2).await;
        second.psql(database, "SELECT count(*) FROM portreeve.credential") != "0"
    })
    .await;
}

/// Switches writes to `server` off, or on again.
fn set_read_only(server: &Postgres, is_read_only: bool) {
    let value = if is_read_only { "on" } else { "off" };
    let sql = format!("ALTER SYSTEM SET default_transaction_read_only = {value}");
    server.psql("postgres", &sql);
    server.signal("HUP");
}

/// As a managed database does when its disk is full.
#[tokio::test(flavor = "multi_thread")]
async fn reads_go_on_while_a_database_without_another_accepts_no_writes() {
    const USERS: usize = 30;

    let Some(server) = tokio::task::block_in_place(Postgres::start) else {
        return;
    };
    let url = server.database();
    let store = open(&url).await;
    let vault = vault(&store);
    let user = |number: usize| format!("user{number}");
    for number in 0..USERS {
        put(&vault, &user(number), number).await;
    }
    set_read_only(&server, true);
    let began = Instant::now();
    let refused = loop {
        match vault.put("late", "late", &password(1)).await {
            Err(VaultError::Store(error)) => break error,
            put => assert!(put.is_ok() && began.elapsed() < 60 * SECOND),
        }
    };
    assert!(refused.is_read_only);
    let refused = refused.to_string();
    assert!(refused.contains("accepts only reads"), "{refused}");
    // More of them than there are connections.
    for number in 0..USERS {
        assert!(vault.remove(&user(number)).await.is_err());
        assert_eq!(held(&vault, &user(number)).await, Some(number));
        vault.ready().await.unwrap();
    }
    // A gateway that starts now reads, too, and answers from memory.
    let started = self::vault(&open(&url).await);
    assert_eq!(held(&started, &user(1)).await, Some(1));
    set_read_only(&server, false);
    for vault in [&vault, &started] {
        until(async || vault.remove(&user(1)).await.is_ok()).await;
    }
    assert_eq!(held(&vault, &user(1)).await, None);
    wait_until_subscribed(&store, true).await;
}

/// The old primary is still there, and accepts reads: what it answers is outdated.
#[tokio::test(flavor = "multi_thread")]
async fn reads_move_on_from_a_primary_that_another_one_has_replaced() {
    let Some((first, second, both)) = pair() else {
        return;
    };
    let database = name(&both);
    let after = vault(&open(&second.url(database)).await);
    let vault = vault(&open(&both).await);
    // The second one has lost the removal of alice.
    put(&vault, "bob", 1).await;
    put(&after, "alice", 2).await;
    assert_eq!(held(&vault, "alice").await, None);
    assert_eq!(held(&vault, "bob").await, Some(1));
    set_read_only(&first, true);
    until(async || held(&vault, "alice").await == Some(2) && held(&vault, "bob").await.is_none())
        .await;
    // From now on no connection to the first one is used.
    after.remove("alice").await.unwrap();
    let removed = Instant::now();
    loop {
        let asked = Instant::now();
        if held(&vault, "alice").await.is_none() {
            break;
        }
        assert!(asked.duration_since(removed) <= SECOND);
    }
}

/// With the strictest isolation concurrent transactions fail, and are repeated.
#[tokio::test(flavor = "multi_thread")]
async fn conflicting_transactions_are_repeated() {
    let Some(server) = server() else { return };
    let url = server.database();
    let database = name(&url);
    server.psql(
        database,
        &format!("ALTER DATABASE {database} SET default_transaction_isolation = 'serializable'"),
    );
    let (one, other) = (open(&url).await, open(&url).await);
    let tasks: Vec<_> = (0..8)
        .map(|task| {
            let vault = vault(if task % 2 == 0 { &one } else { &other });
            tokio::spawn(async move {
                for number in 0..25 {
                    put(&vault, "alice", number).await;
                    let subject = format!("anna{task}");
                    vault.bind("https://id", &subject, "alice").await.unwrap();
                    vault.unbind("https://id", &subject).await.unwrap();
                }
            })
        })
        .collect();
    for task in tasks {
        task.await.unwrap();
    }
}
