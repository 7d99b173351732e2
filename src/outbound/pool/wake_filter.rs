//! Separates wake-ups that a call handles itself while it polls from those for which its task must be woken.

use std::sync::Arc;
use std::task::{Wake, Waker};

// `tests/loom` has its own, which try every order in which threads can get here.
use super::sync::{AtomicU8, AtomicWaker, Ordering};

/// Receives the wake-ups of a connection and its call.
///
/// The two wake each other several times per call. If each wake-up reached the task, it would be
/// polled again from the top, through all layers above, only to find nothing left to do.
///
/// Both flags are in one value, so that the end of the polling and a wake-up happen one after the other: whichever
/// comes second sees the first, and wakes the task.
#[derive(Default)]
pub(super) struct WakeFilter {
    task: AtomicWaker,
    flags: AtomicU8,
}

/// The task polls, and handles wake-ups itself.
const POLLING: u8 = 1;
/// There was a wake-up since the flag was last cleared.
const WOKEN: u8 = 2;

/// Lives while the task polls; wake-ups are only recorded meanwhile.
pub(super) struct Polling<'a>(&'a WakeFilter);

// === impl WakeFilter ===

impl WakeFilter {
    /// Starts polling in the task of `waker`, which is woken from the end of the polling on.
    pub(super) fn begin(&self, waker: &Waker) -> Polling<'_> {
        self.task.register(waker);
        self.flags.fetch_or(POLLING, Ordering::AcqRel);
        Polling(self)
    }

    pub(super) fn forget(&self) {
        self.task.take();
    }
}

impl Wake for WakeFilter {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        let before = self.flags.fetch_or(WOKEN, Ordering::AcqRel);
        if before & POLLING == 0 {
            self.task.wake();
        }
    }
}

// === impl Polling ===

impl Polling<'_> {
    /// Forgets the wake-ups so far. What they are about is visible to the caller afterwards.
    pub(super) fn clear(&self) {
        self.0.flags.fetch_and(!WOKEN, Ordering::AcqRel);
    }

    pub(super) fn is_woken(&self) -> bool {
        self.0.flags.load(Ordering::Acquire) & WOKEN != 0
    }
}

impl Drop for Polling<'_> {
    fn drop(&mut self) {
        let before = self.0.flags.fetch_and(!POLLING, Ordering::AcqRel);
        if before & WOKEN != 0 {
            self.0.task.wake();
        }
    }
}
