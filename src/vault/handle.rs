//! The vault: keys and a store together.

use std::sync::Arc;
use std::time::SystemTime;

use futures_util::stream::{self, Stream};
use zeroize::Zeroizing;

use super::associated_data;
use super::cipher::OpenError;
use super::plain::{decode, encode};
use super::time::{from_millis, to_millis};
use super::{
    AppPassword, Credential, CredentialCounts, Keyring, KeyringError, Metadata, Record, Store,
    VaultError,
};
use crate::names::{check_login_name, check_user_id};

/// How many records a listing holds in memory at once.
const PAGE: usize = 256;

/// Stored app passwords. Cheap to clone; clones share everything.
///
/// Every change takes effect at one instant, as all processes on one store see it.
///
/// ```toml
/// portreeve = { version = "0.1", default-features = false, features = ["gateway", "sqlite"] }
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
/// vault.suspend("alice", first.revision()).await?;
/// assert!(vault.metadata("alice").await?.unwrap().suspended_at().is_some());
///
/// // Another password is stored: a late note on the first one changes nothing.
/// vault.put("alice", "alice@example.org", &password).await?;
/// assert!(!vault.suspend("alice", first.revision()).await?);
/// assert!(vault.metadata("alice").await?.unwrap().suspended_at().is_none());
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Vault {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    keyring: Keyring,
    store: Arc<dyn Store>,
}

impl Vault {
    /// A vault that seals with `keyring` and keeps the sealed records in `store`.
    pub fn new(keyring: Keyring, store: impl Store) -> Self {
        Self::on(keyring, Arc::new(store))
    }

    /// As [`Self::new`], on a store that others use too.
    pub fn on(keyring: Keyring, store: Arc<dyn Store>) -> Self {
        Self {
            inner: Arc::new(Inner { keyring, store }),
        }
    }

    /// The keys.
    pub fn keyring(&self) -> &Keyring {
        &self.inner.keyring
    }

    /// The store.
    pub fn store(&self) -> &Arc<dyn Store> {
        &self.inner.store
    }

    /// The credential of `user_id`; `None` if nothing is stored.
    ///
    /// # Errors
    /// [`VaultError::Unopened`] if the record does not open, [`VaultError::Store`] if the store
    /// failed, [`VaultError::Keyring`] if a changed key file cannot be read.
    pub async fn credential(&self, user_id: &str) -> Result<Option<Credential>, VaultError> {
        match self.record(user_id).await? {
            Some(record) => self.open(&record).await.map(Some),
            None => Ok(None),
        }
    }

    /// What is stored of `user_id`, sealed; the same allocation as long as nothing changes, if the
    /// store keeps it in memory.
    pub(crate) async fn record(&self, user_id: &str) -> Result<Option<Arc<Record>>, VaultError> {
        match self.store().cached_record(user_id) {
            Some(known) => Ok(known),
            None => Ok(self.store().record(user_id).await?),
        }
    }

    /// Seals and stores a password in place of whatever the user had; it starts in good standing.
    ///
    /// # Errors
    /// [`VaultError::UserId`] and [`VaultError::LoginName`] for a name that cannot be stored, and if
    /// the keys or the store failed.
    pub async fn put(
        &self,
        user_id: &str,
        login_name: &str,
        password: &AppPassword,
    ) -> Result<Metadata, VaultError> {
        let (record, metadata) = self.seal(user_id, login_name, password, false).await?;
        self.store().put(record, None).await?;
        Ok(metadata)
    }

    /// Removes the credential of `user_id`; `false` if there was none. Once it has answered,
    /// no lookup returns the credential any more, in this process or another.
    ///
    /// # Errors
    /// If the store failed.
    pub async fn remove(&self, user_id: &str) -> Result<bool, VaultError> {
        Ok(self.store().remove(user_id).await?)
    }

    /// What may be shown of the credential of `user_id`; `None` if nothing is stored.
    ///
    /// # Errors
    /// As [`Self::credential`].
    pub async fn metadata(&self, user_id: &str) -> Result<Option<Metadata>, VaultError> {
        Ok(self.credential(user_id).await?.map(Metadata::from))
    }

    /// Notes that the groupware server refused the password of `revision` just now; `false`, and
    /// nothing is noted, if another one is stored by now. Noting it again sets the later time and
    /// counts one more refusal.
    ///
    /// # Errors
    /// If the store failed.
    pub async fn suspend(&self, user_id: &str, revision: u64) -> Result<bool, VaultError> {
        let now = from_millis(to_millis(SystemTime::now()));
        Ok(self.store().mark(user_id, revision, Some(now)).await?)
    }

    /// Removes the note of [`Self::suspend`], under the same condition.
    ///
    /// # Errors
    /// If the store failed.
    pub async fn resume(&self, user_id: &str, revision: u64) -> Result<bool, VaultError> {
        Ok(self.store().mark(user_id, revision, None).await?)
    }

    /// What may be shown of all credentials, ordered by user id, in constant memory.
    ///
    /// A record that does not open is an [`VaultError::Unopened`] item and the listing goes on;
    /// any other error ends it. A credential that is stored or removed during the listing may or may
    /// not be in it; all others are, once.
    pub fn list(&self) -> impl Stream<Item = Result<Metadata, VaultError>> + Send {
        struct Cursor {
            vault: Vault,
            page: std::vec::IntoIter<Arc<Record>>,
            after: Option<Arc<str>>,
            ended: bool,
        }
        let start = Cursor {
            vault: self.clone(),
            page: Vec::new().into_iter(),
            after: None,
            ended: false,
        };
        stream::unfold(start, |mut cursor| async move {
            if cursor.page.len() == 0 && !cursor.ended {
                let store = cursor.vault.store();
                match store.page(cursor.after.as_deref(), PAGE).await {
                    Ok(page) => {
                        cursor.ended = page.len() < PAGE;
                        cursor.after = page.last().map(|record| record.user_id.clone());
                        cursor.page = page.into_iter();
                    }
                    Err(error) => {
                        cursor.ended = true;
                        return Some((Err(error.into()), cursor));
                    }
                }
            }
            let record = cursor.page.next()?;
            let item = cursor.vault.open(&record).await.map(Metadata::from);
            Some((item, cursor))
        })
    }

    /// How many credentials are stored.
    ///
    /// # Errors
    /// If the store failed.
    pub async fn count(&self) -> Result<CredentialCounts, VaultError> {
        Ok(self.store().count().await?)
    }

    /// Whether the store answers.
    ///
    /// # Errors
    /// If it does not.
    pub async fn ready(&self) -> Result<(), VaultError> {
        Ok(self.store().ready().await?)
    }

    /// The credential that is sealed in `record`.
    pub(crate) async fn open(&self, record: &Record) -> Result<Credential, VaultError> {
        let associated_data = associated_data::of_record(&record.user_id, record.revision);
        let plain = self
            .open_sealed(&record.user_id, &associated_data, &record.sealed)
            .await?;
        let unread = || unopened(&record.user_id, OpenError::Format);
        let (provisioned_at, login_name, password, from_flow) =
            decode(&plain).ok_or_else(unread)?;
        let metadata = Metadata {
            user_id: record.user_id.clone(),
            login_name,
            provisioned_at,
            revision: record.revision,
            suspended_at: record.suspended_at,
            refusals: record.refusals,
            from_flow,
        };
        Ok(Credential { metadata, password })
    }

    pub(super) async fn open_sealed(
        &self,
        user_id: &str,
        associated_data: &[u8],
        sealed: &[u8],
    ) -> Result<Zeroizing<Vec<u8>>, VaultError> {
        let keyring = self.keyring();
        match keyring.open(associated_data, sealed) {
            // Another process may have sealed it with a key that is new in the file.
            Err(OpenError::UnknownKey(_)) if keyring.can_change() => {
                self.refresh_keys().await?;
                keyring.open(associated_data, sealed)
            }
            opened => opened,
        }
        .map_err(|reason| unopened(user_id, reason))
    }

    /// Reads the key file again if it changed, on a thread that may block.
    pub(super) async fn refresh_keys(&self) -> Result<(), KeyringError> {
        if !self.keyring().can_change() {
            return Ok(());
        }
        let vault = self.clone();
        let refreshed = tokio::task::spawn_blocking(move || vault.keyring().refresh()).await;
        // The task does not panic, and is aborted only if the runtime ends: then the keys that are
        // known already have to do.
        refreshed.unwrap_or(Ok(()))
    }

    pub(super) async fn seal(
        &self,
        user_id: &str,
        login_name: &str,
        password: &AppPassword,
        from_flow: bool,
    ) -> Result<(Record, Metadata), VaultError> {
        check_user_id(user_id).map_err(|_| VaultError::UserId)?;
        check_login_name(login_name).map_err(|_| VaultError::LoginName)?;
        self.refresh_keys().await?;
        let mut random = [0; 8];
        getrandom::fill(&mut random)?;
        let metadata = Metadata {
            user_id: user_id.into(),
            login_name: login_name.into(),
            provisioned_at: from_millis(to_millis(SystemTime::now())),
            // SQL integers are signed.
            revision: u64::from_ne_bytes(random) >> 1,
            suspended_at: None,
            refusals: 0,
            from_flow,
        };
        let plain = encode(metadata.provisioned_at, login_name, password, from_flow);
        let associated_data = associated_data::of_record(user_id, metadata.revision);
        let record = Record {
            user_id: metadata.user_id.clone(),
            revision: metadata.revision,
            sealed: self
                .keyring()
                .keys()
                .first()
                .seal(&associated_data, &plain)?,
            suspended_at: None,
            refusals: 0,
        };
        Ok((record, metadata))
    }
}

pub(super) fn unopened(user_id: &str, reason: OpenError) -> VaultError {
    VaultError::Unopened {
        user_id: user_id.into(),
        reason,
    }
}
