//! Which app passwords may be tried at the groupware server, and what an answer says about them
//! (docs/ARCHITECTURE.md, "Refused logins").
//!
//! The server's brute-force protection counts refused logins by address, and the gateway is one
//! address for all of its users: after 11 of them within 30 minutes nobody is let in any more. So
//! every login goes through [`Logins`], which has five operations:
//!
//! | operation | what it does |
//! |---|---|
//! | [`use_stored`](Logins::use_stored) | makes a call with a stored password |
//! | [`change`](Logins::change), then [`enroll`](Change::enroll) | checks a new password and stores it |
//! | [`prove`](Logins::prove) | checks a password, and stores nothing |
//! | [`remove`](Logins::remove) | forgets a stored password |
//! | [`revoke`](Logins::revoke) | destroys it at the server, then forgets it |

mod allow_list;
mod attempts;
mod check;
mod common;
mod enrollment;
mod handed_out;
mod leases;
#[cfg(test)]
mod model;
#[cfg(test)]
mod model_calls;
mod opened;
mod permit;
mod places;
mod proofs;
mod refusals;
mod removal;
mod stored;

use std::fmt;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Mutex as AsyncMutex;
use tokio_util::task::TaskTracker;
use tracing::Instrument as _;

use allow_list::AllowList;
use attempts::Attempts;
use common::{Common, View};
use leases::Leases;
use opened::Opened;
use permit::Permits;
use places::Login;
use proofs::Proofs;
use refusals::Unnoted;

use super::Error;
use super::keyed_mutex::KeyedMutex;
use crate::groupware::{Access, Account, Groupware, LoginEvidence};
use crate::notes;
use crate::vault::{AppPassword, LoginPurpose, Store, Vault};
pub(super) use check::Checked;
pub(super) use enrollment::{Candidate, Change, Enrollment, Source};
pub use permit::RefusedLogins;
pub(super) use removal::Revocation;

/// How refused passwords are treated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LoginPolicy {
    /// Time after which a refused password is tried once more. 30 minutes by default. After each
    /// refused retry it is four times as long, but a day at most.
    pub refused_retry: Duration,
    /// The places for logins that the server may refuse: at most so many of all users together
    /// are refused within 30 minutes. 9 by default: with 11 the server shuts everybody out, and
    /// one is left for whatever else shares the address. A third, at least one, is the most for
    /// new passwords, another one for first uses and retries.
    pub refused_login_budget: usize,
}

/// The vault, and everything known about how its passwords fare. Clones share everything.
pub struct Logins<St: Store> {
    inner: Arc<Inner<St>>,
}

struct Inner<St: Store> {
    vault: Vault<St>,
    tasks: TaskTracker,
    retry: Duration,
    proofs: Proofs,
    opened: Arc<Opened>,
    permits: Arc<Permits>,
    allow_list: AllowList,
    /// What was last read of the refused logins in the store.
    view: AsyncMutex<View>,
    unnoted: Unnoted,
    attempts: Attempts,
    attempts_by_basic: Attempts,
    leases: Leases,
    /// Held by a user's one try of a password that is not known to work.
    tries: KeyedMutex,
    /// Held while a user's password is being stored or destroyed.
    changes: KeyedMutex,
}

// === impl LoginPolicy ===

impl LoginPolicy {
    /// Tries a refused password once more after `time`.
    #[must_use]
    pub fn refused_retry(mut self, time: Duration) -> Self {
        self.refused_retry = time;
        self
    }

    /// Lets the server refuse at most `logins` within 30 minutes.
    #[must_use]
    pub fn refused_login_budget(mut self, logins: usize) -> Self {
        self.refused_login_budget = logins;
        self
    }
}

impl Default for LoginPolicy {
    fn default() -> Self {
        Self {
            refused_retry: Duration::from_secs(30 * 60),
            refused_login_budget: 9,
        }
    }
}

// === impl Logins ===

impl<St: Store> Logins<St> {
    /// Looks after the passwords in `vault`, which are tried at `groupware`.
    ///
    /// What has to run to its end although its caller has gone is one of `tasks`.
    pub fn new(
        vault: Vault<St>,
        groupware: Option<Groupware>,
        policy: LoginPolicy,
        tasks: TaskTracker,
    ) -> Self {
        let common = Common::of(vault.store(), policy.refused_login_budget);
        Self {
            inner: Arc::new(Inner {
                vault,
                tasks,
                retry: policy.refused_retry,
                proofs: Proofs::new(),
                opened: Opened::new(),
                permits: Arc::new(Permits::new(policy.refused_login_budget, common)),
                allow_list: AllowList::new(groupware),
                view: AsyncMutex::default(),
                unnoted: Unnoted::default(),
                attempts: Attempts::default(),
                attempts_by_basic: Attempts::default(),
                leases: Leases::new(),
                tries: KeyedMutex::default(),
                changes: KeyedMutex::default(),
            }),
        }
    }

    /// Asks `groupware` from now on.
    pub(super) fn set_groupware(&self, groupware: Option<Groupware>) {
        self.inner.allow_list.set_groupware(groupware);
    }

    /// What is known of refused logins.
    pub(super) fn refused_logins(&self) -> RefusedLogins {
        self.inner.permits.refused_logins()
    }

    pub(super) fn vault(&self) -> &Vault<St> {
        &self.inner.vault
    }

    /// Runs `task` to its end, whether its caller waits for it or not.
    pub(super) async fn run_to_end<T: Send + 'static>(
        &self,
        task: impl Future<Output = Result<T, Error>> + Send + 'static,
    ) -> Result<T, Error> {
        let task = notes::in_current_notes(task.in_current_span(), notes::current());
        match self.inner.tasks.spawn(task).await {
            Ok(result) => result,
            Err(stopped) => Err(Error::Other(stopped.into())),
        }
    }

    /// The account that a granted password opens, for a person called `owner` who has none yet;
    /// `None` if the server refuses the password.
    pub(super) async fn owner(
        &self,
        groupware: &Groupware,
        owner: &str,
        (login_name, password): (&str, &AppPassword),
        client_address: Option<IpAddr>,
    ) -> Result<Option<String>, Error> {
        let login = login(owner, login_name, LoginPurpose::Granted);
        let permit = self.permit(login.clone()).await?;
        let reply = groupware.owner(login_name, password.expose(), client_address);
        let reply = reply.await;
        if reply.login == LoginEvidence::Refused {
            self.count_refused(Some(permit), login).await?;
            return Ok(None);
        }
        let user = reply.into_result()?;
        self.forgive(&permit, &user.id).await?;
        Ok(Some(user.id))
    }

    /// Destroys, at the server, a password that nobody is to have.
    pub(super) async fn destroy(&self, access: &Access, login_name: &str) -> Result<(), Error> {
        let user_id = access.account().user_id();
        let login = login(user_id, login_name, LoginPurpose::Granted);
        let permit = self.permit(login.clone()).await?;
        let reply = access.delete_app_password().await;
        match reply.login {
            // It is dead already.
            LoginEvidence::Refused => self.count_refused(Some(permit), login).await,
            _ => Ok(reply.into_result()?),
        }
    }
}

/// A login as `login_name` on behalf of `user_id`.
fn login(user_id: &str, login_name: &str, purpose: LoginPurpose) -> Login {
    Login {
        user_id: user_id.into(),
        purpose,
        // A success clears the failures under the account id, however the user logged in.
        forgivable: login_name == user_id,
    }
}

/// The account `user_id` at the server, opened by a login name and a password.
pub(super) fn account(
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
