//! Key rotation: resealing all rows with the first key.

use std::pin::pin;
use std::sync::Arc;

use futures_util::TryStreamExt as _;

use super::scan::pages;
use super::{Change, Row, Table, Vault, VaultError, cipher, fields};

/// Rows that one transaction reseals: few enough that other writers never wait long for it.
const BATCH: usize = 128;

/// Attempts to reseal a row that keeps changing; after that it is left to the next run.
const ATTEMPTS: usize = 8;

/// The tables with sealed rows, and the operation of resealing them.
const TABLES: [(Table, &str); 3] = [
    (Table::Credential, "seal credentials anew"),
    (Table::Binding, "seal a binding anew"),
    (Table::LoginFlow, "change a login flow"),
];

/// The credentials and bindings that a rotation found, by what it did with them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct RotationReport {
    /// Resealed with the first key.
    pub resealed: u64,
    /// Sealed with the first key already.
    pub up_to_date: u64,
    /// Left as they are, since no key at hand opens them.
    pub unopened: u64,
}

impl Vault {
    /// Reseals every record with the first key, while others read and write.
    ///
    /// A record is replaced only if it is unchanged, so that no concurrent change is undone. The rotation can be
    /// stopped at any time and run again: what was resealed stays so. Login flows are resealed too, and not counted.
    /// At the end the store erases the remains of the old records as far as it can.
    ///
    /// # Errors
    /// If the store failed; what was resealed before stays so.
    pub async fn rotate_keys(&self) -> Result<RotationReport, VaultError> {
        let _ = self.refresh_keys().await;
        let mut report = RotationReport::default();
        for (table, action) in TABLES {
            let mut pages = pin!(pages(self.store().clone(), table, BATCH));
            while let Some(page) = pages.try_next().await? {
                let done = self.reseal_page(action, table, page).await?;
                if table != Table::LoginFlow {
                    report.resealed += done.resealed;
                    report.up_to_date += done.up_to_date;
                    report.unopened += done.unopened;
                }
            }
        }
        self.store().scrub().await?;
        Ok(report)
    }

    /// Reseals `rows`, all at one instant if nobody changes one of them meanwhile.
    async fn reseal_page(
        &self,
        action: &'static str,
        table: Table,
        rows: Vec<Arc<Row>>,
    ) -> Result<RotationReport, VaultError> {
        let mut report = RotationReport::default();
        let mut changes = Vec::with_capacity(rows.len());
        for row in &rows {
            changes.extend(self.reseal(table, row.clone(), &mut report)?);
        }
        report.resealed = changes.len() as u64;
        if changes.is_empty() || self.store().commit(action, changes).await?.is_done() {
            return Ok(report);
        }

        // One was changed or removed since it was read: each by itself, as it is now.
        let mut report = RotationReport::default();
        for row in rows {
            let key = row.key.clone();
            let mut found = Some(row);
            for _ in 0..ATTEMPTS {
                let Some(row) = found else { break };
                let Some(change) = self.reseal(table, row, &mut report)? else {
                    break;
                };
                if self.commit_one(action, change).await? {
                    report.resealed += 1;
                    break;
                }
                found = self.store().get(table, &key).await?;
            }
        }
        Ok(report)
    }

    /// The change that reseals `row`, unless `report` counts it as one that stays as it is.
    fn reseal(
        &self,
        table: Table,
        row: Arc<Row>,
        report: &mut RotationReport,
    ) -> Result<Option<Change>, VaultError> {
        let keys = self.keyring().keys();
        let associated_data = fields::associated_data(table, &row);
        // Those sealed with the first key are opened too: one that was tampered with is not up to date.
        let Ok(plain) = keys.open(&associated_data, &row.sealed) else {
            report.unopened += 1;
            return Ok(None);
        };
        if cipher::key_id(&row.sealed) == Ok(keys.first().id()) {
            report.up_to_date += 1;
            return Ok(None);
        }
        let mut resealed = Row::clone(&row);
        resealed.sealed = keys.first().seal(&associated_data, &plain)?;
        Ok(Some(Change::replace(table, row, resealed)))
    }
}
