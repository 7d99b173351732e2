//! Enabling and disabling are carried to their end, whether their caller waits for it or not.

use std::fmt;
use std::time::{Duration, Instant};

use tokio::sync::oneshot;
use tokio_util::task::TaskTracker;
use tracing::Instrument as _;

use crate::gateway::Error;
use crate::gateway::keyed_mutex::KeyedMutex;
use crate::groupware::notes;

/// The longest time that counts: some years.
const LONGEST: Duration = Duration::from_secs(1 << 28);

/// What is under way of one process. Clones share it.
#[derive(Clone, Default)]
pub(in crate::gateway) struct PresetWork {
    tasks: TaskTracker,
    /// One at a time for an account: who disconnects and comes again waits for what is under way.
    accounts: KeyedMutex,
    /// One at a time at an address: two would each register what both find missing.
    addresses: KeyedMutex,
}

/// How long one may take, so that its caller learns how it ended before the request is cut.
#[derive(Clone, Copy, Debug)]
pub(in crate::gateway) struct Times {
    /// When the last call that makes something ends.
    pub(super) forward: Instant,
    /// When the last call that undoes something ends.
    pub(super) back: Instant,
}

// === impl PresetWork ===

impl PresetWork {
    /// What has to run to its end is one of `tasks`.
    pub(in crate::gateway) fn new(tasks: TaskTracker) -> Self {
        Self {
            tasks,
            ..Self::default()
        }
    }

    /// Runs `work` for an account at an address once it is its turn, to its end, and then what it leaves to be
    /// done without a caller, which a shutdown does not wait for.
    pub(in crate::gateway) async fn run<T: Send + 'static, R>(
        &self,
        (user_id, uri): (&str, &str),
        times: Times,
        work: impl Future<Output = (Result<T, Error>, Option<R>)> + Send + 'static,
    ) -> Result<T, Error>
    where
        R: Future<Output = ()> + Send + 'static,
    {
        // In this order: whoever waits for an address holds no other one.
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
                // Who comes next would see what is about to be deleted.
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
    /// Of a request that begins now and is cut after `whole`: a half to make what is missing, all but a tenth of
    /// it to undo it.
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
