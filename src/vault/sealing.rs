//! Which key seals: the store says so, to all gateways on it. So a new key opens everywhere before it seals anything, if
//! it is copied to all of them before it is made the one that seals.
//!
//! The key that seals has a row of its own, and each that sealed before has one. Where there is none yet, the first key
//! of the first vault that seals is the one.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use tokio::time::Instant;

use super::cipher::SealingKey;
use super::time::{from_millis, to_millis};
use super::{Change, KeyId, Row, Table, Vault, VaultError, cipher};

/// How long what the store said is believed.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// How long a key is kept after another has taken its place, for what a slow gateway has sealed and not stored yet.
const KEPT_FOR: Duration = Duration::from_secs(600);

/// The key of the row of the key that seals.
const SEALING: &str = "sealing";

const TABLE: Table = Table::SealingKey;
const ACTION: &str = "note which key seals";

impl Vault {
    /// The key that seals.
    ///
    /// # Errors
    /// If the store fails, or says nothing yet and cannot be written.
    pub async fn sealing_key(&self) -> Result<KeyId, VaultError> {
        let known = self.known_sealing_key();
        if let Some((id, until)) = known {
            let now = Instant::now();
            if now < until {
                return Ok(id);
            }
            // Whoever comes while the store is asked goes on with it.
            *self.believed.lock() = Some((id, now + LOOK_EVERY));
        }
        match (self.look_at_sealing_key().await, known) {
            // What is sealed with it will hardly be stored.
            (Err(_), Some((id, _))) => Ok(id),
            (looked, _) => looked,
        }
    }

    /// The key that seals, from those at hand.
    pub(super) async fn sealing(&self) -> Result<Arc<SealingKey>, VaultError> {
        let id = self.sealing_key().await?;
        if self.keyring().keys().with_id(id).is_none() {
            let _ = self.refresh_keys(Some(id)).await;
        }
        self.keyring().keys().with_id(id).cloned().ok_or(VaultError::NoSealingKey(id))
    }

    /// Whether the key that seals, as far as that is known, sealed it.
    pub(crate) fn is_sealed_with_sealing_key(&self, sealed: &[u8]) -> bool {
        self.known_sealing_key().is_some_and(|(id, _)| cipher::key_id(sealed) == Ok(id))
    }

    /// Whether a key that is not at hand may be elsewhere: the one that seals is not either, or nobody can tell.
    pub(crate) async fn lacks_keys(&self) -> bool {
        // Not what is believed.
        let looked = self.look_at_sealing_key().await;
        looked.is_err() || self.keyring().is_unusable() || self.sealing().await.is_err()
    }

    /// Makes the first key seal if the one that does is not at hand, and the first one has never sealed. Only for a store
    /// with nothing that was sealed.
    ///
    /// # Errors
    /// If the store fails, or cannot be written.
    pub async fn replace_missing_sealing_key(&self) -> Result<(), VaultError> {
        let id = self.look_at_sealing_key().await?;
        match self.keyring().keys().with_id(id) {
            Some(_) => Ok(()),
            None => self.change_sealing_key().await,
        }
    }

    /// Makes the first key seal, unless it does or another one has taken its place before; waits until no gateway seals
    /// with the former one any more.
    pub(super) async fn change_sealing_key(&self) -> Result<(), VaultError> {
        let first = self.keyring().first_key();
        loop {
            let current = self.look_at_sealing_key().await?;
            let has_sealed = self.row(TABLE, &first.to_string()).await?.is_some();
            if first == current || has_sealed {
                return Ok(());
            }
            let Some(row) = self.row(TABLE, SEALING).await? else {
                continue;
            };
            let now = to_millis(SystemTime::now());
            let changes = vec![
                Change::replace(TABLE, row, key_row(SEALING, first, now)),
                Change::put(TABLE, former(current, now)),
            ];
            if self.store().commit(ACTION, changes).await?.is_done() {
                self.remember(first);
                tokio::time::sleep(LOOK_EVERY + LOOK_EVERY / 10).await;
                return Ok(());
            }
        }
    }

    /// Takes away those keys at hand that have sealed, and have not for ten minutes: from now on the store refuses what
    /// is sealed with them. Returns them. Look then which of them records still need, and [give those
    /// back](Self::give_back_keys). With deliveries: [`Deliveries::take_keys_away`](crate::deliveries::Deliveries::take_keys_away).
    ///
    /// # Errors
    /// If the store fails.
    pub async fn take_keys_away(&self) -> Result<Vec<KeyId>, VaultError> {
        self.look_at_sealing_key().await?;
        let mut taken = Vec::new();
        for id in self.keyring().key_ids() {
            let Some(row) = self.row(TABLE, &id.to_string()).await? else {
                continue;
            };
            let age = row.since.map(from_millis).and_then(|at| at.elapsed().ok());
            if age.is_some_and(|age| age >= KEPT_FOR) && self.mark_key(&row, 1).await? {
                taken.push(id);
            }
        }
        Ok(taken)
    }

    /// Gives back keys that were [taken away](Self::take_keys_away).
    ///
    /// # Errors
    /// If the store fails.
    pub async fn give_back_keys(&self, ids: &[KeyId]) -> Result<(), VaultError> {
        for id in ids {
            if let Some(row) = self.row(TABLE, &id.to_string()).await? {
                self.mark_key(&row, 0).await?;
            }
        }
        Ok(())
    }

    async fn mark_key(&self, row: &Arc<Row>, count: u32) -> Result<bool, VaultError> {
        let marked = Row { count, ..Row::clone(row) };
        self.commit_one(ACTION, Change::replace(TABLE, row.clone(), marked)).await
    }

    /// Asks the store, and tells it if it does not know.
    async fn look_at_sealing_key(&self) -> Result<KeyId, VaultError> {
        loop {
            let row = self.store().get(TABLE, SEALING).await?;
            if let Some(id) = row.and_then(|row| cipher::key_id_of_header(&row.sealed)) {
                self.remember(id);
                return Ok(id);
            }
            // A key that was added while nobody used the store may be first now.
            let _ = self.refresh_keys(None).await;
            let (now, keys) = (to_millis(SystemTime::now()), self.keyring().key_ids());
            let first = Arc::new(key_row(SEALING, keys[0], now));
            let mut changes = vec![Change::add(TABLE, first)];
            // Those of earlier rotations.
            let others = keys[1..].iter();
            changes.extend(others.map(|id| Change::put(TABLE, former(*id, now))));
            self.store().commit(ACTION, changes).await?;
        }
    }

    fn known_sealing_key(&self) -> Option<(KeyId, Instant)> {
        *self.believed.lock()
    }

    fn remember(&self, id: KeyId) {
        *self.believed.lock() = Some((id, Instant::now() + LOOK_EVERY));
    }
}

/// The row of a key that sealed until `now`.
fn former(id: KeyId, now: i64) -> Row {
    Row { since: Some(now), ..key_row(&id.to_string(), id, 0) }
}

fn key_row(key: &str, id: KeyId, number: i64) -> Row {
    let mut row = Row::new(key.into(), key.into(), number);
    row.sealed = id.header().into();
    row
}
