//! The gateway's answers if the server, the vault or something else fails (docs/API.md, section 6.2).

use std::time::{Duration, SystemTime};

use bytes::Bytes;
use http::{Request, Response};
use http_body_util::Full;
use hyper::body::Incoming;
use portreeve::gateway::Error;
use portreeve::gateway::layer::error_mapper::ErrorMapperLayer;
use portreeve::gateway::layer::probes::ProbeLayer;
use portreeve::gateway::layer::request_id::RequestIdLayer;
use portreeve::groupware::Groupware;
use portreeve::server::Bounds;
use portreeve::vault::{AppPassword, FlowState, Keyring, SqliteStore, Vault};
use serde_json::{Value, json};
use tower::{ServiceBuilder, service_fn};

use crate::login_flow::FLOW;
use crate::refusals::listen;
use crate::shown::Shown;
use crate::support::gateway::{PASSWORD, TestGateway};
use crate::support::nextcloud::{Fault, Nextcloud};

const CREDENTIALS: &str = "/api/v1/background-sync/credentials";
const REVOKE: &str = "/api/v1/background-sync/credentials?revoke=true";

/// Another key than that of [`TestGateway`].
pub(crate) const OTHER_KEY: &str = "CQkJCQkJCQkJCQkJCQkJCQkJCQkJCQkJCQkJCQkJCQk=";

/// A recorded call of each kind that needs the stored password.
const CALLS: [(&str, &str, &str); 5] = [
    ("capabilities-admin-app-password", "GET", "/api/v1/apps"),
    ("webhooks-list-admin", "GET", "/api/v1/webhooks"),
    ("webhooks-create-minimal-admin", "POST", "/api/v1/webhooks"),
    ("webhooks-delete-admin", "DELETE", ""),
    ("apppassword-delete", "DELETE", REVOKE),
];

pub(crate) async fn show(shown: &Shown) {
    error_answers_of_the_server(shown).await;
    faults_of_the_server(shown).await;
    errors_of_the_gateway(shown).await;
}

/// The server answers with an error.
async fn error_answers_of_the_server(shown: &Shown) {
    let nextcloud = Nextcloud::start().await;
    let gateway = TestGateway::before(nextcloud.url()).await;
    for (status, body) in [
        (403, meta(403, "Logged in account must be an admin")),
        (403, meta(403, "Password confirmation is required")),
        (404, meta(998, "")),
        (400, meta(400, "")),
        (429, meta(429, "")),
        (503, meta(503, "")),
        (200, "no JSON".to_owned()),
        (500, meta(500, "")),
    ] {
        for (name, method, path) in CALLS {
            nextcloud.answer_with(name, status, &*body);
            let recorded = crate::support::nextcloud::Recording::load(name)
                .request
                .path;
            let path = match path {
                "" => format!("/api/v1/webhooks/{}", recorded.rsplit('/').next().unwrap()),
                path => path.to_owned(),
            };
            let answer = shown
                .call(&gateway, "admin", method, &path, &body_of(method))
                .await;
            assert_eq!(answer.status, 500, "{name}, {status}: {answer:?}");
        }
    }
}

/// The server does not answer.
async fn faults_of_the_server(shown: &Shown) {
    let nextcloud = Nextcloud::start().await;
    let groupware = Groupware::builder(nextcloud.url().parse().unwrap());
    let groupware = groupware
        .timeout(Duration::from_millis(200))
        .build()
        .unwrap();
    let gateway = TestGateway::start(Bounds::default(), |it| it.groupware(groupware)).await;
    for fault in [Fault::Close, Fault::SlowHeaders] {
        nextcloud.fault(fault).await;
        for (method, path, body) in calls(&gateway).await {
            let answer = shown.call(&gateway, "admin", method, &path, &body).await;
            assert_eq!(answer.status, 500, "{fault:?}, {path}: {answer:?}");
        }
    }
}

/// The gateway itself fails.
async fn errors_of_the_gateway(shown: &Shown) {
    let unconfigured = TestGateway::start(Bounds::default(), |it| it).await;
    for (method, path, body) in calls(&unconfigured).await {
        let answer = shown
            .call(&unconfigured, "admin", method, &path, &body)
            .await;
        assert_eq!(answer.status, 500, "{path}: {answer:?}");
    }
    // A record that another key has sealed.
    let other = Keyring::from_base64_keys([OTHER_KEY]).unwrap();
    let other = Vault::on(other, unconfigured.vault.store().clone());
    let password = AppPassword::new(PASSWORD).unwrap();
    other.put("bob", "bob", &password).await.unwrap();
    let status = "/api/v1/background-sync/status";
    let answer = shown
        .call(&unconfigured, "bob", "GET", status, &Value::Null)
        .await;
    assert_eq!(answer.status, 500, "{answer:?}");

    // A database without one of its tables, and a layer that returns an error of its own.
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("portreeve.db");
    let store = SqliteStore::open(&path).await.unwrap();
    let keys = Keyring::from_base64_keys([OTHER_KEY]);
    let vault = Vault::new(keys.unwrap(), store);
    let database = rusqlite::Connection::open(&path).unwrap();
    database.execute_batch("DROP TABLE credential").unwrap();
    let service = ServiceBuilder::new()
        .layer(ProbeLayer::new(vault.clone()))
        .layer(RequestIdLayer)
        .layer(ErrorMapperLayer)
        .service(service_fn(move |request: Request<Incoming>| {
            let vault = vault.clone();
            async move {
                let error = match request.uri().path() {
                    "/api/v1/apps" => Error::Other("out of order".into()),
                    _ => vault.credential("alice").await.unwrap_err().into(),
                };
                Err::<Response<Full<Bytes>>, _>(error)
            }
        }));
    let address = listen(service).await;
    for (method, path, status) in [
        ("GET", "/readyz", 503),
        ("HEAD", "/readyz", 503),
        ("GET", "/api/v1/apps", 500),
        ("GET", "/api/v1/background-sync/status", 500),
    ] {
        assert_eq!(
            shown.send(address, method, path, "", "").await.status,
            status
        );
    }
}

/// A request of each kind that calls the server, by `admin`.
async fn calls(gateway: &TestGateway) -> [(&'static str, String, Value); 5] {
    let soon = SystemTime::now() + Duration::from_secs(60);
    let state = FlowState::Pending {
        login_url: "https://cloud.example.org/login/v2/flow/x".into(),
        poll_path: "/login/v2/poll".into(),
        poll_token: Box::<str>::from("token").into(),
    };
    let flow = gateway.vault.put_flow("admin", soon, state).await.unwrap();
    let store = json!({"appPassword": PASSWORD});
    [
        ("GET", "/api/v1/apps".to_owned(), Value::Null),
        ("DELETE", REVOKE.to_owned(), Value::Null),
        ("POST", CREDENTIALS.to_owned(), store),
        ("POST", FLOW.to_owned(), Value::Null),
        ("GET", format!("{FLOW}/{}", flow.flow_id()), Value::Null),
    ]
}

/// An answer of the server, with `code` and `message` in its envelope.
pub(crate) fn meta(code: u16, message: &str) -> String {
    let meta = json!({"status": "failure", "statuscode": code, "message": message});
    json!({"ocs": {"meta": meta, "data": []}}).to_string()
}

fn body_of(method: &str) -> Value {
    match method {
        "POST" => {
            json!({"event": r"OCP\Files\Events\Node\NodeCreatedEvent", "uri": "https://a.example/"})
        }
        _ => Value::Null,
    }
}
