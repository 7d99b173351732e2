//! The vault: keys and a store together.

use std::sync::Arc;
use std::time::SystemTime;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use futures_util::stream::{self, Stream};
use zeroize::Zeroizing;

use super::cipher::OpenError;
use super::time::{from_millis, to_millis};
use super::{
    AppPassword, Credential, FlowRecord, FlowState, FlowSwap, Keyring, KeyringError, LoginFlow,
    Metadata, Record, Store, VaultError,
};

/// Stored app passwords. Cheap to clone; clones share everything.
#[derive(Debug)]
pub struct Vault<S> {
    inner: Arc<Inner<S>>,
}

#[derive(Debug)]
struct Inner<S> {
    keyring: Keyring,
    store: S,
}

/// How many records a listing holds in memory at once.
const PAGE: usize = 256;

/// How many login flows a user can have under way; a new one drops the oldest.
const FLOWS_PER_USER: usize = 16;

/// Length in bytes of the longest user id and login name.
const MAX_NAME_LEN: usize = 255;

impl<S: Store> Vault<S> {
    /// A vault that seals with `keyring` and keeps in `store`.
    pub fn new(keyring: Keyring, store: S) -> Self {
        Self {
            inner: Arc::new(Inner { keyring, store }),
        }
    }

    /// The keys.
    pub fn keyring(&self) -> &Keyring {
        &self.inner.keyring
    }

    /// The store.
    pub fn store(&self) -> &S {
        &self.inner.store
    }

    /// The credential of `user_id`; `None` where nothing is stored.
    ///
    /// # Errors
    /// [`VaultError::Unopened`] where the record does not open, [`VaultError::Store`] where the
    /// store failed.
    pub async fn credential(&self, user_id: &str) -> Result<Option<Credential>, VaultError> {
        match self.store().record(user_id).await? {
            Some(record) => self.open(&record).await.map(Some),
            None => Ok(None),
        }
    }

    /// Seals and stores a password in place of whatever the user had; it starts in good standing.
    ///
    /// # Errors
    /// Where a name cannot be stored, or the store failed.
    pub async fn put(
        &self,
        user_id: &str,
        login_name: &str,
        password: &AppPassword,
    ) -> Result<Metadata, VaultError> {
        let (record, metadata) = self.seal(user_id, login_name, password).await?;
        self.store().put(record, None).await?;
        Ok(metadata)
    }

    /// Removes the credential of `user_id`; `false` where there was none. Once it has answered,
    /// no lookup returns the credential any more, in this process or another.
    ///
    /// # Errors
    /// Where the store failed.
    pub async fn remove(&self, user_id: &str) -> Result<bool, VaultError> {
        Ok(self.store().remove(user_id).await?)
    }

    /// What may be shown of the credential of `user_id`; `None` where nothing is stored.
    ///
    /// # Errors
    /// As [`Self::credential`].
    pub async fn metadata(&self, user_id: &str) -> Result<Option<Metadata>, VaultError> {
        Ok(self.credential(user_id).await?.map(Metadata::from))
    }

    /// Notes that the groupware server refused the password of `revision` just now; `false`, and
    /// nothing is noted, where another one is stored since. Doing it again moves the time on.
    ///
    /// # Errors
    /// Where the store failed.
    pub async fn suspend(&self, user_id: &str, revision: u64) -> Result<bool, VaultError> {
        let now = from_millis(to_millis(SystemTime::now()));
        Ok(self.store().mark(user_id, revision, Some(now)).await?)
    }

    /// Takes the note of [`Self::suspend`] back, under the same condition.
    ///
    /// # Errors
    /// Where the store failed.
    pub async fn resume(&self, user_id: &str, revision: u64) -> Result<bool, VaultError> {
        Ok(self.store().mark(user_id, revision, None).await?)
    }

    /// What may be shown of all credentials, ordered by user id, in constant memory.
    ///
    /// A record that does not open is an [`VaultError::Unopened`] item and the listing goes on;
    /// any other error ends it. A credential that is stored or removed meanwhile may or may not
    /// be in it; all others are, once.
    pub fn list(&self) -> impl Stream<Item = Result<Metadata, VaultError>> + Send + use<S> {
        struct Cursor<S> {
            vault: Vault<S>,
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

    /// Whether the store answers.
    ///
    /// # Errors
    /// Where it does not.
    pub async fn ready(&self) -> Result<(), VaultError> {
        Ok(self.store().ready().await?)
    }

    // --- login flows ---

    /// Stores a new login flow of `user_id` that is gone from `expires_at` on. A user has 16 at
    /// most; the oldest give way.
    ///
    /// # Errors
    /// Where the user id cannot be stored, or the store failed.
    pub async fn put_flow(
        &self,
        user_id: &str,
        expires_at: SystemTime,
        state: FlowState,
    ) -> Result<LoginFlow, VaultError> {
        check_user_id(user_id)?;
        let mut random = [0; 16];
        getrandom::fill(&mut random)?;
        let mut flow = LoginFlow {
            flow_id: URL_SAFE_NO_PAD.encode(random).into(),
            user_id: user_id.into(),
            expires_at: from_millis(to_millis(expires_at)),
            state,
            sealed: Box::default(),
        };
        flow.sealed = self.seal_flow(&flow).await?;
        let record = FlowRecord {
            flow_id: flow.flow_id.clone(),
            user_id: flow.user_id.clone(),
            expires_at: flow.expires_at,
            sealed: flow.sealed.clone(),
        };
        self.store().put_flow(record, FLOWS_PER_USER).await?;
        Ok(flow)
    }

    /// The login flow `flow_id` of `user_id`; `None` for one of somebody else, an unknown and an
    /// expired one.
    ///
    /// # Errors
    /// As [`Self::credential`].
    pub async fn flow(
        &self,
        user_id: &str,
        flow_id: &str,
    ) -> Result<Option<LoginFlow>, VaultError> {
        let Some(record) = self.store().flow(flow_id).await? else {
            return Ok(None);
        };
        if *record.user_id != *user_id || record.expires_at <= SystemTime::now() {
            return Ok(None);
        }
        let bound = flow_bound(&record.flow_id, &record.user_id, record.expires_at);
        let plain = self
            .open_sealed(&record.user_id, &bound, &record.sealed)
            .await?;
        let state =
            FlowState::decode(&plain).ok_or_else(|| unopened(user_id, OpenError::Format))?;
        Ok(Some(LoginFlow {
            flow_id: record.flow_id,
            user_id: record.user_id,
            expires_at: record.expires_at,
            state,
            sealed: record.sealed,
        }))
    }

    /// The same flow in the new `state`; `None`, and nothing changes, where somebody else was
    /// faster or the flow is gone.
    ///
    /// # Errors
    /// Where the store failed.
    pub async fn update_flow(
        &self,
        flow: &LoginFlow,
        state: FlowState,
    ) -> Result<Option<LoginFlow>, VaultError> {
        let mut next = flow.with(state);
        let mut current = flow.clone();
        loop {
            let swap = self.swap(&current, &mut next).await?;
            if self.store().swap_flow(swap).await? {
                return Ok(Some(next));
            }
            match self.resealed(&current).await? {
                Some(again) => current = again,
                None => return Ok(None),
            }
        }
    }

    /// Stores a password for the owner of `flow` and makes the flow [`FlowState::Granted`], both
    /// at one instant; `None`, and nothing changes, where the flow was changed by somebody else
    /// or is gone. So a late second pickup cannot bring back what was removed meanwhile.
    ///
    /// # Errors
    /// As [`Self::put`].
    pub async fn grant_flow(
        &self,
        flow: &LoginFlow,
        login_name: &str,
        password: &AppPassword,
    ) -> Result<Option<Metadata>, VaultError> {
        let (record, metadata) = self.seal(&flow.user_id, login_name, password).await?;
        let mut next = flow.with(FlowState::Granted);
        let mut current = flow.clone();
        loop {
            let swap = self.swap(&current, &mut next).await?;
            if self.store().put(record.clone(), Some(swap)).await? {
                return Ok(Some(metadata));
            }
            match self.resealed(&current).await? {
                Some(again) => current = again,
                None => return Ok(None),
            }
        }
    }

    /// Drops the login flows that have expired and tells how many there were.
    ///
    /// # Errors
    /// Where the store failed.
    pub async fn remove_expired_flows(&self) -> Result<u64, VaultError> {
        Ok(self.store().remove_expired_flows(SystemTime::now()).await?)
    }

    // --- sealing and opening ---

    pub(super) async fn open(&self, record: &Record) -> Result<Credential, VaultError> {
        let bound = record_bound(&record.user_id, record.revision);
        let plain = self
            .open_sealed(&record.user_id, &bound, &record.sealed)
            .await?;
        let unread = || unopened(&record.user_id, OpenError::Format);
        let (provisioned_at, login_name, password) = decode(&plain).ok_or_else(unread)?;
        Ok(Credential {
            user_id: record.user_id.clone(),
            login_name,
            password,
            provisioned_at,
            revision: record.revision,
            suspended_at: record.suspended_at,
        })
    }

    pub(super) async fn open_sealed(
        &self,
        user_id: &str,
        bound: &[u8],
        sealed: &[u8],
    ) -> Result<Zeroizing<Vec<u8>>, VaultError> {
        let keyring = self.keyring();
        match keyring.open(bound, sealed) {
            // Another process may have sealed it with a key that is new in the file.
            Err(OpenError::UnknownKey(_)) if keyring.can_change() => {
                self.refresh_keys().await?;
                keyring.open(bound, sealed)
            }
            opened => opened,
        }
        .map_err(|reason| unopened(user_id, reason))
    }

    /// Takes up a change of the key file.
    pub(super) async fn refresh_keys(&self) -> Result<(), KeyringError> {
        if !self.keyring().can_change() {
            return Ok(());
        }
        let vault = self.clone();
        let refreshed = tokio::task::spawn_blocking(move || vault.keyring().refresh()).await;
        // The task neither panics nor is aborted; the keys at hand stay good where it does.
        refreshed.unwrap_or(Ok(()))
    }

    async fn seal(
        &self,
        user_id: &str,
        login_name: &str,
        password: &AppPassword,
    ) -> Result<(Record, Metadata), VaultError> {
        check_user_id(user_id)?;
        if !is_name(login_name) || login_name.contains(':') {
            return Err(VaultError::LoginName);
        }
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
        };
        let plain = encode(metadata.provisioned_at, login_name, password);
        let bound = record_bound(user_id, metadata.revision);
        let record = Record {
            user_id: metadata.user_id.clone(),
            revision: metadata.revision,
            sealed: self.keyring().keys().first().seal(&bound, &plain)?,
            suspended_at: None,
        };
        Ok((record, metadata))
    }

    async fn seal_flow(&self, flow: &LoginFlow) -> Result<Box<[u8]>, VaultError> {
        self.refresh_keys().await?;
        let bound = flow_bound(&flow.flow_id, &flow.user_id, flow.expires_at);
        let keys = self.keyring().keys();
        Ok(keys.first().seal(&bound, &flow.state.encode())?)
    }

    /// Seals `next`, which is to take the place of `current`.
    async fn swap(
        &self,
        current: &LoginFlow,
        next: &mut LoginFlow,
    ) -> Result<FlowSwap, VaultError> {
        next.sealed = self.seal_flow(next).await?;
        Ok(FlowSwap {
            flow_id: current.flow_id.clone(),
            from: current.sealed.clone(),
            to: next.sealed.clone(),
        })
    }

    /// `flow` as it is stored now, where nothing about it changed but its key. A rotation must
    /// not cost anybody a password that was just picked up.
    async fn resealed(&self, flow: &LoginFlow) -> Result<Option<LoginFlow>, VaultError> {
        let stored = self.flow(&flow.user_id, &flow.flow_id).await?;
        Ok(
            stored
                .filter(|it| it.sealed != flow.sealed && it.state.encode() == flow.state.encode()),
        )
    }
}

impl<S> Clone for Vault<S> {
    fn clone(&self) -> Self {
        Self {
            inner: Arc::clone(&self.inner),
        }
    }
}

/// What the sealed bytes of a credential are bound to.
pub(super) fn record_bound(user_id: &str, revision: u64) -> Vec<u8> {
    bound(b"credential", &[user_id], revision)
}

/// What the sealed bytes of a login flow are bound to.
pub(super) fn flow_bound(flow_id: &str, user_id: &str, expires_at: SystemTime) -> Vec<u8> {
    let expires_at = to_millis(expires_at).cast_unsigned();
    bound(b"login flow", &[flow_id, user_id], expires_at)
}

/// A label, a number, and texts with their lengths: no two inputs give the same bytes.
fn bound(label: &[u8; 10], texts: &[&str], number: u64) -> Vec<u8> {
    let len = texts.iter().map(|text| 4 + text.len()).sum::<usize>();
    let mut bytes = Vec::with_capacity(label.len() + 8 + len);
    bytes.extend_from_slice(label);
    bytes.extend_from_slice(&number.to_be_bytes());
    for text in texts {
        bytes.extend_from_slice(&u32::try_from(text.len()).unwrap_or(u32::MAX).to_be_bytes());
        bytes.extend_from_slice(text.as_bytes());
    }
    bytes
}

/// Time of provisioning in milliseconds (8 bytes), length of the login name (1), login name,
/// password.
fn encode(
    provisioned_at: SystemTime,
    login_name: &str,
    password: &AppPassword,
) -> Zeroizing<Vec<u8>> {
    let password = password.expose().as_bytes();
    let mut plain = Zeroizing::new(Vec::with_capacity(9 + login_name.len() + password.len()));
    plain.extend_from_slice(&to_millis(provisioned_at).to_be_bytes());
    plain.push(u8::try_from(login_name.len()).expect("checked to have 255 bytes at most"));
    plain.extend_from_slice(login_name.as_bytes());
    plain.extend_from_slice(password);
    plain
}

fn decode(plain: &[u8]) -> Option<(SystemTime, Box<str>, AppPassword)> {
    let (millis, rest) = plain.split_first_chunk::<8>()?;
    let (&len, rest) = rest.split_first()?;
    let (login_name, password) = rest.split_at_checked(len.into())?;
    Some((
        from_millis(i64::from_be_bytes(*millis)),
        std::str::from_utf8(login_name).ok()?.into(),
        AppPassword::new(std::str::from_utf8(password).ok()?).ok()?,
    ))
}

fn check_user_id(user_id: &str) -> Result<(), VaultError> {
    match is_name(user_id) {
        true => Ok(()),
        false => Err(VaultError::UserId),
    }
}

fn is_name(text: &str) -> bool {
    (1..=MAX_NAME_LEN).contains(&text.len()) && !text.chars().any(char::is_control)
}

pub(super) fn unopened(user_id: &str, reason: OpenError) -> VaultError {
    VaultError::Unopened {
        user_id: user_id.into(),
        reason,
    }
}
