//! What administrators see of a password, and the log line that records it (docs/API.md, section
//! 5.4).
//!
//! The test runs in a process of its own, as it captures every log line of the process.

use std::sync::{Arc, Mutex};
use std::time::Instant;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use portreeve::audit::{AuditObserver, Record};
use serde_json::{Value, json};

use crate::support::gateway::{PASSWORD, TestGateway, set};
use crate::support::log::Log;
use crate::support::nextcloud::Nextcloud;
use crate::support::own_process;

/// The app password in the recording `login-flow-v2-poll-after-grant`.
const GRANTED: &str = "FAKEAppPasswordFromLoginFlow00000000000000000000000000000000000000000000";
const REFUSED: &str = "aaaaa-REFUSED-aaaaa-aaaaa";

#[test]
fn api_5_4_each_reveal_is_one_audit_line_and_no_line_holds_a_password() {
    own_process::run_async(
        "audit::api_5_4_each_reveal_is_one_audit_line_and_no_line_holds_a_password",
        reveals_and_passwords(),
    );
}

async fn reveals_and_passwords() {
    let log = Log::default();
    tracing_subscriber::fmt()
        .json()
        .flatten_event(true)
        .with_max_level(tracing::Level::TRACE)
        .with_writer(log.clone())
        .init();
    let nextcloud = Nextcloud::start().await;
    nextcloud.answer("user-admin");
    nextcloud.answer("login-flow-v2-init");
    nextcloud.answer("apppassword-delete");
    nextcloud.accounts([("admin", "admin", PASSWORD), ("alice", "alice", GRANTED)]);
    let change = set(|settings| settings.administrators.reveal = true);
    let gateway = TestGateway::with(nextcloud.url(), change).await;

    let alice = "/api/v1/background-sync/credentials/alice";
    let reveal = format!("{alice}?reveal=true");
    let head = |user: &str, path: &str, more: &str| {
        format!("GET {path} HTTP/1.1\r\nAuthorization: Bearer {}\r\n{more}", gateway.token(user))
    };
    let named = head("admin", &reveal, "X-Request-Id: the-request-1\r\n");
    let shown = gateway.send(&named, "").await;
    assert_eq!(shown.status, 200, "{shown:?}");
    assert_eq!(shown.json()["app_password"], PASSWORD);
    assert_eq!(shown.header("cache-control"), Some("no-store"));
    let unnamed = gateway.send(&head("admin", &reveal, ""), "").await;
    assert_eq!(unnamed.json()["app_password"], PASSWORD);
    // None of these shows a password.
    for (user, path) in [
        ("admin", alice.to_owned()),
        ("admin", format!("{alice}?reveal=false")),
        ("admin", "/api/v1/background-sync/credentials/carol?reveal=true".to_owned()),
        ("carol", reveal.clone()),
        ("bob", reveal.clone()),
    ] {
        let answer = gateway.send(&head(user, &path, ""), "").await;
        assert!(!answer.body.contains(PASSWORD), "{answer:?}");
    }

    // All other requests that handle a password.
    let credentials = "/api/v1/background-sync/credentials";
    for password in [REFUSED, GRANTED] {
        for body in [json!({"appPassword": password}).to_string(), format!("not JSON {password}")] {
            let answer = gateway.call("alice", "POST", credentials, &body).await;
            assert!(!answer.body.contains(password), "{answer:?}");
        }
    }
    let started = gateway.call("alice", "POST", "/api/v1/background-sync/login-flow", "").await;
    let flow = started.json()["flow_id"].as_str().unwrap().to_owned();
    nextcloud.answer_once("login-flow-v2-poll-after-grant");
    let path = format!("/api/v1/background-sync/login-flow/{flow}");
    let granted = gateway.call("alice", "GET", &path, "").await;
    assert_eq!(granted.json(), json!({"status": "granted"}));
    gateway.call("alice", "DELETE", &format!("{credentials}?revoke=true"), "").await;

    let logged = log.text();
    let audit: Vec<Value> = logged
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .filter(|line| line["target"] == "portreeve::audit")
        .collect();
    let reveals: Vec<_> =
        audit.iter().filter(|line| line["action"] == "credential.reveal").collect();
    let done: Vec<_> = reveals.iter().filter(|line| line["outcome"] == "done").collect();
    assert_eq!(done.len(), 2, "{reveals:#?}");
    let made = unnamed.header("x-request-id").unwrap();
    for (line, request_id) in done.iter().zip(["the-request-1", made]) {
        assert_eq!(line["level"], "INFO");
        assert_eq!(line["by"], "token");
        assert_eq!(line["caller"], "admin");
        assert_eq!(line["user"], "alice");
        assert_eq!(line["request_id"], request_id);
        assert!(line["message"].as_str().unwrap().starts_with("audit: "));
        assert!(line["timestamp"].is_string());
    }
    // The requests that revealed no password, in order. The server does not say whether bob is an
    // administrator, as it refuses his password.
    let others: Vec<_> = reveals
        .iter()
        .filter(|line| line["outcome"] != "done")
        .map(|line| ["outcome", "caller", "user"].map(|name| line[name].as_str().unwrap()))
        .collect();
    let expected =
        [["refused", "admin", "carol"], ["refused", "carol", "alice"], ["failed", "bob", "alice"]];
    assert_eq!(others, expected, "{reveals:#?}");
    let other = audit.iter().filter(|line| line["action"] != "credential.reveal");
    let other: Vec<_> = other
        .map(|line| {
            let text = |name: &str| line[name].as_str().unwrap();
            (text("action"), text("outcome"))
        })
        .collect();
    let expected = [
        ("credential.read", "done"),
        ("credential.read", "done"),
        ("credential.store", "refused"),
        ("credential.store", "done"),
        ("credential.grant", "done"),
        ("credential.revoke", "done"),
    ];
    assert_eq!(other, expected, "{audit:#?}");
    assert!(logged.lines().count() > 30, "the capture works");
    for secret in [PASSWORD, REFUSED, GRANTED, "FAKEpolltoken", "FAKElogintoken"] {
        let line = logged.lines().find(|line| line.contains(secret));
        assert_eq!(line, None, "{secret}");
    }
}

/// Keeps each record.
#[derive(Debug, Default)]
struct Records(Mutex<Vec<Record>>);

impl AuditObserver for Records {
    fn recorded(&self, record: &Record) {
        self.0.lock().unwrap().push(record.clone());
    }
}

#[tokio::test]
async fn api_5_4_a_read_that_a_limit_or_its_form_refuses_is_recorded() {
    let nextcloud = Nextcloud::start().await;
    let credentials = "/api/v1/background-sync/credentials";
    let records = Arc::new(Records::default());
    let observed = records.clone() as Arc<dyn AuditObserver>;
    let also_observed = observed.clone();
    let gateway = TestGateway::with(nextcloud.url(), |gateway| gateway.audit(observed)).await;
    for (method, path, status) in [
        ("GET", "/bob?reveal=yes", 400),
        ("GET", "/bob?reveal=true&reveal=true", 400),
        ("GET", "/bob?rev%65al=%74rue&reveal=no", 400),
        ("GET", "/%ff", 400),
        ("DELETE", "/bob", 405),
        ("POST", "", 400),
    ] {
        let path = format!("{credentials}{path}");
        let answer = gateway.call("alice", method, &path, "[]").await;
        assert_eq!(answer.status, status, "{method} {path}");
    }
    let none = set(|settings| settings.max_in_flight_per_caller = 0);
    let busy = gateway.beside(nextcloud.url(), |gateway| none(gateway).audit(also_observed));
    let busy = busy.await;
    for (path, status) in [("/credentials/bob", 429), ("/status", 429)] {
        let path = format!("/api/v1/background-sync{path}");
        assert_eq!(busy.call("alice", "GET", &path, "").await.status, status);
    }
    let records = records.0.lock().unwrap();
    let recorded: Vec<_> = records
        .iter()
        .map(|record| {
            assert_eq!(record.actor.caller(), Some("alice"));
            assert!(record.request_id.is_some());
            let outcome = record.outcome.as_str();
            let reason = record.reason.as_deref().unwrap();
            (record.action.as_str(), outcome, record.user.as_deref(), reason)
        })
        .collect();
    assert_eq!(
        recorded,
        [
            (
                "credential.read",
                "refused",
                Some("bob"),
                "reveal in the query is neither true nor false"
            ),
            (
                "credential.reveal",
                "refused",
                Some("bob"),
                "reveal in the query is neither true nor false"
            ),
            (
                "credential.reveal",
                "refused",
                Some("bob"),
                "reveal in the query is neither true nor false"
            ),
            ("credential.read", "refused", None, "the user id in the path cannot be one"),
            (
                "credential.read",
                "refused",
                Some("bob"),
                "the caller has too many requests under way"
            ),
        ]
    );
}

#[tokio::test]
async fn api_10_4_what_strangers_attempt_fills_no_audit_log() {
    let nextcloud = Nextcloud::start().await;
    let records = Arc::new(Records::default());
    let observed = records.clone() as Arc<dyn AuditObserver>;
    let gateway = TestGateway::with(nextcloud.url(), |gateway| gateway.audit(observed)).await;
    let began = Instant::now();
    let attempts = 200;
    for _ in 0..attempts {
        // A login name cannot have a colon.
        let basic = STANDARD.encode(format!("a:b:{PASSWORD}"));
        let head = format!(
            "POST /api/v1/users/a%3Ab/app-password HTTP/1.1\r\nAuthorization: Basic {basic}\r\n"
        );
        assert_eq!(gateway.send(&head, "").await.status, 400);
    }
    let most = 10 * (began.elapsed().as_secs() as usize + 2);
    let recorded = records.0.lock().unwrap().len();
    assert!((10..=most).contains(&recorded) && most < attempts, "{recorded}, {most}");
}
