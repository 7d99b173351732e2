//! Which account a person at the identity provider is, through the binary (docs/API.md, section
//! 2.7).

use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use crate::support::binary::{Served, credentials, failure, get, serve_in, token};
use crate::support::gateway::PASSWORD;
use crate::support::issuer::{Answer, Key, StandIn, in_seconds, with};
use crate::support::nextcloud::Nextcloud;
use crate::support::oidc::{Provider, SECRET};

const APPS: &str = "/api/v1/apps";
const STATUS: &str = "/api/v1/background-sync/status";

/// `printf '1_0_alice' | sha256sum`
const ALICE_AT_1: &str = "a0441c15fcb94c813d92cb5e5080b66747751bc42eebcac6abaf114811030f5c";

/// A server on which `account` has the app password.
async fn server(account: &str) -> Nextcloud {
    let nextcloud = Nextcloud::start().await;
    nextcloud.answer("capabilities-user-app-password");
    nextcloud.accounts([(account, account, PASSWORD)]);
    nextcloud
}

/// `serve` before `nextcloud`, with the tokens of `issuer` and `rule` for the accounts.
fn serve(dir: &Path, nextcloud: &Nextcloud, issuer: &str, rule: &[&str]) -> Command {
    let mut command = serve_in(dir);
    command
        .args(["--groupware-url", nextcloud.url(), "--issuer", issuer])
        .args(["--audience", "portreeve"])
        .args(rule);
    command
}

#[tokio::test(flavor = "multi_thread")]
async fn api_2_7_each_rule_makes_one_account_of_a_claim() {
    let issuer = StandIn::start().await;
    let key = Key::ed25519();
    issuer.publish(&[key.jwk("k")]);
    let jwt = |changes: Value| key.token("EdDSA", "k", &with(issuer.claims(), changes));
    let long = "v".repeat(62);
    for (rule, claims, account) in [
        (&[][..], json!({}), "alice"),
        (&["--account", "claim"], json!({"sub": "Jörg M"}), "Jörg M"),
        (&["--account", "user_oidc:1"], json!({}), ALICE_AT_1),
        (
            &[
                "--account",
                "user_oidc:6",
                "--user-claim",
                "preferred_username",
            ],
            json!({"sub": "f3a1", "preferred_username": "id6"}),
            // Of user_oidc's own tests.
            "1d64d63dbda703f2598581b8bfc440e191c7a668dfb1de40c7daf41c6f9204c7",
        ),
        (
            &["--account", "user_oidc_name:office"],
            json!({}),
            "office-alice",
        ),
        (
            &["--account", "user_oidc_name:id"],
            json!({"sub": long}),
            // printf 'id-%s' "$(printf 'v%.0s' $(seq 62))" | sha256sum
            "cb9a70d7a8914a6eb4d3d8e1a52a305111c54e3f11114d002b5ce6cb260aaf72",
        ),
    ] {
        let nextcloud = server(account).await;
        let dir = tempfile::tempdir().unwrap();
        let fixed = token(dir.path(), "alice");
        credentials(dir.path(), &["put", "--user", account], PASSWORD);
        let served = Served::start(&mut serve(dir.path(), &nextcloud, &issuer.url, rule));
        // The server says whose password it was, and another account would be 500.
        let answer = get(served.address, APPS, &jwt(claims.clone()));
        assert_eq!(answer.status, 200, "{rule:?}: {answer:?}");
        let other = get(
            served.address,
            APPS,
            &jwt(json!({"sub": "bob", "preferred_username": "bob"})),
        );
        other.assert_error(428, "Provisioning required");
        // A static token names the account itself, whatever the rule is.
        let of_alice = get(served.address, STATUS, &fixed);
        assert_eq!(
            of_alice.json()["has_background_access"],
            account == "alice",
            "{rule:?}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn api_2_7_a_claim_that_makes_no_account_id_is_401_and_one_that_is_hashed_may_be_anything() {
    let issuer = StandIn::start().await;
    let key = Key::ed25519();
    issuer.publish(&[key.jwk("k")]);
    let nextcloud = Nextcloud::start().await;
    let jwt = |sub: &str| key.token("EdDSA", "k", &with(issuer.claims(), json!({"sub": sub})));
    let hostile = [
        "a:b",
        "a\nb",
        "a\r\nX-Injected: 1",
        "\u{1}person:0000",
        &"x".repeat(256),
        &"x".repeat(1024),
        "\0",
    ];
    for (rule, status) in [
        ("claim", 401),
        ("user_oidc_name:i", 401),
        ("user_oidc:1", 200),
    ] {
        let dir = tempfile::tempdir().unwrap();
        token(dir.path(), "bob");
        let mut command = serve(dir.path(), &nextcloud, &issuer.url, &["--account", rule]);
        let served = Served::start(&mut command);
        for value in hostile {
            let answer = get(served.address, STATUS, &jwt(value));
            // Those over 64 bytes are hashed by the app, too.
            let hashed = rule == "user_oidc_name:i" && value.len() > 64;
            let expected = if hashed { 200 } else { status };
            assert_eq!(answer.status, expected, "{rule} {value:?}: {answer:?}");
            if expected == 401 {
                let message = answer.assert_error(401, "Unauthorized");
                assert_eq!(message, "The token was not accepted");
                let challenge = answer.header("www-authenticate").unwrap();
                assert!(challenge.contains("invalid_token"), "{challenge}");
            }
        }
        for refused in ["", &"x".repeat(1025)] {
            assert_eq!(get(served.address, STATUS, &jwt(refused)).status, 401);
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn api_2_7_tokens_of_a_real_provider_are_mapped() {
    let Some(provider) = Provider::start() else {
        return;
    };
    for (rule, account) in [
        ("claim", "alice"),
        ("user_oidc:1", ALICE_AT_1),
        ("user_oidc_name:office", "office-alice"),
    ] {
        let nextcloud = server(account).await;
        let dir = tempfile::tempdir().unwrap();
        token(dir.path(), "carol");
        credentials(dir.path(), &["put", "--user", account], PASSWORD);
        let mut command = serve(
            dir.path(),
            &nextcloud,
            &provider.issuer,
            &["--account", rule],
        );
        command
            .args(["--introspection-client-id", "gateway"])
            .env("PORTREEVE_INTROSPECTION_CLIENT_SECRET", SECRET);
        let served = Served::start(&mut command);
        for format in ["RS256", "EdDSA", "opaque"] {
            let alice = provider.token("alice", format).await.access;
            assert_eq!(
                get(served.address, APPS, &alice).status,
                200,
                "{rule} {format}"
            );
            let bob = provider.token("bob", format).await.access;
            get(served.address, APPS, &bob).assert_error(428, "Provisioning required");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rule_that_cannot_be_used_stops_the_start() {
    let issuer = StandIn::start().await;
    issuer.set(
        "/introspect",
        Answer::json(&json!({"active": false, "exp": in_seconds(1)})),
    );
    let nextcloud = Nextcloud::start().await;
    for rule in [
        "sub",
        "user_oidc",
        "user_oidc:0",
        "user_oidc:office",
        "user_oidc_name:",
    ] {
        let dir = tempfile::tempdir().unwrap();
        token(dir.path(), "alice");
        let mut command = serve(dir.path(), &nextcloud, &issuer.url, &["--account", rule]);
        let line = failure(&mut command, 2);
        assert!(
            line.contains("--account") && line.contains("user_oidc:1"),
            "{line}"
        );
    }
    // Static tokens alone name accounts themselves.
    let dir = tempfile::tempdir().unwrap();
    token(dir.path(), "alice");
    let line = failure(serve_in(dir.path()).args(["--account", "user_oidc:1"]), 2);
    assert!(
        line.contains("--account") && line.contains("issuer"),
        "{line}"
    );
}
