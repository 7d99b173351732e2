//! Which passwords may be tried at the groupware server, and what an answer says about them.
//!
//! The server's brute-force protection counts refused logins by address, and this gateway is one
//! address for all of its users: 11 of them within 30 minutes, and nobody is let in any more. So
//! every login goes through [`Logins`]:
//!
//! | what is known of a stored password | what a call does |
//! |---|---|
//! | it worked within two seconds | goes ahead; it costs some ten nanoseconds to find out |
//! | it worked at some time | calls at the same time share one try: the others wait for it |
//! | nothing, as after a start | the same, and a refusal must fit into the budget of all users |
//! | it was refused | ends with 428 and calls nobody |
//! | it was refused long enough ago | one try, if the budget has room |
//!
//! A 401 suspends the password, unless another one is stored since. No other fault says anything
//! about it, and neither does an answer that anybody would have got.

mod attempts;
mod brought;
mod budget;
mod gates;
mod leases;
mod proven;
mod revocation;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use tokio_util::task::TaskTracker;
use tracing::Instrument as _;

use attempts::Attempts;
use budget::{Budget, Place, Purpose};
use gates::Gates;
use leases::Leases;
use proven::{Proof, Proven};

use super::Error;
use crate::groupware::Account;
use crate::vault::{AppPassword, Credential, Store, Vault};
pub(super) use brought::Verdict;
pub(super) use revocation::Revocation;

/// How refused passwords are treated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoginPolicy {
    /// Time after which a refused password is tried once more. 30 minutes by default.
    pub refused_retry: Duration,
    /// Refused logins of all users together, within 30 minutes, after which no password is tried
    /// that somebody brings or that was refused before. 8 by default: the server shuts everybody
    /// out after 11, and two more are left for stored passwords that nobody tried yet.
    pub refused_login_budget: usize,
}

impl Default for LoginPolicy {
    fn default() -> Self {
        Self {
            refused_retry: Duration::from_secs(30 * 60),
            refused_login_budget: 8,
        }
    }
}

/// The vault, and everything known about how its passwords fare. Clones share everything.
pub struct Logins<St: Store> {
    inner: Arc<Inner<St>>,
}

struct Inner<St: Store> {
    vault: Vault<St>,
    tasks: TaskTracker,
    retry: Duration,
    proven: Proven,
    budget: Arc<Budget>,
    attempts: Attempts,
    leases: Leases,
    tries: Gates,
    changes: Gates,
}

/// What came of a call, and whether it shows that the password is good.
#[derive(Debug)]
pub struct Tried<T> {
    /// What came of it.
    pub value: T,
    /// Whether the server named the account as logged in. An answer that anybody would have got
    /// shows nothing.
    pub login_proved: bool,
}

impl<St: Store> Logins<St> {
    /// Looks after the passwords in `vault`.
    ///
    /// What has to go on though its caller has gone is one of `tasks`.
    pub fn new(vault: Vault<St>, policy: LoginPolicy, tasks: TaskTracker) -> Self {
        Self {
            inner: Arc::new(Inner {
                vault,
                tasks,
                retry: policy.refused_retry,
                proven: Proven::new(),
                budget: Arc::new(Budget::new(policy.refused_login_budget)),
                attempts: Attempts::default(),
                leases: Leases::new(),
                tries: Gates::default(),
                changes: Gates::default(),
            }),
        }
    }

    pub(super) fn vault(&self) -> &Vault<St> {
        &self.inner.vault
    }

    /// Makes `call` with the stored password of `user_id`, if it may be tried.
    ///
    /// A call with a password that is not known to be good runs to its end even if the caller
    /// goes away, so that no refusal goes unnoticed.
    pub(super) async fn with_account<T, C, F>(&self, user_id: &str, call: C) -> Result<T, Error>
    where
        T: Send + 'static,
        C: FnOnce(Account) -> F + Send + 'static,
        F: Future<Output = Result<Tried<T>, Error>> + Send + 'static,
    {
        {
            let _lease = self.inner.leases.begin(user_id);
            let credential = self.stored(user_id).await?;
            if self.is_good(&credential) {
                return self.use_good(&credential, call).await;
            }
        }
        let inside = self.inner.tries.enter(user_id).await;
        let lease = self.inner.leases.begin(user_id);
        let credential = self.stored(user_id).await?;
        // Somebody's try may have settled it in the meantime.
        if self.is_good(&credential) {
            drop(inside);
            return self.use_good(&credential, call).await;
        }
        let place = self.place_for(&credential).await?;
        let call = call(account(&credential)?);
        let logins = self.clone();
        self.to_the_end(async move {
            let outcome = call.await;
            let result = logins.conclude(&credential, place, outcome).await;
            drop((lease, inside));
            result
        })
        .await
    }

    /// Makes `call` with a password that worked a moment ago.
    ///
    /// The call ends with its caller. What it would have said of the password is unknown then, so
    /// that the next call takes a look before others go on.
    async fn use_good<T, C, F>(&self, credential: &Credential, call: C) -> Result<T, Error>
    where
        T: Send + 'static,
        C: FnOnce(Account) -> F,
        F: Future<Output = Result<Tried<T>, Error>>,
    {
        let unseen = Unseen(Some(&self.inner.proven), credential.revision());
        let outcome = call(account(credential)?).await;
        unseen.seen();
        self.conclude(credential, None, outcome).await
    }

    /// Removes what is stored of `user_id`; `false` where that is nothing. Once it has answered,
    /// no call is made with it any more.
    pub(super) async fn remove(&self, user_id: &str) -> Result<bool, Error> {
        let removed = self.vault().remove(user_id).await?;
        self.inner.leases.ended(user_id).await;
        Ok(removed)
    }

    /// Runs `task` to its end, whether somebody waits for it or not.
    pub(in crate::gateway) async fn to_the_end<T: Send + 'static>(
        &self,
        task: impl Future<Output = Result<T, Error>> + Send + 'static,
    ) -> Result<T, Error> {
        match self.inner.tasks.spawn(task.in_current_span()).await {
            Ok(result) => result,
            Err(stopped) => Err(Error::Other(stopped.into())),
        }
    }

    async fn stored(&self, user_id: &str) -> Result<Credential, Error> {
        let credential = self.vault().credential(user_id).await?;
        credential.ok_or(Error::NotProvisioned)
    }

    fn is_good(&self, credential: &Credential) -> bool {
        credential.suspended_at().is_none()
            && self.inner.proven.proof(credential.revision()) == Proof::Fresh
    }

    /// What one try of `credential` needs: a place, unless the password worked before.
    async fn place_for(&self, credential: &Credential) -> Result<Option<Place>, Error> {
        let budget = &self.inner.budget;
        match credential.suspended_at() {
            // A clock that was put back must not lock anybody out for good.
            Some(at) if at.elapsed().is_ok_and(|since| since < self.inner.retry) => {
                Err(Error::Suspended)
            }
            Some(_) => match budget.reserve(Purpose::Doubtful).await {
                Ok(place) => Ok(Some(place)),
                Err(_) => Err(Error::Suspended),
            },
            None => match self.inner.proven.proof(credential.revision()) {
                Proof::None => match budget.reserve(Purpose::FirstUse).await {
                    Ok(place) => Ok(Some(place)),
                    Err(wait) => Err(Error::TooManyRefused(wait)),
                },
                Proof::Fresh | Proof::Stale => Ok(None),
            },
        }
    }

    /// Draws from the outcome of a call what it says about the password.
    async fn conclude<T: Send + 'static>(
        &self,
        credential: &Credential,
        place: Option<Place>,
        outcome: Result<Tried<T>, Error>,
    ) -> Result<T, Error> {
        let revision = credential.revision();
        let (proved, refused) = match &outcome {
            Ok(tried) => (tried.login_proved, false),
            // Only those who are let in are told that there is no such webhook.
            Err(Error::UnknownWebhook) => (true, false),
            Err(Error::Groupware(fault)) => (fault.proves_login(), fault.is_refused_login()),
            Err(_) => (false, false),
        };
        if proved {
            self.inner.proven.worked(revision);
            if credential.suspended_at().is_some() {
                self.vault().resume(credential.user_id(), revision).await?;
            }
        }
        if refused {
            self.count_refused(place);
            self.inner.proven.forget(revision);
            let (vault, user_id) = (self.vault().clone(), Box::<str>::from(credential.user_id()));
            self.to_the_end(async move { Ok(vault.suspend(&user_id, revision).await?) })
                .await?;
            if credential.suspended_at().is_some() {
                return Err(Error::Suspended);
            }
        }
        outcome.map(|tried| tried.value)
    }

    fn count_refused(&self, place: Option<Place>) {
        match place {
            Some(place) => place.refused(),
            None => self.refused(),
        }
    }
}

/// A call whose answer nobody has seen yet.
struct Unseen<'a>(Option<&'a Proven>, u64);

impl Unseen<'_> {
    fn seen(mut self) {
        self.0 = None;
    }
}

impl Drop for Unseen<'_> {
    fn drop(&mut self) {
        if let Some(proven) = self.0 {
            proven.is_good(self.1);
        }
    }
}

/// The account at the server that `credential` opens.
pub(super) fn account(credential: &Credential) -> Result<Account, Error> {
    account_of(
        credential.user_id(),
        credential.login_name(),
        credential.password(),
    )
}

/// The account `user_id` at the server, opened by a login name and a password.
pub(super) fn account_of(
    user_id: &str,
    login_name: &str,
    password: &AppPassword,
) -> Result<Account, Error> {
    Account::new(user_id, login_name, password.expose())
        .map_err(|error| Error::Credential(error.into()))
}

impl<St: Store> Clone for Logins<St> {
    fn clone(&self) -> Self {
        Self {
            inner: self.inner.clone(),
        }
    }
}

impl<St: Store> fmt::Debug for Logins<St> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Logins").finish_non_exhaustive()
    }
}
