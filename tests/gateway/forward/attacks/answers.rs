//! Fields of an answer: those that a client needs pass; cookies, challenges and what else is the server's own do not.

use super::super::recorder::Recorder;
use super::super::{FILE, call, start, start_with};
use crate::support::gateway::Answer;

/// What clients of WebDAV, CalDAV and the apps read.
const NEEDED: &[(&str, &str)] = &[
    ("dav", "1, 3, extended-mkcol, access-control"),
    ("allow", "OPTIONS, GET, HEAD, DELETE, PROPFIND, PUT, PROPPATCH, COPY, MOVE, REPORT"),
    ("ms-author-via", "DAV"),
    ("etag", "\"a\""),
    ("oc-etag", "\"a\""),
    ("oc-fileid", "00000123ocabc"),
    ("oc-checksum", "SHA1:da39a3ee5e6b4b0d3255bfef95601890afd80709"),
    ("x-oc-mtime", "accepted"),
    ("x-oc-ctime", "accepted"),
    ("x-nc-ownerid", "alice"),
    ("x-nc-permissions", "RGDNVW"),
    ("x-nc-paginate", "true"),
    ("x-nc-paginate-total", "20"),
    ("x-nc-paginate-token", "abc"),
    ("lock-token", "<opaquelocktoken:a>"),
    ("schedule-tag", "\"a\""),
    ("content-location", "/remote.php/dav/comments/files/1/2"),
    ("content-range", "bytes 0-1/2"),
    ("accept-ranges", "bytes"),
    ("content-disposition", "attachment; filename*=UTF-8''a%20b; filename=\"a b\""),
    ("content-encoding", "gzip"),
    ("content-type", "application/octet-stream"),
    ("vary", "Brief,Prefer"),
    ("last-modified", "Sat, 29 Oct 1994 19:43:31 GMT"),
    ("link", "</ocs/v2.php/apps/activity>; rel=\"next\""),
    ("retry-after", "120"),
    ("cache-control", "private, no-store"),
    ("expires", "Sat, 29 Oct 1994 19:43:31 GMT"),
    ("x-chat-last-given", "8"),
    ("x-chat-last-common-read", "9"),
    ("x-notes-api-versions", "0.2, 1.3"),
    ("x-notes-chunk-cursor", "abc"),
    ("x-nextcloud-user-status", "online"),
];

/// What must stay between the server and the gateway.
const DROPPED: &[&str] = &[
    "Set-Cookie: nc_session_id=SMUGGLED; path=/; HttpOnly",
    "Set-Cookie: __Host-nc_sameSiteCookiestrict=SMUGGLED; secure",
    "Set-Cookie: oc_sessionPassphrase=SMUGGLED",
    "Set-Cookie2: SMUGGLED",
    "Clear-Site-Data: \"cookies\", \"storage\"",
    "WWW-Authenticate: Basic realm=\"SMUGGLED\", charset=\"UTF-8\"",
    "Proxy-Authenticate: Basic realm=\"SMUGGLED\"",
    "Authentication-Info: SMUGGLED",
    "X-NC-Auth-NotConfirmed: true",
    "X-Nextcloud-Bruteforce-Throttled: 200ms",
    "X-Debug-Token: SMUGGLED",
    "X-Debug-Token-Link: /SMUGGLED",
    "Server-Timing: db;dur=53",
    "Server: SMUGGLED",
    "X-Powered-By: PHP/8.3",
    "Access-Control-Allow-Origin: *",
    "Access-Control-Allow-Credentials: true",
    "Access-Control-Expose-Headers: SMUGGLED",
    "Strict-Transport-Security: max-age=0",
    "Alt-Svc: h3=\":443\"",
    "Refresh: 0; url=https://evil.example",
    "Proxy-Connection: keep-alive",
    "Keep-Alive: timeout=5",
    "Upgrade: h2c",
    "Trailer: X-SMUGGLED",
    "Public-Key-Pins: SMUGGLED",
    "X-Accel-Redirect: /SMUGGLED",
    "X-Sendfile: /etc/passwd",
    "X-SMUGGLED: SMUGGLED",
];

/// What alice gets if the server answers so.
async fn got(status: &'static str, fields: String) -> Answer {
    got_by("GET", status, fields).await
}

async fn got_by(method: &str, status: &'static str, fields: String) -> Answer {
    let recorder =
        Recorder::with(move |seen| seen.answer(status, &fields, "{\"a\":\"SERVER\"}")).await;
    let gateway = start(&recorder.url).await;
    let answer = call(&gateway, "alice", &format!("{method} {FILE}"), "", "").await;
    recorder.take_one();
    answer
}

#[tokio::test]
async fn api_13_fields_that_a_client_needs_pass() {
    let fields = NEEDED.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    let answer = got("200 OK", fields).await;
    assert_eq!(answer.status, 200);
    for &(name, value) in NEEDED {
        assert_eq!(answer.header(name), Some(value), "{name}: {answer:?}");
    }
    assert_eq!(answer.header("x-user-id"), Some("alice"));
}

#[tokio::test]
async fn api_13_what_is_the_servers_own_does_not_pass() {
    for status in ["200 OK", "403 Forbidden", "500 Internal Server Error", "423 Locked"] {
        let fields = DROPPED.iter().map(|field| format!("{field}\r\n")).collect();
        let answer = got(status, fields).await;
        assert_eq!(answer.status.to_string(), status[..3]);
        assert_eq!(answer.body, "{\"a\":\"SERVER\"}");
        let own = ["content-length", "date", "x-request-id", "x-user-id"];
        for (name, value) in &answer.headers {
            assert!(own.contains(&&**name), "{name}: {value}");
            assert!(!value.contains("SMUGGLED"), "{name}: {value}");
        }
    }
}

#[tokio::test]
async fn api_13_what_connection_names_in_an_answer_goes_no_further() {
    let fields = "ETag: \"a\"\r\nDAV: 1\r\nConnection: etag\r\n".to_owned();
    let answer = got("200 OK", fields).await;
    assert_eq!((answer.header("etag"), answer.header("dav")), (None, Some("1")));
    assert_eq!(answer.header("connection"), None);
}

#[tokio::test]
async fn api_13_a_redirect_leads_to_a_path_of_the_gateway_or_nowhere() {
    for (location, passes) in [
        ("/remote.php/dav/files/alice/x", Some("/remote.php/dav/files/alice/x")),
        ("/core/img/filetypes/text.svg?v=1", Some("/core/img/filetypes/text.svg?v=1")),
        ("https://evil.example/", None),
        ("http://127.0.0.1:1/remote.php/dav/files/alice/x", None),
        ("//evil.example/x", None),
        ("\\\\evil.example/x", None),
        ("/\\evil.example/x", None),
        ("javascript:alert(1)", None),
        ("x", None),
        ("", None),
        ("/a/../b", None),
        ("/a\tb", None),
    ] {
        let answer = got("303 See Other", format!("Location: {location}\r\n")).await;
        match passes {
            Some(path) => {
                assert_eq!((answer.status, answer.header("location")), (303, Some(path)));
            }
            None => {
                answer.assert_error(502, "Bad gateway");
                assert_eq!(answer.header("location"), None, "{location}");
            }
        }
    }
    let twice = "Location: /a\r\nLocation: https://evil.example/\r\n";
    got("303 See Other", twice.into()).await.assert_error(502, "Bad gateway");
}

/// Addresses beside what was done. A caller that gets an error instead does it again.
#[tokio::test]
async fn api_13_an_answer_that_is_no_redirect_passes_without_an_address_elsewhere() {
    for fields in [
        "Location: https://evil.example/x",
        "Content-Location: https://evil.example/x",
        "Location: /a\r\nLocation: /a",
        "Content-Location: /a b",
        "Content-Location: /\u{fc}",
    ] {
        for (method, status) in [("PUT", "201 Created"), ("GET", "200 OK")] {
            let fields = format!("{fields}\r\nETag: \"a\"\r\n");
            let answer = got_by(method, status, fields.clone()).await;
            assert_eq!(answer.status.to_string(), status[..3], "{fields}: {answer:?}");
            assert_eq!(answer.header("location"), None, "{fields}");
            assert_eq!(answer.header("content-location"), None, "{fields}");
            assert_eq!(answer.header("etag"), Some("\"a\""), "{fields}");
        }
    }
}

#[tokio::test]
async fn api_13_a_write_that_is_answered_by_a_redirect_elsewhere_may_be_done() {
    let elsewhere = || "Location: https://evil.example/\r\n".to_owned();
    for (method, status, warns) in [
        ("PUT", "302 Found", true),
        ("DELETE", "303 See Other", true),
        ("MKCOL", "302 Found", true),
        // What these ask for is not done.
        ("PUT", "308 Permanent Redirect", false),
        ("GET", "302 Found", false),
    ] {
        let message = got_by(method, status, elsewhere()).await.assert_error(502, "Bad gateway");
        assert!(message.contains("answered with a redirect"), "{message}");
        let is_warned = message.contains("look before you repeat it");
        assert_eq!(is_warned, warns, "{method} {status}: {message}");
    }
}

#[tokio::test]
async fn api_13_the_servers_address_for_browsers_is_its_own() {
    let recorder = Recorder::with(|seen| {
        let fields = "Location: https://cloud.example/remote.php/dav/files/alice/x\r\n";
        seen.answer("302 Found", fields, "")
    })
    .await;
    let gateway = start_with(&recorder.url, |settings, _| {
        settings.groupware_public_url = Some("https://cloud.example".parse().unwrap());
    })
    .await;
    let answer = call(&gateway, "alice", &format!("GET {FILE}"), "", "").await;
    let location = Some("/remote.php/dav/files/alice/x");
    assert_eq!((answer.status, answer.header("location")), (302, location));
}

#[tokio::test]
async fn api_13_a_body_is_passed_on_in_its_coding() {
    // No gzip, and nobody here looks.
    let answer = got("200 OK", "Content-Encoding: gzip\r\n".into()).await;
    assert_eq!(answer.header("content-encoding"), Some("gzip"));
    assert_eq!(answer.body, "{\"a\":\"SERVER\"}");
}

#[tokio::test]
async fn api_13_an_answer_that_is_no_http_is_502() {
    for answer in [
        "HTTP/1.1 200 OK\r\nX-User-Id: alice\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nok",
        "HTTP/1.1 200 OK\r\nX-User-Id: alice\r\nContent-Length: -1\r\n\r\nok",
        "HTTP/1.1 200 OK\r\nX-User-Id: alice\r\nContent-Length: +2\r\n\r\nok",
        "HTTP/1.1 200 OK\r\nX-User-Id: alice\r\nETag: a\0b\r\nContent-Length: 2\r\n\r\nok",
        "HTTP/1.1 200 OK\r\nX-User-Id: alice\r\nNo colon\r\nContent-Length: 2\r\n\r\nok",
        "HTTP/1.1 2000 OK\r\nX-User-Id: alice\r\nContent-Length: 2\r\n\r\nok",
        "HTTP/1.1 099 OK\r\nX-User-Id: alice\r\nContent-Length: 2\r\n\r\nok",
    ] {
        let recorder = Recorder::with(|_| answer.into()).await;
        let gateway = start(&recorder.url).await;
        let got = call(&gateway, "alice", &format!("GET {FILE}"), "", "").await;
        got.assert_error(502, "Bad gateway");
    }
    // Nobody asked for another protocol.
    for status in ["101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade"] {
        let recorder = Recorder::with(move |seen| seen.answer(status, "", "")).await;
        let gateway = start(&recorder.url).await;
        let got = call(&gateway, "alice", &format!("GET {FILE}"), "", "").await;
        got.assert_error(502, "Bad gateway");
    }
}
