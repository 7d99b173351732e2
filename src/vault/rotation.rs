//! Key rotation: sealing everything anew with the first key.

use super::associated_data;
use super::cipher;
use super::{BindingRecord, FlowSwap, Reseal, Vault, VaultError};

/// Records that one transaction seals anew: few enough that other writers never wait long.
const BATCH: usize = 128;

/// Tries for records that keep changing while they are moved; after that the next run has them.
const ATTEMPTS: usize = 8;

/// How far a rotation has got.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Rotation {
    /// The counts so far.
    pub report: RotationReport,
}

/// What a rotation did to the credentials and bindings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct RotationReport {
    /// Sealed anew with the first key.
    pub moved: u64,
    /// Sealed with the first key already.
    pub already: u64,
    /// Left as they are, since no key at hand opens them.
    pub unopened: u64,
}

impl Vault {
    /// Seals every record anew with the first key, while others read and write.
    ///
    /// A record is replaced only if it is unchanged, so that nothing which is stored or removed at
    /// the same time is undone. The rotation can be stopped at any time and run again: what was moved
    /// stays moved. Login flows are moved too, and not counted. At the end the store erases the
    /// remains of the old records as far as it can. `progress` is called after each batch.
    ///
    /// # Errors
    /// If the store failed; what was moved before stays moved.
    pub async fn rotate_keys(
        &self,
        mut progress: impl FnMut(Rotation),
    ) -> Result<RotationReport, VaultError> {
        self.refresh_keys().await?;
        let mut report = RotationReport::default();
        let mut after = None;
        loop {
            let page = self.store().page(after.as_deref(), BATCH).await?;
            after = page.last().map(|record| record.user_id.clone());
            let ended = page.len() < BATCH;
            self.move_records(page, &mut report).await?;
            progress(Rotation { report });
            if ended {
                break;
            }
        }
        self.move_bindings(&mut report).await?;
        progress(Rotation { report });
        self.move_flows().await?;
        self.store().scrub().await?;
        Ok(report)
    }

    async fn move_records(
        &self,
        mut records: Vec<std::sync::Arc<super::Record>>,
        report: &mut RotationReport,
    ) -> Result<(), VaultError> {
        let keys = self.keyring().keys();
        for _ in 0..ATTEMPTS {
            let mut batch = Vec::with_capacity(records.len());
            for record in records {
                if cipher::key_id(&record.sealed) == Ok(keys.first().id()) {
                    // Tampered ones with this key's id are found too: `already` is a promise.
                    match keys.open(
                        &associated_data::of_record(&record.user_id, record.revision),
                        &record.sealed,
                    ) {
                        Ok(_) => report.already += 1,
                        Err(_) => report.unopened += 1,
                    }
                    continue;
                }
                let associated_data = associated_data::of_record(&record.user_id, record.revision);
                match keys.open(&associated_data, &record.sealed) {
                    Ok(plain) => batch.push(Reseal {
                        to: keys.first().seal(&associated_data, &plain)?,
                        from: record,
                    }),
                    Err(_) => report.unopened += 1,
                }
            }
            let sent = batch.len();
            let late = self.store().reseal(batch).await?;
            report.moved += (sent - late.len()) as u64;

            // They were stored anew or removed since they were read: look at what is there now.
            records = Vec::with_capacity(late.len());
            for reseal in late {
                records.extend(self.store().record(&reseal.from.user_id).await?);
            }
            if records.is_empty() {
                return Ok(());
            }
        }
        Ok(())
    }

    async fn move_bindings(&self, report: &mut RotationReport) -> Result<(), VaultError> {
        let mut after = None;
        loop {
            let page = self.store().binding_page(after.as_deref(), BATCH).await?;
            after = page.last().map(|binding| binding.person_id.clone());
            let ended = page.len() < BATCH;
            for binding in page {
                self.move_binding(binding, report).await?;
            }
            if ended {
                return Ok(());
            }
        }
    }

    async fn move_binding(
        &self,
        mut binding: BindingRecord,
        report: &mut RotationReport,
    ) -> Result<(), VaultError> {
        let keys = self.keyring().keys();
        for _ in 0..ATTEMPTS {
            let associated_data = associated_data::of_binding(&binding.person_id, &binding.user_id);
            let Ok(plain) = keys.open(&associated_data, &binding.sealed) else {
                report.unopened += 1;
                return Ok(());
            };
            if cipher::key_id(&binding.sealed) == Ok(keys.first().id()) {
                report.already += 1;
                return Ok(());
            }
            let to = keys.first().seal(&associated_data, &plain)?;
            if self.store().reseal_binding(&binding, to).await? {
                report.moved += 1;
                return Ok(());
            }
            // It was changed or ended since it was read: look at what is there now.
            match self.store().binding(&binding.person_id).await? {
                Some(now) => binding = BindingRecord::clone(&now),
                None => return Ok(()),
            }
        }
        Ok(())
    }

    async fn move_flows(&self) -> Result<(), VaultError> {
        let keys = self.keyring().keys();
        let mut after = None;
        loop {
            let page = self.store().flow_page(after.as_deref(), BATCH).await?;
            after = page.last().map(|flow| flow.flow_id.clone());
            let ended = page.len() < BATCH;
            for flow in page {
                if cipher::key_id(&flow.sealed) == Ok(keys.first().id()) {
                    continue;
                }
                let associated_data =
                    associated_data::of_flow(&flow.flow_id, &flow.user_id, flow.expires_at);
                let Ok(plain) = keys.open(&associated_data, &flow.sealed) else {
                    continue;
                };
                let to = keys.first().seal(&associated_data, &plain)?;
                let swap = FlowSwap {
                    flow_id: flow.flow_id,
                    from: flow.sealed,
                    to,
                    holds_password: flow.holds_password,
                };
                self.store().swap_flow(swap).await?;
            }
            if ended {
                return Ok(());
            }
        }
    }
}
