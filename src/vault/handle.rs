//! The vault: keys and a store together.

use std::pin::pin;
use std::sync::Arc;

use futures_util::stream::{Stream, StreamExt as _, TryStreamExt as _};
use parking_lot::Mutex;
use tokio::time::Instant;

use super::cipher::OpenError;
use super::{Change, KeyId, Keyring, KeyringError, Row, Store, Table, VaultError, fields};

/// Stored app passwords. Cheap to clone; clones share everything.
///
/// Every change takes effect at one instant, as all processes on one store see it.
///
/// ```toml
/// portreeve = { path = "../portreeve", default-features = false, features = ["gateway", "sqlite"] }
/// tokio = { version = "1", features = ["macros", "rt"] }
/// ```
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use portreeve::vault::{AppPassword, Keyring, MemoryStore, Vault};
///
/// let vault = Vault::new(Keyring::generate()?, MemoryStore::new());
/// let password = AppPassword::new("aaaaa-bbbbb-ccccc-ddddd-eeeee")?;
/// let first = vault.put("alice", "alice@example.org", &password).await?;
///
/// // The groupware server refused it.
/// vault.suspend("alice", first.revision).await?;
/// assert!(vault.metadata("alice").await?.unwrap().suspended_at.is_some());
///
/// // Another password is stored: a late note on the first one changes nothing.
/// vault.put("alice", "alice@example.org", &password).await?;
/// assert!(!vault.suspend("alice", first.revision).await?);
/// assert!(vault.metadata("alice").await?.unwrap().suspended_at.is_none());
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Vault {
    keyring: Arc<Keyring>,
    store: Arc<dyn Store>,
    /// The key that seals, and until when that is believed.
    pub(super) believed: Arc<Mutex<Option<(KeyId, Instant)>>>,
}

/// A sealed record, opened.
pub(super) trait Record: Sized {
    const TABLE: Table;

    /// The record of `row`, in which `plain` is sealed; `None` if it is malformed.
    fn decode(plain: &[u8], row: &Arc<Row>) -> Option<Self>;
}

impl Vault {
    /// A vault that seals with `keyring` and keeps the sealed records in `store`.
    pub fn new(keyring: Keyring, store: impl Store) -> Self {
        Self::with_shared_store(keyring, Arc::new(store))
    }

    /// As [`Self::new`], on a store that others use too.
    pub fn with_shared_store(keyring: Keyring, store: Arc<dyn Store>) -> Self {
        Self { keyring: Arc::new(keyring), store, believed: Arc::default() }
    }

    /// The keys.
    pub fn keyring(&self) -> &Keyring {
        &self.keyring
    }

    /// The store.
    pub fn store(&self) -> &Arc<dyn Store> {
        &self.store
    }

    /// Whether the store answers, the key file, if there is one, can be read, and the key that seals is among the keys.
    ///
    /// # Errors
    /// If one of these is not so.
    pub async fn ready(&self) -> Result<(), VaultError> {
        self.refresh_keys(None).await?;
        self.store().ready().await?;
        match self.sealing().await {
            Err(error @ VaultError::NoSealingKey(_)) => Err(error),
            // A store that cannot be written says nothing yet: what it has can be read.
            _ => Ok(()),
        }
    }

    pub(super) async fn row(
        &self,
        table: Table,
        key: &str,
    ) -> Result<Option<Arc<Row>>, VaultError> {
        match self.store().cached(table, key) {
            Some(known) => Ok(known),
            None => Ok(self.store().get(table, key).await?),
        }
    }

    pub(super) async fn record<R: Record>(&self, key: &str) -> Result<Option<R>, VaultError> {
        match self.row(R::TABLE, key).await? {
            Some(row) => self.open_row(&row).await.map(Some),
            None => Ok(None),
        }
    }

    /// All records of a table, in constant memory. One that does not open is an error, and the listing goes on; any
    /// other error ends it.
    pub(super) fn records<R: Record>(
        &self,
    ) -> impl Stream<Item = Result<R, VaultError>> + Send + use<R> {
        let vault = self.clone();
        self.rows(R::TABLE).then(move |row| {
            let vault = vault.clone();
            async move { vault.open_row(&row?).await }
        })
    }

    /// Makes one change; `false` if it does not find the row that it expects.
    pub(super) async fn commit_one(
        &self,
        action: &'static str,
        change: Change,
    ) -> Result<bool, VaultError> {
        Ok(self.store().commit(action, vec![change]).await?.is_done())
    }

    /// Removes the row under `key`; `false` if there was none.
    pub(super) async fn remove_row(
        &self,
        action: &'static str,
        table: Table,
        key: &str,
    ) -> Result<bool, VaultError> {
        let change = Change::Remove { table, key: key.into(), expected: None };
        self.commit_one(action, change).await
    }

    /// Removes the rows of `table` for which `is_over` holds; returns how many there were. What another call
    /// changes at the same time may stay.
    pub(super) async fn remove_rows(
        &self,
        action: &'static str,
        table: Table,
        is_over: impl Fn(&Row) -> bool,
    ) -> Result<u64, VaultError> {
        let mut removed = 0;
        let mut pages = pin!(self.pages(table));
        while let Some(page) = pages.try_next().await? {
            let over = page.into_iter().filter(|row| is_over(row));
            let changes: Vec<_> = over.map(|row| Change::remove(table, row)).collect();
            let count = changes.len() as u64;
            if count > 0 && self.store().commit(action, changes).await?.is_done() {
                removed += count;
            }
        }
        Ok(removed)
    }

    pub(super) async fn open_row<R: Record>(&self, row: &Arc<Row>) -> Result<R, VaultError> {
        let associated_data = fields::associated_data(R::TABLE, row);
        let decode = |plain: &[u8]| R::decode(plain, row);
        self.open_sealed(&associated_data, &row.sealed, decode).await.map_err(|reason| {
            let (key, owner) = (&row.key, &row.owner);
            let (record, instead) = match R::TABLE {
                Table::Binding => (
                    format!("the binding of person {key} to the account {owner:?}"),
                    "unbind the account and bind it again",
                ),
                table => {
                    let user = if table == Table::Credential { key } else { owner };
                    (format!("the stored record of user {user:?}"), "have the user provision again")
                }
            };
            VaultError::Unopened { record: record.into(), instead, reason }
        })
    }

    pub(super) async fn seal_row(
        &self,
        table: Table,
        mut row: Row,
        plain: &[u8],
    ) -> Result<Row, VaultError> {
        let associated_data = fields::associated_data(table, &row);
        row.sealed = self.sealing().await?.seal(&associated_data, plain)?;
        Ok(row)
    }

    /// Seals `plain`, which is kept outside of the store's tables, together with `texts`. `label` names what it is.
    pub(crate) async fn seal_apart(
        &self,
        label: &[u8; 10],
        texts: &[&str],
        plain: &[u8],
    ) -> Result<Box<[u8]>, VaultError> {
        let associated_data = fields::encode(label, 0, texts);
        self.sealing().await?.seal(&associated_data, plain)
    }

    /// Opens what [`Self::seal_apart`] sealed, and decodes it.
    pub(crate) async fn open_apart<T>(
        &self,
        label: &[u8; 10],
        texts: &[&str],
        sealed: &[u8],
        decode: impl FnOnce(&[u8]) -> Option<T>,
    ) -> Result<T, VaultError> {
        let associated_data = fields::encode(label, 0, texts);
        let opened = self.open_sealed(&associated_data, sealed, decode).await;
        opened.map_err(|reason| VaultError::Unopened {
            record: format!("the receipt or target {}", texts.first().unwrap_or(&"")).into(),
            instead: "delete the target and make it again",
            reason,
        })
    }

    async fn open_sealed<T>(
        &self,
        associated_data: &[u8],
        sealed: &[u8],
        decode: impl FnOnce(&[u8]) -> Option<T>,
    ) -> Result<T, OpenError> {
        let mut opened = self.keyring.open(associated_data, sealed);
        // Another process may have sealed it with a key that is new in the file.
        if let Err(OpenError::UnknownKey(id)) = opened {
            let _ = self.refresh_keys(Some(id)).await;
            opened = self.keyring.open(associated_data, sealed);
        }
        opened.and_then(|plain| decode(&plain).ok_or(OpenError::Format))
    }

    /// Reads the key file again if it changed, on a thread that may block; for `missed`, a key that was not known, only if
    /// that [is due](Keyring::is_due). Whoever comes meanwhile waits.
    pub(super) async fn refresh_keys(&self, missed: Option<KeyId>) -> Result<(), KeyringError> {
        let (keyring, mut looks) =
            (self.keyring.clone(), self.keyring.looks.clone().lock_owned().await);
        if missed.is_some_and(|id| !keyring.is_due(id, &mut looks)) {
            return Ok(());
        }
        let refreshing = tokio::task::spawn_blocking(move || {
            // Also when nobody waits for it any more.
            let _turn = looks;
            keyring.refresh()
        });
        // The task does not panic, and is aborted only if the runtime ends: then the keys that are known
        // already have to do.
        refreshing.await.unwrap_or(Ok(()))
    }
}
