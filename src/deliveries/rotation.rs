//! Key rotation: resealing the targets. Receipts stay as they are, and need the key that sealed them until they are
//! removed: `portreeve keys prune` keeps it so long.

use super::{Deliveries, QueueError, Scope, queue::MAX_PAGE};
use crate::vault::{KeyId, RotationReport};

impl Deliveries {
    /// Takes keys away [from the vault](crate::vault::Vault::take_keys_away), and from the queue, which has a file of its
    /// own in SQLite: from now on each refuses by itself what is sealed with them.
    ///
    /// # Errors
    /// If a store failed.
    pub async fn take_keys_away(&self) -> Result<Vec<KeyId>, QueueError> {
        let taken = self.vault.take_keys_away().await?;
        if let Err(error) = self.queue().mark_keys(&taken, true).await {
            self.vault.give_back_keys(&taken).await?;
            return Err(error);
        }
        Ok(taken)
    }

    /// Gives back keys that were [taken away](Self::take_keys_away).
    ///
    /// # Errors
    /// If a store failed.
    pub async fn give_back_keys(&self, ids: &[KeyId]) -> Result<(), QueueError> {
        self.queue().mark_keys(ids, false).await?;
        Ok(self.vault.give_back_keys(ids).await?)
    }

    /// Reseals the settings of every target with the key that seals, while others read and write.
    ///
    /// # Errors
    /// If the store failed; what was resealed before stays so.
    pub async fn rotate_keys(&self) -> Result<RotationReport, QueueError> {
        let (mut report, mut after) = (RotationReport::default(), None);
        loop {
            let page = self.queue().targets(Scope::All, after, MAX_PAGE).await?;
            let Some(last) = page.last() else {
                return Ok(report);
            };
            after = Some(last.id);
            for target in page {
                let id = target.id;
                let mut found = Some(target);
                while let Some(target) = found.take() {
                    let Ok(settings) = self.open_target(&target).await else {
                        report.unopened += 1;
                        break;
                    };
                    if self.is_current(&target.sealed).await {
                        report.up_to_date += 1;
                    } else if self.change_target(Scope::All, &target, &settings, None).await? {
                        report.resealed += 1;
                    } else {
                        // It was changed meanwhile, maybe by a gateway that does not seal with that key yet.
                        found = self.queue().target(Scope::All, id).await?;
                    }
                }
            }
        }
    }
}
