//! Stored app passwords: sealing, keys, and the stores.

#[cfg(any(feature = "postgres", all(feature = "sqlite", target_os = "linux")))]
use portreeve_test_support as support;

/// The tests of `$suite`, on each store.
macro_rules! on_each_store {
    ($suite:ident: $($name:ident),* $(,)?) => {
        mod memory {
            $(#[tokio::test(flavor = "multi_thread")]
            async fn $name() {
                crate::$suite::$name(portreeve::vault::MemoryStore::new()).await;
            })*
        }

        #[cfg(feature = "sqlite")]
        mod sqlite {
            $(#[tokio::test(flavor = "multi_thread")]
            async fn $name() {
                let directory = tempfile::tempdir().unwrap();
                let path = directory.path().join("portreeve.db");
                let store = portreeve::vault::SqliteStore::open(path).await.unwrap();
                crate::$suite::$name(store).await;
            })*
        }

        #[cfg(feature = "postgres")]
        mod postgres {
            $(#[tokio::test(flavor = "multi_thread")]
            async fn $name() {
                let Some(store) = crate::postgres::store().await else { return };
                crate::$suite::$name(store).await;
            })*
        }
    };
}

mod bindings;
mod keyring;
#[cfg(all(feature = "sqlite", target_os = "linux"))]
mod list;
#[cfg(feature = "postgres")]
mod postgres;
mod sealing;
#[cfg(feature = "sqlite")]
mod sqlite;
mod store;
mod suite;
mod suite_keys;
mod suite_logins;
mod suite_rows;
