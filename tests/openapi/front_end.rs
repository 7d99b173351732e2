//! The front end's calls, and the metadata about tokens (docs/API.md, sections 10 and 11).

use std::time::Duration;

use portreeve::gateway::{Limits, LoginPolicy, PublicUrl};
use portreeve::groupware::Groupware;
use portreeve::server::Bounds;
use portreeve::vault::{AppPassword, Keyring, Vault};
use secrecy::SecretString;
use serde_json::{Value, json};

use crate::failures::meta;
use crate::shown::Shown;
use crate::support::gateway::{Answer, PASSWORD, TestGateway};
use crate::support::nextcloud::{Fault, Nextcloud, basic};

const STATUS: &str = "/api/v1/status";
const METADATA: &str = "/.well-known/oauth-protected-resource";
const OF_ALICE: &str = "/api/v1/users/alice/app-password";
const OF_CAROL: &str = "/api/v1/users/carol/app-password";
const NEW: &str = "NEWaa-bbbbb-ccccc-ddddd-eeeee";
const FOREIGN: &str = "FORei-bbbbb-ccccc-ddddd-eeeee";
const WRONG: &str = "WRONG-bbbbb-ccccc-ddddd-eeeee";
const OF_ACCOUNT: &str = "LangesPasswortDesKontos2026";

const METHODS: [&str; 4] = ["GET", "POST", "DELETE", "PUT"];

pub(crate) async fn show(shown: &Shown) {
    public(shown).await;
    with_token(shown).await;
    stored_by_basic(shown).await;
    refused_by_basic(shown).await;
    failed_by_basic(shown).await;
}

async fn public(shown: &Shown) {
    let nextcloud = Nextcloud::start().await;
    let issuer = || Some(Box::<str>::from("https://id.example.org"));
    let plain = TestGateway::start(Bounds::default(), |it| it.public_status(false)).await;
    let named = TestGateway::with(nextcloud.url(), |it| it.public_url(Some(url())));
    let named = named.await;
    let all = TestGateway::start(Bounds::default(), |it| {
        it.public_url(Some(url()))
            .issuer(issuer())
            .scopes(["webhooks"])
    });
    let all = all.await;
    for gateway in [&plain, &named, &all] {
        let ask = |method, path, fields| shown.send(gateway.address, method, path, fields, "");
        ask("GET", STATUS, "").await;
        ask("GET", "/api/v1/vector-sync/status", "").await;
        ask("POST", "/api/v1/vector-viz/search", "").await;
        ask("POST", STATUS, "").await;
        ask("GET", METADATA, "").await;
        ask("GET", "/api/v1/apps", "").await;
        ask("GET", "/api/v1/apps", "Authorization: Bearer unknown\r\n").await;
    }
}

fn url() -> PublicUrl {
    "https://hooks.example.org".parse().unwrap()
}

async fn with_token(shown: &Shown) {
    let gateway = TestGateway::start(Bounds::default(), |it| it).await;
    for (user, method, path, status) in [
        ("carol", "GET", "carol/session", 200),
        ("alice", "GET", "alice/session", 200),
        ("alice", "GET", "bob/session", 403),
        ("alice", "GET", "%ff/session", 400),
        ("alice", "POST", "bob/revoke", 403),
        ("alice", "POST", "%ff/revoke", 400),
        ("alice", "POST", "alice/revoke", 200),
        ("alice", "POST", "alice/revoke", 200),
    ] {
        let path = format!("/api/v1/users/{path}");
        let answer = shown
            .call(&gateway, user, method, &path, &Value::Null)
            .await;
        assert_eq!(answer.status, status, "{path}: {answer:?}");
    }
}

async fn server() -> Nextcloud {
    let nextcloud = Nextcloud::start().await;
    nextcloud.answer("user-admin");
    nextcloud.accounts([
        ("alice", "alice", PASSWORD),
        ("carol", "carol", NEW),
        ("carol", "carol@example.org", NEW),
        ("bob", "carol", FOREIGN),
    ]);
    nextcloud.allow_account_password("carol", OF_ACCOUNT);
    nextcloud
}

/// A request with HTTP Basic.
async fn ask(
    shown: &Shown,
    gateway: &TestGateway,
    method: &str,
    path: &str,
    user: &str,
    password: &str,
    body: &str,
) -> Answer {
    let fields = format!("Authorization: {}\r\n", basic(user, password));
    shown
        .send(gateway.address, method, path, &fields, body)
        .await
}

async fn stored_by_basic(shown: &Shown) {
    let nextcloud = server().await;
    let gateway = TestGateway::before(nextcloud.url()).await;
    let name = json!({"username": "carol@example.org"}).to_string();
    for (method, body) in [
        ("GET", ""),
        ("POST", ""),
        ("GET", ""),
        ("POST", &*name),
        ("DELETE", ""),
        ("DELETE", ""),
    ] {
        let answer = ask(shown, &gateway, method, OF_CAROL, "carol", NEW, body).await;
        assert_eq!(answer.status, 200, "{method}: {answer:?}");
    }
}

async fn refused_by_basic(shown: &Shown) {
    let nextcloud = server().await;
    let policy = LoginPolicy::default().refused_login_budget(100);
    let gateway = TestGateway::with(nextcloud.url(), |it| it.logins(policy)).await;
    let keyed = TestGateway::with(nextcloud.url(), |it| {
        it.shared_key(SecretString::from("key"))
    })
    .await;
    let limits = Limits::default();
    let busy = TestGateway::with(nextcloud.url(), |it| {
        it.limits(limits.in_flight_per_caller(0))
    })
    .await;
    let full = TestGateway::with(nextcloud.url(), |it| it.limits(limits.in_flight(0))).await;
    for method in METHODS {
        for fields in ["", "Authorization: Basic !\r\n"] {
            let answer = shown
                .send(gateway.address, method, OF_CAROL, fields, "")
                .await;
            assert_eq!(answer.status, 401, "{method}: {answer:?}");
        }
        for (gateway, path, user, password, status) in [
            (
                &gateway,
                "/api/v1/users/%ff/app-password",
                "carol",
                NEW,
                400,
            ),
            (&gateway, OF_CAROL, "carol", "short", 400),
            (&gateway, OF_CAROL, "alice", PASSWORD, 403),
            (&keyed, OF_CAROL, "carol", NEW, 401),
            (&busy, OF_CAROL, "carol", NEW, 429),
            (&full, OF_CAROL, "carol", NEW, 503),
        ] {
            let answer = ask(shown, gateway, method, path, user, password, "").await;
            assert_eq!(answer.status, status, "{method} {path}: {answer:?}");
        }
    }
    for method in &METHODS[..3] {
        let answer = ask(shown, &gateway, method, OF_CAROL, "carol", FOREIGN, "").await;
        assert_eq!(answer.status, 403, "{answer:?}");
    }
    let ask =
        |method, password, body| ask(shown, &gateway, method, OF_CAROL, "carol", password, body);
    assert_eq!(ask("PUT", NEW, "").await.status, 405);
    assert_eq!(ask("POST", NEW, "[]").await.status, 400);
    let large = "x".repeat(70_000);
    assert_eq!(ask("POST", NEW, &large).await.status, 413);
    assert_eq!(ask("POST", OF_ACCOUNT, "").await.status, 401);
    let fields = format!(
        "Authorization: {}\r\nTransfer-Encoding: chunked\r\n",
        basic("carol", NEW)
    );
    let broken = shown
        .send(gateway.address, "POST", OF_CAROL, &fields, "no chunk\r\n")
        .await;
    assert_eq!(broken.status, 400, "{broken:?}");
    // Refused logins, until there are too many.
    while ask("GET", WRONG, "").await.status != 429 {}

    let policy = LoginPolicy::default().refused_login_budget(1);
    let spent = TestGateway::with(nextcloud.url(), |it| it.logins(policy)).await;
    for path in [OF_CAROL, OF_ALICE] {
        let user = path.split('/').nth(4).unwrap();
        for method in METHODS {
            crate::front_end::ask(shown, &spent, method, path, user, WRONG, "").await;
        }
    }
    let nextcloud = Nextcloud::start().await;
    nextcloud.answer("user-one-time-app-password");
    nextcloud.accounts([("carol", "carol", WRONG)]);
    let gateway = TestGateway::before(nextcloud.url()).await;
    let used_up =
        crate::front_end::ask(shown, &gateway, "POST", OF_CAROL, "carol", WRONG, "").await;
    assert_eq!(used_up.status, 401);
}

async fn failed_by_basic(shown: &Shown) {
    let unconfigured = TestGateway::start(Bounds::default(), |it| it).await;
    let nextcloud = Nextcloud::start().await;
    nextcloud.accounts([("carol", "carol", NEW)]);
    let groupware = Groupware::builder(nextcloud.url().parse().unwrap());
    let groupware = groupware
        .timeout(Duration::from_millis(200))
        .build()
        .unwrap();
    let gateway = TestGateway::start(Bounds::default(), |it| it.groupware(groupware)).await;
    let limits = Limits::default().request_timeout(Duration::from_millis(100));
    let hasty = TestGateway::with(nextcloud.url(), |it| it.limits(limits)).await;
    for (status, body) in [
        (403, meta(403, "Password confirmation is required")),
        (429, meta(429, "")),
        (503, meta(503, "")),
        (200, "no JSON".to_owned()),
        (500, meta(500, "")),
    ] {
        nextcloud.answer_with("user-admin", status, &*body);
        let answer = ask(shown, &gateway, "GET", OF_CAROL, "carol", NEW, "").await;
        assert_eq!(answer.status, 502, "{answer:?}");
    }
    for fault in [Fault::Close, Fault::SlowHeaders] {
        nextcloud.fault(fault).await;
        for method in &METHODS[..3] {
            let answer = ask(shown, &gateway, method, OF_CAROL, "carol", NEW, "").await;
            assert_eq!(answer.status, 502, "{fault:?}: {answer:?}");
        }
    }
    for method in &METHODS[..3] {
        // A login whose answer nobody waited for counts as refused, so each has a gateway of its own.
        let hasty = hasty.beside(nextcloud.url(), |it| it.limits(limits)).await;
        let answer = ask(shown, &hasty, method, OF_CAROL, "carol", NEW, "").await;
        assert_eq!(answer.status, 504, "{answer:?}");
        let answer = ask(shown, &unconfigured, method, OF_CAROL, "carol", NEW, "").await;
        assert_eq!(answer.status, 500, "{answer:?}");
    }
    // A record that another key has sealed.
    let nextcloud = server().await;
    let gateway = TestGateway::before(nextcloud.url()).await;
    let other = Keyring::from_base64_keys([crate::failures::OTHER_KEY]).unwrap();
    let other = Vault::on(other, gateway.vault.store().clone());
    let password = AppPassword::new(PASSWORD).unwrap();
    other.put("carol", "carol", &password).await.unwrap();
    let answer = ask(shown, &gateway, "GET", OF_CAROL, "carol", NEW, "").await;
    assert_eq!(answer.status, 500, "{answer:?}");
}
