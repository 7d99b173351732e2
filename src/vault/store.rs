//! The interface of a store of sealed rows.

use std::error::Error as StdError;
use std::fmt;
use std::sync::Arc;

use futures_util::future::{BoxFuture, ready};

use super::{Change, Committed, Row, Table};

/// Keeps sealed rows. It never sees a password or a key. It gets new methods, so that only this crate implements it.
///
/// Each method takes effect at one instant between its call and its answer, as other callers and other processes on the
/// same store see it: once a row is removed, no later look-up anywhere returns it. A change that was answered with `Ok`
/// survives the sudden end of the process; after an error there is none, unless its [effect is unknown](StoreError::is_effect_unknown).
pub trait Store: Sealed + fmt::Debug + Send + Sync + 'static {
    /// The answer of [`get`](Self::get), if it is known without waiting; `None` otherwise. It is called for each request,
    /// for credentials and bindings: it must not block.
    #[doc(hidden)]
    fn cached(&self, table: Table, key: &str) -> Option<Option<Arc<Row>>> {
        _ = (table, key);
        None
    }

    /// The row under `key`.
    #[doc(hidden)]
    fn get<'a>(&'a self, table: Table, key: &'a str) -> StoreFuture<'a, Option<Arc<Row>>>;

    /// Up to `limit` rows, of `owner` if one is named, in ascending order of the keys' bytes, beginning
    /// after `after`. Fewer than `limit` are the last ones.
    #[doc(hidden)]
    fn page<'a>(
        &'a self,
        table: Table,
        owner: Option<&'a str>,
        after: Option<&'a str>,
        limit: usize,
    ) -> StoreFuture<'a, Vec<Arc<Row>>>;

    /// Makes all `changes`, at one instant; or none, if one of them does not find the row that it
    /// expects. It fails if a row was sealed with a key that has been taken away ([`Table::SealingKey`]). No row is changed twice. `action` names the operation in errors and metrics ("store a credential").
    #[doc(hidden)]
    fn commit(&self, action: &'static str, changes: Vec<Change>) -> StoreFuture<'_, Committed>;

    /// How many credentials there are.
    fn count(&self) -> StoreFuture<'_, CredentialCounts>;

    /// The login permits of all gateways on this store, if none of them has them: whoever gets them
    /// has them until the lease is dropped or [lost](PermitLease::holds). It must not block; a gateway
    /// without the permits asks a few times a second.
    #[doc(hidden)]
    fn lease_permits(&self) -> Option<Box<dyn PermitLease>>;

    /// Erases the remains of rows that were replaced or removed, as far as the store can.
    fn scrub(&self) -> StoreFuture<'_, ()> {
        Box::pin(ready(Ok(())))
    }

    /// Whether the store answers.
    fn ready(&self) -> StoreFuture<'_, ()> {
        let page = self.page(Table::Credential, None, None, 1);
        Box::pin(async move { page.await.map(drop) })
    }
}

/// The login permits of all gateways on one store (docs/ARCHITECTURE.md,
/// "Logins"), which one of them has at a time. Dropping it gives them up.
pub trait PermitLease: fmt::Debug + Send + Sync {
    /// Whether this gateway still has them, as it always does unless you implement it: a store on a network may have
    /// given them to another gateway, if this one seemed to be gone. It is called before each login.
    fn holds(&self) -> bool {
        true
    }
}

/// Is notified of each operation that a store carries out, but of none that it answers from memory.
pub trait StoreObserver: fmt::Debug + Send + Sync + 'static {
    /// `action` ("read a credential") was carried out, or failed. There are as many different
    /// actions as a vault has operations.
    fn store_operation(&self, action: &'static str, succeeded: bool);
}

/// How many credentials a store keeps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct CredentialCounts {
    /// Those in good standing.
    pub active: u64,
    /// Those that the groupware server refused.
    pub suspended: u64,
}

/// What the stores of this crate are, and those of its tests.
#[doc(hidden)]
pub trait Sealed {}

/// The future of a store's answer.
pub type StoreFuture<'a, T> = BoxFuture<'a, Result<T, StoreError>>;

/// An error of a store: what was tried, on what, and why it failed.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{action}: {source}{}", if *.is_effect_unknown { "; it may have been done all the same" } else { "" })]
pub struct StoreError {
    pub(crate) action: Box<str>,
    pub(crate) source: Arc<dyn StdError + Send + Sync>,
    /// Whether the store accepts no changes at present: the disk is full, a standby has not taken over yet, the file
    /// system is mounted read-only. Nothing was changed.
    pub is_read_only: bool,
    /// Whether that is since its disk is full.
    pub(crate) is_disk_full: bool,
    /// Whether a change may have been made, or may still be, as its answer was lost. Otherwise nothing was changed.
    pub is_effect_unknown: bool,
    /// Whether the cause is a value that the database cannot store: without it the change may succeed.
    pub(crate) is_of_values: bool,
}

impl StoreError {
    /// An error of `action` ("store a credential in /var/lib/…"), caused by `source`.
    #[doc(hidden)]
    pub fn new(
        action: impl Into<Box<str>>,
        source: impl Into<Box<dyn StdError + Send + Sync>>,
    ) -> Self {
        Self {
            action: action.into(),
            source: source.into().into(),
            is_read_only: false,
            is_disk_full: false,
            is_effect_unknown: false,
            is_of_values: false,
        }
    }
}
