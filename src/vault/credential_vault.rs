//! App passwords in the vault.

use std::time::SystemTime;

use futures_util::stream::{Stream, TryStreamExt as _};

use super::credential::{REFUSED_BY_BASIC, ScopeLimit, StoredCredential};
use super::time::{from_millis, to_millis};
use super::{
    AppPassword, Change, Credential, CredentialCounts, Expected, Metadata, Row, Table, Vault,
    VaultError,
};
use crate::names::{check_login_name, check_user_id};
use crate::random;

impl Vault {
    /// The credential of `user_id`; `None` if nothing is stored.
    ///
    /// # Errors
    /// [`VaultError::Unopened`] if the record does not open, [`VaultError::Store`] if the store
    /// failed.
    pub async fn credential(&self, user_id: &str) -> Result<Option<Credential>, VaultError> {
        self.record(user_id).await
    }

    /// The credential of `user_id`, sealed; the same allocation as long as nothing changes, if the
    /// store keeps it in memory.
    pub(crate) async fn stored(
        &self,
        user_id: &str,
    ) -> Result<Option<StoredCredential>, VaultError> {
        Ok(self.row(Table::Credential, user_id).await?.map(StoredCredential))
    }

    /// Seals and stores a password in place of the one that the user had; it starts in good standing. The
    /// [scopes](Metadata::scopes) stay those of the one before.
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
        loop {
            let replacement = self.replace_credential(user_id, login_name, password, false);
            let (change, metadata) = replacement.await?;
            // Otherwise another call changed what was to be replaced, and perhaps its scopes.
            if self.commit_one("store a credential", change).await? {
                return Ok(metadata);
            }
        }
    }

    /// As [`Self::put`], but the scopes are these from now on: names separated by spaces, `None` without a limit.
    ///
    /// # Errors
    /// As [`Self::put`].
    pub async fn put_with_scopes(
        &self,
        user_id: &str,
        login_name: &str,
        password: &AppPassword,
        scopes: Option<&str>,
    ) -> Result<Metadata, VaultError> {
        let limit = scopes.map(ScopeLimit::now);
        let (row, metadata) = self.seal(user_id, login_name, password, false, limit).await?;
        let change = Change::put(Table::Credential, row);
        self.commit_one("store a credential", change).await?;
        Ok(metadata)
    }

    /// Limits what is forwarded with the stored password of `user_id` to `scopes`, names separated by spaces; `None` if
    /// nothing is stored. Once it has answered, each lookup has them, in this process or another.
    ///
    /// # Errors
    /// As [`Self::credential`].
    pub async fn set_scopes(
        &self,
        user_id: &str,
        scopes: &str,
    ) -> Result<Option<Metadata>, VaultError> {
        while let Some(row) = self.row(Table::Credential, user_id).await? {
            let mut credential: Credential = self.open_row(&row).await?;
            credential.metadata.limit = Some(ScopeLimit::now(scopes));
            let plain = credential.metadata.encode(&credential.password);
            let sealed = self.seal_row(Table::Credential, Row::clone(&row), &plain).await?;
            let change = Change::replace(Table::Credential, row, sealed);
            if self.commit_one("change the scopes of a credential", change).await? {
                return Ok(Some(credential.metadata));
            }
        }
        Ok(None)
    }

    /// Removes the credential of `user_id`; `false` if there was none. Once it has answered,
    /// no lookup returns the credential any more, in this process or another.
    ///
    /// # Errors
    /// If the store failed.
    pub async fn remove(&self, user_id: &str) -> Result<bool, VaultError> {
        self.remove_row("remove a credential", Table::Credential, user_id).await
    }

    /// Like [`Self::remove`], but `false`, and nothing changes, if the stored password is not that of `revision`.
    ///
    /// # Errors
    /// If the store failed.
    pub async fn remove_revision(&self, user_id: &str, revision: u64) -> Result<bool, VaultError> {
        while let Some(row) = self.row(Table::Credential, user_id).await? {
            if row.number != revision.cast_signed() {
                break;
            }
            // Otherwise it was changed since it was read.
            let change = Change::remove(Table::Credential, row);
            if self.commit_one("remove a credential", change).await? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The credential of `user_id` without its password; `None` if nothing is stored.
    ///
    /// # Errors
    /// As [`Self::credential`].
    pub async fn metadata(&self, user_id: &str) -> Result<Option<Metadata>, VaultError> {
        Ok(self.credential(user_id).await?.map(|found| found.metadata))
    }

    /// Marks the password of `revision` as just refused by the groupware server; `false`, and nothing changes, if
    /// another one has been stored since. Marking it again sets the later time and counts one more refusal.
    ///
    /// # Errors
    /// If the store failed.
    pub async fn suspend(&self, user_id: &str, revision: u64) -> Result<bool, VaultError> {
        let now = to_millis(SystemTime::now());
        let suspend = |row: &mut Row| {
            row.since = Some(now);
            row.count = row.count.saturating_add(1);
        };
        self.mark(user_id, revision, suspend).await
    }

    /// Removes the mark of [`Self::suspend`], under the same condition.
    ///
    /// # Errors
    /// If the store failed.
    pub async fn resume(&self, user_id: &str, revision: u64) -> Result<bool, VaultError> {
        let resume = |row: &mut Row| {
            row.since = None;
            row.count &= REFUSED_BY_BASIC;
        };
        self.mark(user_id, revision, resume).await
    }

    /// Marks the password of `revision` as one that the groupware server refuses, or does not refuse, by HTTP
    /// Basic, under the same condition. Only the store of another password and this change the mark.
    ///
    /// # Errors
    /// If the store failed.
    pub async fn mark_refused_by_basic(
        &self,
        user_id: &str,
        revision: u64,
        is_refused: bool,
    ) -> Result<bool, VaultError> {
        let refused = if is_refused { REFUSED_BY_BASIC } else { 0 };
        let mark = |row: &mut Row| row.count = row.count & !REFUSED_BY_BASIC | refused;
        self.mark(user_id, revision, mark).await
    }

    async fn mark(
        &self,
        user_id: &str,
        revision: u64,
        change: impl Fn(&mut Row) + Send,
    ) -> Result<bool, VaultError> {
        loop {
            let row = self.row(Table::Credential, user_id).await?;
            let Some(row) = row.filter(|row| row.number == revision.cast_signed()) else {
                return Ok(false);
            };
            let mut marked = Row::clone(&row);
            change(&mut marked);
            let change = Change::replace(Table::Credential, row, marked);
            let action = "note the standing of a credential";
            // Otherwise another call changed the row since it was read.
            if self.commit_one(action, change).await? {
                return Ok(true);
            }
        }
    }

    /// All credentials without their passwords, ordered by user id, in constant memory.
    ///
    /// A record that does not open is an [`VaultError::Unopened`] item and the listing goes on; any other error ends
    /// it. A credential that is stored or removed during the listing may or may not be in it; all others are, once.
    pub fn list(&self) -> impl Stream<Item = Result<Metadata, VaultError>> + Send + use<> {
        self.records().map_ok(|credential: Credential| credential.metadata)
    }

    /// Up to `limit` credentials of the accounts after `after`, ordered by their ids, unopened.
    pub(crate) async fn stored_after(
        &self,
        after: Option<&str>,
        limit: usize,
    ) -> Result<Vec<StoredCredential>, VaultError> {
        let page = self.store().page(Table::Credential, None, after, limit).await?;
        Ok(page.into_iter().map(StoredCredential).collect())
    }

    /// How many credentials are stored.
    ///
    /// # Errors
    /// If the store failed.
    pub async fn count(&self) -> Result<CredentialCounts, VaultError> {
        Ok(self.store().count().await?)
    }

    pub(crate) async fn open(&self, stored: &StoredCredential) -> Result<Credential, VaultError> {
        self.open_row(&stored.0).await
    }

    /// The change that stores a password in place of the one that the user has now, with its scopes.
    pub(super) async fn replace_credential(
        &self,
        user_id: &str,
        login_name: &str,
        password: &AppPassword,
        from_flow: bool,
    ) -> Result<(Change, Metadata), VaultError> {
        check_user_id(user_id).map_err(|_| VaultError::UserId)?;
        let (mut limit, mut expected) = (None, Expected::Nothing);
        if let Some(row) = self.row(Table::Credential, user_id).await? {
            // One that does not open is replaced anyway.
            let replaced: Option<Credential> = self.open_row(&row).await.ok();
            limit = replaced.and_then(|replaced| replaced.metadata.limit);
            expected = Expected::Row(row);
        }
        let (row, metadata) = self.seal(user_id, login_name, password, from_flow, limit).await?;
        Ok((Change::Put { table: Table::Credential, row: row.into(), expected }, metadata))
    }

    async fn seal(
        &self,
        user_id: &str,
        login_name: &str,
        password: &AppPassword,
        from_flow: bool,
        limit: Option<ScopeLimit>,
    ) -> Result<(Row, Metadata), VaultError> {
        check_user_id(user_id).map_err(|_| VaultError::UserId)?;
        check_login_name(login_name).map_err(|_| VaultError::LoginName)?;
        let random = random::bytes().map_err(VaultError::Random)?;
        let metadata = Metadata {
            user_id: user_id.into(),
            login_name: login_name.into(),
            provisioned_at: from_millis(to_millis(SystemTime::now())),
            // SQL integers are signed.
            revision: u64::from_ne_bytes(random) >> 1,
            suspended_at: None,
            refusals: 0,
            is_refused_by_basic: false,
            is_from_flow: from_flow,
            limit,
        };
        let plain = metadata.encode(password);
        let user_id = metadata.user_id.clone();
        let empty = Row::new(user_id.clone(), user_id, metadata.revision.cast_signed());
        let row = self.seal_row(Table::Credential, empty, &plain).await?;
        Ok((row, metadata))
    }
}
