//! Notes on a request in flight, for its record.
//!
//! The layer that makes the record is above authentication, and knows neither the caller nor the calls
//! of the groupware server. The layers that do record them here, in the notes of the current task's
//! request. Without such notes, as in a stack that makes no record, recording does nothing.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use tokio::task::futures::TaskLocalFuture;

use crate::audit::Attempt;

tokio::task_local! {
    static CURRENT: Arc<Notes>;
}

#[derive(Debug, Default)]
pub(crate) struct Notes {
    caller: OnceLock<Arc<str>>,
    /// What the request attempts, if its record begins before its endpoint.
    attempt: OnceLock<Attempt>,
    /// The total duration of the calls of the groupware server, in nanoseconds; 0 without any.
    groupware: AtomicU64,
    /// Whether it is known to have begun no change that outlasts it; unless a stack says so, that is not known.
    is_unchanged: AtomicBool,
}

/// A future that runs with the notes of its request.
pub(crate) type Noting<F> = TaskLocalFuture<Arc<Notes>, F>;

impl Notes {
    pub(crate) fn caller(&self) -> Option<&str> {
        self.caller.get().map(|caller| &**caller)
    }

    pub(crate) fn attempt(&self) -> Option<&Attempt> {
        self.attempt.get()
    }

    pub(crate) fn groupware_time(&self) -> Option<Duration> {
        let time = Duration::from_nanos(self.groupware.load(Ordering::Relaxed));
        (!time.is_zero()).then_some(time)
    }
}

/// Calls `work` and runs its future, both with `notes`.
pub(crate) fn noting<F: Future>(notes: Arc<Notes>, work: impl FnOnce() -> F) -> Noting<F> {
    let future = CURRENT.sync_scope(notes.clone(), work);
    CURRENT.scope(notes, future)
}

pub(crate) fn current() -> Option<Arc<Notes>> {
    CURRENT.try_with(Arc::clone).ok()
}

pub(crate) fn record_caller(user_id: impl FnOnce() -> Arc<str>) {
    // Set once; if several layers of a stack record it, the first one counts.
    _ = CURRENT.try_with(|notes| notes.caller.set(user_id()));
}

pub(crate) fn record_attempt(attempt: Attempt) {
    _ = CURRENT.try_with(|notes| notes.attempt.set(attempt));
}

pub(crate) fn record_call(time: Duration) {
    let nanos = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX).max(1);
    _ = CURRENT.try_with(|notes| notes.groupware.fetch_add(nanos, Ordering::Relaxed));
}

/// Records that the request begins a change, or that it has begun none so far.
pub(crate) fn record_change(begins: bool) {
    _ = CURRENT.try_with(|notes| notes.is_unchanged.store(!begins, Ordering::Relaxed));
}

pub(crate) fn may_have_changed() -> bool {
    CURRENT.try_with(|notes| !notes.is_unchanged.load(Ordering::Relaxed)).unwrap_or(true)
}
