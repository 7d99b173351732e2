//! How a person at the identity provider is mapped to an account, through the binary (docs/API.md,
//! section 2.7).

use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use crate::support::binary::{
    Served, assert_contains, credentials, failure, get, in_dir, portreeve, run, serve_in, success,
    text, token,
};
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

/// `serve` in front of `nextcloud`, with tokens of `issuer` and accounts mapped by `rule`.
fn serve(dir: &Path, nextcloud: &Nextcloud, issuer: &str, rule: &[&str]) -> Command {
    let mut command = serve_in(dir);
    command
        .args(["--groupware-url", nextcloud.url(), "--issuer", issuer])
        .args(["--audience", "portreeve"])
        .args(rule);
    command
}

#[tokio::test(flavor = "multi_thread")]
async fn api_2_7_each_rule_maps_a_claim_to_one_account() {
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
            // From user_oidc's own tests.
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
        // The server names the account of the password; if it were another one, this would be 500.
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
async fn api_2_7_a_claim_that_is_no_valid_account_id_is_401_unless_the_rule_hashes_it() {
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
            // This rule hashes names over 64 bytes, as the app does.
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

/// `portreeve accounts` on the vault in `dir`.
fn accounts(dir: &Path, arguments: &[&str]) -> Command {
    let mut command = in_dir(dir, &["accounts"]);
    command.args(arguments);
    command
}

#[tokio::test(flavor = "multi_thread")]
async fn api_2_7_the_bind_and_unbind_commands_take_effect_immediately() {
    let issuer = StandIn::start().await;
    let key = Key::ed25519();
    issuer.publish(&[key.jwk("k")]);
    let jwt = |sub: &str| key.token("EdDSA", "k", &with(issuer.claims(), json!({"sub": sub})));
    let nextcloud = server("alice").await;
    let dir = tempfile::tempdir().unwrap();
    let fixed = token(dir.path(), "alice");
    credentials(dir.path(), &["put", "--user", "alice"], PASSWORD);
    let rule = &["--account", "bound", "--token-cache-ttl", "1h"];
    let served = Served::start(&mut serve(dir.path(), &nextcloud, &issuer.url, rule));
    let (person, other) = (jwt("f3a1"), jwt("b5d2"));
    let person_is = ["--issuer", &issuer.url, "--subject", "f3a1"];
    for _ in 0..3 {
        let answer = get(served.address, APPS, &person);
        let message = answer.assert_error(428, "Provisioning required");
        assert!(message.contains("administrator"), "{message}");
        let mut bind = accounts(dir.path(), &["bind", "--user", "alice"]);
        success(bind.args(person_is), "");
        assert_eq!(get(served.address, APPS, &person).status, 200);
        get(served.address, APPS, &other).assert_error(428, "Provisioning required");
        assert_eq!(get(served.address, APPS, &fixed).status, 200);
        let mut unbind = accounts(dir.path(), &["unbind"]);
        success(unbind.args(person_is), "");
    }
    // Unbound again, although the token is still cached.
    get(served.address, APPS, &person).assert_error(428, "Provisioning required");

    // The issuer defaults to that of the settings. A bound account cannot be given to another person,
    // nor a bound person to another account.
    let with_issuer = |arguments: &[&str]| {
        let mut command = accounts(dir.path(), arguments);
        command.env("PORTREEVE_ISSUER", &issuer.url);
        command
    };
    let bind =
        |subject: &str, user: &str| with_issuer(&["bind", "--subject", subject, "--user", user]);
    success(&mut bind("f3a1", "alice"), "");
    success(&mut bind("f3a1", "alice"), "");
    let line = failure(&mut bind("b5d2", "alice"), 1);
    assert_contains(&line, &["--user", "another person"]);
    let line = failure(&mut bind("f3a1", "bob"), 1);
    assert_contains(&line, &["--subject", "account alice"]);
    success(&mut bind("b\n5\t2", "carol"), "");
    let list = success(&mut accounts(dir.path(), &["list"]), "");
    let mut lines: Vec<_> = list
        .lines()
        .skip(1)
        .map(|line| line.split('\t').collect::<Vec<_>>())
        .collect();
    lines.sort();
    assert_eq!(lines.len(), 2, "{list}");
    assert_eq!(lines[0][..3], ["alice", &issuer.url, "f3a1"]);
    assert_eq!(lines[1][..3], ["carol", &issuer.url, r"b\n5\t2"]);
    assert_eq!(lines[0][4], "operator");
    assert!(humantime::parse_rfc3339(lines[0][3]).is_ok(), "{list}");

    // The binding survives a kill of the gateway and a rotation of the keys.
    served.kill();
    let served = Served::start(&mut serve(dir.path(), &nextcloud, &issuer.url, rule));
    assert_eq!(get(served.address, APPS, &person).status, 200);
    let keys = dir.path().join("vault.key");
    let old = std::fs::read_to_string(&keys).unwrap();
    let new = format!("{}=\n", "A".repeat(42) + "E");
    std::fs::write(&keys, format!("{new}{old}")).unwrap();
    let moved = credentials(dir.path(), &["rotate-keys"], "");
    assert!(moved.starts_with("re-encrypted 3 records"), "{moved}");
    std::fs::write(&keys, new).unwrap();
    assert_eq!(get(served.address, APPS, &person).status, 200);

    success(
        &mut accounts(dir.path(), &["unbind", "--user", "alice"]),
        "",
    );
    get(served.address, APPS, &person).assert_error(428, "Provisioning required");
    let line = failure(&mut accounts(dir.path(), &["unbind", "--user", "alice"]), 1);
    assert!(line.contains("is not bound"), "{line}");
}

#[test]
fn only_one_of_several_concurrent_processes_binds_an_account() {
    let dir = tempfile::tempdir().unwrap();
    let bind = |subject: &str, user: &str| {
        accounts(
            dir.path(),
            &[
                "bind",
                "--issuer",
                "i",
                "--subject",
                subject,
                "--user",
                user,
            ],
        )
    };
    success(&mut bind("s", "u"), "");
    for round in 0..5 {
        let tries = ["a", "b", "c", "d"].map(|subject| {
            let mut command = bind(&format!("{subject}{round}"), &format!("u{round}"));
            std::thread::spawn(move || run(&mut command, ""))
        });
        let tries = tries.map(|one| one.join().unwrap());
        let bound = tries.iter().filter(|output| output.status.success());
        assert_eq!(bound.count(), 1, "{tries:?}");
        for output in tries.iter().filter(|output| !output.status.success()) {
            assert!(
                text(&output.stderr).contains("another person"),
                "{output:?}"
            );
        }
    }
    let list = success(&mut accounts(dir.path(), &["list"]), "");
    assert_eq!(list.lines().count(), 7, "{list}");
}

#[tokio::test(flavor = "multi_thread")]
async fn api_2_7_tokens_of_a_real_provider_are_bound_by_issuer_and_subject() {
    let Some(provider) = Provider::start() else {
        return;
    };
    let nextcloud = server("Ana Maria").await;
    let dir = tempfile::tempdir().unwrap();
    token(dir.path(), "carol");
    credentials(dir.path(), &["put", "--user", "Ana Maria"], PASSWORD);
    let rule = &["--account", "bound"];
    let mut command = serve(dir.path(), &nextcloud, &provider.issuer, rule);
    command
        .args(["--introspection-client-id", "gateway"])
        .env("PORTREEVE_INTROSPECTION_CLIENT_SECRET", SECRET);
    let served = Served::start(&mut command);
    let mut tokens = Vec::new();
    for format in ["RS256", "ES256", "opaque"] {
        let token = provider.token("alice", format).await.access;
        get(served.address, APPS, &token).assert_error(428, "Provisioning required");
        tokens.push(token);
    }
    let mut bind = accounts(dir.path(), &["bind", "--issuer", &provider.issuer]);
    success(bind.args(["--subject", "alice", "--user", "Ana Maria"]), "");
    for token in &tokens {
        assert_eq!(get(served.address, APPS, token).status, 200);
    }
    let bob = provider.token("bob", "RS256").await.access;
    get(served.address, APPS, &bob).assert_error(428, "Provisioning required");
    success(
        &mut accounts(dir.path(), &["unbind", "--user", "Ana Maria"]),
        "",
    );
    for token in &tokens {
        get(served.address, APPS, token).assert_error(428, "Provisioning required");
    }
}

/// The issuer is the `iss` of the introspection response, which must be the configured issuer if there is one; without
/// `iss` the configured issuer, else the origin of the endpoint.
#[tokio::test(flavor = "multi_thread")]
async fn api_2_7_introspected_tokens_are_bound_by_their_issuer() {
    let stand_in = StandIn::start().await;
    let nextcloud = server("alice").await;
    let answer = |token: &str, more: Value| {
        let active = json!({
            "active": true, "sub": "f3a1", "aud": "portreeve", "exp": in_seconds(300),
        });
        let token = format!("token={token}&");
        stand_in.set_for("/introspect", &token, Answer::json(&with(active, more)));
    };
    answer("unnamed", json!({}));
    answer("named", json!({"iss": "https://id.example.org"}));
    answer("broken", json!({"iss": 7}));
    answer("empty", json!({"iss": ""}));
    let url = format!("{}/introspect", stand_in.url);
    for issuer in [None, Some("http://127.0.0.1:9/realm")] {
        let dir = tempfile::tempdir().unwrap();
        token(dir.path(), "carol");
        credentials(dir.path(), &["put", "--user", "alice"], PASSWORD);
        let mut command = serve_in(dir.path());
        command
            .args([
                "--groupware-url",
                nextcloud.url(),
                "--introspection-url",
                &url,
            ])
            .args(["--audience", "portreeve", "--account", "bound"])
            .args(["--introspection-client-id", "gateway"])
            .env("PORTREEVE_INTROSPECTION_CLIENT_SECRET", "the client secret");
        if let Some(issuer) = issuer {
            command.args(["--issuer", issuer]);
        }
        let served = Served::start(&mut command);
        let fallback = issuer.unwrap_or(&stand_in.url);
        // Tokens of others are refused then.
        let is_configured = issuer.is_some();
        for (issuer, bound) in [(fallback, "unnamed"), ("https://id.example.org", "named")] {
            let mut bind = accounts(dir.path(), &["bind", "--issuer", issuer]);
            success(bind.args(["--subject", "f3a1", "--user", "alice"]), "");
            for token in ["unnamed", "named"] {
                let status = get(served.address, APPS, token).status;
                let is_served = token == bound && !(is_configured && token == "named");
                assert_eq!(status == 200, is_served, "{issuer} {token}: {status}");
            }
            success(
                &mut accounts(dir.path(), &["unbind", "--user", "alice"]),
                "",
            );
        }
        for token in ["broken", "empty"] {
            get(served.address, APPS, token).assert_error(401, "Unauthorized");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn check_config_reports_the_account_of_a_token_without_printing_the_token() {
    let issuer = StandIn::start().await;
    let key = Key::ed25519();
    issuer.publish(&[key.jwk("k")]);
    let jwt = |changes: Value| key.token("EdDSA", "k", &with(issuer.claims(), changes));
    let dir = tempfile::tempdir().unwrap();
    let fixed = token(dir.path(), "bob");
    let check = |rule: &[&str], token: &str| {
        let mut command = in_dir(dir.path(), &["check-config", "--online", "--token-stdin"]);
        command
            .args(["--issuer", &issuer.url, "--audience", "portreeve"])
            .args(rule);
        let output = run(&mut command, token);
        let (out, err) = (text(&output.stdout), text(&output.stderr));
        for part in token.trim().split('.').filter(|part| part.len() > 8) {
            assert!(
                !out.contains(part) && !err.contains(part),
                "{part}: {out}{err}"
            );
        }
        out.parse::<toml::Table>().unwrap();
        let lines = out.lines().filter(|line| line.starts_with("# token:"));
        let said = lines.map(|line| format!("{line}\n")).collect::<String>();
        (output.status.code().unwrap(), said + err)
    };
    let alice = format!("{}\n", jwt(json!({})));
    let named = format!(
        "issuer {:?}, subject \"alice\", user_claim \"alice\"",
        issuer.url
    );
    let hashed = format!("{ALICE_AT_1:?} (account = user_oidc:1: the SHA-256 of \"1_0_alice\")");
    for (rule, token, parts) in [
        (
            &[][..],
            &alice,
            &[&*named, "the account is \"alice\" (account = claim"][..],
        ),
        (&["--account", "user_oidc:1"], &alice, &[&*named, &*hashed]),
        (
            &["--account", "user_oidc_name:id"],
            &alice,
            &["\"id-alice\""],
        ),
        (
            &["--account", "user_oidc:1"],
            &fixed,
            &[
                "static token",
                "the account is \"bob\" (the setting account does not apply",
            ],
        ),
        (&["--account", "bound"], &fixed, &["the account is \"bob\""]),
        (
            &["--account", "bound"],
            &alice,
            &[&*named, "no account is bound", "accounts bind"],
        ),
    ] {
        let (code, said) = check(rule, token);
        assert_eq!(code, 0, "{rule:?}: {said}");
        for part in parts {
            assert!(said.contains(part), "{rule:?}: {part}: {said}");
        }
    }
    assert!(
        !dir.path().join("portreeve.db").exists(),
        "it changes nothing"
    );
    let mut bind = accounts(dir.path(), &["bind", "--issuer", &issuer.url]);
    success(bind.args(["--subject", "alice", "--user", "Ana"]), "");
    let (_, said) = check(&["--account", "bound"], &alice);
    assert_contains(
        &said,
        &["the account is \"Ana\" (account = bound: by the operator"],
    );

    let forged = Key::ed25519().token("EdDSA", "k", &issuer.claims());
    for (rule, token, reason) in [
        (
            "claim",
            jwt(json!({"aud": "other"})),
            "`aud` has none of the configured audiences",
        ),
        ("claim", jwt(json!({"exp": in_seconds(-60)})), "expired"),
        ("claim", forged, "signature"),
        ("claim", jwt(json!({"sub": "a:b"})), "makes no account id"),
        (
            "claim",
            "prt_unknown-to-everybody".into(),
            "none of the configured verifiers",
        ),
        ("claim", String::new(), "not a bearer token"),
        ("claim", "Bearer two words".into(), "not a bearer token"),
    ] {
        let (code, said) = check(&["--account", rule], &token);
        assert_eq!(code, 1, "{said}");
        assert!(
            said.contains("--token-stdin") && said.contains(reason),
            "{reason}: {said}"
        );
    }
    let output = run(portreeve().args(["check-config", "--token-stdin"]), &alice);
    assert_eq!(output.status.code(), Some(2), "{output:?}");
}
