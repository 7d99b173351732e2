//! A gateway before it is made into a service.

use std::sync::Arc;

use tokio_util::task::TaskTracker;
use tower::layer::util::{Identity, Stack};

use super::{RequestObserver, Settings, Shared};
use crate::audit::AuditObserver;
use crate::deliveries::{Deliveries, Sender};
use crate::groupware::Groupware;
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
pub struct Gateway<V, L = Identity> {
    pub(super) verifier: V,
    pub(super) vault: Vault,
    pub(super) settings: Settings,
    pub(super) groupware: Option<Groupware>,
    pub(super) tasks: TaskTracker,
    pub(super) shared: Option<Shared>,
    pub(super) observers: Vec<Arc<dyn RequestObserver>>,
    pub(super) audit: Option<Arc<dyn AuditObserver>>,
    pub(super) deliveries: Option<(Deliveries, Sender)>,
    pub(super) authenticated: L,
}

// === impl Gateway ===

impl<V> Gateway<V> {
    /// A gateway with the defaults. `verifier` authenticates callers, and `vault` contains the stored app
    /// passwords.
    pub fn new(verifier: V, vault: Vault) -> Self {
        Self {
            verifier,
            vault,
            settings: Settings::default(),
            groupware: None,
            tasks: TaskTracker::new(),
            shared: None,
            observers: Vec::new(),
            audit: None,
            deliveries: None,
            authenticated: Identity::new(),
        }
    }
}

impl<V, L> Gateway<V, L> {
    /// The settings; by default those of [`Settings::default`].
    #[must_use]
    pub fn settings(mut self, settings: Settings) -> Self {
        self.settings = settings;
        self
    }

    /// The groupware server. Without one, endpoints that need it answer 500 (docs/API.md,
    /// section 6.2).
    #[must_use]
    pub fn groupware(mut self, groupware: impl Into<Option<Groupware>>) -> Self {
        self.groupware = groupware.into();
        self
    }

    /// Tracks work that continues after its caller has disconnected, such as picking up or revoking a
    /// password. Keep a clone, close it after the shutdown of the server, and wait for it.
    #[must_use]
    pub fn tasks(mut self, tasks: TaskTracker) -> Self {
        self.tasks = tasks;
        self
    }

    /// Shares limits and the state of logins with the other services made with `shared`, for a service that
    /// replaces another one while it is serving. What was passed to [`Shared::new`] takes precedence over the
    /// same settings here.
    #[must_use]
    pub fn shared(mut self, shared: Shared) -> Self {
        self.shared = Some(shared);
        self
    }

    /// Reports each request to `observer`, in addition to those added before.
    #[must_use]
    pub fn observer(mut self, observer: Arc<dyn RequestObserver>) -> Self {
        self.observers.push(observer);
        self
    }

    /// Also passes each audit record to `observer`; by default they are only logged.
    #[must_use]
    pub fn audit(mut self, observer: impl Into<Option<Arc<dyn AuditObserver>>>) -> Self {
        self.audit = observer.into();
        self
    }

    /// Receives deliveries, and has routes about them (docs/API.md, section 12); by default it does
    /// not. The sender judges the addresses of targets; it is a worker that sends. Deliveries are received only with [`Settings::delivery`], which has the credential of their sender, and an
    /// address, [`Settings::public_url`] or [`Settings::receives_at`].
    #[must_use]
    pub fn deliveries(mut self, deliveries: impl Into<Option<(Deliveries, Sender)>>) -> Self {
        self.deliveries = deliveries.into();
        self
    }

    /// Adds your own layer between authentication and decoding: the user is known, and nothing else has been
    /// done yet. The layer added first is the outermost. Requests without a bearer token
    /// (docs/API.md, sections 10.1, 10.4, 10.5 and 11) do not pass through it.
    ///
    /// It gets requests as [`Authenticated`](super::layer::account::Authenticated), and refuses one with a
    /// [`Refusal`](super::Refusal). With [`Binding::LoginFlow`](super::Binding::LoginFlow), a login flow may be that of a
    /// person who has no account yet ([`Principal::Unbound`](super::Principal::Unbound)).
    ///
    /// ```
    /// use http::{Request, StatusCode};
    /// use http_body_util::Empty;
    /// use portreeve::gateway::layer::account::Authenticated;
    /// use portreeve::gateway::{Error, Gateway, Refusal};
    /// use portreeve::identity::TokenVerifier;
    /// use portreeve::vault::Vault;
    ///
    /// # fn example(verifier: impl TokenVerifier, vault: Vault) {
    /// let service = Gateway::new(verifier, vault)
    ///     .layer(tower::layer::layer_fn(|inner| Quota { inner }))
    ///     .into_service::<Empty<bytes::Bytes>>();
    /// # }
    ///
    /// #[derive(Clone)]
    /// struct Quota<S> {
    ///     inner: S,
    /// }
    ///
    /// impl<S, R> tower::Service<Authenticated<R>> for Quota<S>
    /// where
    ///     S: tower::Service<Authenticated<R>, Error = Error>,
    ///     S::Future: Send + 'static,
    ///     S::Response: 'static,
    /// {
    ///     type Response = S::Response;
    ///     type Error = Error;
    ///     type Future = std::pin::Pin<Box<dyn Future<Output = Result<S::Response, Error>> + Send>>;
    ///
    ///     fn poll_ready(&mut self, cx: &mut std::task::Context<'_>) -> std::task::Poll<Result<(), Error>> {
    ///         self.inner.poll_ready(cx)
    ///     }
    ///
    ///     fn call(&mut self, request: Authenticated<R>) -> Self::Future {
    ///         if request.principal().key() == "mallory" {
    ///             let refusal = Refusal::new(StatusCode::FORBIDDEN, "Forbidden", "Not you");
    ///             return Box::pin(async move { Err(refusal.into()) });
    ///         }
    ///         Box::pin(self.inner.call(request))
    ///     }
    /// }
    /// ```
    pub fn layer<T>(self, layer: T) -> Gateway<V, Stack<T, L>> {
        Gateway {
            verifier: self.verifier,
            vault: self.vault,
            settings: self.settings,
            groupware: self.groupware,
            tasks: self.tasks,
            shared: self.shared,
            observers: self.observers,
            audit: self.audit,
            deliveries: self.deliveries,
            authenticated: Stack::new(layer, self.authenticated),
        }
    }
}
