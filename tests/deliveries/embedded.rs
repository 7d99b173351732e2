//! What an embedder has to set so that deliveries are received, in any order.

use std::convert::Infallible;
use std::path::Path;
use std::time::Duration;

use bytes::Bytes;
use futures_util::future::join_all;
use futures_util::stream::pending;
use http::{Request, Response, StatusCode};
use http_body::Frame;
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt as _, Empty, Full, StreamBody};
use portreeve::deliveries::{Deliveries, Limits, Networks, Queue, Worker};
use portreeve::gateway::{AnswerBody, Gateway, IncompleteError, Settings};
use portreeve::groupware::{DeliveryAuth, DeliveryCredential};
use portreeve::identity::{BearerToken, StaticTokens, TokensFile};
use portreeve::vault::{Keyring, SqliteStore, Vault};
use tokio::time::timeout;
use tower::ServiceExt as _;
use tower::util::BoxCloneSyncService;

use crate::target::until;

/// A gateway that receives at <https://hooks.example>.
struct Embedded {
    service: BoxCloneSyncService<Request<Body>, Response<AnswerBody>, Infallible>,
    /// Of alice.
    token: BearerToken,
    credential: DeliveryCredential,
    queue: Queue,
}

type Body = UnsyncBoxBody<Bytes, Infallible>;

async fn embedded(dir: &Path, max_in_flight: usize) -> Embedded {
    let store = SqliteStore::open(dir.join("db")).await.unwrap();
    let queue = Queue::in_sqlite(&store);
    let vault = Vault::new(Keyring::generate().unwrap(), store);
    let deliveries = Deliveries::new(vault.clone(), queue.clone(), Limits::default());
    let tokens = TokensFile::new(dir.join("tokens"));
    let token = tokens.new_token("alice", [], None).unwrap().token;
    let auth = DeliveryAuth::derived("a secret".into()).unwrap();
    let credential = auth.authorization_for("https://hooks.example/webhooks/nextcloud");
    let mut settings = Settings::default();
    settings.delivery = Some(auth);
    settings.public_url = Some("https://hooks.example".parse().unwrap());
    settings.max_in_flight = max_in_flight;
    let gateway = Gateway::new(StaticTokens::open(tokens.path()).unwrap(), vault);
    let gateway = gateway.deliveries(Worker::new(deliveries, Networks::default()));
    let service = gateway.settings(settings).into_service().unwrap();
    Embedded { service: BoxCloneSyncService::new(service), token, credential, queue }
}

fn delivery(credential: &str) -> Request<Body> {
    let body = Full::from(r#"{"event":{"class":"A"}}"#).boxed_unsync();
    let request = Request::post("/webhooks/nextcloud").header("host", "hooks.example");
    request.header("authorization", credential).body(body).unwrap()
}

#[tokio::test]
async fn deliveries_that_would_not_be_received_are_an_error_that_says_what_is_missing() {
    let dir = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(dir.path().join("db")).await.unwrap();
    let queue = Queue::in_sqlite(&store);
    let vault = Vault::new(Keyring::generate().unwrap(), store);
    let deliveries = Deliveries::new(vault.clone(), queue, Limits::default());
    let worker = Worker::new(deliveries, Networks::default());
    let tokens = TokensFile::new(dir.path().join("tokens"));
    tokens.new_token("alice", [], None).unwrap();
    let receives = |credential: bool, public_url: bool, receives_at: bool| {
        let address = |is_set: bool| is_set.then(|| "https://hooks.example".parse().unwrap());
        let mut settings = Settings::default();
        let auth = || DeliveryAuth::derived("a secret".into()).unwrap();
        settings.delivery = credential.then(auth);
        settings.public_url = address(public_url);
        settings.receives_at = address(receives_at);
        let verifier = StaticTokens::open(tokens.path()).unwrap();
        let gateway = Gateway::new(verifier, vault.clone());
        let gateway = gateway.deliveries(worker.clone()).settings(settings);
        gateway.into_service::<Empty<Bytes>>().map(drop)
    };
    assert_eq!(receives(true, true, false), Ok(()));
    assert_eq!(receives(true, false, true), Ok(()));
    let no_address = receives(true, false, false).unwrap_err();
    assert_eq!(no_address, IncompleteError::NoAddress);
    assert!(no_address.to_string().contains("public_url"));
    let no_credential = receives(false, true, true).unwrap_err();
    assert_eq!(no_credential, IncompleteError::NoCredential);
    assert!(no_credential.to_string().contains("Settings::delivery"));
}

/// The database hangs for longer than their sender waits, who does not send them again.
#[tokio::test(flavor = "multi_thread")]
async fn all_deliveries_that_wait_for_the_database_are_stored_once_it_goes_on() {
    const SENT: usize = 900;
    let dir = tempfile::tempdir().unwrap();
    let Embedded { service, credential, queue, .. } = embedded(dir.path(), 4 * SENT).await;
    let deliver = || service.clone().oneshot(delivery(credential.expose()));
    assert_eq!(deliver().await.unwrap().status(), StatusCode::OK);
    let database = rusqlite::Connection::open(dir.path().join("deliveries.db")).unwrap();
    database.execute_batch("BEGIN IMMEDIATE").unwrap();
    let sent = join_all((1..SENT).map(|_| deliver()));
    assert!(timeout(Duration::from_secs(1), sent).await.is_err());
    database.execute_batch("ROLLBACK").unwrap();
    let are_stored = async || queue.counts().await.unwrap().receipts == SENT as u64;
    let stored = timeout(Duration::from_secs(20), until("all are stored", are_stored)).await;
    let found = queue.counts().await.unwrap().receipts;
    assert!(stored.is_ok(), "{found} of {SENT}");
}

/// Requests whose bodies never come take all places: a delivery is sent once.
#[tokio::test]
async fn api_12_1_the_requests_of_others_keep_no_delivery_out() {
    let dir = tempfile::tempdir().unwrap();
    let Embedded { service, token, credential, queue } = embedded(dir.path(), 4).await;
    let call = || {
        let request = Request::post("/api/v1/events/match").header("host", "hooks.example");
        let request = request.header("authorization", format!("Bearer {}", token.expose()));
        let body = StreamBody::new(pending::<Result<Frame<Bytes>, Infallible>>());
        service.clone().oneshot(request.body(body.boxed_unsync()).unwrap())
    };
    let deliver = |credential: &str| service.clone().oneshot(delivery(credential));
    let mut others = Vec::new();
    for _ in 0..4 {
        let mut call = Box::pin(call());
        assert!(timeout(Duration::from_millis(100), &mut call).await.is_err());
        others.push(call);
    }
    assert_eq!(call().await.unwrap().status(), StatusCode::SERVICE_UNAVAILABLE);
    assert_eq!(deliver("Bearer guessed").await.unwrap().status(), StatusCode::UNAUTHORIZED);
    assert_eq!(deliver(credential.expose()).await.unwrap().status(), StatusCode::OK);
    assert_eq!(queue.counts().await.unwrap().receipts, 1);
}
