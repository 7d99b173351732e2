//! A gateway before it is made into a service.

use std::sync::Arc;

use tokio_util::task::TaskTracker;
use tower::layer::util::{Identity, Stack};

use super::{RequestObserver, Settings, Shared};
use crate::audit::AuditObserver;
use crate::deliveries::Worker;
use crate::groupware::Groupware;
use crate::identity::OpenIdProvider;
use crate::vault::Vault;

/// The management API, before it is made into a service.
///
/// [`new`](Self::new) takes what is required; everything else has a default.
///
/// Its service fits servers of these versions; `sqlite` is the store in a file:
///
/// ```toml
/// portreeve = { path = "../portreeve", default-features = false, features = ["gateway", "sqlite"] }
/// axum = "0.8"
/// http = "1"
/// hyper = "1"
/// hyper-util = "0.1"
/// tower = "0.5"
/// ```
#[derive(Debug)]
#[must_use]
pub struct Gateway<V, L = Identity> {
    pub(super) verifier: V,
    pub(super) vault: Vault,
    pub(super) options: Options,
    pub(super) authenticated: L,
}

/// What has a default.
#[derive(Debug, Default)]
pub(crate) struct Options {
    pub(super) settings: Settings,
    pub(super) groupware: Option<Groupware>,
    pub(super) tasks: TaskTracker,
    pub(super) shared: Option<Shared>,
    pub(super) observers: Vec<Arc<dyn RequestObserver>>,
    pub(super) audit: Option<Arc<dyn AuditObserver>>,
    pub(super) worker: Option<Worker>,
    pub(super) provider: Option<OpenIdProvider>,
}

/// What a gateway lacks for a part that its settings, or its methods, ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum IncompleteError {
    /// Without it, no delivery is accepted.
    #[error("Settings::delivery is not set: it has the credential of who sends deliveries")]
    NoCredential,
    /// Without it, no webhook can be registered for this gateway.
    #[error("Settings::public_url and receives_at are not set: deliveries need an address")]
    NoAddress,
    /// Without it, no login can return to the page.
    #[error("Settings::public_url is not set: Settings::page needs it")]
    NoPageAddress,
    /// Without it, nobody can log in on the page.
    #[error("Gateway::provider has no provider: PageLogin::Code needs it")]
    NoProvider,
}

impl<V> Gateway<V> {
    /// A gateway with the defaults. `verifier` authenticates callers, and `vault` contains the stored app passwords.
    pub fn new(verifier: V, vault: Vault) -> Self {
        Self { verifier, vault, options: Options::default(), authenticated: Identity::new() }
    }
}

impl<V, L> Gateway<V, L> {
    /// The settings; by default those of [`Settings::default`].
    pub fn settings(mut self, settings: Settings) -> Self {
        self.options.settings = settings;
        self
    }

    /// The groupware server. Without one, endpoints that need it answer 500 (docs/API.md, section 6.2).
    pub fn groupware(mut self, groupware: impl Into<Option<Groupware>>) -> Self {
        self.options.groupware = groupware.into();
        self
    }

    /// Tracks work that continues after its caller has disconnected, such as picking up or revoking a
    /// password. Keep a clone, close it after the shutdown of the server, and wait for it.
    pub fn tasks(mut self, tasks: TaskTracker) -> Self {
        self.options.tasks = tasks;
        self
    }

    /// Shares limits and the state of logins with the other services made with `shared`, for a service that replaces
    /// another one while it is serving. What was passed to [`Shared::new`] takes precedence over the same settings here.
    pub fn shared(mut self, shared: Shared) -> Self {
        self.options.shared = Some(shared);
        self
    }

    /// Reports each request to `observer`, in addition to those added before.
    pub fn observer(mut self, observer: Arc<dyn RequestObserver>) -> Self {
        self.options.observers.push(observer);
        self
    }

    /// Also passes each audit record to `observer`; by default they are only logged.
    pub fn audit(mut self, observer: Arc<dyn AuditObserver>) -> Self {
        self.options.audit = Some(observer);
        self
    }

    /// Receives deliveries, and has routes about them (docs/API.md, section 12): their sender has the credential of
    /// [`Settings::delivery`], and sends to [`Settings::receives_at`], or else [`Settings::public_url`]. `worker` judges
    /// the addresses of targets, and interprets filters by [`Settings::event_classes`]; it sends while it
    /// [runs](Worker::run).
    pub fn deliveries(mut self, worker: impl Into<Option<Worker>>) -> Self {
        self.options.worker = worker.into();
        self
    }

    /// The OpenID provider at which people log in on the page ([`PageLogin::Code`](super::PageLogin::Code)).
    pub fn provider(mut self, provider: impl Into<Option<OpenIdProvider>>) -> Self {
        self.options.provider = provider.into();
        self
    }

    /// Adds your own layer between authentication and decoding: the user is known, and nothing else has been
    /// done yet. The layer added first is the outermost. Requests without a bearer token
    /// (docs/API.md, sections 10.1, 10.4, 10.5 and 11) do not pass through it.
    ///
    /// It gets requests as [`Authenticated`](super::layer::account::Authenticated), and refuses one with a
    /// [`Refusal`](super::Refusal). With [`BindingPolicy::LoginFlow`](super::BindingPolicy::LoginFlow), a login flow may be that of a
    /// person who has no account yet ([`Principal::Unbound`](super::Principal::Unbound)).
    /// docs/EMBEDDING.md, "A layer in the middle", has an example.
    pub fn layer<T>(self, layer: T) -> Gateway<V, Stack<T, L>> {
        Gateway {
            verifier: self.verifier,
            vault: self.vault,
            options: self.options,
            authenticated: Stack::new(layer, self.authenticated),
        }
    }
}
