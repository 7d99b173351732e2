//! Enabling and disabling run to completion, even if the caller disconnects.

use std::fmt;
use std::time::{Duration, Instant};

use tokio::sync::oneshot;
use tokio_util::task::TaskTracker;
use tracing::Instrument as _;

use crate::gateway::Error;
use crate::gateway::keyed_mutex::KeyedMutex;
use crate::groupware::notes;

/// The maximum duration: some years.
const LONGEST: Duration = Duration::from_secs(1 << 28);

/// The work in progress in one process. Clones share it.
#[derive(Clone, Default)]
pub(in crate::gateway) struct PresetWork {
    tasks: TaskTracker,
    /// One at a time per account: a caller who disconnects and retries waits for the work in progress.
    accounts: KeyedMutex,
    /// One at a time per address: two would each register what both find missing.
    addresses: KeyedMutex,
}

/// Deadlines, so that the caller learns the outcome before the request times out.
#[derive(Clone, Copy, Debug)]
pub(in crate::gateway) struct Times {
    /// The deadline of calls that register webhooks.
    pub(super) forward: Instant,
    /// The deadline of calls that undo that.
    pub(super) back: Instant,
}

// === impl PresetWork ===

impl PresetWork {
    /// Work that must run to completion becomes one of `tasks`.
    pub(in crate::gateway) fn new(tasks: TaskTracker) -> Self {
        Self {
            tasks,
            ..Self::default()
        }
    }

    /// Runs `work` for an account and an address to completion, once it is its turn, and then what it leaves to
    /// be done after the answer, which a shutdown does not wait for.
    pub(in crate::gateway) async fn run<T: Send + 'static, R>(
        &self,
        (user_id, uri): (&str, &str),
        times: Times,
        work: impl Future<Output = (Result<T, Error>, Option<R>)> + Send + 'static,
    ) -> Result<T, Error>
    where
        R: Future<Output = ()> + Send + 'static,
    {
        // In this order, so that there is no deadlock: whoever waits for an address holds no other one.
        let turn = async {
            (
                self.accounts.lock(user_id).await,
                self.addresses.lock(uri).await,
            )
        };
        let turn = tokio::time::timeout_at(times.forward.into(), turn).await;
        let turn = turn.map_err(|_| Error::Timeout)?;
        let (answer, answered) = oneshot::channel();
        let task = async move {
            let (result, rest) = work.await;
            match rest {
                // Until then, the next caller would see what is about to be deleted.
                Some(rest) => drop(tokio::spawn(
                    async move {
                        rest.await;
                        drop(turn);
                    }
                    .in_current_span(),
                )),
                None => drop(turn),
            }
            if let Err(Err(error)) = answer.send(result) {
                tracing::warn!(%error, "a preset of webhooks, for a caller who has gone");
            }
        };
        let task = notes::in_current_notes(task.in_current_span(), notes::current());
        self.tasks.spawn(task);
        let gone = |_| Error::Other("the task has ended without an answer".into());
        answered.await.map_err(gone)?
    }
}

impl fmt::Debug for PresetWork {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PresetWork").finish_non_exhaustive()
    }
}

// === impl Times ===

impl Times {
    /// For a request that begins now and times out after `whole`: half of the time to register what is missing,
    /// and all but a tenth to undo it.
    pub(in crate::gateway) fn within(whole: Duration) -> Self {
        // An instant cannot be arbitrarily far away.
        let whole = whole.min(LONGEST);
        let now = Instant::now();
        Self {
            forward: now + whole / 2,
            back: now + whole / 10 * 9,
        }
    }
}
