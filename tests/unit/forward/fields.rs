//! Header fields in both directions, and what is decided by them.

use super::*;

#[test]
fn of_the_fields_only_those_listed_are_sent() {
    let hostile = [
        "Authorization: Bearer a",
        "XAuthorization: Basic a",
        "X-Authorization: Basic a",
        "AUTHORIZATION-APP-API: a",
        "EX-APP-ID: a",
        "EX-APP-VERSION: 1",
        "AA-VERSION: 1",
        "Cookie: nc_session=a",
        "requesttoken: a",
        "X-Nextcloud-Federation: 1",
        "X-Forwarded-For: 127.0.0.1",
        "X-Forwarded-Host: evil",
        "X-Forwarded-Proto: https",
        "X-Forwarded-Port: 1",
        "X-Forwarded-Uri: /allowed",
        "X-Forwarded-Prefix: /x",
        "Forwarded: for=127.0.0.1",
        "X-Real-IP: 127.0.0.1",
        "X-Original-URL: /denied",
        "X-Rewrite-URL: /denied",
        "X-Sabre-Original-Method: HEAD",
        "Proxy-Authorization: Basic a",
        "X-Requested-With: XMLHttpRequest",
        "Origin: https://evil.example",
        "X_Forwarded_For: 127.0.0.1",
        "X-Forwarded_For: 127.0.0.1",
        "OCS_APIREQUEST: true",
        "AUTHORIZATION_APP_API: a",
        "Content_Type: a",
        "X-HTTP-Method-Override: DELETE",
        "X-HTTP-Method: DELETE",
        "X-Method-Override: DELETE",
        "User-Agent: mirall",
        "X-Request-Id: a",
        "Host: evil.example",
        "Content-Length: 5",
        "Transfer-Encoding: chunked",
        "TE: trailers",
        "Trailer: Authorization",
        "Upgrade: h2c",
        "Keep-Alive: 1",
        "Expect: 100-continue",
        "Via: 1.1 a",
        "x-middleware-subrequest: a",
        "X-File-Path: /a",
        // Of methods that have no second path.
        "Destination: /cloud/remote.php/dav/files/bob/a",
    ];
    let sent = ask("GET", "/remote.php/dav/files/alice/a", &hostile).unwrap().headers;
    assert!(sent.is_empty(), "{sent:?}");

    let friendly = [
        "Accept: */*",
        "accept-encoding: gzip",
        "If-Match: \"a\"",
        "If-None-Match: \"b\"",
        "Range: bytes=0-1",
        "If-Range: \"a\"",
        "OCS-APIRequest: true",
        "Content-Type: text/plain",
        "Content-Range: bytes 0-1/2",
        "OC-Checksum: SHA1:a",
        "X-OC-MTime: 1",
        "Overwrite: F",
        "Timeout: Second-1",
        "Lock-Token: <a>",
        "X-NC-Files: a",
        "X-NC-Files: b",
        "OC-Total-Length: 2",
        "X-NC-WebDAV-Auto-Mkcol: 1",
        "Depth: 0",
        "Prefer: return=minimal",
    ];
    let sent = ask("PUT", "/remote.php/dav/files/alice/a", &friendly).unwrap().headers;
    assert_eq!(sent, map(&friendly));
}

#[test]
fn nothing_that_connection_names_is_sent() {
    let fields = [
        "Connection: close, Depth , If-Match",
        "Connection: overwrite",
        "Depth: 0",
        "If-Match: a",
        "Overwrite: F",
    ];
    let sent = ask("DELETE", "/remote.php/dav/files/alice/a", &fields).unwrap().headers;
    assert!(sent.is_empty(), "{sent:?}");
    // What the rule needs is then missing for it, too.
    let hidden = |name: &str, method| {
        let connection = format!("Connection: {name}");
        let fields = ["Depth: 0", "Destination: /cloud/remote.php/dav/files/alice/b", &*connection];
        ask(method, "/remote.php/dav/files/alice/a", &fields).unwrap_err()
    };
    assert_eq!(hidden("depth", "PROPFIND"), Refused::Depth);
    assert_eq!(hidden("Destination", "MOVE"), Refused::Malformed("destination", "it is missing"));
}

#[test]
fn fields_that_decide_are_there_once() {
    for (method, field) in [
        ("PROPFIND", "Depth: 0"),
        ("MOVE", "Destination: /cloud/remote.php/dav/files/alice/b"),
        ("PUT", "If: (<a>)"),
    ] {
        let path = "/remote.php/dav/files/alice/a";
        assert!(ask(method, path, &[field]).is_ok());
        assert!(ask(method, path, &[field, field]).is_err(), "{field}");
    }
}

#[test]
fn propfind_has_a_depth_that_ends() {
    let asked = |fields: &[&str]| {
        ask("PROPFIND", "/remote.php/dav/files/alice/", fields).map(|it| it.headers)
    };
    for depth in [
        "Depth: infinity",
        "Depth: Infinity",
        "Depth: 2",
        "Depth: 1,noroot",
        "Depth: ",
        "Depth: 01",
        "Depth: 0, infinity",
    ] {
        assert_eq!(asked(&[depth]).unwrap_err(), Refused::Depth, "{depth}");
    }
    assert_eq!(asked(&[]).unwrap_err(), Refused::Depth);
    assert_eq!(asked(&["Depth: 1"]).unwrap(), map(&["Depth: 1"]));
    assert!(FINITE_DEPTH.contains("propfind-finite-depth"));
}

#[test]
fn only_a_file_that_is_put_may_be_encoded() {
    let gzip = &["Content-Encoding: gzip", "Depth: 0"];
    assert!(ask("PUT", "/remote.php/dav/files/alice/a", gzip).is_ok());
    for (method, path) in [
        ("PUT", "/remote.php/dav/calendars/alice/personal/a.ics"),
        ("PUT", "/apps/notes/api/v1/notes/1"),
        ("POST", "/apps/notes/api/v1/notes"),
        ("PROPFIND", "/remote.php/dav/files/alice/"),
        ("REPORT", "/remote.php/dav/files/alice/"),
        ("PROPPATCH", "/remote.php/dav/files/alice/a"),
        ("MKCOL", "/remote.php/dav/files/alice/b"),
    ] {
        assert!(matches!(ask(method, path, gzip), Err(Refused::Forbidden(_))), "{method} {path}");
    }
}

#[test]
fn answers_pass_only_what_is_listed() {
    let passed = |fields: &[&str]| answered(200, fields);
    let hidden = [
        "Set-Cookie: nc_session=a",
        "Clear-Site-Data: \"*\"",
        "WWW-Authenticate: Basic realm=\"Nextcloud\"",
        "X-NC-Auth-NotConfirmed: true",
        "X-Nextcloud-Bruteforce-Throttled: 1ms",
        "X-Debug-Token: a",
        "Server-Timing: a",
        "Access-Control-Allow-Origin: *",
        "Server: nginx",
        "X-Powered-By: PHP",
        "X-Request-Id: a",
        "Transfer-Encoding: chunked",
        "Refresh: 0; url=https://evil.example",
        "Strict-Transport-Security: a",
        "X_Chat_a: b",
        "Connection: etag, x-chat-last-given",
        "ETag: \"a\"",
        "X-Chat-Last-Given: 1",
    ];
    assert!(passed(&hidden).unwrap().is_empty());
    let shown = [
        "DAV: 1",
        "ETag: \"a\"",
        "OC-FileId: 1",
        "Content-Type: text/xml",
        "Content-Length: 5",
        "Cache-Control: no-cache",
        "Expires: 0",
        "Content-Disposition: attachment",
        "X-Chat-Last-Given: 1",
        "X-Notes-API-Versions: 1.3",
        "Lock-Token: <a>",
        "Retry-After: 1",
        "Vary: Brief",
        "Vary: Prefer",
    ];
    assert_eq!(passed(&shown).unwrap(), map(&shown));
}

#[test]
fn an_answer_redirects_to_a_path_on_this_host_only() {
    let to = |field: &str| answered(302, &[field]);
    let created = |field: &str| answered(201, &[field]);
    for (location, path) in [
        ("https://cloud.example.org/cloud/a?b=c", "/cloud/a?b=c"),
        ("http://cloud.example.org/a;b", "/a%3Bb"),
        ("/cloud/core/img/a.svg", "/cloud/core/img/a.svg"),
        ("https://cloud.example.org", "/"),
    ] {
        assert_eq!(
            to(&format!("Location: {location}")),
            Some(map(&[&format!("Location: {path}")]))
        );
    }
    for location in [
        "https://evil.example/",
        "//evil.example/",
        "/\\evil.example/",
        "https://cloud.example.org@evil.example/",
        "a",
        "",
        "javascript:alert(1)",
        "https://gate.example.org:8443/cloud/a",
        "/a/../b",
        "https://cloud.example.org.evil.example/",
        "/a b",
    ] {
        assert_eq!(to(&format!("Location: {location}")), None, "{location}");
        // Nobody has to go there.
        let left_out = Some(HeaderMap::new());
        assert_eq!(to(&format!("Content-Location: {location}")), left_out, "{location}");
        assert_eq!(created(&format!("Location: {location}")), left_out, "{location}");
    }
    assert_eq!(created("Location: /a"), Some(map(&["Location: /a"])));
    let twice = ["Location: /a", "Location: /a"];
    assert_eq!(answered(302, &twice), None);
    assert_eq!(answered(201, &twice), Some(HeaderMap::new()));
    assert_eq!(
        to("Content-Location: /cloud/remote.php/dav/comments/files/1/2"),
        Some(map(&["Content-Location: /cloud/remote.php/dav/comments/files/1/2"]))
    );
}

#[test]
fn what_has_no_body_is_sent_without_one() {
    let body = |method, path| ask(method, path, &["Depth: 0"]).unwrap().body;
    let home = "/remote.php/dav/calendars/alice/personal";
    for method in ["GET", "HEAD", "OPTIONS"] {
        assert_eq!(body(method, home), Body::None);
    }
    for method in ["PROPFIND", "POST", "DELETE"] {
        assert_eq!(body(method, home), Body::Stream);
    }
    let family = Family::Calendar;
    assert_eq!(body("REPORT", home), Body::Check(family));
    assert_eq!(body("MKCALENDAR", home), Body::Check(family));
    assert_eq!(body("MKCOL", home), Body::Check(family));
    assert_eq!(body("PROPPATCH", home), Body::Check(family));
    assert_eq!(body("PROPPATCH", "/remote.php/dav/files/alice/a"), Body::Stream);
}
