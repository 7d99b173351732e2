//! The same suite on each store.
#![cfg(feature = "gateway")]

mod vault_suite;

#[cfg(feature = "sqlite")]
use portreeve::vault::SqliteStore;
use portreeve::vault::{MemoryStore, Vault};
use vault_suite as suite;

macro_rules! suite {
    ($($name:ident $(($($more:expr),*))?),* $(,)?) => {
        mod memory {
            use super::*;
            $(#[tokio::test(flavor = "multi_thread")]
            async fn $name() {
                suite::$name(MemoryStore::new() $(, $($more),*)?).await;
            })*
        }

        #[cfg(feature = "sqlite")]
        mod sqlite {
            use super::*;
            $(#[tokio::test(flavor = "multi_thread")]
            async fn $name() {
                let directory = tempfile::tempdir().unwrap();
                let store = SqliteStore::open(directory.path().join("portreeve.db")).await.unwrap();
                suite::$name(store $(, $($more),*)?).await;
            })*
        }
    };
}

suite! {
    stores_and_removes,
    refuses_names_it_cannot_keep,
    suspends_only_what_was_refused,
    lists_in_order(600),
    opens_with_its_own_keys_alone,
    rotates_keys,
    rotates_while_written_to,
    keeps_login_flows,
}

#[tokio::test(flavor = "multi_thread")]
async fn lookups_are_current_in_memory() {
    let vault = Vault::new(suite::keys(&[suite::OLD_KEY]), MemoryStore::new());
    suite::lookups_are_current(vault.clone(), vec![vault]).await;
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
    suite::lookups_are_current(vaults[0].clone(), vaults).await;
}
