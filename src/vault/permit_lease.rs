//! Which of the gateways on one store has the login permits.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The login permits of all gateways on one store (docs/ARCHITECTURE.md,
/// "Logins"), which one of them has at a time. Dropping it gives them up.
pub trait PermitLease: fmt::Debug + Send + Sync {
    /// Whether this gateway still has them, as it always does unless you implement it: a store on a network may have
    /// given them to another gateway, if this one seemed to be gone. It is called before each login.
    fn holds(&self) -> bool {
        true
    }
}

/// A lease of a store that all its gateways reach through clones.
#[derive(Debug)]
pub(super) struct LocalLease(Arc<AtomicBool>);

impl LocalLease {
    /// `None` while `is_leased`.
    pub(super) fn acquire(is_leased: &Arc<AtomicBool>) -> Option<Box<dyn PermitLease>> {
        let was_leased = is_leased.swap(true, Ordering::SeqCst);
        (!was_leased).then(|| Box::new(Self(is_leased.clone())) as _)
    }
}

impl PermitLease for LocalLease {}

impl Drop for LocalLease {
    fn drop(&mut self) {
        self.0.store(false, Ordering::SeqCst);
    }
}
