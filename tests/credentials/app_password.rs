//! The app password that the front end sends by HTTP Basic (docs/API.md, section 10.4), as its PHP
//! client sends it: Guzzle's `auth` option, a JSON body as text, and Nextcloud's `User-Agent`.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use portreeve::vault::AppPassword;
use serde_json::{Value, json};

use crate::support::gateway::{Answer, PASSWORD, TestGateway, Unstarted, set};
use crate::support::nextcloud::{Fault, Nextcloud, basic, bearer};
use crate::users::OTHER;

/// Carol's app password, which is not stored yet.
const NEW: &str = "NEWaa-bbbbb-ccccc-ddddd-eeeee";
/// Carol's app password whose login name is her e-mail address.
const NAMED: &str = "NAMED-bbbbb-ccccc-ddddd-eeeee";
const CAROL: &str = "/api/v1/users/carol/app-password";
const ALICE: &str = "/api/v1/users/alice/app-password";

async fn started() -> (Nextcloud, TestGateway) {
    started_with(|gateway| gateway).await
}

async fn started_with(change: impl FnOnce(Unstarted) -> Unstarted) -> (Nextcloud, TestGateway) {
    let nextcloud = Nextcloud::start().await;
    nextcloud.answer("user-alice");
    nextcloud.answer("capabilities-admin-app-password");
    nextcloud.accounts([
        ("alice", "alice", PASSWORD),
        ("alice", "alice", OTHER),
        ("bob", "bob", PASSWORD),
        ("carol", "carol", NEW),
        ("carol", "carol@example.org", NAMED),
    ]);
    let gateway = TestGateway::with(nextcloud.url(), change).await;
    (nextcloud, gateway)
}

/// A request with these `Authorization` fields, otherwise as the PHP client sends it.
async fn send(gateway: &TestGateway, request: &str, authorization: &[&str], body: &str) -> Answer {
    let fields: String = authorization
        .iter()
        .map(|value| format!("Authorization: {value}\r\n"))
        .collect();
    let head = format!(
        "{request} HTTP/1.1\r\nUser-Agent: Nextcloud Server Crawler\r\nAccept-Encoding: gzip\r\n\
         {fields}Content-Type: application/json\r\nAccept: application/json\r\n"
    );
    gateway.send(&head, body).await
}

async fn php(
    gateway: &TestGateway,
    request: &str,
    user: &str,
    password: &str,
    body: &str,
) -> Answer {
    send(gateway, request, &[&basic(user, password)], body).await
}

async fn post(gateway: &TestGateway, user: &str, password: &str) -> Answer {
    let path = format!("POST /api/v1/users/{user}/app-password");
    php(
        gateway,
        &path,
        user,
        password,
        &json!({"username": user}).to_string(),
    )
    .await
}

fn assert_ok(answer: &Answer, expected: Value) {
    assert_eq!(answer.status, 200, "{answer:?}");
    assert_eq!(answer.header("content-type"), Some("application/json"));
    assert_eq!(answer.header("cache-control"), Some("no-store"));
    assert_eq!(answer.json(), expected);
}

/// An error in the shape of this path; returns its text.
fn assert_failed(answer: &Answer, status: u16) -> String {
    assert_eq!(answer.status, status, "{answer:?}");
    assert_eq!(answer.header("content-type"), Some("application/json"));
    assert!(answer.header("x-request-id").is_some());
    let body = answer.json();
    assert_eq!(body["success"], false, "{answer:?}");
    assert_eq!(body.as_object().unwrap().len(), 2, "{answer:?}");
    let challenge = answer.header("www-authenticate");
    let expected = "Basic realm=\"app password\", charset=\"UTF-8\"";
    assert_eq!(challenge, (status == 401).then_some(expected), "{answer:?}");
    body["error"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn api_10_4_a_password_is_checked_and_stored() {
    let (nextcloud, gateway) = started().await;
    let stored = post(&gateway, "carol", NEW).await;
    assert_ok(
        &stored,
        json!({"success": true, "message": "App password stored", "scopes": null}),
    );
    let [seen, of_name] = &nextcloud.seen()[..] else {
        panic!("one call checks the password, one the login name")
    };
    assert_eq!(seen.target, "/ocs/v2.php/cloud/user?format=json");
    assert_eq!(seen.headers["authorization"], bearer(NEW));
    assert_eq!(of_name.target, seen.target);
    assert_eq!(of_name.headers["authorization"], basic("carol", NEW));
    assert_eq!(
        seen.headers["user-agent"],
        concat!("portreeve/", env!("CARGO_PKG_VERSION"))
    );

    // Requests of the same user with a token use it.
    let status = gateway
        .call("carol", "GET", "/api/v1/background-sync/status", "")
        .await;
    assert_eq!(status.json()["has_background_access"], true);
    assert_eq!(
        gateway
            .call("carol", "GET", "/api/v1/apps", "")
            .await
            .status,
        200
    );

    let calls = nextcloud.seen().len();
    let removed = php(&gateway, &format!("DELETE {CAROL}"), "carol", NEW, "").await;
    assert_ok(
        &removed,
        json!({"success": true, "message": "App password removed"}),
    );
    assert_eq!(
        nextcloud.seen().len(),
        calls,
        "the stored password is checked without the server"
    );

    // Now nothing is stored, so the server is asked whose password it is.
    let removed = php(&gateway, &format!("DELETE {CAROL}"), "carol", NEW, "").await;
    assert_ok(
        &removed,
        json!({"success": true, "message": "No app password was stored"}),
    );
    assert_eq!(nextcloud.seen().len(), calls + 1);
    let answer = gateway.call("carol", "GET", "/api/v1/apps", "").await;
    answer.assert_error(428, "Provisioning required");
}

#[tokio::test]
async fn api_10_4_the_body_is_empty_or_contains_the_login_name() {
    let (nextcloud, gateway) = started().await;
    for (body, login_name, password) in [
        ("", "carol", NEW),
        ("{}", "carol", NEW),
        (
            r#"{"username":"carol@example.org"}"#,
            "carol@example.org",
            NAMED,
        ),
    ] {
        let answer = php(&gateway, &format!("POST {CAROL}"), "carol", password, body).await;
        assert_eq!(answer.status, 200, "{answer:?}");
        let seen = nextcloud.seen().pop().unwrap();
        assert_eq!(seen.headers["authorization"], basic(login_name, password));
        let stored = gateway.vault.credential("carol").await.unwrap().unwrap();
        assert_eq!(
            (stored.login_name(), stored.password().expose()),
            (login_name, password)
        );
    }
    let calls = nextcloud.seen().len();
    for body in [
        "[]",
        "null",
        "{",
        r#"{"username":5}"#,
        r#"{"username":"a:b"}"#,
        "username=carol",
    ] {
        let answer = php(&gateway, &format!("POST {CAROL}"), "carol", NEW, body).await;
        assert!(assert_failed(&answer, 400).contains("username"), "{body}");
    }
    assert_eq!(nextcloud.seen().len(), calls);
}

#[tokio::test]
async fn api_10_4_any_valid_password_of_the_account_is_accepted() {
    let (nextcloud, gateway) = started().await;
    // PASSWORD is stored, OTHER is not, and both are alice's.
    let removed = php(&gateway, &format!("DELETE {ALICE}"), "alice", OTHER, "").await;
    assert_ok(
        &removed,
        json!({"success": true, "message": "App password removed"}),
    );
    assert_eq!(nextcloud.seen().len(), 1);
    assert_eq!(nextcloud.failed_logins(), 0);
}

#[tokio::test]
async fn api_10_4_a_wrong_password_reveals_and_removes_nothing() {
    let (nextcloud, gateway) = started().await;
    // alice has stored one, carol has not, which the answers must not reveal.
    let mut answers = Vec::new();
    for user in ["alice", "carol"] {
        let request = format!("DELETE /api/v1/users/{user}/app-password");
        let before = nextcloud.seen().len();
        let wrong = "WRONG-bbbbb-ccccc-ddddd-eeeee";
        let answer = php(&gateway, &request, user, wrong, "").await;
        assert_failed(&answer, 401);
        let calls = nextcloud.seen().len() - before;
        let mut headers = answer.headers.clone();
        headers.retain(|(name, _)| !matches!(name.as_str(), "x-request-id" | "date"));
        answers.push((answer.body, headers, calls));
    }
    assert!(
        answers.windows(2).all(|pair| pair[0] == pair[1]),
        "{answers:?}"
    );
    assert!(gateway.vault.credential("alice").await.unwrap().is_some());
}

#[tokio::test]
async fn api_10_4_invalid_requests_are_refused_without_asking_the_server() {
    let (nextcloud, gateway) = started().await;
    let good = basic("alice", PASSWORD);
    let token = format!("Bearer {}", gateway.token("alice"));
    let encoded = |pair: &[u8]| format!("Basic {}", BASE64_STANDARD.encode(pair));
    let long = encoded(format!("alice:{}", "a".repeat(20_000)).as_bytes());
    for method in ["POST", "DELETE"] {
        let request = format!("{method} {ALICE}");
        for fields in [
            &[][..],
            &[&*token],
            &[&*good, &*good],
            &[&*good, &*token],
            &[&*token, &*good],
            &["Basic"],
            &["Digest username=\"alice\""],
        ] {
            let answer = send(&gateway, &request, fields, "").await;
            assert!(
                assert_failed(&answer, 401).contains("Exactly one"),
                "{fields:?}"
            );
        }
        for field in [
            "Basic !!!",
            "Basic YWxpY2U",
            "Basic Og",
            &encoded(b"alice"),
            &encoded(b"alice:\xff"),
        ] {
            let answer = send(&gateway, &request, &[field], "").await;
            assert!(assert_failed(&answer, 401).contains("Malformed"), "{field}");
        }
        for field in [
            &long,
            &basic("alice", "short"),
            &basic("alice", "a b c d e f g h i j k l"),
            &basic("alice", ""),
        ] {
            let answer = send(&gateway, &request, &[field], "").await;
            let text = assert_failed(&answer, 400);
            assert!(
                text.contains("app password") && !text.contains("short"),
                "{text}"
            );
        }
        for name in ["bob", "Alice", "", "alice "] {
            let answer = send(&gateway, &request, &[&basic(name, PASSWORD)], "").await;
            assert!(
                assert_failed(&answer, 403).contains("another user"),
                "{name}"
            );
        }
        let answer = php(
            &gateway,
            &format!("{method} /api/v1/users/%ff/app-password"),
            "\u{ff}",
            PASSWORD,
            "",
        )
        .await;
        assert!(assert_failed(&answer, 400).contains("user id"));
    }
    // Without credentials, nothing about the path is said.
    let answer = send(&gateway, "POST /api/v1/users/%ff/app-password", &[], "").await;
    assert!(assert_failed(&answer, 401).contains("Exactly one"));
    for method in ["GET", "PUT", "PATCH", "HEAD"] {
        let answer = php(
            &gateway,
            &format!("{method} {ALICE}"),
            "alice",
            PASSWORD,
            "",
        )
        .await;
        assert_eq!(
            (answer.status, answer.header("allow")),
            (405, Some("POST, DELETE"))
        );
    }
    assert_eq!(nextcloud.seen().len(), 0);
    let stored = gateway.vault.credential("alice").await.unwrap().unwrap();
    assert_eq!(stored.password().expose(), PASSWORD);
}

#[tokio::test]
async fn api_10_4_the_password_of_another_account_is_403() {
    let (nextcloud, gateway) = started().await;
    // bob's own password, under his own login name, for carol's account.
    let body = json!({"username": "bob"}).to_string();
    let answer = php(&gateway, &format!("POST {CAROL}"), "carol", PASSWORD, &body).await;
    assert!(assert_failed(&answer, 403).contains("another account"));
    assert!(gateway.vault.credential("carol").await.unwrap().is_none());
    assert_eq!(nextcloud.seen().len(), 1);
}

#[tokio::test]
async fn api_10_4_http_basic_is_refused_on_all_other_routes() {
    let (nextcloud, gateway) = started().await;
    for request in [
        "GET /api/v1/apps",
        "GET /api/v1/webhooks",
        "GET /api/v1/background-sync/status",
        "DELETE /api/v1/background-sync/credentials",
        "GET /api/v1/users/alice/session",
        "POST /api/v1/users/alice/revoke",
        "GET /api/v1/users/alice/app-password/",
        "GET /api/v1/users/alice/app-passwords",
        "GET /api/v1/users//app-password",
        "GET /api/v1/users/a/b/app-password",
        "GET //api/v1/users/alice/app-password",
        "GET /api/v1/users/alice/App-Password",
        "GET /nowhere",
    ] {
        let answer = php(&gateway, request, "alice", PASSWORD, "").await;
        answer.assert_error(401, "Unauthorized");
    }
    assert_eq!(nextcloud.seen().len(), 0);
    assert!(gateway.vault.credential("alice").await.unwrap().is_some());
}

#[tokio::test]
async fn api_10_4_an_unavailable_groupware_server_is_502() {
    let (nextcloud, gateway) = started().await;
    for fault in [Fault::Close, Fault::GarbageStatusLine, Fault::Redirect] {
        nextcloud.fault(fault).await;
        let answer = post(&gateway, "carol", NEW).await;
        assert!(assert_failed(&answer, 502).contains("groupware server"));
        let answer = php(&gateway, &format!("DELETE {ALICE}"), "alice", OTHER, "").await;
        assert_failed(&answer, 502);
        nextcloud.heal().await;
    }
    nextcloud.answer("maintenance-user");
    let answer = post(&gateway, "carol", NEW).await;
    assert!(assert_failed(&answer, 502).contains("maintenance"));
    // The stored password is checked without the server.
    let answer = php(&gateway, &format!("DELETE {ALICE}"), "alice", PASSWORD, "").await;
    assert_eq!(answer.status, 200);
    // None of this counted as an attempt.
    nextcloud.answer("user-alice");
    assert_eq!(post(&gateway, "carol", NEW).await.status, 200);
    assert_eq!(nextcloud.failed_logins(), 0);

    let gateway = TestGateway::start(Default::default(), |gateway| gateway).await;
    let answer = post(&gateway, "carol", NEW).await;
    assert!(assert_failed(&answer, 500).contains("not configured"));
}

#[tokio::test]
async fn api_10_4_the_account_password_is_refused() {
    let (nextcloud, gateway) = started().await;
    let password = "a-long-passphrase-of-dave";
    nextcloud.allow_account_password("carol", password);
    let answer = post(&gateway, "carol", password).await;
    assert!(assert_failed(&answer, 401).contains("password of the account"));
    assert!(gateway.vault.credential("carol").await.unwrap().is_none());
}

#[tokio::test]
async fn api_10_4_general_limits_apply_and_their_errors_have_this_shape() {
    use std::time::Duration;

    let change = set(|settings| {
        settings.max_body = 64;
        settings.request_timeout = Duration::from_millis(300);
    });
    let (nextcloud, gateway) = started_with(change).await;
    let long = json!({"username": "carol", "x": "y".repeat(64)}).to_string();
    let answer = php(&gateway, &format!("POST {CAROL}"), "carol", NEW, &long).await;
    assert!(assert_failed(&answer, 413).contains("64 bytes"));
    nextcloud.delay(Duration::from_millis(600));
    let answer = post(&gateway, "carol", NEW).await;
    assert!(assert_failed(&answer, 504).contains("in time"));
    // The check is completed nevertheless, login name included, and the password stored.
    tokio::time::sleep(Duration::from_millis(1500)).await;
    assert!(gateway.vault.credential("carol").await.unwrap().is_some());

    let (_, gateway) = started_with(set(|settings| settings.shared_key = Some("key".into()))).await;
    let answer = post(&gateway, "carol", NEW).await;
    assert!(assert_failed(&answer, 401).contains("X-API-Key"));
}

#[tokio::test]
async fn api_10_4_a_user_id_is_decoded_as_php_encodes_it() {
    let (nextcloud, gateway) = started().await;
    for (segment, id) in [
        ("Ana%20Maria", "Ana Maria"),
        ("Ana+Maria", "Ana Maria"),
        ("j%C3%B6rg%40example.org", "j\u{f6}rg@example.org"),
    ] {
        let password = format!("{:05}-bbbbb-ccccc-ddddd-eeeee", segment.len());
        nextcloud.allow(id, id, &password);
        let request = format!("POST /api/v1/users/{segment}/app-password");
        let body = json!({"username": id}).to_string();
        let answer = php(&gateway, &request, id, &password, &body).await;
        assert_eq!(answer.status, 200, "{answer:?}");
        let stored = gateway.vault.credential(id).await.unwrap();
        assert_eq!(
            stored.unwrap().password().expose(),
            AppPassword::new(&password).unwrap().expose()
        );
        assert!(gateway.vault.remove(id).await.unwrap());
    }
}
