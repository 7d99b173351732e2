//! Work that outlives its request.

use std::pin::Pin;
use std::task::{Context, Poll};

use futures_util::FutureExt as _;
use tokio::runtime::Handle;
use tokio_util::task::TaskTracker;
use tokio_util::task::task_tracker::TaskTrackerToken;
use tracing::Instrument as _;

tokio::task_local! {
    /// There only in work that nobody awaits any more.
    static ABANDONED: ();
}

/// Whether the caller of this work has left it, so that what it has not begun need not be done.
pub(super) fn is_abandoned() -> bool {
    ABANDONED.try_with(|()| ()).is_ok()
}

/// A future that continues as a task if it is dropped before its end, so that a caller who disconnects
/// does not cancel it. As long as it is awaited, it needs no task.
pub(crate) struct RunToEnd<T: Send + 'static> {
    future: Option<Pin<Box<dyn Future<Output = T> + Send>>>,
    /// A shutdown waits for it from its start.
    token: TaskTrackerToken,
    if_abandoned: fn(T),
}

impl<T: Send + 'static> RunToEnd<T> {
    /// A future that would continue as one of `tasks`.
    pub(super) fn new(
        future: impl Future<Output = T> + Send + 'static,
        tasks: &TaskTracker,
    ) -> Self {
        Self { future: Some(Box::pin(future)), token: tasks.token(), if_abandoned: drop }
    }

    /// What to do with the result if nobody awaits it any more.
    pub(super) fn or_if_abandoned(mut self, if_abandoned: fn(T)) -> Self {
        self.if_abandoned = if_abandoned;
        self
    }
}

impl<T: Send + 'static> Future for RunToEnd<T> {
    type Output = T;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<T> {
        // Taken out, so that a future that has panicked does not continue.
        let mut future = self.future.take().expect("polled after its end");
        let polled = future.as_mut().poll(cx);
        if polled.is_pending() {
            self.future = Some(future);
        }
        polled
    }
}

impl<T: Send + 'static> Drop for RunToEnd<T> {
    fn drop(&mut self) {
        // Without a runtime, the process is ending.
        if let (Some(future), Ok(runtime)) = (self.future.take(), Handle::try_current()) {
            let if_abandoned = self.if_abandoned;
            // Boxed, so that tasks are not compiled for each result.
            let rest = ABANDONED.scope((), async move { if_abandoned(future.await) }).boxed();
            // The span of the request, in which its future is dropped.
            let rest = rest.in_current_span();
            self.token.task_tracker().spawn_on(rest, &runtime);
        }
    }
}

#[cfg(test)]
#[path = "../../tests/unit/run_to_end.rs"]
mod tests;
