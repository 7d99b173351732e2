//! What the store keeps of the refusals, so that they outlive the process, and of the passwords
//! that work.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use tokio::time::Instant;

use super::Logins;
use super::permit::{NoPlace, Permit};
use super::places::Shares;
use super::places::{Login, WINDOW};
use crate::gateway::Error;
use crate::vault::{RefusedLogin, Store};

/// How old what is known of the stored refusals may be: other processes on the same store add to
/// them.
const REREAD: Duration = Duration::from_secs(1);

/// How long notes of passwords that work are gathered: each write to the store is a synced one.
const GATHER: Duration = Duration::from_millis(200);

/// Passwords that work and that the store is not told of yet: their revisions by user.
#[derive(Default)]
pub(super) struct Unnoted(Mutex<HashMap<Arc<str>, u64>>);

impl<St: Store> Logins<St> {
    /// Acquires a permit for `login`.
    pub(super) async fn permit(&self, login: Login) -> Result<Permit, Error> {
        self.permit_since(login, Instant::now()).await
    }

    /// As [`permit`](Self::permit), for a request that has waited since `since`.
    pub(super) async fn permit_since(&self, login: Login, since: Instant) -> Result<Permit, Error> {
        match self.acquire(&login, Shares::All, since).await? {
            // Where the server counts nothing, only the share of each user is left.
            Err(full)
                if !full.is_of_one_user() && self.inner.allow_list.has_this_address().await =>
            {
                Ok(self.acquire(&login, Shares::OfUser, since).await??)
            }
            acquired => Ok(acquired?),
        }
    }

    async fn acquire(
        &self,
        login: &Login,
        shares: Shares,
        since: Instant,
    ) -> Result<Result<Permit, NoPlace>, Error> {
        let permits = &self.inner.permits;
        if let Some(common) = permits.common() {
            return Box::pin(self.acquire_in_common(common, login, shares, since)).await;
        }
        self.read_refused(since).await?;
        Ok(permits.acquire(login.clone(), shares).await)
    }

    /// Counts a refused login, here and in the store; with a permit, in the place that was
    /// reserved for it.
    pub(super) async fn count_refused(
        &self,
        permit: Option<Permit>,
        login: Login,
    ) -> Result<(), Error> {
        // Locked first: what is being read from the store at this instant does not have it yet.
        let mut view = self.inner.view.lock().await;
        let (id, login) = match permit.and_then(Permit::refused) {
            Some(counted) => counted,
            None => (self.inner.permits.count_refused(login.clone()), login),
        };
        self.inner.permits.count_in_total();
        self.inner.proofs.distrust();
        let now = SystemTime::now();
        let refused = RefusedLogin {
            id,
            user_id: login.user_id,
            refused_at: now,
            purpose: login.purpose,
            forgivable: login.forgivable,
        };
        let store = self.vault().store();
        let kept = store.put_refused_login(refused, now - 2 * WINDOW).await;
        view.note(kept)?;
        self.inner.permits.stored(id);
        Ok(())
    }

    /// The login of `permit`, of `user_id`, worked: the server has forgotten refusals of the user,
    /// and so does the gateway.
    pub(super) async fn forgive(&self, permit: &Permit, user_id: &str) -> Result<(), Error> {
        // Locked first: what is being read from the store at this instant must not come back.
        let mut view = self.inner.view.lock().await;
        let forgiven = permit.forgive(user_id);
        if !forgiven.is_empty() {
            let store = self.vault().store();
            let removed = store.remove_refused_logins(forgiven).await;
            view.note(removed)?;
        }
        Ok(())
    }

    /// Takes over what the store has of refused logins: those from before a restart, and those of
    /// other processes.
    async fn read_refused(&self, since: Instant) -> Result<(), Error> {
        let mut view = self.view(since).await?;
        if view.read_at.is_some_and(|at| at.elapsed() < REREAD) {
            return Ok(());
        }
        let now = SystemTime::now();
        let stored = self.vault().store().refused_logins(now - WINDOW).await;
        for it in view.note(stored)? {
            // A clock that was set back must not lock anybody out for longer.
            let age = now.duration_since(it.refused_at).unwrap_or_default();
            let login = Login {
                user_id: it.user_id,
                purpose: it.purpose,
                forgivable: it.forgivable,
            };
            let left = WINDOW.saturating_sub(age);
            self.inner.permits.add_refused(it.id, login, left);
        }
        view.read_at = Some(Instant::now());
        Ok(())
    }

    /// The password of `revision` works: the store is told before long, and nobody waits for it.
    pub(super) fn note_worked(&self, user_id: &str, revision: u64) {
        let is_first = {
            let unnoted = &self.inner.unnoted.0;
            let mut unnoted = unnoted.lock().unwrap_or_else(PoisonError::into_inner);
            let is_first = unnoted.is_empty();
            unnoted.insert(user_id.into(), revision);
            is_first
        };
        if !is_first {
            return;
        }
        let logins = self.clone();
        self.inner.tasks.spawn(async move {
            tokio::time::sleep(GATHER).await;
            let worked = {
                let unnoted = &logins.inner.unnoted.0;
                let mut unnoted = unnoted.lock().unwrap_or_else(PoisonError::into_inner);
                std::mem::take(&mut *unnoted)
            };
            let store = logins.vault().store();
            let noted = store
                .note_worked(worked.into_iter().collect(), SystemTime::now())
                .await;
            if let Err(error) = noted {
                tracing::warn!(%error, "it could not be noted that stored passwords work");
            }
        });
    }
}
