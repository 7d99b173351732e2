//! The state that outlives a change of the settings.

use std::sync::Arc;
use std::time::Instant;

use tokio::sync::Semaphore;
use tokio_util::task::TaskTracker;

use super::keyed_mutex::KeyedMutex;
use super::layer::fairness::PerCallerLimitLayer;
use super::receiving::Receiving;
use super::waits::Waits;
use super::{Logins, RefusedLogins, Settings};
use crate::opaque::opaque_debug;
use crate::vault::Vault;

/// Maximum number of requests by HTTP Basic in flight for one user: anybody can name any, the front end makes one.
const BASIC_PER_USER: usize = 4;

/// The limits on requests and the state of logins, shared by all services of one process.
///
/// If the settings change while a gateway is serving, a second service replaces the first
/// ([`Gateway::shared`](super::Gateway::shared); docs/EMBEDDING.md, "Settings that change"). With counters of its own it would admit twice as many
/// requests, and allow twice as many refused logins.
#[derive(Clone)]
pub struct Shared {
    pub(super) logins: Logins,
    pub(super) in_flight: Arc<Semaphore>,
    pub(super) fairness: PerCallerLimitLayer,
    /// Those that are forwarded, which end with the body of their answer.
    pub(super) forwarded: PerCallerLimitLayer,
    /// Requests in flight by HTTP Basic, which are not authenticated yet.
    pub(super) basic_in_flight: Arc<Semaphore>,
    /// The same by the user that they name, counted separately from requests with a token.
    pub(super) basic_per_user: PerCallerLimitLayer,
    /// The addresses at which presets of webhooks are being enabled or disabled.
    pub(super) preset_addresses: KeyedMutex,
    /// Whose calls about deliveries are under way.
    pub(super) delivery_turns: KeyedMutex,
    pub(super) waits: Waits,
    pub(super) receiving: Receiving,
    pub(super) started: Instant,
}

impl Shared {
    /// What [`Gateway`](super::Gateway) uses for a single service; of `settings`, only those of logins and on
    /// requests in flight apply, in total and per caller.
    pub fn new(vault: Vault, settings: &Settings, tasks: TaskTracker) -> Self {
        let permits =
            |requests: usize| Arc::new(Semaphore::new(requests.min(Semaphore::MAX_PERMITS)));
        let receiving = Receiving::new(settings.max_in_flight / 4, tasks.clone());
        let logins = Logins::new(vault, settings.logins, tasks);
        let per_caller = settings.max_in_flight_per_caller;
        let per_name = per_caller.min(BASIC_PER_USER);
        Self {
            preset_addresses: KeyedMutex::default(),
            delivery_turns: KeyedMutex::default(),
            in_flight: permits(settings.max_in_flight),
            fairness: PerCallerLimitLayer::with_users(logins.inner.users.clone(), per_caller),
            forwarded: PerCallerLimitLayer::new((settings.max_in_flight / 4).max(1)),
            basic_in_flight: permits((settings.max_in_flight / 4).max(1)),
            basic_per_user: PerCallerLimitLayer::with_users(
                logins.inner.basic_users.clone(),
                per_name,
            ),
            waits: Waits::new(),
            receiving,
            started: Instant::now(),
            logins,
        }
    }

    /// The current state of refused logins.
    pub fn refused_logins(&self) -> RefusedLogins {
        self.logins.refused_logins()
    }

    /// Ends the requests that wait for events, at the beginning of a shutdown.
    pub fn stop_waits(&self) {
        self.waits.stop();
    }

    /// Releases the login permits after the last request, for another gateway on the same store.
    pub fn close(&self) {
        self.logins.close();
    }
}

opaque_debug!(Shared);
