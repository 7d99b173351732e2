//! Keys that are taken away while others write.

use portreeve::vault::{MemoryStore, PostgresStore, Table, Vault};

use super::{name, open, options, server, until, vault};
use crate::suite::{NEW_KEY, OLD_KEY, held, keys, put};
use crate::suite_keys::age;

/// A gateway has sealed a password with the old key, and its transaction is under way while that is pruned: the prune waits,
/// and finds the record.
#[tokio::test(flavor = "multi_thread")]
async fn a_key_is_taken_away_after_the_transactions_that_used_it() {
    let Some(server) = server() else { return };
    let url = server.database();
    let database = name(&url);
    let store = open(&url).await;
    put(&vault(&store), "alice", 1).await;
    let both = Vault::new(keys(&[NEW_KEY, OLD_KEY]), store.clone());
    both.rotate_keys().await.unwrap();
    age(&store).await;

    let late = Vault::new(keys(&[OLD_KEY]), MemoryStore::new());
    put(&late, "late", 7).await;
    let row = late.store().get(Table::Credential, "late").await.unwrap();
    let row = row.unwrap();
    let hex: String = row.sealed.iter().map(|byte| format!("{byte:02x}")).collect();
    let in_session = |sql: String| {
        let database = database.to_owned();
        std::thread::spawn(move || server.psql(&database, &sql))
    };
    let count = |condition: &str| {
        let sql =
            format!("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND {condition}");
        server.psql(database, &sql)
    };
    let gate = in_session("SELECT pg_advisory_lock(1), 'the gate'; SELECT pg_sleep(600)".into());
    until(async || count("objid = 1 AND granted") == "1").await;
    let writer = in_session(format!(
        "BEGIN; INSERT INTO portreeve.credential VALUES ('late', 'late', {}, '\\x{hex}', 0, NULL); \
         SELECT pg_advisory_xact_lock(1); COMMIT",
        row.number
    ));
    until(async || count("objid = 1 AND NOT granted") == "1").await;
    let taking = tokio::spawn({
        let both = both.clone();
        async move { both.take_keys_away().await.unwrap() }
    });
    until(async || count("mode = 'ExclusiveLock' AND objid <> 1 AND NOT granted") == "1").await;
    assert!(!taking.is_finished());
    let end = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE '%pg_sleep(600)%' \
               AND pid <> pg_backend_pid()";
    server.psql(database, end);
    assert!(gate.join().is_err(), "its connection has ended");
    writer.join().unwrap();

    let taken = taking.await.unwrap();
    assert_eq!(taken, [late.keyring().first_key()]);
    let found = PostgresStore::inspect(options(&url)).await.unwrap().unwrap();
    assert_eq!(found.sealed_with.get(&taken[0]), Some(&1));
    both.give_back_keys(&taken).await.unwrap();
    assert_eq!(held(&both, "late").await, Some(7));
}
