//! The login of a forwarded request: which refusals are the server's, and what becomes of the request then
//! (docs/ARCHITECTURE.md, "Logins").

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::recorder::{Recorder, Seen};
use super::wire::Wire;
use super::{FILE, call, head, start, start_with};
use crate::support::gateway::{PASSWORD, TestGateway};
use crate::support::nextcloud::{basic, bearer};

const COOKIES: &str = "Set-Cookie: oc_sessionPassphrase=a; path=/; HttpOnly\r\n\
                       Set-Cookie: nc_sameSiteCookielax=true; path=/\r\n";
const CHALLENGE: &str = "WWW-Authenticate: Basic realm=\"Authorisation Required\"\r\n";

/// With the name of the server.
const DAV_CHALLENGE: &str = "WWW-Authenticate: Basic realm=\"Nextcloud\", charset=\"UTF-8\"\r\n";

/// A refused login, in each form that the server has for one: more fields, and a body.
fn refusals() -> [(String, &'static str); 8] {
    let sabre = "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<d:error xmlns:d=\"DAV:\" \
                 xmlns:s=\"http://sabredav.org/ns\">\n  <s:exception>Sabre\\DAV\\Exception\\NotAuthenticated\
                 </s:exception>\n  <s:message>No public access to this resource., Username or password was \
                 incorrect</s:message>\n</d:error>\n";
    let envelope = r#"{"ocs":{"meta":{"status":"failure","statuscode":997,"message":"Unauthorised"},"data":[]}}"#;
    [
        (CHALLENGE.into(), ""),
        (format!("{COOKIES}{CHALLENGE}"), envelope),
        (COOKIES.into(), envelope),
        (format!("{COOKIES}Content-Type: application/xml; charset=utf-8\r\n"), sabre),
        (
            format!("{COOKIES}Content-Type: application/json; charset=utf-8\r\n"),
            r#"{"message":"Current user is not logged in"}"#,
        ),
        (
            format!("{COOKIES}Content-Type: application/json; charset=utf-8\r\n"),
            r#"{"message":"CORS requires basic auth"}"#,
        ),
        // To HEAD, and compressed as the caller allows.
        (format!("{COOKIES}{DAV_CHALLENGE}"), ""),
        (format!("{COOKIES}{DAV_CHALLENGE}Content-Encoding: gzip\r\n"), "\x1f\u{8b}\x08"),
    ]
}

/// Refusals of something before the server, which has not seen the password.
const IN_FRONT: [(&str, &str); 3] = [
    ("WWW-Authenticate: Basic realm=\"proxy\"\r\nContent-Type: text/html\r\n", "<h1>401</h1>"),
    ("Content-Type: text/html\r\n", "<html>Sign in</html>"),
    ("Content-Type: application/json\r\n", r#"{"message":"Current user is not logged in"}"#),
];

fn is_basic(seen: &Seen) -> bool {
    seen.head.field("authorization").unwrap().starts_with("Basic ")
}

fn refusal(fields: &str, body: &str) -> String {
    let length = body.len();
    format!("HTTP/1.1 401 Unauthorized\r\nContent-Length: {length}\r\n{fields}\r\n{body}")
}

async fn is_suspended(gateway: &TestGateway) -> bool {
    gateway.vault.metadata("alice").await.unwrap().unwrap().suspended_at.is_some()
}

fn put() -> String {
    format!("PUT {FILE}")
}

#[tokio::test]
async fn api_13_without_a_stored_password_there_is_no_call() {
    let recorder = Recorder::start().await;
    let gateway = start(&recorder.url).await;
    for what in ["GET /remote.php/dav/files/carol/x", "PUT /remote.php/dav/files/carol/x"] {
        let answer = call(&gateway, "carol", what, "", "").await;
        answer.assert_error(428, "Provisioning required");
        recorder.assert_nothing_arrived(what);
    }
}

#[tokio::test]
async fn api_13_a_login_that_basic_refuses_is_made_by_bearer_token() {
    for (fields, body) in refusals() {
        let recorder = Recorder::with(move |seen| match is_basic(seen) {
            true => refusal(&fields, body),
            false => seen.answer("200 OK", "", "ok"),
        })
        .await;
        let gateway = start(&recorder.url).await;
        let answer = call(&gateway, "alice", &put(), "Depth: 0\r\n", "the body").await;
        assert_eq!((answer.status, &*answer.body), (200, "ok"), "{body}");
        let [by_basic, by_bearer] = &recorder.take()[..] else {
            panic!("{body}");
        };
        assert_eq!(by_basic.head.field("authorization"), Some(&*basic("alice", PASSWORD)));
        assert_eq!(by_bearer.head.field("authorization"), Some(&*bearer(PASSWORD)));
        // Bearer tokens are not looked at everywhere without it.
        assert_eq!(by_basic.head.field("ocs-apirequest"), None);
        assert_eq!(by_bearer.head.field("ocs-apirequest"), Some("true"));
        for seen in [by_basic, by_bearer] {
            assert_eq!(seen.body.bytes, b"the body");
            assert_eq!(seen.head.field("content-length"), Some("8"));
            assert_eq!(seen.head.field("depth"), Some("0"));
        }
        // From now on no call is refused first.
        let fields = "OCS-APIRequest: 1\r\n";
        assert_eq!(call(&gateway, "alice", &put(), fields, "b").await.status, 200);
        let seen = recorder.take_one();
        assert!(!is_basic(&seen));
        assert_eq!(seen.head.field("ocs-apirequest"), Some("1"));
        assert!(!is_suspended(&gateway).await);
    }
}

#[tokio::test]
async fn api_13_a_password_that_is_refused_is_suspended() {
    for (fields, body) in refusals() {
        let recorder = Recorder::with(move |_| refusal(&fields, body)).await;
        let gateway = start(&recorder.url).await;
        let answer = call(&gateway, "alice", &put(), "", "the body").await;
        answer.assert_error(428, "Provisioning required");
        assert_eq!(answer.header("set-cookie"), None);
        let seen = recorder.take();
        assert_eq!(seen.iter().filter(|seen| is_basic(seen)).count(), 1, "{body}: {seen:?}");
        assert!(is_suspended(&gateway).await, "{body}");
        for what in [put(), format!("GET {FILE}")] {
            let answer = call(&gateway, "alice", &what, "", "").await;
            answer.assert_error(428, "Provisioning required");
            recorder.assert_nothing_arrived(body);
        }
        // Others have theirs.
        let what = "GET /remote.php/dav/files/bob/x";
        call(&gateway, "bob", what, "", "").await.assert_error(428, "Provisioning required");
        assert_ne!(recorder.take().len(), 0);
    }
}

/// A caller that accepts HTML is not told 401.
#[tokio::test]
async fn api_13_a_redirect_to_the_login_page_is_a_refused_login() {
    let notes = "GET /apps/notes/api/v1/notes";
    let location = "Location: /login?redirect_url=/apps/notes/api/v1/notes\r\n";
    let recorder = Recorder::with(move |_| {
        format!("HTTP/1.1 303 See Other\r\nContent-Length: 0\r\n{COOKIES}{location}\r\n")
    })
    .await;
    let gateway = start(&recorder.url).await;
    let answer = call(&gateway, "alice", notes, "Accept: text/html, */*; q=.2\r\n", "").await;
    answer.assert_error(428, "Provisioning required");
    assert_eq!(recorder.take().iter().filter(|seen| is_basic(seen)).count(), 1);
    assert!(is_suspended(&gateway).await);
    // Who is logged in may be sent anywhere on this host.
    let recorder = Recorder::with(move |seen| seen.answer("303 See Other", location, "")).await;
    let gateway = start(&recorder.url).await;
    assert_eq!(call(&gateway, "alice", notes, "", "").await.status, 303);
    assert!(!is_suspended(&gateway).await);
}

#[tokio::test]
async fn api_13_a_refusal_of_something_in_front_suspends_nothing() {
    for (fields, body) in IN_FRONT {
        let recorder = Recorder::with(move |_| refusal(fields, body)).await;
        let gateway = start(&recorder.url).await;
        for _ in 0..2 {
            let answer = call(&gateway, "alice", &put(), "", "the body").await;
            answer.assert_error(502, "Bad gateway");
            assert!(!answer.body.contains("Sign in"), "{answer:?}");
            assert!(!is_suspended(&gateway).await, "{body}");
            assert_ne!(recorder.take().len(), 0);
        }
    }
}

#[tokio::test]
async fn api_13_a_body_that_is_too_large_to_keep_is_not_sent_again() {
    for (size, is_kept) in [(64 * 1024, true), (64 * 1024 + 1, false)] {
        let recorder = Recorder::with(|seen| match is_basic(seen) {
            true => refusal(CHALLENGE, ""),
            false => seen.answer("200 OK", "", "ok"),
        })
        .await;
        let gateway = start(&recorder.url).await;
        let body = "x".repeat(size);
        let answer = call(&gateway, "alice", &put(), "", &body).await;
        if is_kept {
            assert_eq!(answer.status, 200);
            assert_eq!(recorder.take().len(), 2);
            continue;
        }
        assert_eq!((answer.status, answer.header("retry-after")), (503, Some("1")), "{answer:?}");
        recorder.take_one();
        assert!(!is_suspended(&gateway).await);
        // As the answer promises.
        assert_eq!(call(&gateway, "alice", &put(), "", &body).await.status, 200);
        let seen = recorder.take_one();
        assert!(!is_basic(&seen) && seen.body.bytes == body.as_bytes());
    }
}

#[tokio::test]
async fn api_13_a_body_of_unknown_length_is_not_sent_again() {
    let recorder = Recorder::with(|seen| match is_basic(seen) {
        true => refusal(CHALLENGE, ""),
        false => seen.answer("200 OK", "", "ok"),
    })
    .await;
    let gateway = start(&recorder.url).await;
    for status in [503, 200] {
        let mut wire = Wire::to(gateway.address).await;
        let chunks = "Transfer-Encoding: chunked\r\n\r\n4\r\nbody\r\n0\r\n\r\n";
        wire.send(head(&gateway, "alice", &put(), chunks)).await;
        assert_eq!(wire.answer().await.status, status);
        recorder.take_one();
    }
}

#[tokio::test]
async fn api_13_a_throttled_login_is_made_by_bearer_token() {
    let body =
        r#"{"ocs":{"meta":{"status":"failure","statuscode":429,"message":"Too many"},"data":[]}}"#;
    let is_of_server = Arc::new(AtomicBool::new(true));
    let says = is_of_server.clone();
    let recorder = Recorder::with(move |seen| match is_basic(seen) {
        true if says.load(Ordering::Relaxed) => {
            let length = body.len();
            format!("HTTP/1.1 429 Too Many\r\nContent-Length: {length}\r\n{COOKIES}\r\n{body}")
        }
        _ => seen.answer("429 Too Many Requests", "Retry-After: 7\r\n", "slow down"),
    })
    .await;
    let gateway = start(&recorder.url).await;
    // The second 429 names the account: it is about something else than logins, and the caller's to know.
    let answer = call(&gateway, "alice", &put(), "", "b").await;
    assert_eq!((answer.status, &*answer.body), (429, "slow down"));
    assert_eq!(answer.header("retry-after"), Some("7"));
    assert_eq!(recorder.take().len(), 2);
    assert!(!is_suspended(&gateway).await);
}

#[tokio::test]
async fn api_13_an_answer_for_another_account_never_reaches_the_caller() {
    for status in
        ["200 OK", "207 Multi-Status", "206 Partial Content", "403 Forbidden", "404 Not Found"]
    {
        let recorder = Recorder::with(move |_| {
            let fields = "X-User-Id: bob\r\nContent-Length: 11\r\nETag: \"of bob\"\r\n";
            format!("HTTP/1.1 {status}\r\n{fields}\r\nbob's words")
        })
        .await;
        let gateway = start(&recorder.url).await;
        for what in [format!("GET {FILE}"), put(), format!("DELETE {FILE}")] {
            let answer = call(&gateway, "alice", &what, "", "").await;
            answer.assert_error(502, "Bad gateway");
            assert!(!format!("{answer:?}").contains("bob"), "{answer:?}");
        }
    }
}

/// Whichever of the two fields comes first.
#[tokio::test]
async fn api_2_2_an_answer_that_names_two_accounts_is_not_used() {
    for names in [["alice", "bob"], ["bob", "alice"], ["alice", ""]] {
        let recorder = Recorder::with(move |_| {
            let fields = names.map(|name| format!("X-User-Id: {name}\r\n")).concat();
            let body = r#"{"ocs":{"meta":{"statuscode":200},"data":[]}}"#;
            let length = body.len();
            format!("HTTP/1.1 200 OK\r\n{fields}Content-Length: {length}\r\n\r\n{body}")
        })
        .await;
        let gateway = start(&recorder.url).await;
        for what in ["GET /api/v1/apps", "GET /api/v1/webhooks"] {
            let answer = call(&gateway, "alice", what, "Connection: close\r\n", "").await;
            let message = answer.assert_error(500, "Internal error");
            assert_eq!(message, "The groupware server answered for another account.");
        }
        let answer = call(&gateway, "alice", &format!("GET {FILE}"), "", "").await;
        answer.assert_error(502, "Bad gateway");
    }
}

/// Servers before 32.0.1 send no `X-User-Id`.
#[tokio::test]
async fn api_2_2_whose_a_forwarded_answer_is_that_names_nobody_is_asked_once() {
    for (owner, status) in [("alice", 200), ("bob", 502)] {
        let recorder = Recorder::with(move |seen| {
            let body = match seen.head.line.contains("/cloud/user") {
                true => {
                    let data = format!(r#"{{"id":"{owner}","groups":[]}}"#);
                    format!(r#"{{"ocs":{{"meta":{{"statuscode":200}},"data":{data}}}}}"#)
                }
                false => format!("{owner}'s"),
            };
            format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{body}", body.len())
        })
        .await;
        let gateway = start(&recorder.url).await;
        for calls in [2, if owner == "alice" { 1 } else { 2 }] {
            let answer = call(&gateway, "alice", &format!("GET {FILE}"), "", "").await;
            assert_eq!(answer.status, status, "{answer:?}");
            assert_eq!(recorder.take_unchecked().len(), calls, "{owner}");
        }
        assert!(!is_suspended(&gateway).await);
    }
}

#[tokio::test]
async fn api_13_statuses_of_the_server_are_passed_on() {
    for status in [
        "400 Bad Request",
        "403 Forbidden",
        "404 Not Found",
        "405 Method Not Allowed",
        "409 Conflict",
        "412 Precondition Failed",
        "415 Unsupported Media Type",
        "423 Locked",
        "424 Failed Dependency",
        "500 Internal Server Error",
        "501 Not Implemented",
        "503 Service Unavailable",
        "507 Insufficient Storage",
    ] {
        let recorder =
            Recorder::with(move |seen| seen.answer(status, "Retry-After: 9\r\n", "why")).await;
        let gateway = start(&recorder.url).await;
        let answer = call(&gateway, "alice", &put(), "", "b").await;
        assert_eq!((answer.status.to_string(), &*answer.body), (status[..3].into(), "why"));
        assert_eq!(answer.header("retry-after"), Some("9"));
        recorder.take_one();
        assert!(!is_suspended(&gateway).await);
    }
}

/// An answer that names the account is not about the login, whatever its status.
#[tokio::test]
async fn api_13_a_401_that_names_the_account_is_passed_on() {
    let recorder = Recorder::with(|seen| seen.answer("401 Unauthorized", CHALLENGE, "why")).await;
    let gateway = start(&recorder.url).await;
    let answer = call(&gateway, "alice", &put(), "", "the body").await;
    assert_eq!((answer.status, &*answer.body), (401, "why"));
    assert_eq!(answer.header("www-authenticate"), None);
    recorder.take_one();
    assert!(!is_suspended(&gateway).await);
}

/// As for the gateway's own calls (docs/API.md, section 5.6).
#[tokio::test]
async fn api_13_a_429_ends_what_was_said_of_the_allow_list() {
    let is_capabilities = |seen: &Seen| seen.head.line.contains("/cloud/capabilities");
    let recorder = Recorder::with(move |seen| match is_capabilities(seen) {
        true => seen.answer(
            "200 OK",
            "",
            r#"{"ocs":{"meta":{"status":"ok","statuscode":200},"data":{"capabilities":{"bruteforce":{"delay":0,"allow-listed":true},"files":{}}}}}"#,
        ),
        false if seen.head.line.contains("throttled") => {
            let body = r#"{"ocs":{"meta":{"status":"failure","statuscode":429,"message":"Too many"},"data":[]}}"#;
            format!("HTTP/1.1 429 Too Many Requests\r\nContent-Length: {}\r\n\r\n{body}", body.len())
        }
        false => refusal(CHALLENGE, ""),
    })
    .await;
    for (file, refused) in [("x", 2), ("throttled", 1)] {
        let gateway = start_with(&recorder.url, |settings, _| {
            settings.logins.bearer = portreeve::gateway::BearerLogins::Off;
            settings.logins.refused_login_budget = Some(1);
        })
        .await;
        assert_eq!(call(&gateway, "admin", "GET /api/v1/apps", "", "").await.status, 200);
        let what = format!("GET /remote.php/dav/files/admin/{file}");
        call(&gateway, "admin", &what, "", "").await;
        recorder.take_unchecked();
        // Refused without permits, or with the only one.
        for user in ["alice", "bob"] {
            let what = format!("GET /remote.php/dav/files/{user}/a");
            call(&gateway, user, &what, "", "").await;
        }
        assert_eq!(recorder.take().len(), refused, "{file}");
    }
}
