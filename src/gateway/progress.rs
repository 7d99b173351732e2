//! Whether a call of the groupware server has begun, for whoever gives up waiting for it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// How far a call is, if somebody watches it. Clones are of the same call.
#[derive(Clone, Debug, Default)]
pub(in crate::gateway) struct Progress(Option<Arc<AtomicBool>>);

// === impl Progress ===

impl Progress {
    /// That of a call that is watched.
    pub(in crate::gateway) fn watched() -> Self {
        Self(Some(Arc::default()))
    }

    /// The call waits for something in this process before it begins.
    pub(in crate::gateway) fn wait(&self) {
        self.set(true);
    }

    /// The call begins: from now on it may have done what it should.
    pub(in crate::gateway) fn begin(&self) {
        self.set(false);
    }

    /// Whether the call has certainly not begun. In doubt it has: not every service below says that it
    /// waits.
    pub(in crate::gateway) fn is_waiting(&self) -> bool {
        let waits = self.0.as_ref();
        waits.is_some_and(|waits| waits.load(Ordering::Relaxed))
    }

    fn set(&self, waits: bool) {
        if let Some(flag) = &self.0 {
            flag.store(waits, Ordering::Relaxed);
        }
    }
}
