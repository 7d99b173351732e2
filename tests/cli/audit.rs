//! The audit log (docs/OPERATIONS.md, "The audit log"): each attempt is one line in the log of the
//! gateway and one in the file, whatever its outcome, and no line holds a secret.

use std::fs;
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Value, json};

use crate::support::binary::{
    Served, assert_contains, eventually, failure, http, in_dir, portreeve, run, serve_in, success,
};
use crate::support::gateway::{Answer, PASSWORD};
use crate::support::issuer::{Key, StandIn, with};
use crate::support::nextcloud::Nextcloud;

const CREDENTIALS: &str = "/api/v1/background-sync/credentials";
const FLOW: &str = "/api/v1/background-sync/login-flow";
/// The recorded answer that grants [`GRANTED`].
const GRANT: &str = "login-flow-v2-poll-after-grant";
const GRANTED: &str = "FAKEAppPasswordFromLoginFlow00000000000000000000000000000000000000000000";
const WRONG: &str = "WRONG-bbbbb-ccccc-ddddd-eeeee";

fn file(dir: &Path) -> PathBuf {
    dir.join("audit.log")
}

fn lines(path: &Path) -> Vec<Value> {
    let text = fs::read_to_string(path).unwrap_or_default();
    text.lines()
        .map(|line| serde_json::from_str(line).expect(line))
        .collect()
}

/// A command on the files in `dir`, with the audit log there.
fn command(dir: &Path, arguments: &[&str]) -> Command {
    let mut command = in_dir(dir, arguments);
    command.arg("--audit-log").arg(file(dir));
    command
}

/// The fields that each line has: action, outcome, how the caller authenticated, and the user
/// concerned.
fn summary(line: &Value) -> [String; 4] {
    let text = |name: &str| line[name].as_str().unwrap_or("-").to_owned();
    [text("action"), text("outcome"), text("by"), text("user")]
}

#[test]
fn each_command_writes_one_audit_line() {
    let dir = tempfile::tempdir().unwrap();
    let at = dir.path();
    let run_it = |arguments: &[&str], input: &str| {
        run(&mut command(at, arguments), input);
    };
    let token = success(&mut command(at, &["token", "new", "--user", "alice"]), "");
    let id = lines(&file(at))[0]["token_id"].as_str().unwrap().to_owned();
    let mode = fs::metadata(file(at)).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    run_it(&["token", "revoke", &id], "");
    run_it(&["token", "revoke", &id], "");
    fs::write(at.join("tokens"), "no tokens").unwrap();
    run_it(&["token", "new", "--user", "bob"], "");

    let put = ["credentials", "put", "--user", "alice"];
    run_it(&put, PASSWORD);
    run_it(&put, "");
    let of_server = [&put[..], &["--groupware-url", "http://127.0.0.1:1"]].concat();
    run_it(&of_server, WRONG);
    run_it(&["credentials", "rotate-keys"], "");
    run_it(&["credentials", "remove", "--user", "alice"], "");
    run_it(&["credentials", "remove", "--user", "alice"], "");

    let person = ["--issuer", "https://i.example", "--subject", "f3a1"];
    let bind = |user| [&["accounts", "bind", "--user", user], &person[..]].concat();
    run_it(&bind("alice"), "");
    run_it(&bind("alice"), "");
    run_it(&bind("bob"), "");
    run_it(&[&["accounts", "unbind"], &person[..]].concat(), "");
    run_it(&["accounts", "unbind", "--user", "alice"], "");
    fs::write(at.join("vault.key"), "no key").unwrap();
    run_it(&["credentials", "rotate-keys"], "");
    // Commands that only read are not audited.
    for look in [
        ["token", "list"],
        ["credentials", "list"],
        ["accounts", "list"],
    ] {
        run(portreeve().args(look).arg("--data-dir").arg(at), "");
    }

    let lines = lines(&file(at));
    let expected = [
        ["token.new", "done", "alice"],
        ["token.revoke", "done", "alice"],
        ["token.revoke", "refused", "-"],
        ["token.new", "failed", "bob"],
        ["credential.store", "done", "alice"],
        ["credential.store", "failed", "alice"],
        ["credential.store", "failed", "alice"],
        ["keys.rotate", "done", "-"],
        ["credential.remove", "done", "alice"],
        ["credential.remove", "refused", "alice"],
        ["binding.bind", "done", "alice"],
        ["binding.bind", "done", "alice"],
        ["binding.bind", "refused", "bob"],
        ["binding.unbind", "done", "-"],
        ["binding.unbind", "refused", "alice"],
        ["keys.rotate", "failed", "-"],
    ];
    let expected = expected.map(|[action, outcome, user]| [action, outcome, "command", user]);
    let seen: Vec<_> = lines.iter().map(summary).collect();
    assert_eq!(seen, expected, "{lines:#?}");
    let uid = std::os::unix::fs::MetadataExt::uid(&fs::metadata(file(at)).unwrap());
    for line in &lines {
        assert_eq!(line["uid"], uid);
        let at = line["timestamp"].as_str().unwrap();
        assert!(humantime::parse_rfc3339(at).is_ok(), "{line}");
        let done = line["outcome"] == "done";
        assert_eq!(line["reason"].is_string(), !done, "{line}");
    }
    for line in [&lines[10], &lines[12], &lines[13]] {
        assert_eq!(line["issuer"], "https://i.example");
        assert_eq!(line["subject"], "f3a1");
    }
    assert_eq!(lines[1]["token_id"], *id);
    assert_no_secrets(at, &[token.trim(), PASSWORD, WRONG]);
}

/// Asserts that the audit file contains none of `secrets`.
fn assert_no_secrets(dir: &Path, secrets: &[&str]) {
    let text = fs::read_to_string(file(dir)).unwrap();
    for secret in secrets {
        assert!(secret.len() > 20, "{secret}");
        assert!(!text.contains(secret), "{secret}: {text}");
    }
}

/// A gateway and its callers.
struct Scene {
    served: Served,
    sent: usize,
}

impl Scene {
    /// Sends a request whose id contains its number.
    fn send(&mut self, authorization: &str, method: &str, path: &str, body: &str) -> Answer {
        self.sent += 1;
        let (id, len) = (self.sent, body.len());
        let request = format!(
            "{method} {path} HTTP/1.1\r\nHost: g\r\nConnection: close\r\nContent-Length: {len}\r\n\
             X-Request-Id: r-{id}\r\nAuthorization: {authorization}\r\n\r\n{body}"
        );
        http(self.served.address, &request)
    }

    /// Starts a login flow and returns its path.
    fn flow(&mut self, authorization: &str) -> String {
        let started = self.send(authorization, "POST", FLOW, "");
        assert_eq!(started.status, 200, "{started:?}");
        format!("{FLOW}/{}", started.json()["flow_id"].as_str().unwrap())
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn each_http_attempt_is_written_to_the_log_and_the_audit_file() {
    let dir = tempfile::tempdir().unwrap();
    let at = dir.path();
    let issuer = StandIn::start().await;
    let key = Key::ed25519();
    issuer.publish(&[key.jwk("k")]);
    let nextcloud = Nextcloud::start().await;
    for answer in ["login-flow-v2-init", "user-alice", "apppassword-delete"] {
        nextcloud.answer(answer);
    }
    nextcloud.answer("capabilities-user-app-password");
    nextcloud.answer("login-flow-v2-poll-after-pickup");
    let accounts = [("alice", "alice", PASSWORD), ("alice", "alice", GRANTED)];
    nextcloud.accounts(accounts);
    let token = |user: &str, more: &[&str]| {
        let mut new = in_dir(at, &["token", "new", "--user", user]);
        let made = success(new.args(more), "");
        format!("Bearer {}", made.trim())
    };
    let (alice, carol) = (token("alice", &[]), token("carol", &[]));
    let root = token("root", &["--scope", "root"]);
    let person = key.token("EdDSA", "k", &with(issuer.claims(), json!({"sub": "f3a1"})));
    let person = format!("Bearer {person}");
    let basic = |password: &str| {
        let both = format!("alice:{password}");
        format!("Basic {}", BASE64_STANDARD.encode(both))
    };
    let mut serve = serve_in(at);
    serve
        .args(["--groupware-url", nextcloud.url(), "--issuer", &issuer.url])
        .args(["--audience", "portreeve", "--account", "bound"])
        .args(["--account-binding", "login-flow", "--admin-scope", "root"])
        .args(["--log-format", "json", "--admin-reveal", "--audit-log"])
        .arg(file(at))
        // Audit lines are logged, whatever this filters out.
        .env("RUST_LOG", "off,portreeve::cli::serve=info");
    let mut scene = Scene {
        served: Served::start(&mut serve),
        sent: 0,
    };

    let mut expected: Vec<(u16, [&str; 4])> = Vec::new();
    let mut ids = Vec::new();
    let mut expect = |scene: &Scene, answer: &Answer, status, line| {
        assert_eq!(answer.status, status, "{line:?}: {answer:?}");
        expected.push((status, line));
        ids.push(format!("r-{}", scene.sent));
    };
    let store = |password: &str| json!({"appPassword": password}).to_string();
    let of_alice = format!("{CREDENTIALS}/alice");
    let reveal = format!("{of_alice}?reveal=true");
    let with_basic = "/api/v1/users/alice/app-password";
    let revoke = format!("{CREDENTIALS}?revoke=true");
    for (authorization, method, path, body, status, line) in [
        (
            &alice,
            "POST",
            CREDENTIALS,
            store(PASSWORD),
            200,
            ["credential.store", "done", "token", "alice"],
        ),
        (
            &alice,
            "POST",
            CREDENTIALS,
            store(WRONG),
            422,
            ["credential.store", "refused", "token", "alice"],
        ),
        (
            &root,
            "GET",
            &of_alice,
            String::new(),
            200,
            ["credential.read", "done", "token", "alice"],
        ),
        (
            &root,
            "GET",
            &reveal,
            String::new(),
            200,
            ["credential.reveal", "done", "token", "alice"],
        ),
        (
            &alice,
            "GET",
            &reveal,
            String::new(),
            403,
            ["credential.reveal", "refused", "token", "alice"],
        ),
        (
            &root,
            "GET",
            "/api/v1/background-sync/credentials/nobody",
            String::new(),
            404,
            ["credential.read", "refused", "token", "nobody"],
        ),
        (
            &carol,
            "POST",
            "/api/v1/users/alice/revoke",
            String::new(),
            403,
            ["credential.remove", "refused", "token", "alice"],
        ),
        (
            &alice,
            "POST",
            "/api/v1/users/alice/revoke",
            String::new(),
            200,
            ["credential.remove", "done", "token", "alice"],
        ),
        (
            &basic(PASSWORD),
            "POST",
            with_basic,
            String::new(),
            200,
            ["credential.store", "done", "app_password", "alice"],
        ),
        (
            &basic(WRONG),
            "DELETE",
            with_basic,
            String::new(),
            401,
            ["credential.remove", "refused", "app_password", "alice"],
        ),
        (
            &basic(PASSWORD),
            "DELETE",
            with_basic,
            String::new(),
            200,
            ["credential.remove", "done", "app_password", "alice"],
        ),
        (
            &alice,
            "POST",
            CREDENTIALS,
            store(PASSWORD),
            200,
            ["credential.store", "done", "token", "alice"],
        ),
        (
            &alice,
            "DELETE",
            CREDENTIALS,
            String::new(),
            200,
            ["credential.remove", "done", "token", "alice"],
        ),
        (
            &alice,
            "POST",
            CREDENTIALS,
            store(PASSWORD),
            200,
            ["credential.store", "done", "token", "alice"],
        ),
        (
            &alice,
            "DELETE",
            &revoke,
            String::new(),
            200,
            ["credential.revoke", "done", "token", "alice"],
        ),
    ] {
        let answer = scene.send(authorization, method, path, &body);
        expect(&scene, &answer, status, line);
    }
    // The server has destroyed the password; add it again. From here on the server fails.
    nextcloud.accounts(accounts);
    let answer = scene.send(&alice, "POST", CREDENTIALS, &store(PASSWORD));
    let stored = ["credential.store", "done", "token", "alice"];
    expect(&scene, &answer, 200, stored);
    nextcloud.answer_with("apppassword-delete", 503, "away");
    let answer = scene.send(&alice, "DELETE", &revoke, "");
    expect(
        &scene,
        &answer,
        500,
        ["credential.revoke", "unknown", "token", "alice"],
    );
    nextcloud.answer_with("user-alice", 503, "away");
    let answer = scene.send(&alice, "POST", CREDENTIALS, &store(PASSWORD));
    expect(
        &scene,
        &answer,
        500,
        ["credential.store", "failed", "token", "alice"],
    );
    nextcloud.answer("apppassword-delete");
    nextcloud.answer("user-alice");

    // Login flows. Polls before the grant and after the end are not audited.
    let flow = scene.flow(&alice);
    scene.send(&alice, "GET", &flow, "");
    nextcloud.answer_once(GRANT);
    let answer = scene.send(&alice, "GET", &flow, "");
    expect(
        &scene,
        &answer,
        200,
        ["credential.grant", "done", "token", "alice"],
    );
    scene.send(&alice, "GET", &flow, "");
    // Alice grants the flow that carol started.
    let flow = scene.flow(&carol);
    nextcloud.answer_once(GRANT);
    let answer = scene.send(&carol, "GET", &flow, "");
    expect(
        &scene,
        &answer,
        403,
        ["credential.grant", "refused", "token", "carol"],
    );
    scene.send(&carol, "GET", &flow, "");
    // The server has destroyed the password; add it again.
    nextcloud.accounts(accounts);
    let flow = scene.flow(&person);
    scene.send(&person, "GET", &flow, "");
    nextcloud.answer_once(GRANT);
    let answer = scene.send(&person, "GET", &flow, "");
    expect(
        &scene,
        &answer,
        200,
        ["binding.bind", "done", "person", "alice"],
    );
    // Another person gets alice's grant.
    let other = key.token("EdDSA", "k", &with(issuer.claims(), json!({"sub": "b5d2"})));
    let other = format!("Bearer {other}");
    let flow = scene.flow(&other);
    nextcloud.answer_once(GRANT);
    let answer = scene.send(&other, "GET", &flow, "");
    expect(
        &scene,
        &answer,
        403,
        ["binding.bind", "refused", "person", "alice"],
    );

    // Reads and rejected requests are not audited.
    for (authorization, method, path) in [
        (&*alice, "GET", "/api/v1/background-sync/status"),
        (&alice, "GET", "/api/v1/users/alice/session"),
        ("Bearer unknown", "DELETE", CREDENTIALS),
        (
            &alice,
            "DELETE",
            "/api/v1/background-sync/credentials?revoke=maybe",
        ),
    ] {
        scene.send(authorization, method, path, "");
    }
    let mut served = scene.served;
    served.terminate();
    assert!(served.wait().success());

    let in_file = lines(&file(at));
    let seen: Vec<_> = in_file.iter().map(summary).collect();
    let wanted: Vec<_> = expected.iter().map(|(_, line)| *line).collect();
    assert_eq!(seen, wanted, "{in_file:#?}");
    let rest = served.rest();
    let logged: Vec<Value> = rest
        .iter()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .filter(|line| line["target"] == "portreeve::audit")
        .collect();
    assert_eq!(logged.len(), in_file.len(), "{logged:#?}");
    for ((in_file, logged), id) in in_file.iter().zip(&logged).zip(&ids) {
        assert_eq!(in_file["request_id"], **id);
        for (name, value) in in_file.as_object().unwrap() {
            assert!(
                name == "timestamp" || logged[name] == *value,
                "{name}: {logged}"
            );
        }
        let caller = match in_file["by"].as_str().unwrap() {
            "person" => {
                assert_eq!(in_file["issuer"], issuer.url);
                assert!(in_file["subject"].is_string());
                false
            }
            _ => true,
        };
        assert_eq!(in_file["caller"].is_string(), caller, "{in_file}");
    }
    let secrets: Vec<_> = [&alice, &carol, &root, &person, &other]
        .into_iter()
        .map(|it| it.strip_prefix("Bearer ").unwrap())
        .chain([PASSWORD, GRANTED, WRONG])
        .collect();
    assert_no_secrets(at, &secrets);
    assert_no_secrets(
        at,
        &[
            &basic(PASSWORD)[6..],
            fs::read_to_string(at.join("vault.key")).unwrap().trim(),
        ],
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_store_that_completes_after_the_client_disconnects_is_audited() {
    let dir = tempfile::tempdir().unwrap();
    let at = dir.path();
    let nextcloud = Nextcloud::start().await;
    nextcloud.answer("user-alice");
    nextcloud.accounts([("alice", "alice", PASSWORD)]);
    nextcloud.delay(std::time::Duration::from_millis(300));
    let token = crate::support::binary::token(at, "alice");
    let mut serve = serve_in(at);
    serve.args(["--groupware-url", nextcloud.url(), "--audit-log"]);
    let served = Served::start(serve.arg(file(at)));
    let body = json!({"appPassword": PASSWORD}).to_string();
    let mut stream = std::net::TcpStream::connect(served.address).unwrap();
    let request = format!(
        "POST {CREDENTIALS} HTTP/1.1\r\nHost: g\r\nAuthorization: Bearer {token}\r\n\
         Content-Length: {}\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(request.as_bytes()).unwrap();
    let asked = |seen: &crate::support::nextcloud::Seen| seen.headers.contains_key("authorization");
    let mut calls = Vec::new();
    eventually("the password is being checked", || {
        calls.extend(nextcloud.seen());
        calls.iter().any(asked)
    });
    drop(stream);
    eventually("it is stored, and a line", || lines(&file(at)).len() == 1);
    let line = &lines(&file(at))[0];
    assert_eq!(
        summary(line),
        ["credential.store", "done", "token", "alice"]
    );
}

#[test]
fn sighup_recreates_an_audit_file_that_was_moved_away() {
    let dir = tempfile::tempdir().unwrap();
    let at = dir.path();
    let token = crate::support::binary::token(at, "alice");
    let served = Served::start(serve_in(at).arg("--audit-log").arg(file(at)));
    let remove = || {
        let request = format!(
            "DELETE {CREDENTIALS} HTTP/1.1\r\nHost: g\r\nConnection: close\r\n\
             Authorization: Bearer {token}\r\n\r\n"
        );
        assert_eq!(http(served.address, &request).status, 200);
    };
    let has = |path: &Path, count: usize| {
        eventually("the lines are written", || lines(path).len() == count);
    };
    remove();
    has(&file(at), 1);
    let moved = at.join("audit.log.1");
    fs::rename(file(at), &moved).unwrap();
    remove();
    has(&moved, 2);
    served.signal("HUP");
    served.line_with("reloaded the settings");
    remove();
    has(&file(at), 1);
    // If the new file cannot be opened, the old one stays in use.
    fs::remove_file(file(at)).unwrap();
    fs::create_dir(file(at)).unwrap();
    served.signal("HUP");
    let line = served.line_with("the old file stays in use");
    assert!(line.contains("audit-log"), "{line}");
    remove();
    fs::remove_dir(file(at)).unwrap();
    fs::write(at.join("tokens"), "").unwrap();
    served.signal("HUP");
    eventually("it is recreated", || file(at).exists());
}

#[test]
fn an_audit_file_that_cannot_be_opened_prevents_startup_and_commands() {
    let dir = tempfile::tempdir().unwrap();
    let at = dir.path();
    crate::support::binary::token(at, "alice");
    let nowhere = at.join("nowhere/audit.log");
    for command in [
        &mut serve_in(at),
        &mut in_dir(at, &["token", "new", "--user", "alice"]),
        portreeve()
            .args(["credentials", "remove", "--user", "alice", "--database-url"])
            .arg(format!("sqlite:{}", at.join("tokens").display()))
            .arg("--key-file")
            .arg(at.join("vault.key")),
    ] {
        let line = failure(command.arg("--audit-log").arg(&nowhere), 1);
        assert_contains(&line, &["--audit-log", "nowhere"]);
    }
    assert_eq!(
        fs::read_to_string(at.join("tokens"))
            .unwrap()
            .lines()
            .filter(|line| !line.starts_with('#'))
            .count(),
        1,
        "nothing was done"
    );
    assert!(!at.join("portreeve.db").exists());
}

/// On a full disk, requests are answered, and lost lines are counted and reported.
#[test]
#[cfg(target_os = "linux")]
fn audit_lines_that_cannot_be_written_are_counted_and_requests_succeed() {
    let dir = tempfile::tempdir().unwrap();
    let at = dir.path();
    let token = crate::support::binary::token(at, "alice");
    let served = Served::start(
        serve_in(at)
            .args([
                "--audit-log",
                "/dev/full",
                "--metrics-listen",
                "127.0.0.1:0",
            ])
            .env("RUST_LOG", "info"),
    );
    let metrics = served
        .before_listening
        .iter()
        .find(|line| line.contains("serving metrics"))
        .unwrap();
    let at = metrics.find("127.0.0.1:").unwrap();
    let metrics = metrics[at..].trim().parse().unwrap();
    for _ in 0..20 {
        let request = format!(
            "DELETE {CREDENTIALS} HTTP/1.1\r\nHost: g\r\nConnection: close\r\n\
             Authorization: Bearer {token}\r\n\r\n"
        );
        assert_eq!(http(served.address, &request).status, 200);
    }
    served.line_with("lines of the audit log could not be written");
    let scrape = "GET /metrics HTTP/1.1\r\nHost: m\r\nConnection: close\r\n\r\n";
    eventually("the lost lines are counted", || {
        let body = http(metrics, scrape).body;
        body.contains("portreeve_audit_lines_lost_total 20")
    });
}
