//! Storing, inspecting and removing app passwords over HTTP (docs/API.md, section 5).

use serde_json::{Value, json};

use portreeve::vault::AppPassword;

use crate::support::gateway::{Answer, PASSWORD, TestGateway, set};
use crate::support::nextcloud::{Nextcloud, basic, bearer};

const CREDENTIALS: &str = "/api/v1/background-sync/credentials";
const STATUS: &str = "/api/v1/background-sync/status";
const NEW: &str = "NEWaa-bbbbb-ccccc-ddddd-eeeee";

async fn started() -> (Nextcloud, TestGateway) {
    let nextcloud = Nextcloud::start().await;
    nextcloud.answer("user-alice");
    nextcloud.answer("capabilities-admin-app-password");
    nextcloud.answer("apppassword-delete");
    nextcloud.accounts([
        ("admin", "admin", PASSWORD),
        ("alice", "alice", PASSWORD),
        ("bob", "bob", PASSWORD),
        ("carol", "carol", NEW),
    ]);
    let gateway = TestGateway::before(nextcloud.url()).await;
    (nextcloud, gateway)
}

fn body(password: &str) -> String {
    json!({ "appPassword": password }).to_string()
}

/// Asserts that the time is RFC 3339 and within the last minute.
fn assert_recent(time: &Value) {
    let time = humantime::parse_rfc3339(time.as_str().unwrap()).unwrap();
    assert!(time.elapsed().unwrap().as_secs() < 60);
}

fn assert_no_store(answer: &Answer) {
    assert_eq!(answer.header("cache-control"), Some("no-store"));
}

#[tokio::test]
async fn api_5_a_password_is_stored_shown_used_and_removed() {
    let (nextcloud, gateway) = started().await;
    let nothing =
        json!({"has_background_access": false, "credential_type": null, "provisioned_at": null});
    assert_eq!(
        gateway.call("carol", "GET", STATUS, "").await.json(),
        nothing
    );
    gateway
        .call("carol", "GET", "/api/v1/apps", "")
        .await
        .assert_error(428, "Provisioning required");
    assert_eq!(nextcloud.seen().len(), 0);

    let stored = gateway.call("carol", "POST", CREDENTIALS, &body(NEW)).await;
    assert_eq!(stored.status, 200, "{stored:?}");
    assert_no_store(&stored);
    let stored = stored.json();
    assert_eq!(stored["success"], true);
    assert!(!stored["message"].as_str().unwrap().is_empty());
    assert_eq!(stored["credential_type"], "app_password");
    assert_recent(&stored["provisioned_at"]);
    assert_eq!(stored.as_object().unwrap().len(), 4);
    let [seen, of_name] = &nextcloud.seen()[..] else {
        panic!("one call checks the password, one the login name")
    };
    assert_eq!(seen.target, "/ocs/v2.php/cloud/user?format=json");
    assert_eq!(seen.headers["authorization"], bearer(NEW));
    assert_eq!(of_name.target, seen.target);
    assert_eq!(of_name.headers["authorization"], basic("carol", NEW));

    let status = gateway.call("carol", "GET", STATUS, "").await;
    assert_eq!(
        (status.status, status.json()),
        (
            200,
            json!({
                "has_background_access": true,
                "credential_type": "app_password",
                "provisioned_at": stored["provisioned_at"],
            })
        )
    );
    assert_eq!(
        gateway
            .call("carol", "GET", "/api/v1/apps", "")
            .await
            .status,
        200
    );

    for message in ["App password removed", "No app password was stored"] {
        let removed = gateway.call("carol", "DELETE", CREDENTIALS, "").await;
        assert_eq!(removed.status, 200);
        assert_eq!(removed.json(), json!({"success": true, "message": message}));
    }
    assert_eq!(
        gateway.call("carol", "GET", STATUS, "").await.json(),
        nothing
    );
    gateway
        .call("carol", "GET", "/api/v1/apps", "")
        .await
        .assert_error(428, "Provisioning required");
    assert_eq!(nextcloud.seen().len(), 3);
}

#[tokio::test]
async fn api_5_1_the_login_name_may_differ_from_the_user_id() {
    let (nextcloud, gateway) = started().await;
    nextcloud.revoke("carol", NEW);
    nextcloud.allow("carol", "carol@example.org", NEW);
    for names in [["appPassword", "loginName"], ["app_password", "login_name"]] {
        let body = json!({names[0]: NEW, names[1]: "carol@example.org", "other": [1]});
        let stored = gateway
            .call("carol", "POST", CREDENTIALS, &body.to_string())
            .await;
        assert_eq!(stored.status, 200, "{stored:?}");
        let apps = gateway.call("carol", "GET", "/api/v1/apps", "").await;
        assert_eq!(apps.status, 200, "{apps:?}");
    }
    let fields = nextcloud
        .seen()
        .into_iter()
        .map(|seen| seen.headers["authorization"].clone());
    assert!(
        fields
            .into_iter()
            .all(|field| field == basic("carol@example.org", NEW) || field == bearer(NEW))
    );
    let credential = gateway.vault.credential("carol").await.unwrap().unwrap();
    assert_eq!(credential.login_name(), "carol@example.org");
}

#[tokio::test]
async fn api_5_1_an_invalid_body_or_query_is_400() {
    let (nextcloud, gateway) = started().await;
    let long = "a".repeat(257);
    for (body, part) in [
        ("", "JSON object"),
        ("not JSON", "JSON object"),
        ("[]", "JSON object"),
        (&*format!("[\"{NEW}\"]"), "JSON object"),
        ("null", "JSON object"),
        (&*format!("\"{NEW}\""), "JSON object"),
        (
            &*format!(r#"{{"appPassword":"{NEW}","app_password":"{NEW}"}}"#),
            "JSON object",
        ),
        (&*format!(r#"{{"appPassword":"{NEW}"}} x"#), "JSON object"),
        ("{}", "appPassword"),
        (r#"{"appPassword":null}"#, "appPassword"),
        (r#"{"appPassword":5}"#, "appPassword"),
        (r#"{"appPassword":""}"#, "20 to 256"),
        (r#"{"appPassword":"aaaaaaaaaaaaaaaaaaa"}"#, "20 to 256"),
        (&*format!(r#"{{"appPassword":"{long}"}}"#), "20 to 256"),
        (r#"{"appPassword":"aaaaaaaaaaaaaaaaaaaa aaaa"}"#, "hyphens"),
        (
            r#"{"appPassword":"aaaaaaaaaaaaaaaaaaaa\u00e9aaa"}"#,
            "hyphens",
        ),
        (
            &*format!(r#"{{"appPassword":"{NEW}","loginName":5}}"#),
            "loginName",
        ),
        (
            &*format!(r#"{{"appPassword":"{NEW}","loginName":""}}"#),
            "loginName",
        ),
        (
            &*format!(r#"{{"appPassword":"{NEW}","loginName":"a:b"}}"#),
            "loginName",
        ),
        (
            &*format!(r#"{{"appPassword":"{NEW}","loginName":"a\nb"}}"#),
            "loginName",
        ),
    ] {
        let answer = gateway.call("carol", "POST", CREDENTIALS, body).await;
        let message = answer.assert_error(400, "Bad request");
        assert!(message.contains(part), "{body}: {message}");
        assert!(!message.contains("aaaa"), "{message}");
    }
    for path in ["?revoke=1", "?revoke", "?revoke=true&revoke=true"] {
        let answer = gateway
            .call("alice", "DELETE", &format!("{CREDENTIALS}{path}"), "")
            .await;
        assert!(answer.assert_error(400, "Bad request").contains("revoke"));
    }
    assert_eq!(nextcloud.seen().len(), 0, "the server was not asked");
    assert!(gateway.vault.credential("alice").await.unwrap().is_some());
    assert!(gateway.vault.credential("carol").await.unwrap().is_none());
}

#[tokio::test]
async fn api_5_1_403_and_422_store_nothing() {
    let (nextcloud, gateway) = started().await;
    nextcloud.allow("bob", "carol", "bbbbbbbbbbbbbbbbbbbbbbbbb");
    let answer = gateway
        .call(
            "carol",
            "POST",
            CREDENTIALS,
            &body("bbbbbbbbbbbbbbbbbbbbbbbbb"),
        )
        .await;
    answer.assert_error(403, "Forbidden");
    let answer = gateway
        .call(
            "carol",
            "POST",
            CREDENTIALS,
            &body("wrong-wrong-wrong-wrong"),
        )
        .await;
    let message = answer.assert_error(422, "Rejected credential");
    assert!(!message.contains("wrong"));
    assert!(gateway.vault.credential("carol").await.unwrap().is_none());
    assert_eq!(nextcloud.failed_logins(), 1);

    // The stored password is kept when another one is refused.
    gateway
        .call(
            "alice",
            "POST",
            CREDENTIALS,
            &body("wrong-wrong-wrong-wrong"),
        )
        .await
        .assert_error(422, "Rejected credential");
    assert_eq!(
        gateway
            .call("alice", "GET", "/api/v1/apps", "")
            .await
            .status,
        200
    );
}

#[tokio::test]
async fn api_5_1_server_faults_are_500_and_do_not_count_as_refusals() {
    let (nextcloud, gateway) = started().await;
    for (status, text) in [
        (429, "throttling"),
        (503, "not available"),
        (500, "internal error"),
        (200, "read"),
    ] {
        nextcloud.answer_with("user-alice", status, "nonsense");
        for _ in 0..6 {
            let answer = gateway.call("carol", "POST", CREDENTIALS, &body(NEW)).await;
            assert!(
                answer.assert_error(500, "Internal error").contains(text),
                "{status}"
            );
        }
    }
    nextcloud.answer("user-alice");
    assert_eq!(
        gateway
            .call("carol", "POST", CREDENTIALS, &body(NEW))
            .await
            .status,
        200
    );

    let gateway = TestGateway::start(Default::default(), |gateway| gateway).await;
    let answer = gateway.call("carol", "POST", CREDENTIALS, &body(NEW)).await;
    assert!(
        answer
            .assert_error(500, "Internal error")
            .contains("not configured")
    );
    assert_eq!(gateway.call("alice", "GET", STATUS, "").await.status, 200);
    assert_eq!(
        gateway
            .call("alice", "DELETE", CREDENTIALS, "")
            .await
            .status,
        200
    );
}

#[tokio::test]
async fn api_5_1_429_after_two_refused_attempts_of_a_user() {
    let (nextcloud, gateway) = started().await;
    let wrong = body("wrong-wrong-wrong-wrong");
    // All at once: none of them may slip through while another is in flight.
    let attempts = (0..12).map(|_| gateway.call("carol", "POST", CREDENTIALS, &wrong));
    let answers = futures_util::future::join_all(attempts).await;
    let count = |status| answers.iter().filter(|it| it.status == status).count();
    assert_eq!((count(422), count(429)), (2, 10), "{answers:?}");
    assert_eq!(nextcloud.failed_logins(), 2);
    let answer = gateway.call("carol", "POST", CREDENTIALS, &body(NEW)).await;
    answer.assert_error(429, "Too many requests");
    let wait: u64 = answer.header("retry-after").unwrap().parse().unwrap();
    assert!((1740..=1800).contains(&wait), "{wait}");
    assert_eq!(nextcloud.failed_logins(), 2);

    // Other users are not affected.
    let of_bob = "OFBOB-bbbbb-ccccc-ddddd-eeeee";
    nextcloud.allow("bob", "bob", of_bob);
    assert_eq!(
        gateway
            .call("bob", "POST", CREDENTIALS, &body(of_bob))
            .await
            .status,
        200
    );
}

#[tokio::test]
async fn api_5_3_revoke_destroys_the_password_at_the_server_first() {
    const OWN: &str = "OWNpw-bbbbb-ccccc-ddddd-eeeee";
    const OF_BOB: &str = "OFBOB-bbbbb-ccccc-ddddd-eeeee";

    let (nextcloud, gateway) = started().await;
    for (user, password) in [("alice", OWN), ("bob", OF_BOB)] {
        nextcloud.allow(user, user, password);
        let password = AppPassword::new(password).unwrap();
        gateway.vault.put(user, user, &password).await.unwrap();
    }
    let revoke = format!("{CREDENTIALS}?revoke=true");
    let answer = gateway.call("alice", "DELETE", &revoke, "").await;
    assert_eq!(answer.status, 200, "{answer:?}");
    assert!(
        answer.json()["message"]
            .as_str()
            .unwrap()
            .contains("destroyed")
    );
    assert_eq!(
        nextcloud.seen()[0].target,
        "/ocs/v2.php/core/apppassword?format=json"
    );
    assert_eq!(nextcloud.seen()[0].headers["authorization"], bearer(OWN));
    assert!(gateway.vault.credential("alice").await.unwrap().is_none());
    gateway
        .call("alice", "POST", CREDENTIALS, &body(OWN))
        .await
        .assert_error(422, "Rejected credential");

    let answer = gateway.call("alice", "DELETE", &revoke, "").await;
    assert_eq!(
        answer.json(),
        json!({"success": true, "message": "No app password was stored"})
    );

    // If the server fails, the answer says so, and the password stays stored and valid.
    for (name, status) in [
        ("apppassword-delete", 500),
        ("apppassword-delete", 429),
        ("apppassword-delete-with-login-password", 403),
    ] {
        match status {
            403 => nextcloud.answer(name),
            _ => nextcloud.answer_with(name, status, "nonsense"),
        }
        let answer = gateway.call("bob", "DELETE", &revoke, "").await;
        assert!(
            answer
                .assert_error(500, "Internal error")
                .contains("still stored")
        );
        assert_eq!(
            gateway.call("bob", "GET", "/api/v1/apps", "").await.status,
            200
        );
    }

    // A password that the server refuses is already gone there.
    nextcloud.answer("apppassword-delete");
    nextcloud.revoke("bob", OF_BOB);
    let answer = gateway.call("bob", "DELETE", &revoke, "").await;
    assert_eq!(answer.status, 200);
    assert!(
        answer.json()["message"]
            .as_str()
            .unwrap()
            .contains("refused it already")
    );
    assert!(gateway.vault.credential("bob").await.unwrap().is_none());
}

#[tokio::test]
async fn api_5_4_administrators_read_the_credentials_of_others() {
    let (nextcloud, gateway) = started().await;
    nextcloud.answer_for("admin", "user-admin");
    let alice = format!("{CREDENTIALS}/alice");
    let shown = gateway.call("admin", "GET", &alice, "").await;
    assert_eq!(shown.status, 200, "{shown:?}");
    assert_no_store(&shown);
    let shown = shown.json();
    assert_recent(&shown["provisioned_at"]);
    assert_eq!(
        shown,
        json!({
            "user_id": "alice",
            "login_name": "alice",
            "has_background_access": true,
            "credential_type": "app_password",
            "provisioned_at": shown["provisioned_at"],
        })
    );
    assert_eq!(
        nextcloud.seen()[0].headers["authorization"],
        basic("admin", PASSWORD)
    );

    // Plain users, one of them without a credential, and one whose token has an admin scope.
    for user in ["alice", "bob", "carol"] {
        gateway
            .call(user, "GET", &alice, "")
            .await
            .assert_error(403, "Forbidden");
    }
    let token = gateway.tokens.new_token("bob", ["admin"]).unwrap().token;
    tokio::time::sleep(std::time::Duration::from_millis(200)).await;
    let head = format!(
        "GET {alice} HTTP/1.1\r\nAuthorization: Bearer {}\r\n",
        token.expose()
    );
    gateway.send(&head, "").await.assert_error(403, "Forbidden");

    for unknown in ["carol", "nobody", "%00", "al%2569ce"] {
        gateway
            .call("admin", "GET", &format!("{CREDENTIALS}/{unknown}"), "")
            .await
            .assert_error(404, "Not found");
    }
    gateway
        .vault
        .put(
            "a/b c",
            "x",
            &portreeve::vault::AppPassword::new(NEW).unwrap(),
        )
        .await
        .unwrap();
    let shown = gateway
        .call("admin", "GET", &format!("{CREDENTIALS}/a%2Fb%20c"), "")
        .await;
    assert_eq!(shown.json()["user_id"], "a/b c");
    // Reveal is off.
    let answer = gateway
        .call("admin", "GET", &format!("{alice}?reveal=true"), "")
        .await;
    answer.assert_error(403, "Forbidden");
    assert!(!answer.body.contains(PASSWORD));
}

#[tokio::test]
async fn api_2_5_with_an_admin_scope_only_the_scope_counts() {
    let nextcloud = Nextcloud::start().await;
    nextcloud.answer("user-admin");
    let change = set(|settings| {
        settings.administrators.scope = Some("portreeve:admin".into());
        settings.administrators.reveal = true;
    });
    let gateway = TestGateway::with(nextcloud.url(), change).await;
    let path = format!("{CREDENTIALS}/alice?reveal=true");
    gateway
        .call("admin", "GET", &path, "")
        .await
        .assert_error(403, "Forbidden");
    let token = gateway
        .tokens
        .new_token("carol", ["x", "portreeve:admin"])
        .unwrap()
        .token;
    tokio::time::sleep(std::time::Duration::from_millis(200)).await;
    let head = format!(
        "GET {path} HTTP/1.1\r\nAuthorization: Bearer {}\r\n",
        token.expose()
    );
    let shown = gateway.send(&head, "").await;
    assert_eq!(shown.status, 200, "{shown:?}");
    assert_eq!(shown.json()["app_password"], PASSWORD);
    assert_no_store(&shown);
    assert_eq!(nextcloud.seen().len(), 0, "the server was not asked");
}

#[tokio::test]
async fn api_5_1_the_account_password_is_422_and_not_stored() {
    let (nextcloud, gateway) = started().await;
    nextcloud.accounts([
        ("carol", "carol", NEW),
        ("bob", "bob", "abcdefghijklmnopqrst"),
    ]);
    let account_password = "LangesPasswortDesKontos2026";
    nextcloud.allow_account_password("carol", account_password);
    let store = |password: &str| {
        let body = json!({ "appPassword": password }).to_string();
        async { gateway.call("carol", "POST", CREDENTIALS, &{ body }).await }
    };
    for _ in 0..4 {
        let answer = store(account_password).await;
        let message = answer.assert_error(422, "Rejected credential");
        assert!(message.contains("password of the account"), "{message}");
    }
    let status = gateway.call("carol", "GET", STATUS, "").await.json();
    assert_eq!(status["has_background_access"], false);
    assert_eq!(
        nextcloud.failed_logins(),
        0,
        "the check causes no failed login"
    );

    // An app password is stored, whatever its form.
    assert_eq!(store(NEW).await.status, 200);
    let body = json!({ "appPassword": "abcdefghijklmnopqrst" }).to_string();
    let answer = gateway.call("bob", "POST", CREDENTIALS, &body).await;
    assert_eq!(answer.status, 200, "{answer:?}");
}

#[tokio::test]
async fn api_5_1_a_one_time_password_is_422_and_does_not_count_as_a_refused_attempt() {
    let (nextcloud, gateway) = started().await;
    nextcloud.answer("user-one-time-app-password");
    // More often than a user may send refused passwords.
    for _ in 0..12 {
        let body = json!({ "appPassword": NEW }).to_string();
        let answer = gateway.call("carol", "POST", CREDENTIALS, &body).await;
        let message = answer.assert_error(422, "Rejected credential");
        assert!(message.contains("one-time"), "{message}");
    }
    nextcloud.answer("user-carol");
    let body = json!({ "appPassword": NEW }).to_string();
    let answer = gateway.call("carol", "POST", CREDENTIALS, &body).await;
    assert_eq!(answer.status, 200, "{answer:?}");
}
