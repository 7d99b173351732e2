//! How app passwords are used at the groupware server, and what an answer says about them (docs/ARCHITECTURE.md, "Logins").
//!
//! The server counts refused logins of HTTP Basic by address, and the gateway is one address for all of its
//! users. It takes an app password also as a bearer token, and counts nothing then. So every login goes
//! through [`Logins`], which makes it by HTTP Basic while a [permit](permits) is free, and by bearer token
//! otherwise (and without permits where the server counts nothing).

mod bearer;
mod check;
mod enrollment;
mod log_in;
#[cfg(test)]
#[path = "../../../tests/unit/login_model.rs"]
mod model;
mod orphaned_passwords;
mod permits;
mod policy;
mod removal;
mod stored;

use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::Semaphore;
use tokio_util::task::{AbortOnDropHandle, TaskTracker};

use bearer::Bearer;
use log_in::{SchemePreference, ServerLogin};
use permits::Permits;

use super::Error;
use super::keyed_mutex::KeyedMutex;
use super::run_to_end::RunToEnd;
use super::users::Users;
use crate::audit::Attempt;
use crate::groupware::{Access, Groupware, LoginEvidence, notes};
use crate::opaque::opaque_debug;
use crate::tally::FailureTally;
use crate::vault::{Login, Vault};
pub use bearer::BearerLogins;
pub(super) use enrollment::{Candidate, CredentialLock, Source};
pub use policy::{LoginPolicy, RefusedLogins};
pub(super) use removal::Revocation;

/// The maximum number of passwords brought by HTTP Basic that are being stored at once.
const MAX_BASIC_ENROLLMENTS: usize = 16;

/// The vault, and how its passwords are used. Clones share everything.
#[derive(Clone)]
pub(crate) struct Logins {
    pub(super) inner: Arc<Inner>,
}

pub(super) struct Inner {
    vault: Vault,
    tasks: TaskTracker,
    refused_retry: Duration,
    /// `None` if the server is known to count no refused login of this gateway.
    permits: Option<Arc<Permits>>,
    bearer: Bearer,
    /// Refused since the start of the process.
    refused_by_basic: AtomicU64,
    refused_by_bearer: AtomicU64,
    pub(super) users: Users,
    /// The same users, as named by callers with HTTP Basic, who may be anybody: their attempts are counted apart.
    pub(super) basic_users: Users,
    unstored_standing: FailureTally,
    unstored_refusals: FailureTally,
    /// With the last user's name as the cause.
    wrong_login_names: FailureTally,
    /// Held while a user's password is being stored or destroyed.
    changes: KeyedMutex,
    /// Destroys what login flows have left behind, at the server of the service that was made last.
    cleanup: Mutex<Option<AbortOnDropHandle<()>>>,
    /// Bounds the enrollments of callers with HTTP Basic, which continue after the caller has disconnected.
    basic_enrollments: Arc<Semaphore>,
}

impl Logins {
    /// Work that must finish even if its caller has disconnected is spawned on `tasks`.
    pub(crate) fn new(vault: Vault, policy: LoginPolicy, tasks: TaskTracker) -> Self {
        Self {
            inner: Arc::new(Inner {
                vault,
                tasks,
                refused_retry: policy.refused_retry,
                permits: policy.refused_login_budget.map(|budget| Arc::new(Permits::new(budget))),
                bearer: Bearer::new(policy.bearer),
                refused_by_basic: AtomicU64::new(0),
                refused_by_bearer: AtomicU64::new(0),
                users: Users::new(),
                basic_users: Users::new(),
                unstored_standing: FailureTally::new(|count, error| {
                    tracing::warn!(
                        parent: None, count, error,
                        "the standing of an app password could not be stored"
                    );
                }),
                unstored_refusals: FailureTally::new(|count, error| {
                    tracing::warn!(
                        parent: None, count, error,
                        "a refused login could not be stored: a restart will forget it"
                    );
                }),
                wrong_login_names: FailureTally::new(|count, user| {
                    tracing::warn!(
                        parent: None, count, user,
                        "the groupware server refuses the app password of this user by HTTP Basic and takes it as a \
                         bearer token, so it was probably made under another login name than the stored one: its \
                         calls go by bearer token until it is stored again, with loginName"
                    );
                }),
                changes: KeyedMutex::default(),
                cleanup: Mutex::default(),
                basic_enrollments: Arc::new(Semaphore::new(MAX_BASIC_ENROLLMENTS)),
            }),
        }
    }

    pub(super) fn refused_logins(&self) -> RefusedLogins {
        let permits = self.inner.permits.as_ref();
        RefusedLogins {
            by_basic: self.inner.refused_by_basic.load(Ordering::Relaxed),
            by_bearer: self.inner.refused_by_bearer.load(Ordering::Relaxed),
            ..permits.map(|permits| permits.counts()).unwrap_or_default()
        }
    }

    /// Releases the permits, so that another gateway on the store can take them.
    pub(super) fn close(&self) {
        if let Some(permits) = &self.inner.permits {
            permits.release_lease();
        }
    }

    pub(super) fn vault(&self) -> &Vault {
        &self.inner.vault
    }

    pub(super) fn run_to_end<T: Send + 'static>(
        &self,
        work: impl Future<Output = T> + Send + 'static,
    ) -> RunToEnd<T> {
        RunToEnd::new(work, &self.inner.tasks)
    }

    /// Runs `work` to completion, even if the caller stops waiting for it, and ends `attempt` with its result.
    fn run_audited<T: Send + 'static>(
        &self,
        attempt: Attempt,
        work: impl Future<Output = Result<T, Error>> + Send + 'static,
    ) -> RunToEnd<Result<T, Error>> {
        notes::record_change(true);
        self.run_to_end(async move { Error::audit(&attempt, work.await) })
    }

    /// The account that a granted password opens; `None` if the server refuses the password.
    pub(super) async fn owner(
        &self,
        groupware: &Groupware,
        granted: &Login,
        client_address: Option<IpAddr>,
    ) -> Result<Option<String>, Error> {
        let mut login = unstored(groupware, "", granted, client_address);
        let mut owner = |access: Access| async move { Ok(access.owner().await) };
        let (reply, _) = self.log_in(&mut login, SchemePreference::Bearer, &mut owner).await?;
        match reply.login {
            LoginEvidence::Refused => Ok(None),
            _ => Ok(Some(reply.result?.id)),
        }
    }

    /// Destroys a password at the server. Returns `false` if the server already refused it.
    pub(super) async fn destroy(
        &self,
        groupware: &Groupware,
        user_id: &str,
        login: &Login,
        client_address: Option<IpAddr>,
    ) -> Result<bool, Error> {
        let mut login = unstored(groupware, user_id, login, client_address);
        let mut destroy = |access: Access| async move { Ok(access.delete_app_password().await) };
        let (reply, _) = self.log_in(&mut login, SchemePreference::Bearer, &mut destroy).await?;
        match reply.login {
            // It no longer works.
            LoginEvidence::Refused => Ok(false),
            _ => Ok(reply.result.map(|()| true)?),
        }
    }
}

fn unstored<'a>(
    groupware: &'a Groupware,
    user_id: &str,
    login: &'a Login,
    client_address: Option<IpAddr>,
) -> ServerLogin<'a> {
    let (user_id, login_name, password) = (user_id.into(), &*login.name, &login.password);
    ServerLogin { groupware, client_address, user_id, login_name, password, stored: None }
}

opaque_debug!(Logins);
