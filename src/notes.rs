//! What is noted of a request while it is in flight, for its line in the log.
//!
//! The layer that writes the line stands above authentication and knows neither the caller nor the
//! calls of the groupware server. Those who know note it here, in the notes of the request that the
//! current task works on. Without such notes, as in a stack that does not log, noting does nothing.

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
    /// The time in nanoseconds that calls of the groupware server took together; 0 without any.
    groupware: AtomicU64,
    /// The calls one by one, if somebody wants to know them.
    calls: Option<Mutex<Vec<CallSpan>>>,
}

/// A call of the groupware server that was made for a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CallSpan {
    /// What was asked for, as the metrics name it.
    pub route: &'static str,
    /// What became of it, as the metrics name it.
    pub outcome: &'static str,
    /// Whether the server answered with success.
    pub is_ok: bool,
    /// When it began.
    pub began: SystemTime,
    /// Connecting, headers and body together.
    pub time: Duration,
}

/// A future that works on the request of some notes.
pub(crate) type Noting<F> = TaskLocalFuture<Arc<Notes>, F>;

// === impl Notes ===

impl Notes {
    /// Notes that also keep the calls one by one.
    pub(crate) fn with_calls() -> Self {
        Self {
            calls: Some(Mutex::default()),
            ..Self::default()
        }
    }

    /// The calls of the groupware server that have ended, in that order.
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

    /// The time that calls of the groupware server took, if there was one.
    pub(crate) fn groupware_time(&self) -> Option<Duration> {
        match self.groupware.load(Ordering::Relaxed) {
            0 => None,
            nanos => Some(Duration::from_nanos(nanos)),
        }
    }
}

/// Makes the future of `work`, which works on the request of `notes` from its making on.
pub(crate) fn noting<F: Future>(notes: Arc<Notes>, work: impl FnOnce() -> F) -> Noting<F> {
    let future = CURRENT.sync_scope(notes.clone(), work);
    CURRENT.scope(notes, future)
}

/// Lets a task of its own note what the current one would.
pub(crate) async fn in_current_notes<F: Future>(future: F, notes: Option<Arc<Notes>>) -> F::Output {
    match notes {
        Some(notes) => CURRENT.scope(notes, future).await,
        None => future.await,
    }
}

/// The notes of the request that the current task works on.
pub(crate) fn current() -> Option<Arc<Notes>> {
    CURRENT.try_with(Arc::clone).ok()
}

/// Notes whose request it is.
pub(crate) fn caller(user_id: impl FnOnce() -> Arc<str>) {
    // One layer of a stack says it, once; of a second one the first word counts.
    _ = CURRENT.try_with(|notes| notes.caller.set(user_id()));
}

/// Notes a call of the groupware server that took `time`; `told` says what became of it.
pub(crate) fn groupware_call(
    time: Duration,
    told: impl FnOnce() -> (&'static str, &'static str, bool),
) {
    let nanos = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX).max(1);
    _ = CURRENT.try_with(|notes| {
        notes.groupware.fetch_add(nanos, Ordering::Relaxed);
        if let Some(calls) = &notes.calls {
            let (route, outcome, is_ok) = told();
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
