//! The same tests for each store.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

#[cfg(feature = "sqlite")]
use portreeve::vault::SqliteStore;
use portreeve::vault::{BindOutcome, MemoryStore, Vault};

use crate::suite::{self, held, put};

on_each_store! {
    suite:
    stores_and_removes,
    adds_new_records_together,
    refuses_invalid_names,
    suspends_only_the_refused_password,
    lists_in_order,
    opens_records_only_with_its_own_keys,
    rotates_keys,
    rotates_while_written_to,
    lets_the_store_say_which_key_seals,
    keeps_a_key_that_records_need,
    keeps_login_flows,
    keeps_scopes,
    loses_no_change_of_scopes,
    keeps_refused_logins_and_bearer_servers,
    leases_the_permits_to_one_gateway,
    drops_the_oldest_flow_for_a_new_one,
    keeps_flows_that_hold_a_password,
    commits_all_changes_or_none,
    binds_an_owner_only_once,
    loses_no_concurrent_change_of_a_row,
}

#[tokio::test(flavor = "multi_thread")]
async fn lookups_are_current_in_memory() {
    let vault = Vault::new(suite::keys(&[suite::OLD_KEY]), MemoryStore::new());
    lookups_are_current(vault.clone(), vec![vault]).await;
}

/// One store writes; lookups go through the same one and through a second one on the same file.
#[cfg(feature = "sqlite")]
#[tokio::test(flavor = "multi_thread")]
async fn lookups_are_current_in_sqlite() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("portreeve.db");
    let mut vaults = Vec::new();
    for _ in 0..2 {
        let store = SqliteStore::open(&path).await.unwrap();
        vaults.push(Vault::new(suite::keys(&[suite::OLD_KEY]), store));
    }
    lookups_are_current(vaults[0].clone(), vaults).await;
}

/// One writer counts up, in a password and a binding, with removals in between; lookups must be linearizable: never an older
/// password than one whose storing was acknowledged before the lookup began, never a removed one.
async fn lookups_are_current(writing: Vault, reading: Vec<Vault>) {
    const ROUNDS: usize = 150;
    let acknowledged = Arc::new(AtomicUsize::new(0));
    let readers: Vec<_> = reading
        .clone()
        .into_iter()
        .flat_map(|vault| [vault.clone(), vault])
        .map(|vault| {
            let acknowledged = acknowledged.clone();
            tokio::spawn(async move {
                let mut lookups = 0;
                loop {
                    let before = acknowledged.load(Ordering::SeqCst);
                    // Odd rounds store, even rounds remove.
                    let bound = vault.binding("https://id", "1").await.unwrap();
                    let bound = bound.map(|binding| binding.user_id.parse().unwrap());
                    for round in [held(&vault, "alice").await, bound].into_iter().flatten() {
                        assert!(round % 2 == 1);
                        assert!(round >= before, "round {round} after {before} was done");
                    }
                    lookups += 1;
                    if before >= ROUNDS {
                        return lookups;
                    }
                    tokio::task::yield_now().await;
                }
            })
        })
        .collect();
    for round in 1..=ROUNDS {
        if round % 2 == 1 {
            put(&writing, "alice", round).await;
            let bound = writing.bind("https://id", "1", &round.to_string()).await;
            assert_eq!(bound.unwrap(), BindOutcome::Bound);
        } else {
            assert!(writing.remove("alice").await.unwrap());
            assert!(writing.unbind("https://id", "1").await.unwrap());
        }
        acknowledged.store(round, Ordering::SeqCst);
        // The readers race to cache what they read before: lookups must not return that.
        let expected = (round % 2 == 1).then_some(round);
        for vault in &reading {
            for _ in 0..3 {
                assert_eq!(held(vault, "alice").await, expected, "round {round}");
                let bound = vault.binding("https://id", "1").await.unwrap();
                assert_eq!(bound.is_some(), expected.is_some(), "round {round}");
            }
        }
        if round % 5 == 0 {
            tokio::time::sleep(Duration::from_micros(300)).await;
        }
    }
    for reader in readers {
        assert!(reader.await.unwrap() > 0);
    }
}
