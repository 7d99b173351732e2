//! The gateways and the receiver of docs/EMBEDDING.md, as printed there.

#[cfg(feature = "cli")]
#[allow(unreachable_pub)]
mod operation;
#[allow(dead_code, unreachable_pub)]
mod receiver;
#[allow(dead_code, unreachable_pub)]
mod service;

use axum::body::Body;
use http::Request;
use portreeve::identity::{StaticTokens, TokensFile};
use portreeve::vault::{AppPassword, Keyring, MemoryStore, Vault};
use serde_json::Value;
use tower::ServiceExt as _;

use crate::support::gateway::PASSWORD;
use crate::support::nextcloud::Nextcloud;

fn assert_is_on_the_page(code: &str) {
    let page = include_str!("../../../docs/EMBEDDING.md");
    assert!(page.contains(code), "docs/EMBEDDING.md lacks {code}");
}

#[tokio::test]
async fn the_receiver_of_the_page_accepts_what_its_gateway_registers() {
    assert_is_on_the_page(include_str!("receiver.rs"));
    assert_is_on_the_page(include_str!("service.rs"));
    let nextcloud = Nextcloud::start().await;
    nextcloud.answer("webhooks-create-minimal-admin");
    let dir = tempfile::tempdir().unwrap();
    let tokens = TokensFile::new(dir.path().join("tokens"));
    let token = tokens.new_token("admin", [], None).unwrap().token;
    let tokens = StaticTokens::open(tokens.path()).unwrap();
    let vault = Vault::new(Keyring::generate().unwrap(), MemoryStore::new());
    let password = AppPassword::new(PASSWORD).unwrap();
    vault.put("admin", "admin", &password).await.unwrap();
    let (url, secret) = (nextcloud.url().parse().unwrap(), "a secret");
    let app = service::app(tokens, vault, url, secret.into()).unwrap();

    let webhook = r#"{"event": "OCP\\Files\\Events\\Node\\NodeCreatedEvent", "uri": "https://hooks.example.org/files"}"#;
    let create = Request::post("/api/v1/webhooks")
        .header("authorization", format!("Bearer {}", token.expose()))
        .body(Body::from(webhook));
    let created = app.oneshot(create.unwrap()).await.unwrap();
    assert_eq!(created.status(), 200);
    let registered: Value = serde_json::from_slice(&nextcloud.seen()[0].body).unwrap();
    let credential = registered["authData"]["Authorization"].as_str().unwrap();
    for (credential, status) in [(credential, 200), ("Bearer guess", 401)] {
        let delivery = Request::post("/files").header("authorization", credential);
        let delivery = delivery.body(Body::from("{}")).unwrap();
        let answer = receiver::receiver(secret.into()).oneshot(delivery);
        assert_eq!(answer.await.unwrap().status(), status, "{credential}");
    }
}

/// It counts what the store and the verifiers do, forwards the address of its caller, and ends.
#[cfg(feature = "cli")]
#[tokio::test]
async fn the_metrics_and_the_shutdown_of_the_page_work() {
    use portreeve::identity::{CacheLimits, Verifiers};
    use portreeve::vault::SqliteStore;
    use tokio::net::TcpListener;
    use tokio_util::sync::CancellationToken;

    use crate::support::binary::get;

    assert_is_on_the_page(include_str!("operation.rs"));
    let nextcloud = Nextcloud::start().await;
    nextcloud.answer("webhooks-list-admin");
    let dir = tempfile::tempdir().unwrap();
    let tokens = TokensFile::new(dir.path().join("tokens"));
    let token = tokens.new_token("admin", [], None).unwrap().token;
    let tokens = StaticTokens::open(tokens.path()).unwrap();
    let mut verifiers = Verifiers::new(CacheLimits::default());
    verifiers.static_tokens = Some(tokens);
    let key = dir.path().join("vault.key");
    let store = SqliteStore::open(dir.path().join("portreeve.db")).await.unwrap();
    let vault = Vault::new(Keyring::read_or_create(&key).unwrap(), store.clone());
    vault.put("admin", "admin", &AppPassword::new(PASSWORD).unwrap()).await.unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let (url, end) = (nextcloud.url().parse().unwrap(), CancellationToken::new());
    let keyring = Keyring::read_or_create(key).unwrap();
    let serving =
        operation::serve(verifiers, keyring, store, url, listener, end.clone().cancelled_owned());
    let calls = async {
        let call = |path: &'static str| {
            let token = token.expose().to_owned();
            tokio::task::spawn_blocking(move || get(address, path, &token))
        };
        assert_eq!(call("/api/v1/webhooks").await.unwrap().status, 200);
        assert_eq!(nextcloud.seen()[0].headers["x-forwarded-for"], "127.0.0.1");
        let scraped = call("/metrics").await.unwrap().body;
        for line in [
            r#"portreeve_token_checks_total{outcome="accepted",verifier="static"} 1"#,
            r#"portreeve_store_operations_total{operation=""#,
            r#"portreeve_http_requests_total{method="GET",route="/api/v1/webhooks",status="200"} 1"#,
        ] {
            assert!(scraped.contains(line), "{line} in {scraped}");
        }
        end.cancel();
    };
    let (served, ()) = tokio::join!(serving, calls);
    served.unwrap();
}
