//! Observing the operations of a store, for metrics.

use std::fmt;

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
