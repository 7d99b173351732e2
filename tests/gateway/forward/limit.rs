//! What users let be forwarded with their stored app password (docs/API.md, sections 10.4 and 13.4), whatever tokens
//! allow.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use portreeve::gateway::Settings;
use portreeve::gateway::forward::{Forward, Scopes};
use serde_json::{Value, json};

use super::recorder::Recorder;
use super::wire::{Server, Wire};
use super::{ALL_SCOPES, FILE, call, head, start, start_for};
use crate::support::gateway::{Answer, PASSWORD, TestGateway};

const APP_PASSWORD: &str = "/api/v1/users/alice/app-password";
const SCOPES: &str = "/api/v1/users/alice/scopes";
const ACCESS: &str = "/api/v1/users/alice/access";
const USER: &str = r#"{"ocs":{"meta":{"status":"ok","statuscode":200,"message":"OK"},"data":{"id":"alice","displayname":"Alice","groups":[]}}}"#;

/// A request with alice's app password.
async fn with_password(gateway: &TestGateway, what: &str, body: &str) -> Answer {
    let login = STANDARD.encode(format!("alice:{PASSWORD}"));
    gateway.send(&format!("{what} HTTP/1.1\r\nAuthorization: Basic {login}\r\n"), body).await
}

async fn limit(gateway: &TestGateway, scopes: &[&str]) {
    let body = json!({ "scopes": scopes }).to_string();
    let answer = with_password(gateway, &format!("PATCH {SCOPES}"), &body).await;
    let wanted = json!({
        "success": true, "user_id": "alice", "scopes": scopes, "message": "Scopes updated successfully",
    });
    assert_eq!((answer.status, answer.json()), (200, wanted));
}

/// The list that is stored.
async fn stored(gateway: &TestGateway) -> Value {
    let answer = with_password(gateway, &format!("GET {ACCESS}"), "").await;
    assert_eq!(answer.status, 200, "{answer:?}");
    answer.json()["scopes"].take()
}

/// Whether the request of alice is refused since she has limited what is forwarded, and not to `scope`.
#[track_caller]
fn assert_limited(answer: &Answer, scope: &str) {
    let message = answer.assert_error(403, "Forbidden");
    assert!(message.starts_with("The user has limited") && message.contains(scope), "{message}");
    assert!(message.contains("PATCH /api/v1/users/{id}/scopes"), "{message}");
    let challenge = format!("Bearer error=\"insufficient_scope\", scope=\"{scope}\"");
    assert_eq!(answer.header("www-authenticate"), Some(&*challenge));
}

/// What is asked for with a token of all scopes, what the user has limited that to, and what is missing; empty if nothing is.
const ROWS: &[(&[&str], &str, &str)] = &[
    (&[], "GET", "files.read"),
    (&[], "PUT", "files.write"),
    (&["files.read"], "GET", ""),
    (&["files.read"], "PUT", "files.write"),
    (&["files.write"], "GET", "files.read"),
    (&["notes.read", "talk.write"], "GET", "files.read"),
    (&["files.write", "files.read"], "COPY", ""),
    (&["files.write"], "COPY", "files.read"),
];

#[tokio::test]
async fn api_13_4_the_users_own_list_narrows_what_a_token_allows() {
    let recorder = Recorder::start().await;
    let gateway = start(&recorder.url).await;
    for &(scopes, method, missing) in ROWS {
        limit(&gateway, scopes).await;
        let fields = "Destination: /remote.php/dav/files/alice/b\r\nConnection: close\r\n";
        let fields = if method == "COPY" { fields } else { "Connection: close\r\n" };
        let answer = call(&gateway, "alice", &format!("{method} {FILE}"), fields, "").await;
        if missing.is_empty() {
            assert_eq!(answer.status, 200, "{scopes:?}: {method}: {answer:?}");
            recorder.take_one();
        } else {
            assert_limited(&answer, missing);
            recorder.assert_nothing_arrived(method);
        }
        // Nobody else is.
        let others = "PROPFIND /remote.php/dav/files/bob/x";
        assert_eq!(call(&gateway, "bob", others, "Depth: 0\r\n", "").await.status, 200);
        recorder.take_one();
    }
}

/// A list does not give what the token lacks, and what is read for discovery needs one scope that both have.
#[tokio::test]
async fn api_13_4_a_list_adds_nothing_to_a_token() {
    let recorder = Recorder::start().await;
    let tokens = [("files.read", "a"), ("calendar.read", "b")].map(|(scope, name)| {
        (name.to_owned(), "alice".to_owned(), vec![format!("https://host/{scope}")])
    });
    let mut settings = Settings::default();
    settings.scope_prefix = Some("https://host/".into());
    settings.forward = Some(Forward::new(Scopes::opened_by(["files", "calendar"]).unwrap()));
    let gateway = start_for(&recorder.url, &tokens, settings).await;
    limit(&gateway, &["files.write", "calendar.read"]).await;
    let lacks = call(&gateway, "a", &format!("PUT {FILE}"), "", "x").await;
    assert!(lacks.assert_error(403, "Forbidden").contains("token lacks"));
    let root = "PROPFIND /remote.php/dav/";
    let unseen = call(&gateway, "a", root, "Depth: 0\r\n", "").await;
    assert_limited(&unseen, "https://host/files.read");
    recorder.assert_nothing_arrived(root);
    assert_eq!(call(&gateway, "b", root, "Depth: 0\r\n", "").await.status, 200);
}

/// Nothing is sent of a body either, and a large one is not even read.
#[tokio::test]
async fn api_13_4_no_body_is_sent_beyond_the_list() {
    let recorder = Recorder::start().await;
    let gateway = start(&recorder.url).await;
    limit(&gateway, &["files.read"]).await;
    let mut wire = Wire::to(gateway.address).await;
    let length = "Content-Length: 100000000\r\nExpect: 100-continue\r\n\r\n";
    wire.send(head(&gateway, "alice", &format!("PUT {FILE}"), length)).await;
    assert_limited(&wire.answer().await, "files.write");
    recorder.assert_nothing_arrived("PUT");
}

#[tokio::test]
async fn api_10_4_a_list_holds_at_each_gateway_and_after_a_restart() {
    let recorder = Recorder::start().await;
    let gateway = start(&recorder.url).await;
    let forwards = |gateway: portreeve::gateway::Gateway<_>| {
        let mut settings = Settings::default();
        settings.forward = Some(Forward::new(Scopes::opened_by(["files"]).unwrap()));
        gateway.settings(settings)
    };
    let other = gateway.beside(&recorder.url, forwards).await;
    let get = format!("GET {FILE}");
    for gateway in [&gateway, &other] {
        assert_eq!(call(gateway, "alice", &get, "", "").await.status, 200);
    }
    limit(&other, &["files.write"]).await;
    assert_limited(&call(&gateway, "alice", &get, "", "").await, "files.read");
    let again = gateway.again(&recorder.url, forwards).await;
    assert_limited(&call(&again, "alice", &get, "", "").await, "files.read");
    limit(&again, &["files.read"]).await;
    assert_eq!(call(&other, "alice", &get, "", "").await.status, 200);
}

#[tokio::test]
async fn api_10_4_a_change_of_the_list_leaves_what_is_in_flight() {
    let server = Server::start().await;
    let gateway = start(&server.url).await;
    let mut caller = Wire::to(gateway.address).await;
    caller
        .send(head(&gateway, "alice", &format!("PUT {FILE}"), "Content-Length: 100000\r\n\r\n"))
        .await;
    caller.send(&[b'x'; 50_000]).await;
    let (mut wire, _) = server.request().await;
    limit(&gateway, &[]).await;
    // The rest of the body, and the answer.
    caller.send(&[b'x'; 50_000]).await;
    wire.bytes(100_000).await;
    wire.send("HTTP/1.1 201 Created\r\nX-User-Id: alice\r\nContent-Length: 0\r\n\r\n").await;
    assert_eq!(caller.answer().await.status, 201);
    assert_limited(&call(&gateway, "alice", &format!("PUT {FILE}"), "", "x").await, "files.write");
}

#[tokio::test]
async fn api_10_4_storing_without_scopes_clears_the_list_and_a_token_leaves_it() {
    let recorder = Recorder::with(|seen| seen.answer("200 OK", "", USER)).await;
    let gateway = start(&recorder.url).await;
    let get = format!("GET {FILE}");
    let post = format!("POST {APP_PASSWORD}");
    assert_eq!(stored(&gateway).await, Value::Null);
    let answer = with_password(&gateway, &post, r#"{"scopes":["notes.read","notes.read"]}"#).await;
    assert_eq!((answer.status, answer.json()["scopes"].take()), (200, json!(["notes.read"])));
    assert_limited(&call(&gateway, "alice", &get, "", "").await, "files.read");
    // Neither storing the password again nor anything else that a token can do changes it.
    let body = json!({ "appPassword": PASSWORD }).to_string();
    let again = gateway.call("alice", "POST", "/api/v1/background-sync/credentials", &body).await;
    assert_eq!(again.status, 200, "{again:?}");
    for what in [format!("PATCH {SCOPES}"), format!("GET {ACCESS}"), post.clone()] {
        let (method, path) = what.split_once(' ').unwrap();
        let refused = gateway.call("alice", method, path, r#"{"scopes":["files.read"]}"#).await;
        assert_eq!(refused.status, 401, "{what}");
    }
    assert_eq!(stored(&gateway).await, json!(["notes.read"]));
    assert_limited(&call(&gateway, "alice", &get, "", "").await, "files.read");
    for body in ["", "{}", r#"{"scopes":null}"#] {
        limit(&gateway, &["notes.write"]).await;
        let cleared = with_password(&gateway, &post, body).await;
        assert_eq!((cleared.status, cleared.json()["scopes"].take()), (200, Value::Null));
        assert_eq!(stored(&gateway).await, Value::Null);
        assert_eq!(call(&gateway, "alice", &get, "", "").await.status, 200);
    }
}

/// Many changes and uses at once: each use is by one list or another, and the last one holds.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn api_10_4_changes_at_once_are_made_one_after_another() {
    let recorder = Recorder::start().await;
    let gateway = std::sync::Arc::new(start(&recorder.url).await);
    let tasks = (0..40).map(|at| {
        let gateway = gateway.clone();
        tokio::spawn(async move {
            match at % 4 {
                0 => limit(&gateway, &["files.read"]).await,
                1 => limit(&gateway, &ALL_SCOPES).await,
                2 => {
                    let stored = gateway.vault.metadata("alice").await.unwrap().unwrap();
                    gateway.vault.suspend("alice", stored.revision).await.unwrap();
                    gateway.vault.resume("alice", stored.revision).await.unwrap();
                }
                _ => {
                    let answer = call(&gateway, "alice", &format!("GET {FILE}"), "", "").await;
                    assert!(matches!(answer.status, 200 | 428), "{answer:?}");
                }
            }
        })
    });
    for task in tasks.collect::<Vec<_>>() {
        task.await.unwrap();
    }
    limit(&gateway, &[]).await;
    assert_limited(&call(&gateway, "alice", &format!("GET {FILE}"), "", "").await, "files.read");
}

/// Our own routes have scopes of their own.
#[tokio::test]
async fn api_13_4_a_list_limits_what_is_forwarded_alone() {
    let recorder = Recorder::with(|seen| seen.answer("200 OK", "", USER)).await;
    let gateway = start(&recorder.url).await;
    limit(&gateway, &[]).await;
    let status = gateway.call("alice", "GET", "/api/v1/background-sync/status", "").await;
    assert_eq!(status.json()["has_background_access"], true);
    gateway.call("alice", "GET", "/api/v1/webhooks", "").await;
    assert_eq!(recorder.take().len(), 1, "that is a call with the stored password");
}
