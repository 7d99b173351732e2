//! Stored app passwords: cipher and keys, the [`Store`] trait and its stores.
//!
//! A [`Vault`] seals the app passwords that users provision (docs/API.md, section 5) with
//! XChaCha20-Poly1305 before a [`Store`] sees them, and opens one for one request at a time.
//!
//! | part of a record | how it is kept |
//! |---|---|
//! | password, login name, time of provisioning, scopes | sealed, with a fresh random nonce each time |
//! | user id, revision | in the clear, and associated data of the sealed bytes: a row that is moved to another user or given another revision does not open |
//! | time of suspension, refusals in a row, whether HTTP Basic was refused | in the clear, since they change without the password being opened; whoever forges them gains at most one login attempt |
//! | who is bound to an account | issuer, subject and time sealed; the account id, and a hash of issuer and subject, in the clear and associated data |
//! | key id | in the clear beside the sealed bytes, so that several keys can be in use |
//!
//! A record that does not open is an error for its user alone ([`VaultError::Unopened`]).

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
mod person_id;
#[cfg(feature = "postgres")]
mod postgres;
#[cfg(any(feature = "sqlite", feature = "postgres"))]
mod query;
mod registration_vault;
mod rotation;
#[cfg(any(feature = "sqlite", feature = "postgres"))]
mod row_cache;
mod scan;
#[cfg(any(feature = "sqlite", feature = "postgres"))]
mod schema;
mod sealing;
#[cfg(feature = "sqlite")]
mod sqlite;
mod store;
mod table;
pub(crate) mod time;

pub use binding::{BindOutcome, Binding, BoundBy};
pub use cipher::{KeyId, OpenError};
pub use copy::{CopyError, CopyReport, Records, copy, is_unfinished_copy};
pub(crate) use credential::StoredCredential;
pub use credential::{AppPassword, Credential, FormatError, Login, Metadata};
pub use error::VaultError;
pub use handle::Vault;
#[cfg(any(feature = "sqlite", feature = "postgres"))]
pub use inspection::Inspection;
pub use keyring::{Keyring, KeyringError};
pub use login_flow::{FlowState, LoginFlow};
pub use memory::MemoryStore;
pub use person_id::PersonId;
#[cfg(feature = "postgres")]
pub use postgres::{
    PostgresCheck, PostgresOpenError, PostgresOptions, PostgresStore, PostgresUrlError,
};
pub(crate) use registration_vault::Registered;
pub use rotation::RotationReport;
#[cfg(feature = "sqlite")]
pub use sqlite::{SqliteOpenError, SqliteStore};
pub use store::{CredentialCounts, Store, StoreError, StoreFuture, StoreObserver};

// What a vault and its store say to each other, and tests to them.
#[doc(hidden)]
pub use change::{Change, Committed, Expected};
#[doc(hidden)]
pub use store::{PermitLease, Sealed};
#[doc(hidden)]
pub use table::{Row, Table};
