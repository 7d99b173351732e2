//! Calls with a stored password.

use super::budget::{Permit, Purpose};
use super::proofs::{Proof, Proofs};
use super::{Logins, account};
use crate::gateway::Error;
use crate::groupware::{Account, LoginEvidence, Reply};
use crate::vault::{Credential, Store};

impl<St: Store> Logins<St> {
    /// Makes `call` with the stored password of `user_id`, if it may be tried.
    ///
    /// | what is known of the password | what a call does |
    /// |---|---|
    /// | it worked within the last 250 ms | goes ahead |
    /// | it worked at some time | calls at the same time share one try: the others wait for it |
    /// | nothing, as after a start | the same, and a refusal must fit into the budget of all users |
    /// | it was refused | ends with 428 and makes no request |
    /// | it was refused at least `refused_retry` ago | one try, if the budget has room |
    ///
    /// A refusal suspends the password, unless another one was stored since. Every other outcome
    /// leaves it as it is. A call with a password that is not known to work runs to its end even
    /// if its caller goes away, so that no refusal goes unnoticed.
    pub(in crate::gateway) async fn use_stored<T, E, C, F>(
        &self,
        user_id: &str,
        call: C,
    ) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<Error> + Send + 'static,
        C: FnOnce(Account) -> F + Send + 'static,
        F: Future<Output = Result<Reply<T, Error>, E>> + Send + 'static,
    {
        {
            let _lease = self.inner.leases.begin(user_id);
            let credential = self.stored(user_id).await?;
            if self.is_known_good(&credential) {
                return self.use_known_good(&credential, call).await;
            }
        }
        let guard = self.inner.tries.lock(user_id).await;
        let lease = self.inner.leases.begin(user_id);
        let credential = self.stored(user_id).await?;
        // The try of another call may have settled it in the meantime.
        if self.is_known_good(&credential) {
            drop(guard);
            return self.use_known_good(&credential, call).await;
        }
        let permit = self.permit_for(&credential).await?;
        let call = call(open(&credential)?);
        let logins = self.clone();
        self.run_to_end(async move {
            let result = logins.conclude(&credential, permit, call.await).await;
            drop((lease, guard));
            Ok(result)
        })
        .await?
    }

    /// Makes `call` with a password that worked a moment ago.
    ///
    /// The call is cancelled with its caller. What it would have said of the password is unknown
    /// then, so the next call must be a single try again.
    async fn use_known_good<T, E, C, F>(&self, credential: &Credential, call: C) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<Error>,
        C: FnOnce(Account) -> F,
        F: Future<Output = Result<Reply<T, Error>, E>>,
    {
        let unread = StaleOnDrop(Some(&self.inner.proofs), credential.revision());
        let outcome = call(open(credential)?).await;
        unread.disarm();
        self.conclude(credential, None, outcome).await
    }

    async fn stored(&self, user_id: &str) -> Result<Credential, Error> {
        let credential = self.vault().credential(user_id).await?;
        credential.ok_or(Error::NotProvisioned)
    }

    fn is_known_good(&self, credential: &Credential) -> bool {
        credential.suspended_at().is_none()
            && self.inner.proofs.proof(credential.revision()) == Proof::Fresh
    }

    /// What a single try of `credential` needs: a permit, unless the password worked before.
    pub(super) async fn permit_for(
        &self,
        credential: &Credential,
    ) -> Result<Option<Permit>, Error> {
        let budget = &self.inner.budget;
        match credential.suspended_at() {
            // A clock that was set back must not lock anybody out for ever.
            Some(at) if at.elapsed().is_ok_and(|since| since < self.inner.retry) => {
                Err(Error::Suspended)
            }
            Some(_) => match budget.acquire(Purpose::Doubtful).await {
                Ok(permit) => Ok(Some(permit)),
                Err(_) => Err(Error::Suspended),
            },
            None => match self.inner.proofs.proof(credential.revision()) {
                Proof::None => match budget.acquire(Purpose::FirstUse).await {
                    Ok(permit) => Ok(Some(permit)),
                    Err(wait) => Err(Error::TooManyRefused(wait)),
                },
                Proof::Fresh | Proof::Stale => Ok(None),
            },
        }
    }

    /// Acts on what a reply says about the password, and hands on the rest of it.
    async fn conclude<T, E: From<Error>>(
        &self,
        credential: &Credential,
        permit: Option<Permit>,
        outcome: Result<Reply<T, Error>, E>,
    ) -> Result<T, E> {
        let reply = outcome?;
        let revision = credential.revision();
        match reply.login {
            LoginEvidence::None => {}
            LoginEvidence::Accepted => {
                self.inner.proofs.worked(revision);
                if credential.suspended_at().is_some() {
                    let resumed = self.vault().resume(credential.user_id(), revision).await;
                    resumed.map_err(Error::from)?;
                }
            }
            LoginEvidence::Refused => {
                self.count_refused(permit);
                self.inner.proofs.forget(revision);
                let vault = self.vault().clone();
                let user_id = Box::<str>::from(credential.user_id());
                self.run_to_end(async move { Ok(vault.suspend(&user_id, revision).await?) })
                    .await?;
                if credential.suspended_at().is_some() {
                    return Err(Error::Suspended.into());
                }
            }
        }
        Ok(reply.into_result()?)
    }

    /// Counts a refused login; with a permit, in the place that was reserved for it.
    pub(super) fn count_refused(&self, permit: Option<Permit>) {
        match permit {
            Some(permit) => permit.refused(),
            None => self.inner.budget.count_refused(),
        }
    }
}

/// The account that `credential` opens.
pub(super) fn open(credential: &Credential) -> Result<Account, Error> {
    account(
        credential.user_id(),
        credential.login_name(),
        credential.password(),
    )
}

/// Marks the proof of a password as stale when it is dropped while armed: a call was cancelled
/// before its answer was read.
struct StaleOnDrop<'a>(Option<&'a Proofs>, u64);

impl StaleOnDrop<'_> {
    fn disarm(mut self) {
        self.0 = None;
    }
}

impl Drop for StaleOnDrop<'_> {
    fn drop(&mut self) {
        if let Some(proofs) = self.0 {
            proofs.good_but_stale(self.1);
        }
    }
}
