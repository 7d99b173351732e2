//! Which app passwords may be tried at the groupware server, and what an answer says about them
//! (docs/ARCHITECTURE.md, "Refused logins").
//!
//! The server's brute-force protection counts refused logins by address, and the gateway is one
//! address for all of its users: after 11 of them within 30 minutes nobody is let in any more. So
//! every login goes through [`Logins`], which has four operations:
//!
//! | operation | what it does |
//! |---|---|
//! | [`use_stored`](Logins::use_stored) | makes a call with a stored password |
//! | [`change`](Logins::change), then [`enroll`](Change::enroll) | checks a new password and stores it |
//! | [`remove`](Logins::remove) | forgets a stored password |
//! | [`revoke`](Logins::revoke) | destroys it at the server, then forgets it |

mod attempts;
mod budget;
mod enrollment;
mod keyed_mutex;
mod leases;
mod proofs;
mod removal;
mod stored;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use tokio_util::task::TaskTracker;
use tracing::Instrument as _;

use attempts::Attempts;
use budget::Budget;
use keyed_mutex::KeyedMutex;
use leases::Leases;
use proofs::Proofs;

use super::Error;
use crate::groupware::{Access, Account, LoginEvidence};
use crate::vault::{AppPassword, Store, Vault};
pub(super) use enrollment::{Candidate, Change, Enrollment, Origin};
pub(super) use removal::Revocation;

/// How refused passwords are treated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LoginPolicy {
    /// Time after which a refused password is tried once more. 30 minutes by default.
    pub refused_retry: Duration,
    /// Refused logins of all users together, within 30 minutes, after which the gateway tries no
    /// new password and none that was refused before. 8 by default: the server shuts everybody
    /// out after 11, and two more are left for stored passwords that were not used yet.
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
    budget: Arc<Budget>,
    attempts: Attempts,
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

    /// Lets the server refuse `logins` within 30 minutes before new passwords have to wait.
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
            refused_login_budget: 8,
        }
    }
}

// === impl Logins ===

impl<St: Store> Logins<St> {
    /// Looks after the passwords in `vault`.
    ///
    /// What has to run to its end although its caller has gone is one of `tasks`.
    pub fn new(vault: Vault<St>, policy: LoginPolicy, tasks: TaskTracker) -> Self {
        Self {
            inner: Arc::new(Inner {
                vault,
                tasks,
                retry: policy.refused_retry,
                proofs: Proofs::new(),
                budget: Arc::new(Budget::new(policy.refused_login_budget)),
                attempts: Attempts::default(),
                leases: Leases::new(),
                tries: KeyedMutex::default(),
                changes: KeyedMutex::default(),
            }),
        }
    }

    pub(super) fn vault(&self) -> &Vault<St> {
        &self.inner.vault
    }

    /// Runs `task` to its end, whether its caller waits for it or not.
    pub(super) async fn run_to_end<T: Send + 'static>(
        &self,
        task: impl Future<Output = Result<T, Error>> + Send + 'static,
    ) -> Result<T, Error> {
        match self.inner.tasks.spawn(task.in_current_span()).await {
            Ok(result) => result,
            Err(stopped) => Err(Error::Other(stopped.into())),
        }
    }

    /// Destroys, at the server, a password that nobody is to have.
    pub(super) async fn destroy(&self, access: &Access) -> Result<(), Error> {
        let reply = access.delete_app_password().await;
        match reply.login {
            // It is dead already.
            LoginEvidence::Refused => {
                self.inner.budget.count_refused();
                Ok(())
            }
            _ => Ok(reply.into_result()?),
        }
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
