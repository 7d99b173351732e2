//! Key rotation: resealing the targets. Receipts stay as they are, and need the key that sealed them until they are
//! removed: `portreeve keys prune` keeps it so long.

use super::{Deliveries, QueueError, Scope, queue::MAX_PAGE};
use crate::vault::RotationReport;

impl Deliveries {
    /// Reseals the settings of every target with the first key, while others read and write. One that is changed
    /// meanwhile is sealed with that key anyway.
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
            for stored in page {
                let Ok(target) = self.open_target(&stored).await else {
                    report.unopened += 1;
                    continue;
                };
                if self.is_current(&stored.sealed) {
                    report.up_to_date += 1;
                    continue;
                }
                let account = stored.account.as_deref();
                let sealed = self.seal_settings(stored.id, account, &target.settings);
                let (state, revision) = (stored.state, stored.revision);
                let sealed = sealed.await?;
                let changing =
                    self.queue()
                        .change_target(Scope::All, stored.id, revision, state, sealed);
                if changing.await? {
                    report.resealed += 1;
                } else {
                    report.up_to_date += 1;
                }
            }
        }
    }
}
