//! The stack, read from top to bottom as a request travels (docs/ARCHITECTURE.md, "The order of the layers").

use std::convert::Infallible;
use std::sync::Arc;

use http::{Request, Response};
use http_body::Body;
use tower::layer::layer_fn;
use tower::limit::GlobalConcurrencyLimitLayer;
use tower::load_shed::LoadShedLayer;
use tower::timeout::Timeout;
use tower::{BoxError, Layer, Service, ServiceBuilder};

use super::authority::OfStack;
use super::builder::Options;
use super::endpoint::{Services, report_left_out};
use super::forward::{ForwardLayer, Forwarding, Rules};
use super::layer::account::{AccountLayer, Authenticated};
use super::layer::admit::Admission;
use super::layer::basic::ReadBasic;
use super::layer::bearer::BearerLayer;
use super::layer::body_limit::{BodyLimitLayer, LimitedBody};
use super::layer::deadline::Deadline;
use super::layer::decode::DecodeLayer;
use super::layer::error_mapper::ErrorMapperLayer;
use super::layer::fixed::Fixed;
use super::layer::page::Page;
use super::layer::provisioning::Provision;
use super::layer::public::{Public, Status};
use super::layer::receive::{Receive, Receiver};
use super::layer::record::RecordLayer;
use super::layer::request_id::RequestIdLayer;
use super::layer::resource_metadata::Document;
use super::layer::shared_key::SharedKeyLayer;
use super::makers::Makers;
use super::{
    AccountPolicy, AnswerBody, AppPasswordEndpoints, Endpoint, Error, Gateway, IncompleteError,
    PolicyAccounts, Shared,
};
use crate::identity::TokenVerifier;
use crate::tally::{Allowance, FailureTally};

/// The part of the stack below authentication, which your own layers are put on: see [`Gateway::layer`].
pub type Api = Forwarding<Admission<Provision, DecodeLayer>>;

impl<V, L> Gateway<V, L>
where
    V: TokenVerifier,
    L: Layer<Api>,
{
    /// The management API, for requests with any kind of body.
    ///
    /// Clones share their limits, so a server can hand one to each connection. `/healthz` and
    /// `/readyz` are not part of it: see [`probes`](super::layer::probes). Boxed by
    /// [`BoxCloneSyncService`](tower::util::BoxCloneSyncService), it has a type that a struct can hold.
    ///
    /// # Errors
    /// If a part that was asked for would not work: see [`IncompleteError`].
    pub fn into_service<B>(
        self,
    ) -> Result<
        impl Service<
            Request<B>,
            Response = Response<AnswerBody>,
            Error = Infallible,
            Future: Send + 'static,
        > + Clone
        + Send
        + Sync
        + 'static,
        IncompleteError,
    >
    where
        B: Body<Data: Send, Error: Into<BoxError>> + Send + 'static,
        L::Service: Service<
                Authenticated<Request<LimitedBody<B>>>,
                Response = Response<AnswerBody>,
                Error: From<Error> + Into<BoxError> + Send,
                Future: Send + 'static,
            > + Clone
            + Send
            + Sync
            + 'static,
    {
        let Options { settings, groupware, tasks, shared, observers, audit, worker, provider } =
            self.options;
        let shared = shared.unwrap_or_else(|| Shared::new(self.vault, &settings, tasks));
        let rules = groupware.as_ref().and_then(|it| Rules::new(&settings, it, &shared));
        let rules = rules.map(Arc::new);
        let (logins, basic_in_flight) = (shared.logins, shared.basic_in_flight);
        let document = Document::new(&settings);
        let forwards = rules.is_some();
        let page = Page::new(&settings, provider)?;
        let error_mapper = ErrorMapperLayer::naming(document.as_ref());
        let deliveries = worker.as_ref().map(|it| it.deliveries().clone());
        let receiver = deliveries.clone().map(|it| Receiver::new(it, &settings, shared.receiving));
        let receiver = receiver.transpose()?.map(Arc::new);
        // The address of a listener is none that the groupware server is known to reach.
        let public = receiver.as_ref().filter(|_| settings.public_url.is_some());
        let own_address =
            public.map(|it| format!("{}{}", it.address, Endpoint::ReceiveDelivery.as_str()));
        let sender = worker.map(|it| {
            it.set_event_classes(&settings.event_classes);
            it.sender().clone()
        });
        let has_deliveries = deliveries.is_some();
        let scope = settings.administrators.scope.clone();
        let makers = deliveries.clone();
        let are_bound = matches!(settings.account, AccountPolicy::Bound(_));
        let makers =
            makers.map(|it| Makers::start(it, logins.clone(), groupware.clone(), scope, are_bound));
        // Within a runtime, passwords that login flows have left behind are revoked at the groupware server from now on,
        // until another stack is made with the same logins or the last clone of this one is dropped.
        logins.spawn_cleanup(groupware.clone());
        let services = Arc::new(Services {
            makers: makers.clone(),
            groupware,
            logins: logins.clone(),
            administrators: settings.administrators,
            groupware_public_url: settings.groupware_public_url,
            audit: audit.clone(),
            presets: settings.presets,
            preset_addresses: shared.preset_addresses,
            delivery_turns: shared.delivery_turns,
            delivery: settings.delivery.map(Arc::new),
            unbounded: settings.unbounded_webhooks,
            own_address,
            deliveries,
            event_classes: settings.event_classes.clone(),
            sender,
            waits: shared.waits.clone(),
            unread_sessions: FailureTally::new(|count, error| {
                tracing::error!(
                    parent: None, count, error,
                    "the session is shown without the stored credential"
                );
            }),
        });
        let prefix = settings.scope_prefix.unwrap_or_default();
        let operation_scopes: Option<Arc<str>> = settings.operation_scopes.then(|| prefix.into());
        let accounts = PolicyAccounts { policy: settings.account, vault: logins.vault().clone() };
        let mut account_layer = AccountLayer::new(accounts.clone());
        (account_layer.audit, account_layer.makers) = (audit, makers);
        let (verifier, shared_key) =
            (Arc::new(self.verifier), SharedKeyLayer::new(settings.shared_key));
        shared.waits.follow(Arc::new(OfStack {
            verifier: verifier.clone(),
            accounts,
            shared_key: shared_key.clone(),
            operation_scopes: operation_scopes.clone(),
        }));
        // The one path with HTTP Basic has its own stack, since the caller is not authenticated there.
        let app_passwords = shared.basic_per_user.layer(AppPasswordEndpoints {
            services: services.clone(),
            client_address: settings.client_address.clone(),
            unproven: Arc::new(Allowance::new(report_left_out)),
        });
        let status = settings.public_status.then(|| Status {
            started: shared.started,
            webhooks: services.groupware.is_some(),
            issuer: settings.issuer,
        });
        let public = Public(status.map(Arc::new));
        Ok(ServiceBuilder::new()
            // Every log line below has the id, and so does every answer.
            .layer(RequestIdLayer { forward: rules.clone() })
            // Each request is logged and counted, whatever happens to it below.
            .layer(RecordLayer { observers: observers.into() })
            // Tells clients without a token where to get one, without any limit.
            .layer(layer_fn(move |inner| Fixed { inner, answers: document.clone() }))
            // Only here an error becomes an answer.
            .layer(error_mapper)
            .layer(layer_fn(move |inner| Deadline {
                timed: Timeout::new(inner, settings.request_timeout),
                forwards,
            }))
            // What the groupware server sends has neither key nor token, and leaves the stack here. It has permits of its own:
            // it is sent once, and must not be lost for the requests of others.
            .layer(layer_fn(move |inner| Receive { inner, receiver: receiver.clone() }))
            // These come before authentication: a request without a permit cannot be authenticated either.
            .layer(LoadShedLayer::new())
            .layer(GlobalConcurrencyLimitLayer::with_semaphore(shared.in_flight))
            .layer(BodyLimitLayer { limit: settings.max_body, forwards })
            // Cheapest first, and nothing about tokens for callers without the key.
            .layer(shared_key)
            // Requests that need no token leave the stack here,
            .layer(layer_fn(move |inner| Fixed { inner, answers: public.clone() }))
            .layer(layer_fn(move |inner| Fixed { inner, answers: page.clone() }))
            // and so does the one path that takes HTTP Basic: Unverified.
            .layer(layer_fn(move |inner| ReadBasic {
                inner,
                unverified: app_passwords.clone(),
                in_flight: basic_in_flight.clone(),
            }))
            // Below this line the caller is known: Verified.
            .layer(BearerLayer::new(verifier))
            // Below this line the caller's account is known, but for login flows of persons who have none yet:
            // Authenticated.
            .layer(account_layer)
            .layer(shared.fairness)
            // An embedder's own layers.
            .layer(self.authenticated)
            // What is the groupware server's leaves the stack here, both bodies streamed.
            .layer(ForwardLayer { rules })
            // Below this line the request is parsed: Decoded.
            .layer(DecodeLayer {
                client_address: settings.client_address,
                event_classes: settings.event_classes,
                has_deliveries,
                operation_scopes,
            })
            // There is a credential for each request that needs one: Access. The endpoints carry it out.
            .service(Provision { services }))
    }
}
