//! Stored app passwords: cipher and keys, the [`Store`] trait and its stores.
//!
//! A [`Vault`] seals the app passwords that users provision (docs/API.md, section 5) with
//! XChaCha20-Poly1305 before a [`Store`] sees them, and opens one for one request at a time.
//!
//! | part of a record | how it is kept |
//! |---|---|
//! | password, login name, time of provisioning | sealed, with a fresh random nonce each time |
//! | user id, revision | in the clear, and associated data of the sealed bytes: a row that is moved to another user or given another revision does not open |
//! | time of suspension, refusals in a row, whether HTTP Basic was refused | in the clear, since they change without the password being opened; whoever forges them gains at most one login attempt |
//! | who is bound to an account | issuer, subject and time sealed; the account id, and a hash of issuer and subject, in the clear and associated data |
//! | key id | in the clear beside the sealed bytes, so that several keys can be in use |
//!
//! A record that does not open is an error for its user alone ([`VaultError::Unopened`]).
//!
//! ```
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use portreeve::vault::{AppPassword, Keyring, MemoryStore, Vault};
//!
//! let vault = Vault::new(Keyring::generate()?, MemoryStore::new());
//! let password = AppPassword::new("aaaaa-bbbbb-ccccc-ddddd-eeeee")?;
//! vault.put("alice", "alice@example.org", &password).await?;
//!
//! let credential = vault.credential("alice").await?.expect("it was just stored");
//! assert_eq!(credential.login_name(), "alice@example.org");
//! assert_eq!(credential.password().expose(), "aaaaa-bbbbb-ccccc-ddddd-eeeee");
//!
//! vault.remove("alice").await?;
//! assert!(vault.credential("alice").await?.is_none());
//! # Ok(())
//! # }
//! ```

mod binding;
mod binding_vault;
mod change;
mod cipher;
mod copy;
mod credential;
mod credential_vault;
pub(crate) mod deliveries;
mod error;
mod fields;
mod flow_vault;
mod handle;
#[cfg(any(feature = "sqlite", feature = "postgres"))]
mod inspection;
mod keyring;
mod login_flow;
mod login_vault;
mod memory;
mod observer;
mod permit_lease;
mod person_id;
#[cfg(feature = "postgres")]
mod postgres;
#[cfg(any(feature = "sqlite", feature = "postgres"))]
mod query;
mod rotation;
#[cfg(any(feature = "sqlite", feature = "postgres"))]
mod row_cache;
mod scan;
#[cfg(any(feature = "sqlite", feature = "postgres"))]
mod schema;
#[cfg(feature = "sqlite")]
mod sqlite;
mod store;
mod table;
mod time;

pub use binding::{BindOutcome, Binding, BoundBy};
pub use change::{Change, Committed, Expected};
pub use cipher::{KeyId, OpenError};
pub use copy::{CopyError, CopyReport, copy};
pub(crate) use credential::StoredCredential;
pub use credential::{AppPassword, Credential, FormatError, Login, Metadata};
pub use error::VaultError;
pub use handle::Vault;
#[cfg(any(feature = "sqlite", feature = "postgres"))]
pub use inspection::Inspection;
pub use keyring::{Keyring, KeyringError};
pub use login_flow::{FlowState, LoginFlow};
pub use memory::MemoryStore;
pub use observer::{CredentialCounts, StoreObserver};
pub use permit_lease::PermitLease;
pub use person_id::PersonId;
#[cfg(feature = "postgres")]
pub use postgres::{
    PostgresCheck, PostgresOpenError, PostgresOptions, PostgresStore, PostgresUrlError,
};
pub use rotation::RotationReport;
#[cfg(feature = "sqlite")]
pub use sqlite::{SqliteOpenError, SqliteStore};
pub use store::{Store, StoreError, StoreFuture};
pub use table::{Row, Table};
