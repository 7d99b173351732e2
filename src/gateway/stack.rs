//! The stack, read from top to bottom as a request travels.

use std::convert::Infallible;
use std::time::Duration;

use bytes::Bytes;
use http::{Request, Response};
use http_body::Body;
use http_body_util::Full;
use secrecy::SecretString;
use tokio_util::task::TaskTracker;
use tower::limit::GlobalConcurrencyLimitLayer;
use tower::load_shed::LoadShedLayer;
use tower::timeout::TimeoutLayer;
use tower::{BoxError, Service, ServiceBuilder};

use super::layer::bearer::BearerLayer;
use super::layer::body_limit::BodyLimitLayer;
use super::layer::decode::DecodeLayer;
use super::layer::error_mapper::ErrorMapperLayer;
use super::layer::fairness::FairnessLayer;
use super::layer::provisioning::ProvisioningLayer;
use super::layer::request_id::RequestIdLayer;
use super::layer::shared_key::SharedKeyLayer;
use super::layer::split::SplitLayer;
use super::{AdminPolicy, ClientAddress, CredentialEndpoints, Endpoints, LoginPolicy, Logins};
use crate::groupware::{BaseUrl, DeliveryAuth, Groupware};
use crate::identity::TokenVerifier;
use crate::vault::{Store, Vault};

/// What the gateway is made of.
#[derive(Debug)]
pub struct Gateway<V, St: Store> {
    /// Tells who is calling.
    pub verifier: V,
    /// The stored app passwords.
    pub vault: Vault<St>,
    /// The groupware server; without one its endpoints answer 500 (section 4.1 rule 6).
    pub groupware: Option<Groupware>,
    /// How browsers reach the groupware server, where that is not what it says itself.
    pub public_url: Option<BaseUrl>,
    /// How refused passwords are treated.
    pub logins: LoginPolicy,
    /// Who may read the credentials of others.
    pub administrators: AdminPolicy,
    /// How deliveries are authenticated; without it they are not (section 2.3).
    pub delivery: Option<DeliveryAuth>,
    /// The key that every call must carry as `X-API-Key` (section 5 rule 5).
    pub shared_key: Option<SecretString>,
    /// Which address of the caller the groupware server is told.
    pub client_address: ClientAddress,
    /// The bounds on what comes in.
    pub limits: Limits,
    /// What goes on though its caller has gone: a password that is being picked up or destroyed.
    /// Keep a clone, close it after the shutdown of the server, and wait for it.
    pub tasks: TaskTracker,
}

/// The bounds on what comes in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Requests under way at once; more are answered 503. 1024 by default.
    pub in_flight: usize,
    /// Requests of one caller under way at once; more are answered 429. 64 by default.
    pub in_flight_per_caller: usize,
    /// Time for a whole request, then 504. 60 seconds by default.
    pub request_timeout: Duration,
    /// Bytes in a request body, more are answered 413. 64 KiB by default.
    pub body: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            in_flight: 1024,
            in_flight_per_caller: 64,
            request_timeout: Duration::from_secs(60),
            body: 64 * 1024,
        }
    }
}

impl<V, St> Gateway<V, St>
where
    V: TokenVerifier,
    St: Store,
{
    /// A gateway with everything optional left out.
    pub fn new(verifier: V, vault: Vault<St>) -> Self {
        Self {
            verifier,
            vault,
            groupware: None,
            public_url: None,
            logins: LoginPolicy::default(),
            administrators: AdminPolicy::default(),
            delivery: None,
            shared_key: None,
            client_address: ClientAddress::withheld(),
            limits: Limits::default(),
            tasks: TaskTracker::new(),
        }
    }

    /// The management API, for requests with any kind of body.
    ///
    /// Clones share their limits, so that a server can hand one to each connection.
    pub fn into_service<B>(
        self,
    ) -> impl Service<
        Request<B>,
        Response = Response<Full<Bytes>>,
        Error = Infallible,
        Future: Send + 'static,
    > + Clone
    + Send
    + Sync
    + 'static
    where
        B: Body<Data: Send, Error: Into<BoxError>> + Send + 'static,
    {
        let logins = Logins::new(self.vault, self.logins, self.tasks);
        let credentials = CredentialEndpoints::new(
            self.groupware.clone(),
            logins.clone(),
            self.administrators,
            self.public_url,
        );
        ServiceBuilder::new()
            // Every line logged below carries the id, and so does every answer.
            .layer(RequestIdLayer)
            // The one place where an error becomes an answer.
            .layer(ErrorMapperLayer)
            // These two alone answer somebody unknown: what has no place or no time left cannot
            // be authenticated either.
            .layer(LoadShedLayer::new())
            .layer(GlobalConcurrencyLimitLayer::new(self.limits.in_flight))
            .layer(TimeoutLayer::new(self.limits.request_timeout))
            .layer(BodyLimitLayer::new(self.limits.body))
            // Cheapest first, and nothing about tokens for those without the key.
            .layer(SharedKeyLayer::new(self.shared_key))
            // Below this line the caller is known: Authenticated.
            .layer(BearerLayer::new(self.verifier))
            .layer(FairnessLayer::new(self.limits.in_flight_per_caller))
            // Below this line it is known what they want: Decoded.
            .layer(DecodeLayer::new(self.client_address))
            // What is asked about a credential itself needs none, and leaves the stack here.
            .layer(SplitLayer::new(credentials))
            // Below this line there is a credential for it: Provisioned.
            .layer(ProvisioningLayer::new(self.groupware, logins))
            .service(Endpoints::new(self.delivery))
    }
}
