//! Notes on a request in flight, for its log line.
//!
//! The layer that writes the line is above authentication, and knows neither the caller nor the calls
//! of the groupware server. The layers that do record them here, in the notes of the current task's
//! request. Without such notes, as in a stack that does not log, recording does nothing.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, SystemTime};

use tokio::task::futures::TaskLocalFuture;

tokio::task_local! {
    static CURRENT: Arc<Notes>;
}

/// The notes of one request.
#[derive(Debug, Default)]
pub(crate) struct Notes {
    caller: OnceLock<Arc<str>>,
    /// The total duration of the calls of the groupware server, in nanoseconds; 0 without any.
    groupware: AtomicU64,
    /// The individual calls, if they are wanted.
    calls: Option<Mutex<Vec<CallSpan>>>,
}

/// A call of the groupware server that was made for a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CallSpan {
    /// The route, as named in the metrics.
    pub route: &'static str,
    /// The outcome, as named in the metrics.
    pub outcome: &'static str,
    /// Whether the server answered with success.
    pub is_ok: bool,
    /// When it began.
    pub began: SystemTime,
    /// Connecting, headers and body together.
    pub time: Duration,
}

/// A future that runs with the notes of its request.
pub(crate) type Noting<F> = TaskLocalFuture<Arc<Notes>, F>;

// === impl Notes ===

impl Notes {
    /// Notes that also keep the individual calls.
    pub(crate) fn with_calls() -> Self {
        Self {
            calls: Some(Mutex::default()),
            ..Self::default()
        }
    }

    /// The completed calls of the groupware server, in the order of their ends.
    pub(crate) fn calls(&self) -> Vec<CallSpan> {
        let calls = self.calls.as_ref();
        calls.map_or_else(Vec::new, |calls| {
            calls.lock().unwrap_or_else(PoisonError::into_inner).clone()
        })
    }

    /// The account of the caller, once it is known.
    pub(crate) fn caller(&self) -> Option<&str> {
        self.caller.get().map(|caller| &**caller)
    }

    /// The total duration of the calls of the groupware server, if there were any.
    pub(crate) fn groupware_time(&self) -> Option<Duration> {
        match self.groupware.load(Ordering::Relaxed) {
            0 => None,
            nanos => Some(Duration::from_nanos(nanos)),
        }
    }
}

/// Calls `work` and runs its future, both with `notes`.
pub(crate) fn noting<F: Future>(notes: Arc<Notes>, work: impl FnOnce() -> F) -> Noting<F> {
    let future = CURRENT.sync_scope(notes.clone(), work);
    CURRENT.scope(notes, future)
}

/// Runs `future`, in a task of its own, with the `notes` of the task that spawned it.
pub(crate) async fn in_current_notes<F: Future>(future: F, notes: Option<Arc<Notes>>) -> F::Output {
    match notes {
        Some(notes) => CURRENT.scope(notes, future).await,
        None => future.await,
    }
}

/// The notes of the current task's request.
pub(crate) fn current() -> Option<Arc<Notes>> {
    CURRENT.try_with(Arc::clone).ok()
}

/// Records the caller of the request.
pub(crate) fn record_caller(user_id: impl FnOnce() -> Arc<str>) {
    // Set once; if several layers of a stack record it, the first one counts.
    _ = CURRENT.try_with(|notes| notes.caller.set(user_id()));
}

/// Records a call of the groupware server that took `time`; `details` returns its route and outcome,
/// and whether it succeeded.
pub(crate) fn record_call(
    time: Duration,
    details: impl FnOnce() -> (&'static str, &'static str, bool),
) {
    let nanos = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX).max(1);
    _ = CURRENT.try_with(|notes| {
        notes.groupware.fetch_add(nanos, Ordering::Relaxed);
        if let Some(calls) = &notes.calls {
            let (route, outcome, is_ok) = details();
            let now = SystemTime::now();
            let call = CallSpan {
                route,
                outcome,
                is_ok,
                began: now.checked_sub(time).unwrap_or(now),
                time,
            };
            let mut calls = calls.lock().unwrap_or_else(PoisonError::into_inner);
            calls.push(call);
        }
    });
}
