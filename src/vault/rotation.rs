//! Key rotation: resealing all rows with the key that seals.

use std::sync::Arc;

use super::cipher::{self, SealingKey};
use super::{Change, Row, Table, Vault, VaultError, fields};

/// Rows that one transaction reseals: few enough that other writers never wait long for it.
const BATCH: usize = 128;

/// Attempts to reseal a row that keeps changing; after that it is left to the next run.
const ATTEMPTS: usize = 8;

/// The tables with sealed rows, and the operation of resealing them.
const TABLES: [(Table, &str); 4] = [
    (Table::Credential, "seal credentials anew"),
    (Table::Binding, "seal a binding anew"),
    (Table::LoginFlow, "change a login flow"),
    (Table::Registration, "note a registration"),
];

/// The credentials and bindings that a rotation found, by what it did with them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct RotationReport {
    /// Resealed with the key that seals.
    pub resealed: u64,
    /// Sealed with it already.
    pub up_to_date: u64,
    /// Left as they are, since no key at hand opens them.
    pub unopened: u64,
}

impl Vault {
    /// Makes the first key the one that seals, unless another one has taken its place before, and reseals every record
    /// with the one that seals, while others read and write. All gateways must have that key already.
    ///
    /// A record is replaced only if it is unchanged, so that no concurrent change is undone. The rotation can be
    /// stopped at any time and run again: what was resealed stays so. Login flows and registrations are resealed too, and not counted.
    /// At the end the store erases the remains of the old records as far as it can.
    ///
    /// # Errors
    /// If the store failed; what was resealed before stays so. [`VaultError::NoSealingKey`] if the key that seals is not
    /// among the keys, and the first one has sealed before.
    pub async fn rotate_keys(&self) -> Result<RotationReport, VaultError> {
        let _ = self.refresh_keys(None).await;
        self.change_sealing_key().await?;
        let sealing = self.sealing().await?;
        let mut report = RotationReport::default();
        for (table, action) in TABLES {
            let done = self.reseal_all(&sealing, table, action).await?;
            if matches!(table, Table::Credential | Table::Binding) {
                report.resealed += done.resealed;
                report.up_to_date += done.up_to_date;
                report.unopened += done.unopened;
            }
        }
        self.store().scrub().await?;
        Ok(report)
    }

    /// Reseals the rows of a table, a batch at one instant; those of which one is changed meanwhile one by one.
    async fn reseal_all(
        &self,
        sealing: &SealingKey,
        table: Table,
        action: &'static str,
    ) -> Result<RotationReport, VaultError> {
        let (mut report, mut limit, mut attempts) = (RotationReport::default(), BATCH, 0);
        let mut after: Option<Arc<str>> = None;
        loop {
            let page = self.store().page(table, None, after.as_deref(), limit).await?;
            let Some(last) = page.last().map(|row| row.key.clone()) else {
                return Ok(report);
            };
            let (mut done, mut changes) = (report, Vec::new());
            for row in page {
                changes.extend(self.reseal(sealing, table, row, &mut done)?);
            }
            done.resealed += changes.len() as u64;
            if changes.is_empty() || self.store().commit(action, changes).await?.is_done() {
                report = done;
            } else if limit > 1 || attempts < ATTEMPTS {
                (limit, attempts) = (1, attempts + 1);
                continue;
            }
            (after, limit, attempts) = (Some(last), BATCH, 0);
        }
    }

    /// The change that reseals `row`, unless `report` counts it as one that stays as it is.
    fn reseal(
        &self,
        sealing: &SealingKey,
        table: Table,
        row: Arc<Row>,
        report: &mut RotationReport,
    ) -> Result<Option<Change>, VaultError> {
        let associated_data = fields::associated_data(table, &row);
        // Those sealed with that key are opened too: one that was tampered with is not up to date.
        let Ok(plain) = self.keyring().open(&associated_data, &row.sealed) else {
            report.unopened += 1;
            return Ok(None);
        };
        if cipher::key_id(&row.sealed) == Ok(sealing.id()) {
            report.up_to_date += 1;
            return Ok(None);
        }
        let mut resealed = Row::clone(&row);
        resealed.sealed = sealing.seal(&associated_data, &plain)?;
        Ok(Some(Change::replace(table, row, resealed)))
    }
}
