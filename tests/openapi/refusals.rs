//! Answers of every operation before its request is looked at: no token, a bad one, too many requests.

use std::collections::{BTreeMap, BTreeSet};
use std::net::SocketAddr;
use std::time::Duration;

use http::request::Parts;
use portreeve::gateway::layer::probes::ProbeLayer;
use portreeve::gateway::{Endpoint, Gateway};
use portreeve::identity::{BearerToken, Caller, RefusalReason, TokenVerifier, VerifyError};
use portreeve::server::{self, Bounds};
use portreeve::vault::{Keyring, MemoryStore, Vault};
use tokio::net::TcpListener;
use tower::ServiceBuilder;

use crate::support::contract::CONTRACT;
use crate::support::gateway::{Answer, exchange, set};

/// Tokens for which [`Scripted`] returns an error.
const FAULTS: [&str; 5] = ["malformed", "expired", "unknown", "unavailable", "overloaded"];

#[tokio::test]
async fn every_operation_refuses_before_it_looks_at_a_request() {
    let whole = start(|gateway| gateway).await;
    let keyed = start(set(|settings| settings.shared_key = Some("the key".into()))).await;
    let full = start(set(|settings| settings.max_in_flight = 0)).await;
    let busy = start(set(|settings| settings.max_in_flight_per_caller = 0)).await;
    let hasty = Duration::from_millis(20);
    let hasty = start(set(|settings| settings.request_timeout = hasty)).await;

    for (method, path) in &requests() {
        let ask = |address, fields: &str| {
            let fields = fields.to_owned();
            async move {
                let answer = send(address, method, path, &fields, "").await;
                (answer.status, path)
            }
        };
        assert_eq!(ask(whole, "").await, (401, path));
        assert_eq!(ask(whole, "Authorization: Basic YTpi\r\n").await, (401, path));
        for token in FAULTS {
            ask(whole, &format!("Authorization: Bearer {token}\r\n")).await;
        }
        assert_eq!(ask(keyed, "Authorization: Bearer alice\r\n").await, (401, path));
        assert_eq!(ask(full, "Authorization: Bearer alice\r\n").await, (503, path));
        assert_eq!(ask(busy, "Authorization: Bearer alice\r\n").await, (429, path));
        assert_eq!(ask(hasty, "Authorization: Bearer slow\r\n").await, (504, path));
        // There is neither a stored password nor a server: whatever the answer, it must be described.
        ask(whole, "Authorization: Bearer alice\r\n").await;
    }
    for (method, path, pointer) in CONTRACT.operations() {
        // Operations that need no token, only the shared key.
        if CONTRACT.at(&pointer)["security"][0] == serde_json::json!({}) {
            let method = method.to_ascii_uppercase();
            let status = send(keyed, &method, path, "", "").await.status;
            assert_eq!(status, 401, "{path}");
            let status = send(full, &method, path, "", "").await.status;
            assert_eq!(status, 503, "{path}");
        }
    }
    for (method, path) in
        [("GET", "/healthz"), ("HEAD", "/healthz"), ("GET", "/readyz"), ("HEAD", "/readyz")]
    {
        assert_eq!(send(whole, method, path, "", "").await.status, 200);
    }
    for (method, accepted) in [("GET", ""), ("GET", "Accept: text/html,*/*\r\n"), ("HEAD", "")] {
        assert_eq!(send(whole, method, "/", accepted, "").await.status, 200);
    }
    for path in ["/healthz", "/readyz", "/"] {
        let answer = send(full, "POST", path, "", "").await;
        assert_eq!((answer.status, answer.header("allow")), (405, Some("GET, HEAD")), "{path}");
        assert_eq!(answer.header("x-request-id"), Some("sent"), "{path}");
    }
}

/// Makes a request; the answer must be described.
async fn send(address: SocketAddr, method: &str, path: &str, fields: &str, body: &str) -> Answer {
    let head = format!("{method} {path} HTTP/1.1\r\nX-Request-Id: sent\r\n{fields}");
    exchange(address, &head, body).await
}

/// Adding a route, or a method to one, is not done before it is described.
#[tokio::test]
async fn the_routes_of_the_gateway_are_those_of_the_description() {
    let public_url = PUBLIC_URL.parse().unwrap();
    let address = start(set(|settings| settings.public_url = Some(public_url))).await;
    let mut described = BTreeMap::<&str, BTreeSet<String>>::new();
    for (method, path, _) in CONTRACT.operations().filter(|(_, path, _)| *path != "/") {
        let methods = described.entry(path).or_default();
        methods.insert(method.to_ascii_uppercase());
    }
    // What is forwarded is described where nothing matches.
    let own = Endpoint::ALL.iter().filter(|it| **it != Endpoint::Other && !it.is_forwarded());
    let own: BTreeSet<_> = own.map(|it| it.as_str()).collect();
    assert!(own.iter().eq(described.keys()), "{own:?}, {:?}", described.keys());
    // Its other methods are those of a webhook.
    described.remove("/api/v1/webhooks/callback");
    for (path, methods) in described {
        let path = path.replace("{webhook_id}", "7").replace(['{', '}'], "");
        let head = format!("PATCH {path} HTTP/1.1\r\nAuthorization: Bearer alice\r\n");
        let answer = exchange(address, &head, "").await;
        // Others are answered before the stack of this test knows the method.
        if let Some(allowed) = answer.header("allow") {
            let allowed = allowed.split(", ").map(str::to_owned).collect();
            assert_eq!(methods, allowed, "{path}");
        }
    }
}

/// A request of each operation that needs a token, and requests that match none.
fn requests() -> Vec<(String, String)> {
    let mut requests: Vec<_> = CONTRACT
        .operations()
        .filter(|(_, path, pointer)| {
            // Without `public_url`, nothing is known about the path of the metadata.
            CONTRACT.at(pointer).get("security").is_none() || path.starts_with("/.well-known/")
        })
        .map(|(method, path, _)| {
            let path =
                path.replace("{webhook_id}", "7").replace("{id}", "alice").replace(['{', '}'], "");
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
    let vault = Vault::new(Keyring::from_base64_keys([KEY]).unwrap(), MemoryStore::new());
    let gateway = change(Gateway::new(Scripted, vault.clone()));
    let mut probes = ProbeLayer::new(vault);
    probes.root = true;
    let service = ServiceBuilder::new().layer(probes).service(gateway.into_service().unwrap());
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let address = listener.local_addr().unwrap();
    let never = std::future::pending();
    tokio::spawn(server::serve(listener, service, Bounds::default(), never));
    address
}

const PUBLIC_URL: &str = "https://gateway.example.org";
const KEY: &str = "BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc=";

struct Scripted;

impl TokenVerifier for Scripted {
    async fn verify(&self, token: &BearerToken, _: &Parts) -> Result<Caller, VerifyError> {
        match token.expose() {
            "malformed" => Err(RefusalReason::Malformed.into()),
            "expired" => Err(RefusalReason::Expired.into()),
            "unknown" => Err(RefusalReason::Unknown.into()),
            "unavailable" => Err(VerifyError::Unavailable("no answer".into())),
            "overloaded" => Err(VerifyError::Overloaded),
            "slow" => std::future::pending().await,
            user => Ok(Caller::new(user)),
        }
    }
}
