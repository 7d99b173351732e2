//! Changes of presets run to completion, even if the caller disconnects, and one at a time per address.

use tokio::sync::oneshot;
use tokio_util::task::TaskTracker;
use tracing::Instrument as _;

use crate::gateway::Error;
use crate::gateway::keyed_mutex::KeyedMutex;
use crate::groupware::notes;
use crate::opaque::opaque_debug;

/// The work in progress in one process. Clones share it.
#[derive(Clone, Default)]
pub(in crate::gateway) struct PresetWork {
    tasks: TaskTracker,
    /// Two at once would each register what both find missing.
    addresses: KeyedMutex,
}

// === impl PresetWork ===

impl PresetWork {
    /// Each work becomes one of `tasks`.
    pub(in crate::gateway) fn new(tasks: TaskTracker) -> Self {
        Self {
            tasks,
            ..Self::default()
        }
    }

    /// Runs `work` for the address `uri` to completion, once it is its turn.
    pub(in crate::gateway) async fn run<T: Send + 'static>(
        &self,
        uri: &str,
        work: impl Future<Output = Result<T, Error>> + Send + 'static,
    ) -> Result<T, Error> {
        let turn = self.addresses.lock(uri).await;
        let (answer, answered) = oneshot::channel();
        let task = async move {
            let result = work.await;
            drop(turn);
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

opaque_debug!(PresetWork);
