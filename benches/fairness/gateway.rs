//! The gateway that is used.

use std::convert::Infallible;
use std::path::Path;

use http::request::Parts;
use http::{Request, Response};
use hyper::body::{Body, Incoming};
use portreeve::deliveries::{Deliveries, Limits, Networks, Queue, Worker};
use portreeve::gateway::{Gateway, Settings};
use portreeve::groupware::DeliveryAuth;
use portreeve::identity::{BearerToken, Caller, TokenVerifier, VerifyError};
use portreeve::server::{self, Bounds};
use portreeve::vault::{Keyring, MemoryStore, Vault};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use tower::{BoxError, ServiceExt as _, service_fn};

use super::{RECEIVE, until_parent_ends};

const GATEWAY: &str = "https://gateway.test";

/// The token is the name of the user.
struct Anybody;

impl TokenVerifier for Anybody {
    async fn verify(&self, token: &BearerToken, _: &Parts) -> Result<Caller, VerifyError> {
        Ok(Caller::new(token.expose()))
    }
}

fn auth() -> DeliveryAuth {
    DeliveryAuth::derived("secret".into()).unwrap()
}

/// What the server has to show.
pub(super) fn credential() -> String {
    auth().authorization_for(&format!("{GATEWAY}{RECEIVE}")).expose().to_owned()
}

/// Serves on `queue`, until this process ends. Returns its address.
pub(super) async fn serve_on(queue: Queue) -> String {
    let vault = Vault::new(Keyring::generate().unwrap(), MemoryStore::new());
    let deliveries = Deliveries::new(vault.clone(), queue, Limits::default());
    let networks = Networks::new(["127.0.0.0/8".parse().unwrap()]);
    let worker = Worker::new(deliveries, networks);
    let mut settings = Settings::default();
    settings.delivery = Some(auth());
    settings.public_url = Some(GATEWAY.parse().unwrap());
    let gateway = Gateway::new(Anybody, vault).settings(settings);
    let gateway = gateway.deliveries(worker.clone()).into_service().unwrap();
    tokio::spawn(worker.run(CancellationToken::new()));
    serve(service_fn(move |request: Request<Incoming>| {
        let gateway = gateway.clone();
        gateway.oneshot(request)
    }))
    .await
}

/// The address of a server of `service`.
pub(super) async fn serve<S, B>(service: S) -> String
where
    S: tower::Service<Request<Incoming>, Response = Response<B>, Error = Infallible>,
    S: Clone + Send + 'static,
    S::Future: Send + 'static,
    B: Body<Data: Send, Error: Into<BoxError>> + Send + 'static,
{
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    tokio::spawn(async move {
        server::serve(listener, service, Bounds::default(), std::future::pending()).await
    });
    address
}

/// Serves on the database that is asked for, until the process that has begun this one ends.
pub(crate) async fn serve_gateway(dir: &Path) {
    println!("{}", serve_on(crate::open(&dir.join("portreeve.db")).await).await);
    until_parent_ends().await;
}
