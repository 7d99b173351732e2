//! Key rotation: resealing the targets. Receipts stay as they are, and need the key that sealed them until they are
//! removed: `portreeve keys prune` keeps it so long.

use super::{Deliveries, QueueError, Scope, queue::MAX_PAGE};
use crate::vault::RotationReport;

impl Deliveries {
    /// Reseals the settings of every target with the first key, while others read and write.
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
                    if self.is_current(&target.sealed) {
                        report.up_to_date += 1;
                    } else if self.change_target(Scope::All, &target, &settings).await? {
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
