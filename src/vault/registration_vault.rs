//! What is registered at the gateway's own address, in the vault: the server does not show the credential of a
//! registration, nor whose address it was.

use std::collections::BTreeMap;
use std::sync::Arc;

use futures_util::TryStreamExt as _;

use super::handle::Record;
use super::{Change, Row, Table, Vault, VaultError};

const ACTION: &str = "note a registration";

/// A registration, by its id at the server, or a preset that is wanted, by its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Registered {
    key: Arc<str>,
    pub(crate) address: Arc<str>,
    /// The digest of its credential; empty for a preset.
    pub(crate) credential: Box<[u8]>,
}

impl Record for Registered {
    const TABLE: Table = Table::Registration;

    fn decode(plain: &[u8], row: &Arc<Row>) -> Option<Self> {
        Some(Self { key: row.key.clone(), address: row.owner.clone(), credential: plain.into() })
    }
}

impl Vault {
    /// All of them by id or name. One that does not open is left out: it will be registered again.
    pub(crate) async fn registered(&self) -> Result<BTreeMap<Arc<str>, Registered>, VaultError> {
        let mut found = BTreeMap::new();
        let mut all = std::pin::pin!(self.rows(Table::Registration));
        while let Some(row) = all.try_next().await? {
            if let Ok(registered) = self.open_row::<Registered>(&row).await {
                found.insert(registered.key.clone(), registered);
            }
        }
        Ok(found)
    }

    pub(crate) async fn note_registered(
        &self,
        key: &str,
        address: &str,
        credential: &[u8],
    ) -> Result<(), VaultError> {
        let empty = Row::new(key.into(), address.into(), 0);
        let row = self.seal_row(Table::Registration, empty, credential).await?;
        let change = Change::put(Table::Registration, row);
        self.commit_one(ACTION, change).await.map(drop)
    }

    pub(crate) async fn forget_registered(&self, key: &str) -> Result<(), VaultError> {
        self.remove_row(ACTION, Table::Registration, key).await.map(drop)
    }
}
