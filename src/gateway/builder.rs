//! The configuration of a gateway.

use std::sync::Arc;

use secrecy::SecretString;
use tokio_util::task::TaskTracker;
use tower::layer::util::{Identity, Stack};

use super::{
    AccountPolicy, AdminPolicy, ClientAddress, Limits, LoginPolicy, PublicUrl, RequestObserver,
    Shared, UnboundedWebhooks, WebhookPresets,
};
use crate::audit::AuditObserver;
use crate::groupware::{BaseUrl, DeliveryAuth, EventClasses, Groupware};
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
    pub(super) authenticated: L,
}

/// Everything that has a default.
#[derive(Debug, Default)]
pub(super) struct Settings {
    pub(super) account: AccountPolicy,
    pub(super) groupware: Option<Groupware>,
    pub(super) groupware_public_url: Option<BaseUrl>,
    pub(super) logins: LoginPolicy,
    pub(super) administrators: AdminPolicy,
    pub(super) delivery: Option<DeliveryAuth>,
    pub(super) shared_key: Option<SecretString>,
    pub(super) client_address: ClientAddress,
    pub(super) event_classes: EventClasses,
    pub(super) presets: WebhookPresets,
    pub(super) unbounded: UnboundedWebhooks,
    pub(super) public_url: Option<PublicUrl>,
    pub(super) hides_status: bool,
    pub(super) issuer: Option<Box<str>>,
    pub(super) scopes: Vec<Box<str>>,
    pub(super) limits: Limits,
    pub(super) tasks: TaskTracker,
    pub(super) shared: Option<Shared>,
    pub(super) observers: Vec<Arc<dyn RequestObserver>>,
    pub(super) audit: Option<Arc<dyn AuditObserver>>,
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
            authenticated: Identity::new(),
        }
    }
}

impl<V, L> Gateway<V, L> {
    /// The groupware server. Without one, endpoints that need it answer 500 ([docs/API.md](crate::docs::api),
    /// section 6.2).
    #[must_use]
    pub fn groupware(mut self, groupware: impl Into<Option<Groupware>>) -> Self {
        self.settings.groupware = groupware.into();
        self
    }

    /// How the account of a person at the identity provider is determined; by default its id is the value of
    /// the claim.
    #[must_use]
    pub fn account(mut self, policy: impl Into<AccountPolicy>) -> Self {
        self.settings.account = policy.into();
        self
    }

    /// How browsers reach the groupware server; by default at the address that it sends itself.
    #[must_use]
    pub fn groupware_public_url(mut self, url: impl Into<Option<BaseUrl>>) -> Self {
        self.settings.groupware_public_url = url.into();
        self
    }

    /// The policy for logins at the groupware server.
    #[must_use]
    pub fn logins(mut self, policy: LoginPolicy) -> Self {
        self.settings.logins = policy;
        self
    }

    /// Who may read the credentials of others.
    #[must_use]
    pub fn administrators(mut self, policy: AdminPolicy) -> Self {
        self.settings.administrators = policy;
        self
    }

    /// How deliveries are authenticated; by default they are not ([docs/API.md](crate::docs::api), section
    /// 4.5).
    #[must_use]
    pub fn delivery(mut self, auth: impl Into<Option<DeliveryAuth>>) -> Self {
        self.settings.delivery = auth.into();
        self
    }

    /// The key that every call must carry as `X-API-Key` ([docs/API.md](crate::docs::api), section 2.4); by
    /// default none.
    #[must_use]
    pub fn shared_key(mut self, key: impl Into<Option<SecretString>>) -> Self {
        self.settings.shared_key = key.into();
        self
    }

    /// Which address of the caller is forwarded to the groupware server; by default none.
    #[must_use]
    pub fn client_address(mut self, policy: ClientAddress) -> Self {
        self.settings.client_address = policy;
        self
    }

    /// The event classes that filters are checked against ([docs/API.md](crate::docs::api), section 4.4); by
    /// default the known ones.
    #[must_use]
    pub fn event_classes(mut self, classes: EventClasses) -> Self {
        self.settings.event_classes = classes;
        self
    }

    /// The presets of webhooks ([docs/API.md](crate::docs::api), section 4.6); by default the built-in ones.
    #[must_use]
    pub fn presets(mut self, presets: WebhookPresets) -> Self {
        self.settings.presets = presets;
        self
    }

    /// The policy for webhooks whose deliveries can be too large for the server
    /// ([docs/API.md](crate::docs::api), section 4.9); by default they are created, with a warning.
    #[must_use]
    pub fn unbounded_webhooks(mut self, policy: UnboundedWebhooks) -> Self {
        self.settings.unbounded = policy;
        self
    }

    /// How callers reach this gateway. If set, the gateway publishes who issues tokens
    /// ([docs/API.md](crate::docs::api), section 11); by default it does not.
    #[must_use]
    pub fn public_url(mut self, url: impl Into<Option<PublicUrl>>) -> Self {
        self.settings.public_url = url.into();
        self
    }

    /// Whether the status is public ([docs/API.md](crate::docs::api), section 10.1). By default it is.
    #[must_use]
    pub fn public_status(mut self, shown: bool) -> Self {
        self.settings.hides_status = !shown;
        self
    }

    /// The OpenID provider that issues the tokens, published for callers without one. It does not affect
    /// which tokens are accepted: the verifier decides that.
    #[must_use]
    pub fn issuer(mut self, issuer: impl Into<Option<Box<str>>>) -> Self {
        self.settings.issuer = issuer.into();
        self
    }

    /// The relevant scopes, published together with the issuer.
    #[must_use]
    pub fn scopes<T: Into<Box<str>>>(mut self, scopes: impl IntoIterator<Item = T>) -> Self {
        self.settings.scopes = scopes.into_iter().map(Into::into).collect();
        self
    }

    /// The limits on requests.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.settings.limits = limits;
        self
    }

    /// Tracks work that continues after its caller has disconnected, such as picking up or revoking a
    /// password. Keep a clone, close it after the shutdown of the server, and wait for it.
    #[must_use]
    pub fn tasks(mut self, tasks: TaskTracker) -> Self {
        self.settings.tasks = tasks;
        self
    }

    /// Shares limits and the state of logins with the other services made with `shared`, for a service that
    /// replaces another one while it is serving. What was passed to [`Shared::new`] takes precedence over the
    /// same settings here.
    #[must_use]
    pub fn shared(mut self, shared: Shared) -> Self {
        self.settings.shared = Some(shared);
        self
    }

    /// Reports each request to `observer`, in addition to those added before.
    #[must_use]
    pub fn observer(mut self, observer: Arc<dyn RequestObserver>) -> Self {
        self.settings.observers.push(observer);
        self
    }

    /// Also passes each audit record to `observer`; by default they are only logged.
    #[must_use]
    pub fn audit(mut self, observer: impl Into<Option<Arc<dyn AuditObserver>>>) -> Self {
        self.settings.audit = observer.into();
        self
    }

    /// Adds your own layer between authentication and decoding: the user is known, and nothing else has been
    /// done yet. The layer added first is the outermost. Requests without a bearer token
    /// ([docs/API.md](crate::docs::api), sections 10.1, 10.4, 10.5 and 11) do not pass through it.
    ///
    /// It gets requests as [`Authenticated`](super::layer::account::Authenticated), and refuses one with a
    /// [`Refusal`](super::Refusal):
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
    ///         if request.caller().user_id() == "mallory" {
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
            authenticated: Stack::new(layer, self.authenticated),
        }
    }
}
