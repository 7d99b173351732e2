//! One at a time for each user.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::{Mutex as Gate, OwnedMutexGuard};

/// A gate for each user that somebody stands at or is inside of; nothing is kept for others.
#[derive(Clone, Default)]
pub(super) struct Gates(Arc<Mutex<ByUser>>);

type ByUser = HashMap<Box<str>, Arc<Gate<()>>>;

/// Being inside. The next one comes in when this is dropped.
pub(in crate::gateway) struct Inside {
    gates: Gates,
    user_id: Box<str>,
    guard: Option<OwnedMutexGuard<()>>,
}

impl Gates {
    /// Waits for the gate of `user_id`, first come, first served.
    pub(super) async fn enter(&self, user_id: &str) -> Inside {
        let gate = {
            let mut gates = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            gates.entry(user_id.into()).or_default().clone()
        };
        // Made before it waits, so that one who gives up leaves nothing behind, either.
        let mut inside = Inside {
            gates: self.clone(),
            user_id: user_id.into(),
            guard: None,
        };
        inside.guard = Some(gate.lock_owned().await);
        inside
    }
}

impl Drop for Inside {
    fn drop(&mut self) {
        let mut gates = self.gates.0.lock().unwrap_or_else(PoisonError::into_inner);
        drop(self.guard.take());
        // Whoever waits holds the gate, too.
        if gates
            .get(&self.user_id)
            .is_some_and(|gate| Arc::strong_count(gate) == 1)
        {
            gates.remove(&self.user_id);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn one_at_a_time_and_nothing_is_left() {
        let gates = Gates::default();
        let first = gates.enter("alice").await;
        let other = gates.enter("bob").await;
        let second = tokio::spawn({
            let gates = gates.clone();
            async move { gates.enter("alice").await }
        });
        let impatient = tokio::time::timeout(Duration::from_secs(1), gates.enter("alice")).await;
        assert!(impatient.is_err() && !second.is_finished());
        drop(first);
        drop(second.await.unwrap());
        drop(other);
        assert!(gates.0.lock().unwrap().is_empty());
    }
}
