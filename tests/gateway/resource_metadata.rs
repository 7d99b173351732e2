//! The metadata that tells clients who issues tokens: OAuth 2.0 Protected Resource Metadata (RFC 9728;
//! docs/API.md, section 11).

use portreeve::gateway::Settings;
use serde_json::json;

use crate::support::gateway::{TestGateway, set};
use crate::support::nextcloud::Nextcloud;

const WELL_KNOWN: &str = "/.well-known/oauth-protected-resource";

/// A gateway that callers reach at `url`.
async fn at(url: &str, change: impl FnOnce(&mut Settings)) -> TestGateway {
    let url = url.parse().unwrap();
    let change = set(|settings| {
        settings.public_url = Some(url);
        change(settings);
    });
    TestGateway::start(Default::default(), change).await
}

#[tokio::test]
async fn api_11_the_metadata_need_neither_token_nor_key() {
    let gateway = at("https://hooks.example.org", |settings| {
        settings.shared_key = Some("key".into());
        settings.issuer = Some("https://id.example.org/realms/a".into());
        settings.scopes = ["webhooks", "portreeve:admin", "webhooks"]
            .map(Into::into)
            .into();
    })
    .await;
    let answer = gateway
        .send(&format!("GET {WELL_KNOWN} HTTP/1.1\r\n"), "")
        .await;
    assert_eq!(answer.status, 200, "{answer:?}");
    assert_eq!(answer.header("content-type"), Some("application/json"));
    assert!(answer.header("x-request-id").is_some());
    let expected = json!({
        "resource": "https://hooks.example.org",
        "authorization_servers": ["https://id.example.org/realms/a"],
        "bearer_methods_supported": ["header"],
        "scopes_supported": ["webhooks", "portreeve:admin"],
    });
    assert_eq!(answer.json(), expected);
    for method in ["POST", "HEAD", "DELETE"] {
        let answer = gateway
            .send(&format!("{method} {WELL_KNOWN} HTTP/1.1\r\n"), "")
            .await;
        assert_eq!(
            (answer.status, answer.header("allow")),
            (405, Some("GET")),
            "{method}"
        );
    }
}

#[tokio::test]
async fn api_11_members_without_a_value_are_left_out() {
    let gateway = at("https://hooks.example.org", |_| {}).await;
    let answer = gateway
        .send(&format!("GET {WELL_KNOWN} HTTP/1.1\r\n"), "")
        .await;
    let expected = json!({
        "resource": "https://hooks.example.org",
        "bearer_methods_supported": ["header"],
    });
    assert_eq!(answer.json(), expected);
}

#[tokio::test]
async fn api_11_the_path_of_the_public_url_follows_the_well_known_path() {
    let gateway = at("https://Example.org:443/gate/way/", |_| {}).await;
    for path in [format!("{WELL_KNOWN}/gate/way"), WELL_KNOWN.to_owned()] {
        let answer = gateway.send(&format!("GET {path} HTTP/1.1\r\n"), "").await;
        assert_eq!(
            answer.json()["resource"],
            "https://example.org/gate/way",
            "{path}"
        );
    }
    for path in [format!("{WELL_KNOWN}/gate"), format!("{WELL_KNOWN}/")] {
        let answer = gateway.send(&format!("GET {path} HTTP/1.1\r\n"), "").await;
        answer.assert_error(401, "Unauthorized");
    }
}

#[tokio::test]
async fn api_11_every_401_for_a_token_names_the_metadata() {
    let nextcloud = Nextcloud::start().await;
    let url = "https://hooks.example.org/gate".parse().unwrap();
    let change = set(|settings| settings.public_url = Some(url));
    let gateway = TestGateway::with(nextcloud.url(), change).await;
    let named =
        "resource_metadata=\"https://hooks.example.org/.well-known/oauth-protected-resource/gate\"";
    for (authorization, expected) in [
        ("", format!("Bearer {named}")),
        (
            "Authorization: Bearer wrong\r\n",
            format!("Bearer error=\"invalid_token\", {named}"),
        ),
        (
            "Authorization: Basic YTpi\r\n",
            format!("Bearer error=\"invalid_token\", {named}"),
        ),
    ] {
        for path in ["/api/v1/apps", "/nowhere", "/api/v1/users/alice/session"] {
            let head = format!("GET {path} HTTP/1.1\r\n{authorization}");
            let answer = gateway.send(&head, "").await;
            answer.assert_error(401, "Unauthorized");
            assert_eq!(answer.header("www-authenticate"), Some(&*expected));
        }
    }
    // The challenge of an endpoint for HTTP Basic does not name the metadata.
    let head = "GET /api/v1/users/alice/app-password HTTP/1.1\r\n";
    let answer = gateway.send(head, "").await;
    assert_eq!(answer.status, 401);
    let challenge = answer.header("www-authenticate").unwrap();
    assert_eq!(challenge, "Basic realm=\"app password\", charset=\"UTF-8\"");
}

#[tokio::test]
async fn api_11_without_a_public_url_there_is_no_metadata() {
    let nextcloud = Nextcloud::start().await;
    let change = set(|settings| settings.issuer = Some("https://id.example.org".into()));
    let gateway = TestGateway::with(nextcloud.url(), change).await;
    let answer = gateway
        .send(&format!("GET {WELL_KNOWN} HTTP/1.1\r\n"), "")
        .await;
    answer.assert_error(401, "Unauthorized");
    assert_eq!(answer.header("www-authenticate"), Some("Bearer"));
    let answer = gateway.call("alice", "GET", WELL_KNOWN, "").await;
    answer.assert_error(404, "Not found");
}
