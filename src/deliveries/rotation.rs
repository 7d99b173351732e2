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
            for target in page {
                let Ok(settings) = self.open_target(&target).await else {
                    report.unopened += 1;
                    continue;
                };
                if self.is_current(&target.sealed) {
                    report.up_to_date += 1;
                    continue;
                }
                if self.change_target(Scope::All, &target, &settings).await? {
                    report.resealed += 1;
                } else {
                    report.up_to_date += 1;
                }
            }
        }
    }
}
