//! The gateway and the receiver of docs/EMBEDDING.md, as printed there.

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

#[tokio::test]
async fn the_receiver_of_the_page_accepts_what_its_gateway_registers() {
    let page = include_str!("../../../docs/EMBEDDING.md");
    for code in [include_str!("receiver.rs"), include_str!("service.rs")] {
        assert!(page.contains(code), "docs/EMBEDDING.md lacks {code}");
    }
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
