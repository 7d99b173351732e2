//! Attempts at targets, good and hostile.

use std::future::pending;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use bytes::Bytes;
use http::{HeaderMap, Response, StatusCode};
use http_body_util::Full;
use portreeve::deliveries::{AttemptOutcome, AttemptResult, Message, Networks, Sender};
use portreeve::groupware::WebhookSecret;
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use crate::support::binary::success;
use crate::support::certificates::{Authority, client};
use crate::support::oidc::{node, python};
use crate::support::own_process;
use crate::target::{Target, status};

const BODY: &str =
    r#"{"event":{"class":"OCP\\Files\\Events\\Node\\NodeCreatedEvent", "node":{"path":"\/a"}}}"#;

/// No attempt takes so long, however busy the machine is, but those that last as long as they may.
const PATIENCE: Duration = Duration::from_mins(2);

/// It trusts `authority`, and every name is this machine.
fn sender(authority: &Authority) -> Sender {
    let listed = Networks::new(["127.0.0.0/8".parse().unwrap()]);
    let tls = client(&authority.pem(), None, &[]);
    Sender::new(listed, Arc::unwrap_or_clone(tls))
        .resolver(async |_| Ok(vec![IpAddr::from([127, 0, 0, 1])]))
        .timeout(PATIENCE)
}

async fn attempt(sender: &Sender, uri: &str, secrets: &[WebhookSecret]) -> AttemptResult {
    let body = Bytes::from_static(BODY.as_bytes());
    let message =
        Message { account: "alice", id: "dlv_7", body: &body, secrets, headers: &HeaderMap::new() };
    sender.send(&uri.parse().unwrap(), message).await
}

async fn attempt_at(target: &Target) -> AttemptResult {
    attempt(&sender(&Authority::new("nobody")), &target.uri(), &[]).await
}

#[tokio::test]
async fn a_delivery_arrives_over_tls_signed_and_byte_for_byte() {
    let authority = Authority::new("ours");
    let target = Target::with_tls(&authority, &["hooks.example"]).await;
    let secrets = [(); 2].map(|()| WebhookSecret::generate().unwrap());
    let uri = format!("https://hooks.example:{}/a?b=c", target.address.port());
    let sender = sender(&authority);
    for _ in 0..2 {
        let ended = attempt(&sender, &uri, &secrets).await;
        assert_eq!(ended.outcome, AttemptOutcome::Delivered);
        assert_eq!(ended.status, Some(StatusCode::OK));
    }
    let requests = target.requests();
    assert_eq!(requests.len(), 2);
    for (head, body) in requests {
        assert_eq!(head.method, "POST");
        assert_eq!(head.uri, "/a?b=c");
        assert_eq!(body, BODY);
        assert_eq!(head.headers["content-type"], "application/json");
        assert_eq!(head.headers["webhook-id"], "dlv_7");
        let names: Vec<_> = head.headers.keys().map(|name| name.as_str()).collect();
        assert_eq!(names.len(), 8, "{names:?}");
        let signatures = head.headers["webhook-signature"].to_str().unwrap();
        assert_eq!(signatures.split(' ').count(), 2);
        // Whichever secret the receiver has.
        for secret in &secrets {
            let theirs = standardwebhooks::Webhook::new(&secret.expose()).unwrap();
            theirs.verify(&body, &head.headers).unwrap();
            let ours = [secret.clone()];
            let now = SystemTime::now();
            WebhookSecret::verify(&ours, &head.headers, &body, now).unwrap();
        }
    }
}

/// The packages that receivers in JavaScript and in Python use.
#[tokio::test]
async fn the_packages_of_npm_and_pip_accept_a_delivery_and_refuse_a_forged_and_an_old_one() {
    let target = Target::ok().await;
    let [secret, other] = [(); 2].map(|()| WebhookSecret::generate().unwrap());
    let secrets = [other.clone(), secret.clone()];
    let sender = sender(&Authority::new("nobody"));
    let sent = attempt(&sender, &target.uri(), &secrets).await;
    assert_eq!(sent.outcome, AttemptOutcome::Delivered);
    let (head, body) = target.requests().remove(0);
    let [id, timestamp, signature] = ["id", "timestamp", "signature"].map(|name| {
        let field = &head.headers[format!("webhook-{name}")];
        field.to_str().unwrap().to_owned()
    });
    let ago: u64 = timestamp.parse::<u64>().unwrap() - 301;
    let mut lines = String::new();
    for (timestamp, signature) in [
        (timestamp.clone(), signature),
        (timestamp.clone(), other.sign(&id, timestamp.parse().unwrap(), &body)),
        (ago.to_string(), secret.sign(&id, ago, &body)),
    ] {
        let line = json!({
            "secret": *secret.expose(),
            "headers": {"webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": signature},
            "body": str::from_utf8(&body).unwrap(),
        });
        lines += &format!("{line}\n");
    }
    let package = "standardwebhooks";
    let verifiers = [node("verify.mjs", package), python("verify.py", package)];
    for mut verifier in verifiers.into_iter().flatten() {
        assert_eq!(
            success(&mut verifier, &lines),
            "accepted\nNo matching signature found\nMessage timestamp too old\n"
        );
    }
}

#[tokio::test]
async fn a_certificate_of_another_name_or_authority_gets_nothing() {
    let authority = Authority::new("ours");
    let target = Target::with_tls(&authority, &["other.example"]).await;
    let uri = format!("https://hooks.example:{}/", target.address.port());
    let other_name = attempt(&sender(&authority), &uri, &[]).await;
    assert_eq!(other_name.outcome, AttemptOutcome::Tls);
    let uri = format!("https://other.example:{}/", target.address.port());
    let unknown = attempt(&sender(&Authority::new("another")), &uri, &[]).await;
    assert_eq!(unknown.outcome, AttemptOutcome::Tls);
    assert!(target.requests().is_empty());
}

#[tokio::test]
async fn the_status_is_the_outcome() {
    for (code, outcome) in [
        (200, AttemptOutcome::Delivered),
        (204, AttemptOutcome::Delivered),
        (299, AttemptOutcome::Delivered),
        (300, AttemptOutcome::Redirected),
        (304, AttemptOutcome::Redirected),
        (400, AttemptOutcome::Rejected),
        (401, AttemptOutcome::Rejected),
        (410, AttemptOutcome::Gone),
        (429, AttemptOutcome::Rejected),
        (500, AttemptOutcome::Rejected),
        (999, AttemptOutcome::Rejected),
    ] {
        let code = StatusCode::from_u16(code).unwrap();
        let target = Target::answering(move || status(code)).await;
        let ended = attempt_at(&target).await;
        assert_eq!((ended.outcome, ended.status), (outcome, Some(code)));
    }
}

/// What was taken is not sent again because the answer has many fields.
#[tokio::test]
async fn an_answer_with_hundreds_of_fields_counts() {
    let target = Target::answering(|| {
        let fields = (0..300).map(|number| format!("x-{number}"));
        let answer = Response::builder().status(200);
        let answer = fields.fold(answer, |answer, name| answer.header(name, "1"));
        answer.body(Full::default()).unwrap()
    })
    .await;
    assert_eq!(attempt_at(&target).await.outcome, AttemptOutcome::Delivered);
}

#[tokio::test]
async fn no_redirect_is_followed() {
    let elsewhere = Target::ok().await;
    for code in [301, 302, 303, 307, 308] {
        let location = elsewhere.uri();
        let target = Target::answering(move || {
            let answer = Response::builder().status(code).header("location", &location);
            answer.body(Full::default()).unwrap()
        })
        .await;
        assert_eq!(attempt_at(&target).await.outcome, AttemptOutcome::Redirected);
        assert_eq!(target.requests().len(), 1);
    }
    assert_eq!(elsewhere.connections(), 0);
}

#[tokio::test]
async fn retry_after_is_seconds_or_a_date() {
    let date = |ahead| httpdate::fmt_http_date(SystemTime::now() + Duration::from_secs(ahead));
    for (text, expected) in [
        ("120".to_owned(), Some(120..=120)),
        (date(120), Some(110..=120)),
        ("Wed, 21 Oct 2015 07:28:00 GMT".to_owned(), None),
        ("soon".to_owned(), None),
        ("-1".to_owned(), None),
        ("99999999999999999999999".to_owned(), None),
    ] {
        let field = text.clone();
        let target = Target::answering(move || {
            let answer = Response::builder().status(503).header("retry-after", &field);
            answer.body(Full::default()).unwrap()
        })
        .await;
        let wait = attempt_at(&target).await.retry_after.map(|it| it.as_secs());
        match expected {
            Some(range) => assert!(wait.is_some_and(|it| range.contains(&it)), "{text} {wait:?}"),
            None => assert_eq!(wait, None, "{text}"),
        }
    }
}

/// What a raw target does after it has read the head of the request.
async fn raw(first: &'static [u8], then: Then) -> Target {
    Target::serving(move |_, mut stream| async move {
        let mut request = vec![0; 64 * 1024];
        assert!(stream.read(&mut request).await.is_ok_and(|read| read > 0));
        stream.write_all(first).await.ok();
        match then {
            Then::Close => {}
            Then::Stall => pending::<()>().await,
            Then::Repeat(part) => while stream.write_all(part).await.is_ok() {},
        }
    })
    .await
}

#[derive(Clone, Copy)]
enum Then {
    Close,
    Stall,
    Repeat(&'static [u8]),
}

#[tokio::test]
async fn hostile_answers_end_in_time_and_with_little_read() {
    const OK: &[u8] = b"HTTP/1.1 200 OK\r\ncontent-length: 1073741824\r\n\r\n";
    let zeros = &[b'0'; 16 * 1024];
    for (name, first, then, outcome) in [
        ("1 GB of body", OK, Then::Repeat(zeros), AttemptOutcome::Delivered),
        ("a body that stalls", OK, Then::Stall, AttemptOutcome::Delivered),
        ("a body that ends early", OK, Then::Close, AttemptOutcome::Delivered),
        (
            "interim answers without end",
            b"HTTP/1.1 102 Processing\r\n\r\n",
            Then::Repeat(b"HTTP/1.1 102 Processing\r\n\r\n"),
            AttemptOutcome::Broken,
        ),
        (
            "a head without end",
            b"HTTP/1.1 200 OK\r\nx: ",
            Then::Repeat(zeros),
            AttemptOutcome::Broken,
        ),
        ("no answer", b"", Then::Close, AttemptOutcome::Broken),
        ("not HTTP", b"220 mail.example ESMTP\r\n", Then::Close, AttemptOutcome::Broken),
        ("silence", b"", Then::Stall, AttemptOutcome::TimedOut),
        ("half a head", b"HTTP/1.1 200 OK\r\n", Then::Stall, AttemptOutcome::TimedOut),
    ] {
        let target = raw(first, then).await;
        let mut sender = sender(&Authority::new("nobody"));
        if outcome == AttemptOutcome::TimedOut {
            sender = sender.timeout(Duration::from_secs(1));
        }
        let start = Instant::now();
        let ended = attempt(&sender, &target.uri(), &[]).await;
        assert_eq!(ended.outcome, outcome, "{name}");
        assert!(start.elapsed() < PATIENCE, "{name}");
    }
}

#[tokio::test]
async fn a_target_that_stalls_in_tls_or_refuses_the_connection_fails() {
    let authority = Authority::new("ours");
    let silent = Target::serving(|_, stream| async move {
        let _open = stream;
        pending::<()>().await;
    })
    .await;
    let uri = format!("https://hooks.example:{}/", silent.address.port());
    let impatient = sender(&authority).timeout(Duration::from_secs(1));
    let ended = attempt(&impatient, &uri, &[]).await;
    assert_eq!(ended.outcome, AttemptOutcome::TimedOut);

    let plain = raw(b"HTTP/1.1 400 Bad Request\r\n\r\n", Then::Close).await;
    let uri = format!("https://hooks.example:{}/", plain.address.port());
    let ended = attempt(&sender(&authority), &uri, &[]).await;
    assert_eq!(ended.outcome, AttemptOutcome::Tls);

    let closed = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = closed.local_addr().unwrap();
    drop(closed);
    let ended = attempt(&sender(&authority), &format!("http://{address}/"), &[]).await;
    assert_eq!(ended.outcome, AttemptOutcome::Unreachable);
}

#[test]
fn no_proxy_of_the_environment_is_used() {
    // Nothing listens there.
    let proxy = "http://127.0.0.1:1";
    let variables =
        ["http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"];
    let variables = variables.map(|name| (name, proxy));
    let test = "sending::no_proxy_of_the_environment_is_used";
    own_process::run_with(test, &variables, || {
        assert_eq!(std::env::var("http_proxy").as_deref(), Ok(proxy));
        let runtime = tokio::runtime::Runtime::new().unwrap();
        runtime.block_on(async {
            let target = Target::ok().await;
            assert_eq!(attempt_at(&target).await.outcome, AttemptOutcome::Delivered);
        });
    });
}
