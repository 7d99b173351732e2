//! Separates wake-ups that a call handles itself while it polls from those for which its task must be
//! woken.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Wake, Waker};

use futures_util::task::AtomicWaker;

/// Receives the wake-ups of a connection and its call.
///
/// The two wake each other several times per call. If each wake-up reached the task, it would be
/// polled again from the top, through all layers above, only to find nothing left to do.
#[derive(Default)]
pub(super) struct WakeFilter {
    task: AtomicWaker,
    is_polling: AtomicBool,
    is_woken: AtomicBool,
}

/// Lives while the task polls; wake-ups are only recorded meanwhile.
pub(super) struct Polling<'a>(&'a WakeFilter);

// === impl WakeFilter ===

impl WakeFilter {
    /// Starts polling in the task of `waker`, which is woken from the end of the polling on.
    pub(super) fn begin(&self, waker: &Waker) -> Polling<'_> {
        self.task.register(waker);
        self.is_polling.store(true, Ordering::SeqCst);
        Polling(self)
    }

    /// Wakes no task from now on.
    pub(super) fn forget(&self) {
        self.task.take();
    }
}

impl Wake for WakeFilter {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.is_woken.store(true, Ordering::SeqCst);
        if !self.is_polling.load(Ordering::SeqCst) {
            self.task.wake();
        }
    }
}

// === impl Polling ===

impl Polling<'_> {
    /// Discards the wake-ups so far.
    pub(super) fn clear(&self) {
        self.0.is_woken.store(false, Ordering::SeqCst);
    }

    pub(super) fn is_woken(&self) -> bool {
        self.0.is_woken.load(Ordering::SeqCst)
    }
}

/// A wake-up between the last check and this must not be lost: each side writes its own flag before it
/// reads the other's, so that one of the two sees it.
impl Drop for Polling<'_> {
    fn drop(&mut self) {
        self.0.is_polling.store(false, Ordering::SeqCst);
        if self.is_woken() {
            self.0.task.wake();
        }
    }
}
