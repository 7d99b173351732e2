//! The calls that the front end makes besides the API's own (docs/API.md, section 10), with the headers
//! that its PHP client sends. The app password by HTTP Basic is in `credentials/app_password.rs`.

use std::time::Duration;

use portreeve::vault::{AppPassword, Change, Table};
use serde_json::{Value, json};

use crate::support::gateway::{Answer, PASSWORD, TestGateway, set};
use crate::support::nextcloud::Nextcloud;

/// The headers that Nextcloud's HTTP client adds to every request.
const PHP: &str = "User-Agent: Nextcloud Server Crawler\r\nAccept-Encoding: gzip\r\n";

/// A request as the PHP client sends it, with the token of `user` if one is named.
async fn php(gateway: &TestGateway, user: Option<&str>, request: &str) -> Answer {
    let authorization = match user {
        Some(user) => format!("Authorization: Bearer {}\r\n", gateway.token(user)),
        None => String::new(),
    };
    // curl announces the empty body of a POST.
    let length = match request.starts_with("POST") {
        true => "Content-Length: 0\r\n",
        false => "",
    };
    let head = format!("{request} HTTP/1.1\r\n{PHP}{authorization}{length}");
    gateway.send(&head, "").await
}

fn assert_json(answer: &Answer, status: u16) -> Value {
    assert_eq!(answer.status, status, "{answer:?}");
    assert_eq!(answer.header("content-type"), Some("application/json"));
    assert_eq!(answer.header("cache-control"), Some("no-store"));
    assert!(answer.header("x-request-id").is_some());
    answer.json()
}

#[tokio::test]
async fn api_10_1_the_status_is_public() {
    let nextcloud = Nextcloud::start().await;
    let gateway = TestGateway::before(nextcloud.url()).await;
    let answer = php(&gateway, None, "GET /api/v1/status").await;
    let mut status = assert_json(&answer, 200);
    assert_eq!(status["uptime_seconds"].take(), 0);
    let expected = json!({
        "version": env!("CARGO_PKG_VERSION"),
        "auth_mode": "multi_user_basic",
        "supports_app_passwords": true,
        "vector_sync_enabled": false,
        "webhooks_enabled": true,
        "uptime_seconds": null,
        "management_api_version": "1.0",
        "supported_search_types": [],
        "rerank_available": false,
        "sar_available": false,
    });
    assert_eq!(status, expected);
    // The answer does not depend on the caller: tokens are not checked.
    for authorization in ["Bearer wrong", "Bearer a, Bearer b", "Basic YTpi"] {
        let head = format!("GET /api/v1/status HTTP/1.1\r\nAuthorization: {authorization}\r\n");
        assert_eq!(
            assert_json(&gateway.send(&head, "").await, 200)["version"],
            status["version"]
        );
    }
    tokio::time::sleep(Duration::from_millis(1100)).await;
    let later = php(&gateway, None, "GET /api/v1/status").await.json();
    assert!(later["uptime_seconds"].as_u64().unwrap() >= 1, "{later}");
    // The groupware server is not asked, and not named.
    assert_eq!(nextcloud.seen().len(), 0);
    assert!(!later.to_string().contains("127.0.0.1"), "{later}");
}

#[tokio::test]
async fn api_10_1_the_status_names_the_issuer_and_what_is_configured() {
    for (issuer, discovery_url) in [
        (
            "https://id.example.org/realms/a",
            "https://id.example.org/realms/a/.well-known/openid-configuration",
        ),
        (
            "https://id.example.org/",
            "https://id.example.org/.well-known/openid-configuration",
        ),
    ] {
        let change = set(|settings| settings.issuer = Some(issuer.into()));
        let gateway = TestGateway::start(Default::default(), change).await;
        let status = php(&gateway, None, "GET /api/v1/status").await.json();
        assert_eq!(
            status["oidc"],
            json!({"discovery_url": discovery_url, "issuer": issuer})
        );
        assert_eq!(
            status["webhooks_enabled"], false,
            "there is no groupware server"
        );
        assert!(status.get("error").is_none());
    }
}

#[tokio::test]
async fn api_10_1_the_status_can_be_switched_off() {
    let nextcloud = Nextcloud::start().await;
    let change = set(|settings| settings.public_status = false);
    let gateway = TestGateway::with(nextcloud.url(), change).await;
    for user in [None, Some("alice")] {
        let answer = php(&gateway, user, "GET /api/v1/status").await;
        answer.assert_error(404, "Not found");
    }
}

#[tokio::test]
async fn api_10_1_the_public_paths_accept_only_get_and_match_exactly() {
    let nextcloud = Nextcloud::start().await;
    let gateway = TestGateway::before(nextcloud.url()).await;
    for path in ["/api/v1/status", "/api/v1/vector-sync/status"] {
        for method in ["POST", "PUT", "DELETE", "OPTIONS"] {
            let answer = php(&gateway, None, &format!("{method} {path}")).await;
            answer.assert_error(405, "Method not allowed");
            assert_eq!(answer.header("allow"), Some("GET"));
        }
        for path in [
            format!("{path}/"),
            format!("{path}x"),
            path.to_uppercase(),
            path.replace("status", "st%61tus"),
            format!("/{path}"),
        ] {
            let answer = php(&gateway, None, &format!("GET {path}")).await;
            answer.assert_error(401, "Unauthorized");
            let answer = php(&gateway, Some("alice"), &format!("GET {path}")).await;
            answer.assert_error(404, "Not found");
        }
        assert_ne!(
            php(&gateway, None, &format!("GET {path}?x=1")).await.status,
            401
        );
    }
}

#[tokio::test]
async fn api_10_2_a_caller_sees_only_its_own_session() {
    let nextcloud = Nextcloud::start().await;
    let gateway = TestGateway::before(nextcloud.url()).await;
    let answer = php(&gateway, Some("alice"), "GET /api/v1/users/alice/session").await;
    let mut session = assert_json(&answer, 200);
    let granted_at = session["background_access_details"]["granted_at"].take();
    let granted_at = humantime::parse_rfc3339(granted_at.as_str().unwrap()).unwrap();
    assert!(granted_at.elapsed().unwrap().as_secs() < 60);
    let expected = json!({
        "session_id": "alice",
        "background_access_granted": true,
        "background_access_details": {"granted_at": null},
    });
    assert_eq!(session, expected);
    let none = json!({"session_id": "carol", "background_access_granted": false});
    let carol = "GET /api/v1/users/carol/session";
    assert_eq!(
        assert_json(&php(&gateway, Some("carol"), carol).await, 200),
        none
    );

    for id in ["bob", "Alice", "alice%20", "nobody", "al%00ice", "*"] {
        let answer = php(
            &gateway,
            Some("alice"),
            &format!("GET /api/v1/users/{id}/session"),
        )
        .await;
        answer.assert_error(403, "Forbidden");
    }
    php(&gateway, None, "GET /api/v1/users/alice/session")
        .await
        .assert_error(401, "Unauthorized");
    let bad = php(&gateway, Some("alice"), "GET /api/v1/users/%ff/session").await;
    bad.assert_error(400, "Bad request");

    // A password that the groupware server refused grants nothing.
    let stored = gateway.vault.credential("alice").await.unwrap().unwrap();
    assert!(
        gateway
            .vault
            .suspend("alice", stored.revision())
            .await
            .unwrap()
    );
    let answer = php(&gateway, Some("alice"), "GET /api/v1/users/alice/session").await;
    let none = json!({"session_id": "alice", "background_access_granted": false});
    assert_eq!(assert_json(&answer, 200), none);
    assert_eq!(nextcloud.seen().len(), 0);
}

#[tokio::test]
async fn api_10_2_an_unreadable_credential_is_reported_as_no_access() {
    let nextcloud = Nextcloud::start().await;
    let gateway = TestGateway::before(nextcloud.url()).await;
    // A record that does not open: that of another user, under alice's name.
    let store = gateway.vault.store();
    let mut record = (*store.get(Table::Credential, "bob").await.unwrap().unwrap()).clone();
    record.key = "alice".into();
    let forged = vec![Change::put(Table::Credential, record)];
    store.commit("forge a credential", forged).await.unwrap();
    let none = json!({"session_id": "alice", "background_access_granted": false});
    let answer = php(&gateway, Some("alice"), "GET /api/v1/users/alice/session").await;
    assert_eq!(assert_json(&answer, 200), none);
    let answer = php(
        &gateway,
        Some("alice"),
        "GET /api/v1/background-sync/status",
    )
    .await;
    answer.assert_error(500, "Internal error");
    // It can be removed nevertheless.
    let answer = php(&gateway, Some("alice"), "POST /api/v1/users/alice/revoke").await;
    assert_eq!(assert_json(&answer, 200)["success"], true);
}

#[tokio::test]
async fn api_10_3_revoke_removes_only_the_credential_of_the_caller() {
    let nextcloud = Nextcloud::start().await;
    let gateway = TestGateway::before(nextcloud.url()).await;
    for id in ["bob", "carol", "nobody", "alice%2F"] {
        let answer = php(
            &gateway,
            Some("alice"),
            &format!("POST /api/v1/users/{id}/revoke"),
        )
        .await;
        answer.assert_error(403, "Forbidden");
    }
    php(&gateway, None, "POST /api/v1/users/bob/revoke")
        .await
        .assert_error(401, "Unauthorized");
    assert!(gateway.vault.credential("bob").await.unwrap().is_some());
    for message in ["App password removed", "No app password was stored"] {
        let answer = php(&gateway, Some("alice"), "POST /api/v1/users/alice/revoke").await;
        assert_eq!(
            assert_json(&answer, 200),
            json!({"success": true, "message": message})
        );
    }
    assert!(gateway.vault.credential("alice").await.unwrap().is_none());
    let wrong = php(&gateway, Some("alice"), "DELETE /api/v1/users/alice/revoke").await;
    wrong.assert_error(405, "Method not allowed");
    assert_eq!(wrong.header("allow"), Some("POST"));
    assert_eq!(nextcloud.seen().len(), 0);
}

#[tokio::test]
async fn api_10_an_id_with_a_space_is_decoded_as_php_encodes_it() {
    let nextcloud = Nextcloud::start().await;
    let gateway = TestGateway::before(nextcloud.url()).await;
    let password = AppPassword::new(PASSWORD).unwrap();
    let name = "Ana Maria";
    gateway.vault.put(name, name, &password).await.unwrap();
    let token = gateway.tokens.new_token(name, []).unwrap().token;
    // The gateway may use its last reading of the tokens file for a tenth of a second.
    tokio::time::sleep(Duration::from_millis(250)).await;
    for id in ["Ana+Maria", "Ana%20Maria", "An%61+Maria"] {
        let head = format!(
            "GET /api/v1/users/{id}/session HTTP/1.1\r\n{PHP}Authorization: Bearer {}\r\n",
            token.expose()
        );
        let session = assert_json(&gateway.send(&head, "").await, 200);
        assert_eq!(session["session_id"], name);
        assert_eq!(session["background_access_granted"], true);
    }
    for id in ["Ana%2BMaria", "Ana%2520Maria", "AnaMaria"] {
        let head = format!(
            "GET /api/v1/users/{id}/session HTTP/1.1\r\nAuthorization: Bearer {}\r\n",
            token.expose()
        );
        gateway.send(&head, "").await.assert_error(403, "Forbidden");
    }
}

#[tokio::test]
async fn api_5_4_a_user_named_by_an_administrator_is_decoded_as_php_encodes_it() {
    let nextcloud = Nextcloud::start().await;
    let change = set(|settings| settings.administrators.scope = Some("admins".into()));
    let gateway = TestGateway::with(nextcloud.url(), change).await;
    let password = AppPassword::new(PASSWORD).unwrap();
    for name in ["Ana Maria", "a+b", "a b"] {
        gateway.vault.put(name, name, &password).await.unwrap();
    }
    let token = gateway.tokens.new_token("root", ["admins"]).unwrap().token;
    // The gateway may use its last reading of the tokens file for a tenth of a second.
    tokio::time::sleep(Duration::from_millis(250)).await;
    for (id, found) in [
        ("Ana+Maria", Some("Ana Maria")),
        ("Ana%20Maria", Some("Ana Maria")),
        ("a%2Bb", Some("a+b")),
        // Taken literally if there is such a user.
        ("a+b", Some("a+b")),
        ("a%20b", Some("a b")),
        ("Ana%2BMaria", None),
        ("no+body", None),
    ] {
        let path = format!("/api/v1/background-sync/credentials/{id}");
        let token = token.expose();
        let head = format!("GET {path} HTTP/1.1\r\n{PHP}Authorization: Bearer {token}\r\n");
        let answer = gateway.send(&head, "").await;
        match found {
            Some(user) => assert_eq!(assert_json(&answer, 200)["user_id"], user, "{id}"),
            None => drop(answer.assert_error(404, "Not found")),
        }
    }
}

#[tokio::test]
async fn api_10_5_there_is_no_vector_sync() {
    let nextcloud = Nextcloud::start().await;
    let gateway = TestGateway::before(nextcloud.url()).await;
    let answer = php(&gateway, None, "GET /api/v1/vector-sync/status").await;
    let expected = json!({"error": "Vector sync is disabled on this server"});
    assert_eq!(assert_json(&answer, 404), expected);
    // With and without a token, whatever the request.
    let expected = json!({"error": "unsupported_search_type", "requested": "semantic", "supported_search_types": []});
    let body = json!({"query": "x", "algorithm": "semantic", "limit": 5}).to_string();
    let search = "POST /api/v1/vector-viz/search HTTP/1.1\r\n";
    for head in [
        search.to_owned(),
        format!("{search}Authorization: Bearer x\r\n"),
    ] {
        for body in ["", &body] {
            let answer = gateway.send(&head, body).await;
            assert_eq!(assert_json(&answer, 422), expected);
        }
    }
    let answer = php(&gateway, None, "GET /api/v1/vector-viz/search").await;
    answer.assert_error(405, "Method not allowed");
    assert_eq!(answer.header("allow"), Some("POST"));
    // The other search routes of the front end do not exist here.
    for path in ["search", "vector-sync/purge", "sar/cases"] {
        let head = format!("POST /api/v1/{path} HTTP/1.1\r\n");
        gateway
            .send(&head, "")
            .await
            .assert_error(401, "Unauthorized");
        gateway
            .call("alice", "POST", &format!("/api/v1/{path}"), "")
            .await
            .assert_error(404, "Not found");
    }
    assert!(nextcloud.all_seen().is_empty());
}

#[tokio::test]
async fn api_7_the_limits_apply_to_the_public_paths() {
    let nextcloud = Nextcloud::start().await;
    nextcloud.answer("webhooks-list-empty-admin");
    nextcloud.delay(Duration::from_millis(600));
    let change = set(|settings| settings.max_in_flight = 1);
    let gateway = TestGateway::with(nextcloud.url(), change).await;
    let busy = gateway.call("admin", "GET", "/api/v1/webhooks", "");
    let asked = async {
        tokio::time::sleep(Duration::from_millis(200)).await;
        php(&gateway, None, "GET /api/v1/status").await
    };
    let (busy, asked) = tokio::join!(busy, asked);
    assert_eq!(busy.status, 200);
    asked.assert_error(503, "Overloaded");
}
