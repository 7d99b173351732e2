//! Answers of every operation before its request is looked at: no token, a bad one, too many requests.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::time::Duration;

use bytes::Bytes;
use http::request::Parts;
use http::{Request, Response};
use http_body_util::Full;
use hyper::body::Incoming;
use portreeve::gateway::layer::probes::ProbeLayer;
use portreeve::gateway::layer::root::RootLayer;
use portreeve::gateway::{Gateway, Limits};
use portreeve::identity::{BearerToken, Caller, TokenVerifier, VerifyError};
use portreeve::server::{self, Bounds};
use portreeve::vault::{Keyring, MemoryStore, Vault};
use secrecy::SecretString;
use tokio::net::TcpListener;
use tower::{Service, ServiceBuilder};

use crate::contract::CONTRACT;
use crate::shown::Shown;

/// Tokens for which [`Scripted`] returns an error.
const FAULTS: [&str; 5] = [
    "malformed",
    "expired",
    "unknown",
    "unavailable",
    "overloaded",
];

pub(crate) async fn show(shown: &Shown) {
    let whole = start(|gateway| gateway).await;
    let keyed = start(|gateway| gateway.shared_key(SecretString::from("the key"))).await;
    let limits = Limits::default();
    let full = start(|gateway| gateway.limits(limits.in_flight(0))).await;
    let busy = start(|gateway| gateway.limits(limits.in_flight_per_caller(0))).await;
    let hasty = limits.request_timeout(Duration::from_millis(20));
    let hasty = start(|gateway| gateway.limits(hasty)).await;

    for (method, path) in &requests() {
        let ask = |address, fields: &str| {
            let fields = fields.to_owned();
            async move {
                let answer = shown.send(address, method, path, &fields, "").await;
                (answer.status, path)
            }
        };
        assert_eq!(ask(whole, "").await, (401, path));
        assert_eq!(
            ask(whole, "Authorization: Basic YTpi\r\n").await,
            (401, path)
        );
        for token in FAULTS {
            ask(whole, &format!("Authorization: Bearer {token}\r\n")).await;
        }
        assert_eq!(
            ask(keyed, "Authorization: Bearer alice\r\n").await,
            (401, path)
        );
        assert_eq!(
            ask(full, "Authorization: Bearer alice\r\n").await,
            (503, path)
        );
        assert_eq!(
            ask(busy, "Authorization: Bearer alice\r\n").await,
            (429, path)
        );
        assert_eq!(
            ask(hasty, "Authorization: Bearer slow\r\n").await,
            (504, path)
        );
        // There is neither a stored password nor a server: whatever the answer, it must be described.
        ask(whole, "Authorization: Bearer alice\r\n").await;
    }
    for (method, path, pointer) in CONTRACT.operations() {
        // Operations that need no token, only the shared key.
        if CONTRACT.at(&pointer)["security"][0] == serde_json::json!({}) {
            let method = method.to_ascii_uppercase();
            let status = shown.send(keyed, &method, path, "", "").await.status;
            assert_eq!(status, 401, "{path}");
            let status = shown.send(full, &method, path, "", "").await.status;
            assert_eq!(status, 503, "{path}");
        }
    }
    for (method, path) in [
        ("GET", "/healthz"),
        ("HEAD", "/healthz"),
        ("GET", "/readyz"),
        ("HEAD", "/readyz"),
    ] {
        assert_eq!(shown.send(whole, method, path, "", "").await.status, 200);
    }
    for (method, accepted) in [
        ("GET", ""),
        ("GET", "Accept: text/html,*/*\r\n"),
        ("HEAD", ""),
    ] {
        assert_eq!(
            shown.send(whole, method, "/", accepted, "").await.status,
            200
        );
    }
}

/// A request of each operation that needs a token, and requests that match none.
pub(crate) fn requests() -> Vec<(String, String)> {
    let mut requests: Vec<_> = CONTRACT
        .operations()
        .filter(|(_, path, pointer)| {
            // Without `public_url`, nothing is known about the path of the metadata.
            CONTRACT.at(pointer).get("security").is_none() || path.starts_with("/.well-known/")
        })
        .map(|(method, path, _)| {
            let path = path
                .replace("{webhook_id}", "7")
                .replace("{id}", "alice")
                .replace(['{', '}'], "");
            (method.to_ascii_uppercase(), path)
        })
        .collect();
    for path in [
        "apps",
        "webhooks",
        "webhooks/7",
        "background-sync/credentials",
        "background-sync/login-flow",
    ] {
        requests.push(("PUT".to_owned(), format!("/api/v1/{path}")));
    }
    requests.push(("GET".to_owned(), "/api/v1/nowhere".to_owned()));
    requests.push(("DELETE".to_owned(), "/api/v1/webhooks".to_owned()));
    requests
}

/// Starts a gateway whose tokens are the names of their users, or of faults.
async fn start(change: impl FnOnce(Gateway<Scripted>) -> Gateway<Scripted>) -> SocketAddr {
    let vault = Vault::new(
        Keyring::from_base64_keys([KEY]).unwrap(),
        MemoryStore::new(),
    );
    let gateway = change(Gateway::new(Scripted, vault.clone()));
    let probes = ProbeLayer::new(vault);
    listen(
        ServiceBuilder::new()
            .layer(probes)
            .layer(RootLayer)
            .service(gateway.into_service()),
    )
    .await
}

/// Serves on loopback.
pub(crate) async fn listen<S>(service: S) -> SocketAddr
where
    S: Service<
            Request<Incoming>,
            Response = Response<Full<Bytes>>,
            Error = Infallible,
            Future: Send,
        > + Clone
        + Send
        + 'static,
{
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(server::serve(
        listener,
        service,
        Bounds::default(),
        std::future::pending(),
    ));
    address
}

const KEY: &str = "BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc=";

struct Scripted;

impl TokenVerifier for Scripted {
    async fn verify(&self, token: &BearerToken, _: &Parts) -> Result<Caller, VerifyError> {
        match token.expose() {
            "malformed" => Err(VerifyError::Malformed),
            "expired" => Err(VerifyError::Expired),
            "unknown" => Err(VerifyError::NotAccepted),
            "unavailable" => Err(VerifyError::Unavailable("no answer".into())),
            "overloaded" => Err(VerifyError::Overloaded),
            "slow" => std::future::pending().await,
            user => Ok(Caller::new(user)),
        }
    }
}
