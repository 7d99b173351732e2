//! The stored app password: storing, showing and removing it, also for administrators.

use portreeve::gateway::{AdminPolicy, BearerLogins, LoginPolicy};
use serde_json::{Value, json};

use crate::shown::Shown;
use crate::support::gateway::{PASSWORD, TestGateway};
use crate::support::nextcloud::Nextcloud;
use crate::webhooks::with_malformed_body;

const CREDENTIALS: &str = "/api/v1/background-sync/credentials";
const REVOKE: &str = "/api/v1/background-sync/credentials?revoke=true";
const KEEP: &str = "/api/v1/background-sync/credentials?revoke=false";
const UNCLEAR: &str = "/api/v1/background-sync/credentials?revoke=x";
const STATUS: &str = "/api/v1/background-sync/status";
const NEW: &str = "NEWaa-bbbbb-ccccc-ddddd-eeeee";
/// An app password of another account.
const FOREIGN: &str = "FORei-bbbbb-ccccc-ddddd-eeeee";
/// An app password that was revoked on the server.
const GONE: &str = "GONEe-bbbbb-ccccc-ddddd-eeeee";
const WRONG: &str = "WRONG-bbbbb-ccccc-ddddd-eeeee";
/// The login password of the account.
const OF_ACCOUNT: &str = "LangesPasswortDesKontos2026";

pub(crate) async fn show(shown: &Shown) {
    own_password(shown).await;
    passwords_of_others(shown).await;
    suspended_password_and_spent_permit(shown).await;
}

async fn server() -> Nextcloud {
    let nextcloud = Nextcloud::start().await;
    for name in [
        "capabilities-admin-app-password",
        "user-admin",
        "apppassword-delete",
    ] {
        nextcloud.answer(name);
    }
    nextcloud.accounts([
        ("admin", "admin", PASSWORD),
        ("alice", "alice", PASSWORD),
        ("bob", "bob", PASSWORD),
        ("carol", "carol", NEW),
        ("carol", "carol@example.org", NEW),
        ("alice", "carol", FOREIGN),
    ]);
    nextcloud.allow_account_password("carol", OF_ACCOUNT);
    nextcloud
}

async fn own_password(shown: &Shown) {
    let nextcloud = server().await;
    let gateway = TestGateway::before(nextcloud.url()).await;
    let ask = |user, method, path, body| {
        let gateway = &gateway;
        async move { shown.call(gateway, user, method, path, &body).await.status }
    };

    assert_eq!(ask("carol", "GET", STATUS, Value::Null).await, 200);
    assert_eq!(ask("carol", "DELETE", CREDENTIALS, Value::Null).await, 200);
    // It is not yet known that the server takes bearer tokens; afterwards this password is refused.
    let body = json!({"appPassword": OF_ACCOUNT});
    assert_eq!(ask("carol", "POST", CREDENTIALS, body).await, 422);
    for [password, login_name] in [["appPassword", "loginName"], ["app_password", "login_name"]] {
        for name in [json!(null), json!("carol@example.org")] {
            let body = json!({password: NEW, login_name: name});
            assert_eq!(ask("carol", "POST", CREDENTIALS, body).await, 200);
        }
    }
    assert_eq!(ask("carol", "GET", STATUS, Value::Null).await, 200);
    assert_eq!(ask("carol", "DELETE", KEEP, Value::Null).await, 200);
    assert_eq!(ask("alice", "DELETE", REVOKE, Value::Null).await, 200);
    let gone = portreeve::vault::AppPassword::new(GONE).unwrap();
    gateway.vault.put("bob", "bob", &gone).await.unwrap();
    assert_eq!(ask("bob", "DELETE", REVOKE, Value::Null).await, 200);
    assert_eq!(ask("bob", "DELETE", UNCLEAR, Value::Null).await, 400);

    for (body, status) in [
        (json!([]), 400),
        (json!({}), 400),
        (json!({"appPassword": "short"}), 400),
        (json!({"appPassword": NEW, "loginName": "a:b"}), 400),
        (json!({"appPassword": "a".repeat(70_000)}), 413),
        (json!({"appPassword": FOREIGN}), 403),
        (json!({"appPassword": OF_ACCOUNT}), 422),
        (json!({"appPassword": WRONG}), 422),
        // Too many refused logins by now.
        (json!({"appPassword": WRONG}), 429),
    ] {
        assert_eq!(ask("carol", "POST", CREDENTIALS, body).await, status);
    }
    assert_eq!(
        with_malformed_body(shown, &gateway, "POST", CREDENTIALS)
            .await
            .status,
        400
    );

    let nextcloud = Nextcloud::start().await;
    nextcloud.answer("user-one-time-app-password");
    nextcloud.accounts([("alice", "alice", WRONG)]);
    let gateway = TestGateway::before(nextcloud.url()).await;
    let body = json!({"appPassword": WRONG});
    let used_up = shown
        .call(&gateway, "alice", "POST", CREDENTIALS, &body)
        .await;
    assert_eq!(used_up.status, 422);
}

async fn passwords_of_others(shown: &Shown) {
    let nextcloud = server().await;
    for reveal in [false, true] {
        let policy = AdminPolicy::default().reveal(reveal);
        let gateway = TestGateway::with(nextcloud.url(), |it| it.administrators(policy)).await;
        for (user, path, status) in [
            ("admin", "bob", 200),
            ("admin", "bob?reveal=false", 200),
            ("admin", "bob?reveal=true", if reveal { 200 } else { 403 }),
            ("admin", "bob?reveal=x", 400),
            ("admin", "%ff", 400),
            ("admin", "nobody", 404),
            ("carol", "bob", 403),
        ] {
            let path = format!("{CREDENTIALS}/{path}");
            let answer = shown.call(&gateway, user, "GET", &path, &Value::Null).await;
            assert_eq!(answer.status, status, "{path}: {answer:?}");
        }
        let bob = gateway.vault.credential("bob").await.unwrap().unwrap();
        assert!(gateway.vault.suspend("bob", bob.revision()).await.unwrap());
        let path = format!("{CREDENTIALS}/bob");
        let answer = shown
            .call(&gateway, "admin", "GET", &path, &Value::Null)
            .await;
        assert_eq!(answer.json()["has_background_access"], false);
    }
}

async fn suspended_password_and_spent_permit(shown: &Shown) {
    let nextcloud = server().await;
    let policy = LoginPolicy::default()
        .refused_login_budget(1)
        .bearer(BearerLogins::Off);
    let gateway = TestGateway::with(nextcloud.url(), |it| it.logins(policy)).await;
    nextcloud.revoke("admin", PASSWORD);
    nextcloud.revoke("alice", PASSWORD);
    let read = format!("{CREDENTIALS}/bob");
    for (user, method, path, body, status) in [
        ("admin", "GET", "/api/v1/apps", Value::Null, 500),
        ("admin", "GET", "/api/v1/apps", Value::Null, 428),
        ("admin", "GET", "/api/v1/webhooks", Value::Null, 428),
        ("admin", "GET", &*read, Value::Null, 428),
        // The one permit is spent now.
        ("alice", "GET", "/api/v1/apps", Value::Null, 429),
        ("alice", "GET", &*read, Value::Null, 429),
        ("alice", "DELETE", REVOKE, Value::Null, 429),
        (
            "alice",
            "POST",
            CREDENTIALS,
            json!({"appPassword": WRONG}),
            429,
        ),
    ] {
        let answer = shown.call(&gateway, user, method, path, &body).await;
        assert_eq!(answer.status, status, "{method} {path}: {answer:?}");
    }
}
