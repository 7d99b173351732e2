//! The queue and the keys together.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use zeroize::Zeroizing;

use super::queue::OfAccount;
use super::{
    AttemptOutcome, Incoming, Maker, NewReceipt, Queue, QueueError, Receipt, ReceiptId, Scope,
    Suspension, Target, TargetId, TargetSettings,
};
use crate::audit::{Action, Actor, Auditor};
use crate::vault::{OpenError, Vault, VaultError};

/// The labels of what is sealed, as associated data.
const RECEIPT: &[u8; 10] = b"receipt   ";
const TARGET: &[u8; 10] = b"target    ";

/// Receipts, targets and deliveries, with the keys of the vault. Cheap to clone; clones share everything.
#[derive(Clone, Debug)]
pub struct Deliveries {
    queue: Queue,
    pub(super) vault: Vault,
    limits: Limits,
    received: Arc<AtomicU64>,
    attempts: Arc<[AtomicU64; AttemptOutcome::ALL.len()]>,
    given_up: Arc<AtomicU64>,
    auditor: Auditor,
}

/// How much is kept, and for how long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// How long receipts and their deliveries are kept, delivered or not.
    pub keep: Duration,
    /// The most bytes of all receipts together.
    pub max: u64,
}

// === impl Limits ===

impl Default for Limits {
    /// 7 days and 10 GiB.
    fn default() -> Self {
        Self { keep: Duration::from_secs(7 * 24 * 3600), max: 10 << 30 }
    }
}

// === impl Deliveries ===

impl Deliveries {
    /// What `queue` keeps, sealed with the keys of `vault`.
    pub fn new(vault: Vault, queue: Queue, limits: Limits) -> Self {
        Self {
            queue,
            vault,
            limits,
            received: Arc::default(),
            attempts: Arc::default(),
            given_up: Arc::default(),
            auditor: Auditor::new(Actor::Gateway),
        }
    }

    /// The queue.
    pub fn queue(&self) -> &Queue {
        &self.queue
    }

    /// Receipts that this process has kept.
    pub fn received(&self) -> u64 {
        self.received.load(Ordering::Relaxed)
    }

    /// Attempts of this process that ended with `outcome`.
    pub fn attempts(&self, outcome: AttemptOutcome) -> u64 {
        self.attempts[outcome as usize].load(Ordering::Relaxed)
    }

    /// Deliveries that failed for good at an attempt of this process.
    pub fn given_up(&self) -> u64 {
        self.given_up.load(Ordering::Relaxed)
    }

    pub(super) fn attempted(&self, outcome: AttemptOutcome, is_last: bool) {
        self.attempts[outcome as usize].fetch_add(1, Ordering::Relaxed);
        if is_last && outcome != AttemptOutcome::Delivered {
            self.given_up.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// How much is kept, and for how long.
    pub fn limits(&self) -> Limits {
        self.limits
    }

    /// Keeps what was received: it is on disk when this returns.
    ///
    /// # Errors
    /// If there is no room, or the store fails; nothing was kept then, unless `StoreError::is_effect_unknown` says so.
    pub async fn receive(&self, incoming: Incoming) -> Result<ReceiptId, QueueError> {
        let kept = self.keep(incoming).await;
        match kept {
            Ok(_) => _ = self.received.fetch_add(1, Ordering::Relaxed),
            // Its sender does not repeat it.
            Err(_) => self.queue.note_refusal(),
        }
        kept
    }

    async fn keep(&self, incoming: Incoming) -> Result<ReceiptId, QueueError> {
        let id = ReceiptId::random().map_err(VaultError::Random)?;
        let body = Zeroizing::new(incoming.body);
        let account = incoming.account.as_deref().unwrap_or_default();
        let texts = [&*id.to_string(), account];
        let sealed = self.vault.seal_apart(RECEIPT, &texts, &body).await?;
        // It may have a megabyte, and wait for others.
        drop(body);
        let receipt = NewReceipt { id, account: incoming.account, class: incoming.class, sealed };
        self.queue.insert(receipt, self.limits.max).await?;
        Ok(id)
    }

    /// Opens a receipt: its body, a JSON object.
    ///
    /// # Errors
    /// If it does not open with the keys at hand.
    pub async fn open_receipt(&self, receipt: &Receipt) -> Result<Vec<u8>, QueueError> {
        let account = receipt.account.as_deref().unwrap_or_default();
        let texts = [&*receipt.id.to_string(), account];
        let read = |plain: &[u8]| Some(plain.to_vec());
        Ok(self.vault.open_apart(RECEIPT, &texts, &receipt.sealed, read).await?)
    }

    /// Makes a target of `maker` for the events of `account`, or of all accounts.
    ///
    /// # Errors
    /// If the account has too many, or the store fails.
    pub async fn add_target(
        &self,
        account: Option<&str>,
        settings: &TargetSettings,
        maker: Maker,
    ) -> Result<Target, QueueError> {
        let id = TargetId::random().map_err(VaultError::Random)?;
        let sealed = self.seal_settings(id, account, settings).await?;
        let mut target = Target::new(id, account, sealed, maker);
        target.created_at = self.queue.add_target(target.clone()).await?;
        Ok(target)
    }

    /// Replaces state and settings of `target`, one of `scope`; `false` if it was changed since it was read, or is gone.
    /// With a `maker` it is theirs from now on, and not suspended.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn change_target(
        &self,
        scope: Scope<'_>,
        target: &Target,
        settings: &TargetSettings,
        maker: Option<&Maker>,
    ) -> Result<bool, QueueError> {
        let (id, found) = (target.id, (target.revision, target.state));
        let sealed = self.seal_settings(id, target.account.as_deref(), settings).await?;
        self.queue.change_target(scope, id, found, sealed, maker).await
    }

    /// Records with `auditor` which targets it suspends or resumes.
    #[must_use]
    pub fn auditor(self, auditor: Auditor) -> Self {
        Self { auditor, ..self }
    }

    /// Records that these were suspended, or are not suspended any more.
    pub(crate) fn record_suspended(&self, targets: &[Target]) {
        for target in targets {
            let action = match target.suspended {
                Some(_) => Action::SuspendTarget,
                None => Action::ResumeTarget,
            };
            let attempt = self.auditor.attempt(action);
            attempt.found_target(target.id, target.account.as_deref());
            match target.suspended {
                Some(suspension) => attempt.done_since(suspension.as_str()),
                None => attempt.done(),
            }
        }
    }

    /// Removes the targets and events of an account, and suspends those that it made for others.
    ///
    /// # Errors
    /// If the store fails; what was removed before stays so.
    pub async fn remove_account(&self, account: &str) -> Result<OfAccount, QueueError> {
        // First, since their many events take longer.
        let suspended = self.queue.maker_left(account).await?;
        self.record_suspended(&suspended);
        self.queue.remove_account(account).await
    }

    /// Suspends `target` if its maker's account is bound to somebody else or nobody, and lifts that once it is theirs again.
    /// Whether it may be sent to, as far as that goes.
    ///
    /// # Errors
    /// If the store fails; it may not be sent to then.
    pub async fn check_binding(&self, target: &Target) -> Result<bool, QueueError> {
        let (true, Some(person)) = (target.maker.is_bound, &target.maker.person) else {
            return Ok(true);
        };
        let bound = self.vault.bound_account(person).await?;
        let is_unbound = bound.is_none_or(|account| *account != *target.maker.account);
        // What is suspended for another reason stays so.
        let suspended = target.suspended == Some(Suspension::Unbound);
        if is_unbound != suspended
            && (suspended || target.suspended.is_none())
            && self.queue.set_unbound(target.id, target.revision, is_unbound).await?
        {
            let mut changed = target.clone();
            changed.suspended = is_unbound.then_some(Suspension::Unbound);
            self.record_suspended(&[changed]);
        }
        Ok(!is_unbound)
    }

    async fn seal_settings(
        &self,
        id: TargetId,
        account: Option<&str>,
        settings: &TargetSettings,
    ) -> Result<Box<[u8]>, QueueError> {
        // An object of texts and numbers.
        let plain = serde_json::to_vec(settings).map(Zeroizing::new);
        let plain = plain.unwrap_or_default();
        let texts = [&*id.to_string(), account.unwrap_or_default()];
        Ok(self.vault.seal_apart(TARGET, &texts, &plain).await?)
    }

    /// Whether the key that seals at present sealed it.
    pub(super) async fn is_current(&self, sealed: &[u8]) -> bool {
        let _ = self.vault.sealing_key().await;
        self.vault.is_sealed_with_sealing_key(sealed)
    }

    /// What was `opened`; `None` if it never opens.
    ///
    /// # Errors
    /// It may open later, or at another gateway: a key is missing here, or a store fails.
    pub(crate) async fn unless_lost<T>(
        &self,
        opened: Result<T, QueueError>,
    ) -> Result<Option<T>, QueueError> {
        match opened {
            Err(QueueError::Vault(VaultError::Unopened { reason, .. }))
                if !matches!(reason, OpenError::UnknownKey(_))
                    || !self.vault.lacks_keys().await =>
            {
                Ok(None)
            }
            opened => opened.map(Some),
        }
    }

    /// Opens the settings of a target.
    ///
    /// # Errors
    /// If they do not open with the keys at hand.
    pub async fn open_target(&self, target: &Target) -> Result<TargetSettings, QueueError> {
        let account = target.account.as_deref().unwrap_or_default();
        let texts = [&*target.id.to_string(), account];
        let read = |plain: &[u8]| serde_json::from_slice(plain).ok();
        Ok(self.vault.open_apart(TARGET, &texts, &target.sealed, read).await?)
    }
}
