//! Calls with a stored password.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use super::opened::Usable;
use super::permit::Permit;
use super::places::Login;
use super::proofs::{Proof, Proofs, RECENT};
use super::{Logins, account, login};
use crate::gateway::Error;
use crate::groupware::{Access, Account, Groupware, GroupwareError, LoginEvidence, Reply};
use crate::vault::{Credential, LoginPurpose, Store};

/// The longest time until a suspended password is tried again, unless the first one is longer.
const LONGEST_PAUSE: Duration = Duration::from_secs(24 * 60 * 60);

// === impl Logins ===

impl<St: Store> Logins<St> {
    /// Makes `call` at `groupware` with the stored password of `user_id`, if it may be tried.
    ///
    /// | what is known of the password | what a call does |
    /// |---|---|
    /// | it worked within the last 250 ms | goes ahead |
    /// | it worked within the last hour | calls at the same time share one try, the others wait for it; it needs a place, and any will do |
    /// | nothing since | the same, with a place for first uses |
    /// | it was refused | ends with 428 and makes no request |
    /// | it was refused longer ago than the time to the next retry | one try, if there is a place for retries |
    ///
    /// A refusal suspends the password, unless another one was stored since. Every other outcome
    /// leaves it as it is. A call with a password that is not known to work runs to its end even
    /// if its caller goes away, so that no refusal goes unnoticed.
    pub(in crate::gateway) async fn use_stored<T, E, C, F>(
        &self,
        user_id: &str,
        groupware: Groupware,
        client_address: Option<IpAddr>,
        call: C,
    ) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<Error> + Send + 'static,
        C: FnOnce(Access) -> F + Send + 'static,
        F: Future<Output = Result<Reply<T, Error>, E>> + Send + 'static,
    {
        let access = move |account| {
            let access = Access::new(groupware, account);
            access.with_client_address(client_address)
        };
        {
            let _lease = self.inner.leases.begin(user_id);
            let stored = self.stored(user_id).await?;
            if self.is_known_good(&stored.credential) {
                let call = |account| call(access(account));
                return self.use_known_good(&stored, call).await;
            }
        }
        // Boxed, as it is seldom needed: each request has room for what it waits for.
        Box::pin(self.try_stored(user_id, access, call)).await
    }

    /// Makes `call` with a password that may not work, as the only one of its user that does.
    async fn try_stored<T, E, C, F>(
        &self,
        user_id: &str,
        access: impl FnOnce(Account) -> Access + Send + 'static,
        call: C,
    ) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<Error> + Send + 'static,
        C: FnOnce(Access) -> F + Send + 'static,
        F: Future<Output = Result<Reply<T, Error>, E>> + Send + 'static,
    {
        let began = Instant::now();
        let guard = self.inner.tries.lock(user_id).await;
        let lease = self.inner.leases.begin(user_id);
        let stored = self.stored(user_id).await?;
        // The try of another call may have settled it in the meantime.
        if self.is_known_good(&stored.credential) {
            drop(guard);
            let call = |account| call(access(account));
            return self.use_known_good(&stored, call).await;
        }
        let login = self.login_for(&stored.credential)?;
        let permit = self.permit_since(login.clone(), began).await?;
        let access = access(stored.account.clone());
        let call = call(access.clone());
        let logins = self.clone();
        self.run_to_end(async move {
            let attempt = (permit, login);
            let outcome = match call.await {
                Ok(reply) => Ok(with_proof(reply, &access).await),
                failed => failed,
            };
            let credential = &stored.credential;
            let result = logins.conclude(credential, Some(attempt), outcome).await;
            drop((lease, guard));
            Ok(result)
        })
        .await?
    }

    /// Makes `call` with a password that worked a moment ago.
    ///
    /// The call is cancelled with its caller. What it would have said of the password is unknown
    /// then, so the next call must be a single try again.
    async fn use_known_good<T, E, C, F>(&self, stored: &Usable, call: C) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<Error>,
        C: FnOnce(Account) -> F,
        F: Future<Output = Result<Reply<T, Error>, E>>,
    {
        let Usable {
            credential,
            account,
        } = stored;
        let unread = StaleOnDrop(Some(&self.inner.proofs), credential.revision());
        let outcome = call(account.clone()).await;
        unread.disarm();
        self.conclude(credential, None, outcome).await
    }

    async fn stored(&self, user_id: &str) -> Result<Arc<Usable>, Error> {
        let record = self.vault().record(user_id).await?;
        let record = record.ok_or(Error::NotProvisioned)?;
        if let Some(usable) = self.inner.opened.find(&record) {
            return Ok(usable);
        }
        let opened = Arc::new(usable(self.vault().open(&record).await?)?);
        self.inner.opened.keep(record, opened.clone());
        Ok(opened)
    }

    fn is_known_good(&self, credential: &Credential) -> bool {
        credential.suspended_at().is_none()
            && self.inner.proofs.proof(credential.revision()) == Proof::Fresh
    }

    /// The login that a single try of `credential` is; an error if it is not to be tried yet.
    fn login_for(&self, credential: &Credential) -> Result<Login, Error> {
        let purpose = match credential.suspended_at() {
            // A clock that was set back must not lock anybody out for ever.
            Some(at) => {
                let pause = pause(self.inner.retry, credential.metadata().refusals());
                if at.elapsed().is_ok_and(|since| since < pause) {
                    return Err(Error::Suspended);
                }
                LoginPurpose::Retry
            }
            None => self.purpose(credential),
        };
        let login_name = credential.login_name();
        Ok(login(credential.user_id(), login_name, purpose))
    }

    /// What a use of `credential` is, if that is not suspended.
    pub(super) fn purpose(&self, credential: &Credential) -> LoginPurpose {
        let proof = self.inner.proofs.proof(credential.revision());
        let noted = credential.metadata().worked_at();
        let is_recent = noted.is_some_and(|at| at.elapsed().is_ok_and(|since| since < RECENT));
        match proof {
            Proof::Fresh | Proof::Recent => LoginPurpose::Recent,
            Proof::None if is_recent => LoginPurpose::Recent,
            Proof::None => LoginPurpose::FirstUse,
        }
    }

    /// Acts on what a reply says about the password, and hands on the rest of it. `attempt` is the
    /// single try that it was, if it was one.
    async fn conclude<T, E: From<Error>>(
        &self,
        credential: &Credential,
        attempt: Option<(Permit, Login)>,
        outcome: Result<Reply<T, Error>, E>,
    ) -> Result<T, E> {
        let reply = outcome?;
        let (user_id, revision) = (credential.user_id(), credential.revision());
        match reply.login {
            LoginEvidence::None => {}
            LoginEvidence::Accepted => {
                if self.inner.proofs.worked(revision) {
                    self.note_worked(user_id, revision);
                }
                // Not for calls side by side, which wait for nothing.
                if let Some((permit, _)) = &attempt {
                    self.forgive(permit, user_id).await?;
                }
                if credential.suspended_at().is_some() {
                    let resumed = self.vault().resume(user_id, revision).await;
                    resumed.map_err(Error::from)?;
                }
            }
            LoginEvidence::Refused => {
                self.inner.proofs.forget(revision);
                let was_suspended = credential.suspended_at().is_some();
                let login_name = credential.login_name();
                let (permit, login) = match attempt {
                    Some((permit, login)) => (Some(permit), login),
                    None => (None, login(user_id, login_name, LoginPurpose::Recent)),
                };
                let logins = self.clone();
                self.run_to_end(async move {
                    let user_id = login.user_id.clone();
                    let counted = logins.count_refused(permit, login).await;
                    logins.vault().suspend(&user_id, revision).await?;
                    counted
                })
                .await?;
                if was_suspended {
                    return Err(Error::Suspended.into());
                }
            }
        }
        Ok(reply.into_result()?)
    }
}

/// The same reply, with the account asked if the answer was a success that names no user: servers
/// before 32.0.1 send no `X-User-Id`, so that it proves nothing. What the server says then holds as
/// long as any other proof.
async fn with_proof<T>(reply: Reply<T, Error>, access: &Access) -> Reply<T, Error> {
    let Reply {
        result: Ok(value),
        login: LoginEvidence::None,
    } = reply
    else {
        return reply;
    };
    let Reply { result, login } = access.user().await;
    let result = match result {
        Err(fault @ GroupwareError::OtherAccount) => Err(fault.into()),
        Err(fault) if login == LoginEvidence::Refused => Err(fault.into()),
        // It could not be asked, which says nothing of the answer.
        _ => Ok(value),
    };
    Reply { result, login }
}

/// The time from the last of `refusals` in a row to the next retry: `first`, then four times as
/// long each time, but a day at most.
pub(super) fn pause(first: Duration, refusals: u32) -> Duration {
    let longer = first.saturating_mul(4_u32.saturating_pow(refusals.saturating_sub(1)));
    longer.min(LONGEST_PAUSE.max(first))
}

/// The account that `credential` opens.
pub(super) fn open(credential: &Credential) -> Result<Account, Error> {
    account(
        credential.user_id(),
        credential.login_name(),
        credential.password(),
    )
}

/// `credential` with the account that it opens.
pub(super) fn usable(credential: Credential) -> Result<Usable, Error> {
    let account = open(&credential)?;
    Ok(Usable {
        credential,
        account,
    })
}

/// Marks the proof of a password as stale when it is dropped while armed: a call was cancelled
/// before its answer was read.
struct StaleOnDrop<'a>(Option<&'a Proofs>, u64);

// === impl StaleOnDrop ===

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn retries_become_rarer() {
        let minutes = |refusals| pause(Duration::from_secs(30 * 60), refusals).as_secs() / 60;
        assert_eq!(
            [0, 1, 2, 3, 4, 5, 1000].map(minutes),
            [30, 30, 120, 480, 1440, 1440, 1440]
        );
        let week = Duration::from_secs(7 * 24 * 60 * 60);
        assert_eq!(pause(week, 1000), week);
    }
}
