//! Key rotation: resealing all rows with the first key.

use std::pin::pin;
use std::sync::Arc;

use futures_util::TryStreamExt as _;

use super::scan::pages;
use super::{Replacement, Row, Table, Vault, VaultError, associated_data, cipher};

/// Rows that one transaction reseals: few enough that other writers never wait long.
const BATCH: usize = 128;

/// Tries for rows that keep changing while they are resealed; after that the next run has them.
const ATTEMPTS: usize = 8;

/// The tables with sealed rows, and the operation of resealing them.
const TABLES: [(Table, &str); 3] = [
    (Table::Credential, "seal credentials anew"),
    (Table::Binding, "seal a binding anew"),
    (Table::LoginFlow, "change a login flow"),
];

/// How far a rotation has got.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Rotation {
    /// The counts so far.
    pub report: RotationReport,
}

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
    /// A record is replaced only if it is unchanged, so that nothing which is stored or removed at
    /// the same time is undone. The rotation can be stopped at any time and run again: what was resealed
    /// stays so. Login flows are resealed too, and not counted. At the end the store erases the
    /// remains of the old records as far as it can. `progress` is called after each batch.
    ///
    /// # Errors
    /// If the store failed; what was resealed before stays so.
    pub async fn rotate_keys(
        &self,
        mut progress: impl FnMut(Rotation),
    ) -> Result<RotationReport, VaultError> {
        self.refresh_keys().await?;
        let mut report = RotationReport::default();
        for (table, action) in TABLES {
            let mut pages = pin!(pages(self.store().clone(), table, BATCH));
            while let Some(page) = pages.try_next().await? {
                let done = self.reseal(action, table, page).await?;
                if table != Table::LoginFlow {
                    report.resealed += done.resealed;
                    report.up_to_date += done.up_to_date;
                    report.unopened += done.unopened;
                }
                progress(Rotation { report });
            }
        }
        self.store().scrub().await?;
        Ok(report)
    }

    async fn reseal(
        &self,
        action: &'static str,
        table: Table,
        mut rows: Vec<Arc<Row>>,
    ) -> Result<RotationReport, VaultError> {
        let mut report = RotationReport::default();
        let keys = self.keyring().keys();
        for _ in 0..ATTEMPTS {
            let mut batch = Vec::with_capacity(rows.len());
            for row in rows {
                let associated_data = associated_data::of(table, &row);
                // Those sealed with the first key are opened too: one that was tampered with is not up to
                // date.
                let Ok(plain) = keys.open(&associated_data, &row.sealed) else {
                    report.unopened += 1;
                    continue;
                };
                if cipher::key_id(&row.sealed) == Ok(keys.first().id()) {
                    report.up_to_date += 1;
                    continue;
                }
                let mut resealed = Row::clone(&row);
                resealed.sealed = keys.first().seal(&associated_data, &plain)?;
                batch.push(Replacement {
                    from: Some(row),
                    to: Arc::new(resealed),
                });
            }
            if batch.is_empty() {
                break;
            }
            let row_keys: Vec<_> = batch.iter().map(|it| it.to.key.clone()).collect();
            let late = self.store().replace_each(action, table, batch).await?;
            report.resealed += (row_keys.len() - late.len()) as u64;

            // They were changed or removed since they were read: try them as they are now.
            rows = Vec::with_capacity(late.len());
            for at in late {
                rows.extend(self.store().get(table, &row_keys[at]).await?);
            }
        }
        Ok(report)
    }
}
