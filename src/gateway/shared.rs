//! What outlives one set of settings.

use std::fmt;
use std::sync::Arc;
use std::time::Instant;

use tokio::sync::Semaphore;
use tokio_util::task::TaskTracker;

use super::layer::fairness::PerCallerLimitLayer;
use super::preset::PresetWork;
use super::{Limits, LoginPolicy, Logins, RefusedLogins};
use crate::vault::Vault;

/// Requests by HTTP Basic in flight at once in the name of one user. The front end makes one at a
/// time, and strangers can name whom they like.
const BASIC_PER_USER: usize = 4;

/// The bounds on requests, and what is known of logins, for all services of one process.
///
/// Settings change while a gateway serves: then a second service takes the place of the first one
/// ([`Gateway::shared`](super::Gateway::shared)). With counters of its own it would let twice as many
/// requests in, and twice as many logins be refused.
#[derive(Clone)]
pub struct Shared {
    pub(super) logins: Logins,
    pub(super) in_flight: Arc<Semaphore>,
    pub(super) fairness: PerCallerLimitLayer,
    /// Of the requests in flight those that come by HTTP Basic, from nobody knows whom.
    pub(super) basic_in_flight: Arc<Semaphore>,
    /// The same in the name of one user, counted apart from what comes with a token.
    pub(super) basic_per_user: PerCallerLimitLayer,
    /// Presets of webhooks that are being enabled or disabled.
    pub(super) presets: PresetWork,
    pub(super) started: Instant,
}

impl Shared {
    /// As [`Gateway`](super::Gateway) makes them for a service that is alone: of `limits` those on
    /// requests in flight, all together and per caller.
    pub fn new(vault: Vault, logins: LoginPolicy, limits: Limits, tasks: TaskTracker) -> Self {
        let logins = Logins::new(vault, logins, tasks.clone());
        let per_name = limits.in_flight_per_caller.min(BASIC_PER_USER);
        Self {
            presets: PresetWork::new(tasks),
            in_flight: Arc::new(Semaphore::new(limits.in_flight)),
            fairness: PerCallerLimitLayer::of(logins.users().clone(), limits.in_flight_per_caller),
            basic_in_flight: Arc::new(Semaphore::new((limits.in_flight / 4).max(1))),
            basic_per_user: PerCallerLimitLayer::of(logins.strangers().clone(), per_name),
            started: Instant::now(),
            logins,
        }
    }

    /// What is known of refused logins, at this instant.
    pub fn refused_logins(&self) -> RefusedLogins {
        self.logins.refused_logins()
    }

    /// Gives the login permits up, once there are no requests to come: another gateway on the same store
    /// may have them at once.
    pub fn close(&self) {
        self.logins.close();
    }
}

impl fmt::Debug for Shared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shared").finish_non_exhaustive()
    }
}
