//! The settings of identity providers, through the binary (docs/API.md, section 2.1).

use std::process::Command;

use serde_json::{Value, json};

use crate::support::binary::{
    Served, assert_contains, failure, get, in_dir, portreeve, serve_in, success, token,
};
use crate::support::gateway::PASSWORD;
use crate::support::issuer::{Answer, DISCOVERY, Key, StandIn, in_seconds, with};
use crate::support::nextcloud::Nextcloud;

#[tokio::test(flavor = "multi_thread")]
async fn api_2_1_a_gateway_accepts_jwt_opaque_and_static_tokens() {
    let (issuer, nextcloud) = (StandIn::start().await, Nextcloud::start().await);
    let key = Key::rsa();
    issuer.publish(&[key.jwk("k")]);
    issuer.set("/introspect", Answer::json(&active("bob")));
    let dir = tempfile::tempdir().unwrap();
    let fixed = token(dir.path(), "carol");
    let mut command = serve_in(dir.path());
    command
        .args(["--groupware-url", nextcloud.url(), "--issuer", &issuer.url])
        .args([
            "--audience",
            "other, portreeve",
            "--introspection-client-id",
            "gateway",
        ])
        .env("PORTREEVE_INTROSPECTION_CLIENT_SECRET", "the client secret")
        .env("RUST_LOG", "trace");
    let served = Served::start(&mut command);
    let answer = |token: &str| get(served.address, "/api/v1/webhooks", token);
    let jwt = |changes: Value| key.token("RS256", "k", &with(issuer.claims(), changes));

    // 428 says that the user is known and has stored no password.
    let good = jwt(json!({}));
    for token in [&good, "opaque", &fixed] {
        answer(token).assert_error(428, "Provisioning required");
    }
    let forged = Key::rsa().token("RS256", "k", &issuer.claims());
    for (token, said) in [
        (jwt(json!({"exp": in_seconds(-60)})), "expired"),
        (jwt(json!({"aud": "somebody-else"})), "not accepted"),
        (jwt(json!({"exp": "never"})), "malformed"),
        (forged, "not accepted"),
        ("prt_unknown".into(), "not accepted"),
    ] {
        let answer = answer(&token);
        answer.assert_error(401, "Unauthorized");
        let body = answer.body.to_lowercase();
        assert!(
            body.contains(said) && !answer.body.contains(&token),
            "{said}: {body}"
        );
        let challenge = answer.header("www-authenticate").unwrap();
        assert!(challenge.contains("error=\"invalid_token\""), "{challenge}");
    }

    // The password of the token's user is used.
    success(
        &mut in_dir(dir.path(), &["credentials", "put", "--user", "alice"]),
        PASSWORD,
    );
    nextcloud.answer("webhooks-list-admin");
    nextcloud.accounts([("alice", "alice", PASSWORD)]);
    assert_eq!(answer(&good).status, 200);
    for seen in nextcloud.seen() {
        assert!(
            !format!("{seen:?}").contains(&good),
            "the token went to the groupware server"
        );
    }

    issuer.break_down();
    answer("opaque-too").assert_error(500, "Internal error");
    assert_eq!(answer(&good).status, 200);

    let log = served.lines().join("\n");
    for secret in [
        good.as_str(),
        good.rsplit('.').next().unwrap(),
        "opaque-too",
        "the client secret",
        &fixed,
    ] {
        assert!(!log.contains(secret), "{secret} is in the log");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_gateway_starts_while_its_issuer_is_down_and_recovers() {
    let issuer = StandIn::start().await;
    let key = Key::ed25519();
    let dir = tempfile::tempdir().unwrap();
    let mut command = portreeve();
    command
        .args(["serve", "--listen", "127.0.0.1:0", "--data-dir"])
        .arg(dir.path())
        .args(["--groupware-url", "http://127.0.0.1:1"])
        .args([
            "--issuer",
            &issuer.url,
            "--allowed-client",
            "front-end",
            "--user-claim",
            "name",
        ])
        .args(["--required-scope", "apps", "--token-cache-ttl", "0s"]);
    let served = Served::start(&mut command);
    let token = key.token(
        "EdDSA",
        "k",
        &with(issuer.claims(), json!({"name": "alice"})),
    );
    // Anybody can send such tokens, so they have no line each.
    let attempts = 30;
    for _ in 0..attempts {
        get(served.address, "/api/v1/apps", &token).assert_error(500, "Internal error");
    }
    let (mut counted, mut lines) = (0, 0);
    while counted < attempts {
        let line = served.line_with("kind=\"token_check_failed\"");
        assert!(
            line.contains("ERROR") && line.contains("identity provider"),
            "{line}"
        );
        let count = line.split_once("count=").unwrap().1.split(' ').next();
        counted += count.unwrap().parse::<u32>().unwrap();
        lines += 1;
    }
    assert!(
        lines < attempts
            && !served
                .lines()
                .iter()
                .any(|it| it.contains("request failed"))
    );
    issuer.publish(&[key.jwk("k")]);
    let begun = std::time::Instant::now();
    while get(served.address, "/api/v1/apps", &token).status != 428 {
        assert!(begun.elapsed().as_secs() < 10, "it does not ask again");
        tokio::time::sleep(std::time::Duration::from_millis(200)).await;
    }
    let without = key.token("EdDSA", "k", &issuer.claims());
    assert_eq!(get(served.address, "/api/v1/apps", &without).status, 401);
}

#[tokio::test(flavor = "multi_thread")]
async fn invalid_identity_settings_prevent_startup() {
    let (issuer, nextcloud) = (StandIn::start().await, Nextcloud::start().await);
    issuer.publish(&[Key::ed25519().jwk("k")]);
    let on_nextcloud = format!(
        "{}/introspect",
        nextcloud.url().replace("127.0.0.1", "localhost")
    );
    let document = json!({
        "issuer": issuer.url,
        "jwks_uri": format!("{}/jwks", issuer.url),
        "introspection_endpoint": on_nextcloud,
    });
    issuer.set(DISCOVERY, Answer::json(&document));
    let url = issuer.url.as_str();
    let client = &["--introspection-client-id", "gateway"];
    for (arguments, named, right) in [
        (&["--issuer", url][..], "--audience", "allowed_client"),
        (
            &["--issuer", url, "--audience", " ,"],
            "--audience",
            "allowed_client",
        ),
        (
            &["--issuer", "http://id.example.org", "--audience", "a"],
            "--issuer",
            "https",
        ),
        (
            &["--issuer", "id.example.org", "--audience", "a"],
            "--issuer",
            "https://host.example.org",
        ),
        (&["--audience", "a"], "--audience", "issuer"),
        (&["--user-claim", "name"], "--user-claim", "issuer"),
        (
            &["--introspection-url", url],
            "--introspection-client-id",
            "client id",
        ),
        (
            &["--introspection-url", &on_nextcloud, client[0], client[1]],
            "--introspection-url",
            "groupware server",
        ),
        (&[client[0], client[1]], "--introspection-url", "issuer"),
        (
            &["--issuer", url, "--audience", "a", client[0], client[1]],
            "--introspection-url",
            "groupware server",
        ),
        (
            &[
                "--issuer",
                url,
                "--audience",
                "a",
                "--token-cache-ttl",
                "soon",
            ],
            "--token-cache-ttl",
            "60s",
        ),
        (
            &[
                "--issuer",
                url,
                "--audience",
                "a",
                "--token-cache-size",
                "many",
            ],
            "--token-cache-size",
            "whole number",
        ),
    ] {
        let dir = tempfile::tempdir().unwrap();
        let mut command = serve_in(dir.path());
        token(dir.path(), "carol");
        command
            .args(["--groupware-url", nextcloud.url()])
            .args(arguments);
        command.env("PORTREEVE_INTROSPECTION_CLIENT_SECRET", "secret");
        if named == "--introspection-client-id" || !arguments.contains(&client[0]) {
            command.env_remove("PORTREEVE_INTROSPECTION_CLIENT_SECRET");
        }
        let line = refused(&mut command);
        assert!(
            line.contains(named) && line.contains(right),
            "{arguments:?}: {line}"
        );
    }
    assert!(nextcloud.seen().is_empty());

    let dir = tempfile::tempdir().unwrap();
    token(dir.path(), "carol");
    let mut command = serve_in(dir.path());
    let line = failure(command.args(["--introspection-url", url]).args(client), 1);
    assert_contains(&line, &["PORTREEVE_INTROSPECTION_CLIENT_SECRET"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn check_config_contacts_the_provider_only_if_online_is_given() {
    let issuer = StandIn::start().await;
    issuer.publish(&[Key::ed25519().jwk("a"), Key::p256().jwk("b")]);
    issuer.set("/introspect", Answer::json(&json!({"active": false})));
    let check = |more: &[&str]| {
        let mut command = portreeve();
        command
            .args([
                "check-config",
                "--listen",
                "127.0.0.1:0",
                "--issuer",
                &issuer.url,
                "--audience",
                "portreeve",
            ])
            .args(["--introspection-client-id", "gateway"])
            .env("PORTREEVE_INTROSPECTION_CLIENT_SECRET", "the client secret")
            .args(["--data-dir", "/nonexistent"])
            .args(more);
        command
    };
    let offline = success(&mut check(&[]), "");
    assert!(issuer.requests().is_empty());
    assert_contains(&offline, &["# introspection_client_secret: set, not shown"]);
    assert!(!offline.contains("the client secret"));

    let online = success(&mut check(&["--online"]), "");
    for part in [
        "2 signature keys",
        &format!("{}/jwks", issuer.url),
        "introspection endpoint accepted",
    ] {
        assert!(online.contains(part), "{part}: {online}");
    }
    online.parse::<toml::Table>().unwrap();

    issuer.set("/introspect", Answer::text(401, ""));
    let line = refused(&mut check(&["--online"]));
    assert_contains(&line, &["--introspection-url", "client id and secret"]);
    issuer.set("/introspect", Answer::json(&active("anybody")));
    let line = refused(&mut check(&["--online"]));
    assert!(line.contains("made-up token"), "{line}");
    issuer.break_down();
    let line = refused(&mut check(&["--online"]));
    assert!(line.contains("--issuer") && line.contains("503"), "{line}");
}

/// Asserts that the command fails, with 2 for wrong flags and 1 otherwise, and returns its last line;
/// the lines before it are log output.
fn refused(command: &mut Command) -> String {
    let output = crate::support::binary::run(command, "");
    assert!(matches!(output.status.code(), Some(1 | 2)), "{output:?}");
    let lines = crate::support::binary::text(&output.stderr).trim_end();
    lines.lines().last().unwrap_or_default().to_owned()
}

fn active(user: &str) -> Value {
    json!({"active": true, "sub": user, "aud": "portreeve", "exp": in_seconds(300)})
}
