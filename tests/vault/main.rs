//! Stored app passwords: sealing, keys, and the stores.

#[cfg(any(feature = "postgres", all(feature = "sqlite", target_os = "linux")))]
use portreeve_test_support as support;

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
mod suite_logins;
mod suite_rows;
