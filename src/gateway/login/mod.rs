//! How app passwords are used at the groupware server, and what an answer says about them
//! (docs/ARCHITECTURE.md, "Logins").
//!
//! The server counts refused logins of HTTP Basic by address, and the gateway is one address for all of its
//! users. It takes an app password also as a bearer token, and counts nothing then. So every login goes
//! through [`Logins`], which makes it by HTTP Basic while a [permit](permits) is free, and by bearer token
//! otherwise:
//!
//! | operation | what it does |
//! |---|---|
//! | [`use_stored`](Logins::use_stored) | makes a call with a stored password |
//! | [`change`](Logins::change), then [`enroll`](Change::enroll) | checks a new password and stores it |
//! | [`prove`](Logins::prove) | checks a password, and stores nothing |
//! | [`remove`](Logins::remove) | forgets a stored password |
//! | [`revoke`](Logins::revoke) | destroys it at the server, then forgets it |

mod attempt;
mod bearer;
mod candidate;
mod check;
mod enrollment;
mod handed_out;
#[cfg(test)]
mod model;
mod permits;
mod policy;
mod removal;
mod stored;

use std::fmt;
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::sync::Semaphore;
use tokio_util::task::TaskTracker;

use attempt::{Login, Order};
use bearer::Bearer;
use permits::Permits;

use super::Error;
use super::keyed_mutex::KeyedMutex;
use super::run_to_end::RunToEnd;
use super::users::Users;
use crate::groupware::{Access, Groupware, LoginEvidence};
use crate::vault::{AppPassword, Vault};
pub use bearer::BearerLogins;
pub(super) use candidate::{Candidate, Source};
pub(super) use enrollment::Change;
pub use policy::{LoginPolicy, RefusedLogins};
pub(super) use removal::Revocation;

/// Passwords of strangers that are being stored at once.
const STRANGERS: usize = 16;

/// The vault, and how its passwords are used. Clones share everything.
#[derive(Clone)]
pub struct Logins {
    inner: Arc<Inner>,
}

struct Inner {
    vault: Vault,
    tasks: TaskTracker,
    refused_retry: Duration,
    permits: Arc<Permits>,
    bearer: Bearer,
    /// Refused since the start of the process.
    refused_by_basic: AtomicU64,
    refused_by_bearer: AtomicU64,
    users: Users,
    /// The same users, as named by those who bring a password by HTTP Basic: nothing says who they are.
    strangers: Users,
    /// Held while a user's password is being stored or destroyed.
    changes: KeyedMutex,
    /// What strangers bring to be stored is checked and stored to its end, so many at a time.
    of_strangers: Arc<Semaphore>,
}

// === impl Logins ===

impl Logins {
    /// Looks after the passwords in `vault`.
    ///
    /// What has to run to its end although its caller has gone is one of `tasks`.
    pub fn new(vault: Vault, policy: LoginPolicy, tasks: TaskTracker) -> Self {
        Self {
            inner: Arc::new(Inner {
                vault,
                tasks,
                refused_retry: policy.refused_retry,
                permits: Arc::new(Permits::new(policy.refused_login_budget)),
                bearer: Bearer::new(policy.bearer),
                refused_by_basic: AtomicU64::new(0),
                refused_by_bearer: AtomicU64::new(0),
                users: Users::new(),
                strangers: Users::new(),
                changes: KeyedMutex::default(),
                of_strangers: Arc::new(Semaphore::new(STRANGERS)),
            }),
        }
    }

    /// What is known of refused logins.
    pub(super) fn refused_logins(&self) -> RefusedLogins {
        let permits = self.inner.permits.counts();
        RefusedLogins {
            by_basic: self.inner.refused_by_basic.load(Ordering::Relaxed),
            by_bearer: self.inner.refused_by_bearer.load(Ordering::Relaxed),
            permits_free: permits.free,
            permits_in_flight: permits.in_flight,
            permits_spent: permits.spent,
        }
    }

    /// Gives the permits up, for other gateways on the store.
    pub(super) fn close(&self) {
        self.inner.permits.release_lease();
    }

    pub(super) fn vault(&self) -> &Vault {
        &self.inner.vault
    }

    pub(super) fn users(&self) -> &Users {
        &self.inner.users
    }

    pub(super) fn strangers(&self) -> &Users {
        &self.inner.strangers
    }

    /// `work`, which runs to its end whether its caller waits for it or not.
    pub(super) fn run_to_end<T: Send + 'static>(
        &self,
        work: impl Future<Output = T> + Send + 'static,
    ) -> RunToEnd<T> {
        RunToEnd::new(work, &self.inner.tasks)
    }

    /// The account that a granted password opens; `None` if the server refuses the password.
    pub(super) async fn owner(
        &self,
        groupware: &Groupware,
        granted: (&str, &AppPassword),
        client_address: Option<IpAddr>,
    ) -> Result<Option<String>, Error> {
        let login = brought(groupware, "", granted, client_address);
        let owner = |access: Access| async move { Ok::<_, Error>(access.owner().await) };
        let (reply, _) = self.log_in(&login, Order::Bearer, owner).await?;
        match reply.login {
            LoginEvidence::Refused => Ok(None),
            _ => Ok(Some(reply.result?.id)),
        }
    }

    /// Destroys, at the server, a password that nobody is to have; whether the server took it.
    pub(super) async fn destroy(
        &self,
        groupware: &Groupware,
        user_id: &str,
        password: (&str, &AppPassword),
        client_address: Option<IpAddr>,
    ) -> Result<bool, Error> {
        let login = brought(groupware, user_id, password, client_address);
        let destroy =
            |access: Access| async move { Ok::<_, Error>(access.delete_app_password().await) };
        let (reply, _) = self.log_in(&login, Order::Bearer, destroy).await?;
        match reply.login {
            // It is dead already.
            LoginEvidence::Refused => Ok(false),
            _ => Ok(reply.result.map(|()| true)?),
        }
    }
}

/// A login with a password that is not stored.
fn brought<'a>(
    groupware: &'a Groupware,
    user_id: &str,
    (login_name, password): (&'a str, &'a AppPassword),
    client_address: Option<IpAddr>,
) -> Login<'a> {
    Login {
        groupware,
        client_address,
        user_id: user_id.into(),
        login_name,
        password,
        stored: None,
    }
}

impl fmt::Debug for Logins {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Logins").finish_non_exhaustive()
    }
}
