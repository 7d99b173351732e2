//! The stack, read from top to bottom as a request travels (docs/ARCHITECTURE.md, "The order of the
//! layers").

use std::convert::Infallible;
use std::sync::Arc;

use http::{Request, Response};
use http_body::Body;
use tower::limit::GlobalConcurrencyLimitLayer;
use tower::load_shed::LoadShedLayer;
use tower::timeout::TimeoutLayer;
use tower::{BoxError, Layer, Service, ServiceBuilder};

use super::endpoint::Services;
use super::layer::account::{AccountLayer, Authenticated};
use super::layer::admit::Admission;
use super::layer::basic::BasicLayer;
use super::layer::bearer::BearerLayer;
use super::layer::body_limit::{BodyLimitLayer, LimitedBody};
use super::layer::decode::DecodeLayer;
use super::layer::error_mapper::ErrorMapperLayer;
use super::layer::provisioning::{Provision, ProvisioningLayer};
use super::layer::public::{PublicLayer, Status};
use super::layer::receive::{ReceiveLayer, Receiver};
use super::layer::record::RecordLayer;
use super::layer::request_id::RequestIdLayer;
use super::layer::resource_metadata::{ResourceMetadata, ResourceMetadataLayer};
use super::layer::shared_key::SharedKeyLayer;
use super::{
    AnswerBody, AppPasswordEndpoints, Endpoint, Endpoints, Error, Gateway, PolicyAccounts, Shared,
};
use crate::identity::TokenVerifier;
use crate::tally::FailureTally;

/// The part of the stack below authentication, which your own layers are put on: see
/// [`Gateway::layer`].
pub type Api = Admission<Provision<Endpoints>, DecodeLayer>;

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
    pub fn into_service<B>(
        self,
    ) -> impl Service<
        Request<B>,
        Response = Response<AnswerBody>,
        Error = Infallible,
        Future: Send + 'static,
    > + Clone
    + Send
    + Sync
    + 'static
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
        let (settings, groupware) = (self.settings, self.groupware);
        let Shared {
            logins,
            in_flight,
            fairness,
            basic_in_flight,
            basic_per_user,
            preset_addresses,
            waits,
            receiving,
            started,
        } = self
            .shared
            .unwrap_or_else(|| Shared::new(self.vault, &settings, self.tasks));
        let delivery = settings.delivery.map(Arc::new);
        let public = settings.public_url.as_ref();
        let own_address = public.map(|url| format!("{url}{}", Endpoint::ReceiveDelivery.as_str()));
        let address = settings.receives_at.as_ref().or(public);
        let (deliveries, sender) = self.deliveries.unzip();
        let receiver = match (&deliveries, &delivery, address) {
            (Some(deliveries), Some(auth), Some(address)) => Some(Receiver {
                deliveries: deliveries.clone(),
                auth: auth.clone(),
                address: address.to_string(),
                receiving,
            }),
            _ => None,
        };
        let has_deliveries = deliveries.is_some();
        let endpoints = Endpoints::new(Services {
            groupware: groupware.clone(),
            logins: logins.clone(),
            administrators: settings.administrators,
            groupware_public_url: settings.groupware_public_url,
            audit: self.audit.clone(),
            presets: settings.presets,
            preset_addresses,
            delivery,
            unbounded: settings.unbounded_webhooks,
            own_address: own_address.filter(|_| has_deliveries),
            deliveries,
            event_classes: settings.event_classes.clone(),
            sender,
            waits,
            unread_sessions: FailureTally::new(|count, error| {
                tracing::error!(
                    parent: None, count, error,
                    "the session is shown without the stored credential"
                );
            }),
        });
        let accounts = PolicyAccounts::new(settings.account, logins.vault().clone());
        // The one path with HTTP Basic has its own stack, since the caller is not authenticated there.
        let app_passwords =
            ServiceBuilder::new()
                .layer(basic_per_user)
                .service(AppPasswordEndpoints::new(
                    &endpoints,
                    settings.client_address.clone(),
                ));
        let status = settings.public_status.then(|| Status {
            started,
            webhooks: groupware.is_some(),
            issuer: settings.issuer.clone(),
        });
        let metadata = settings.public_url.map(|resource| ResourceMetadata {
            resource,
            issuer: settings.issuer,
            scopes: settings.scopes,
        });
        ServiceBuilder::new()
            // Every log line below has the id, and so does every answer.
            .layer(RequestIdLayer)
            // Each request is logged and counted, whatever happens to it below.
            .layer(RecordLayer::new().observers(self.observers))
            // Tells clients without a token where to get one, without any limit.
            .layer(ResourceMetadataLayer::new(metadata.as_ref()))
            // Only here an error becomes an answer.
            .layer(ErrorMapperLayer::new().resource_metadata(metadata.as_ref()))
            // These come before authentication: a request without a permit or time cannot be authenticated
            // either.
            .layer(LoadShedLayer::new())
            .layer(GlobalConcurrencyLimitLayer::with_semaphore(in_flight))
            .layer(TimeoutLayer::new(settings.request_timeout))
            // What the groupware server sends has neither key nor token, and leaves the stack here.
            .layer(ReceiveLayer::new(receiver))
            .layer(BodyLimitLayer::new(settings.max_body))
            // Cheapest first, and nothing about tokens for callers without the key.
            .layer(SharedKeyLayer::new(settings.shared_key))
            // Requests that need no token leave the stack here,
            .layer(PublicLayer::new(status))
            // and so does the one path that takes HTTP Basic: Unverified.
            .layer(BasicLayer::new(app_passwords, basic_in_flight))
            // Below this line the caller is known: Verified.
            .layer(BearerLayer::new(self.verifier))
            // Below this line the caller's account is known, but for login flows of persons who have none yet:
            // Authenticated.
            .layer(AccountLayer::new(accounts).audit(self.audit))
            .layer(fairness)
            // An embedder's own layers.
            .layer(self.authenticated)
            // Below this line the request is parsed: Decoded.
            .layer(
                DecodeLayer::new(settings.client_address)
                    .event_classes(settings.event_classes)
                    .deliveries(has_deliveries),
            )
            // Below this line there is a credential for each request that needs one: Provisioned.
            .layer(ProvisioningLayer::new(groupware, logins))
            .service(endpoints)
    }
}
