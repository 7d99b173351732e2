//! Wake-ups of a call, told apart: those from within, which it meets itself, and those from outside,
//! for which its task has to be woken.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Wake, Waker};

use futures_util::task::AtomicWaker;

/// What a connection and its call wake.
///
/// The two wake one another several times in a call. Were they to wake their task, it would be
/// polled again from the top, with all the layers above, to find that nothing is left to do.
#[derive(Default)]
pub(super) struct Wakes {
    task: AtomicWaker,
    is_polling: AtomicBool,
    is_woken: AtomicBool,
}

/// The time in which the task polls, and wake-ups are only noted.
pub(super) struct Polling<'a>(&'a Wakes);

// === impl Wakes ===

impl Wakes {
    /// The task of `waker` polls from now on, and is woken when it does not.
    pub(super) fn begin(&self, waker: &Waker) -> Polling<'_> {
        self.task.register(waker);
        self.is_polling.store(true, Ordering::SeqCst);
        Polling(self)
    }

    /// Wakes nobody from now on.
    pub(super) fn forget(&self) {
        self.task.take();
    }
}

impl Wake for Wakes {
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
    /// Forgets the wake-ups so far.
    pub(super) fn clear(&self) {
        self.0.is_woken.store(false, Ordering::SeqCst);
    }

    pub(super) fn is_woken(&self) -> bool {
        self.0.is_woken.load(Ordering::SeqCst)
    }
}

/// One that comes between the last look and this must not be lost: with both flags written before
/// they are read on either side, one of the two sees it.
impl Drop for Polling<'_> {
    fn drop(&mut self) {
        self.0.is_polling.store(false, Ordering::SeqCst);
        if self.is_woken() {
            self.0.task.wake();
        }
    }
}
