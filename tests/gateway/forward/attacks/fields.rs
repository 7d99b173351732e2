//! Fields of a request: those that the server needs pass, and nothing else does.

use super::super::recorder::{NEVER, Recorder, Seen};
use super::super::{FILE, call, start, start_with};
use super::assert_alive;

/// What a client of WebDAV, CalDAV, OCS or an app sends.
const NEEDED: &[(&str, &str)] = &[
    ("depth", "1"),
    ("overwrite", "F"),
    ("timeout", "Second-3600"),
    ("lock-token", "<opaquelocktoken:a>"),
    ("if-match", "\"a\", \"b\""),
    ("if-none-match", "*"),
    ("if-modified-since", "Sat, 29 Oct 1994 19:43:31 GMT"),
    ("if-unmodified-since", "Sat, 29 Oct 1994 19:43:31 GMT"),
    ("if-range", "\"a\""),
    ("range", "bytes=0-1,4-"),
    ("prefer", "return=minimal"),
    ("brief", "t"),
    ("content-type", "text/plain; charset=utf-8"),
    ("content-range", "bytes 0-1/2"),
    ("accept", "application/json"),
    ("accept-encoding", "gzip, br"),
    ("accept-language", "de, en;q=0.5"),
    ("schedule-reply", "F"),
    ("if-schedule-tag-match", "\"a\""),
    ("oc-checksum", "SHA1:da39a3ee5e6b4b0d3255bfef95601890afd80709"),
    ("oc-total-length", "2"),
    ("oc-chunked", "1"),
    ("x-oc-mtime", "1700000000"),
    ("x-oc-ctime", "1700000000"),
    ("x-hash", "all"),
    ("x-recalculate-hash", "SHA1"),
    ("x-expected-entity-length", "2"),
    ("x-nc-webdav-auto-mkcol", "1"),
    ("x-nc-paginate", "true"),
    ("x-nc-paginate-token", "abc"),
    ("x-nc-paginate-offset", "2"),
    ("x-nc-paginate-count", "3"),
    ("x-nc-skip-trashbin", "true"),
    ("x-nc-caldav-no-trashbin", "1"),
    ("x-nc-caldav-webcal-caching", "On"),
    ("x-nc-scheduling", "false"),
    ("x-nc-files", "a.txt"),
    ("x-nc-nickname", "Alice"),
    ("x-nc-preview", "1"),
    ("x-user-lock", "1"),
    ("x-user-lock-type", "0"),
    ("ocs-apirequest", "true"),
];

/// Sends a file with these fields; what arrives.
async fn sent(fields: &str) -> Seen {
    let recorder = Recorder::start().await;
    let gateway = start(&recorder.url).await;
    let answer = call(&gateway, "alice", &format!("PUT {FILE}"), fields, "ab").await;
    assert_eq!(answer.status, 200, "{fields}: {answer:?}");
    recorder.take_one()
}

#[tokio::test]
async fn api_13_fields_that_the_server_needs_arrive() {
    let fields = NEEDED.iter().map(|(name, value)| format!("{name}: {value}\r\n"));
    let seen = sent(&fields.collect::<String>()).await;
    for &(name, value) in NEEDED {
        assert_eq!(seen.head.field(name), Some(value));
    }
    // Beside these there are only those that the gateway sets.
    let own = ["authorization", "content-length", "host", "user-agent", "x-request-id"];
    for (name, _) in &seen.head.fields {
        let is_needed = NEEDED.iter().any(|(needed, _)| needed == name);
        assert!(is_needed || own.contains(&&**name), "{name}: {seen:?}");
    }
    assert_eq!(seen.head.field("x-request-id").unwrap().len(), 32);
}

#[tokio::test]
async fn api_13_fields_that_the_server_must_not_see_do_not_arrive() {
    let fields = NEVER.iter().filter(|name| !matches!(**name, "expect" | "upgrade" | "keep-alive"));
    let fields: String = fields.map(|name| format!("{name}: SMUGGLED\r\n")).collect();
    sent(&fields).await;
    for fields in [
        // As PHP folds names.
        "Authorization_App_Api: SMUGGLED\r\nX_Forwarded_For: SMUGGLED\r\nOCS_APIREQUEST: SMUGGLED\r\n",
        "X-Forwarded_For: SMUGGLED\r\nAuthorization_: SMUGGLED\r\n_Authorization: SMUGGLED\r\n",
        "REMOTE_USER: SMUGGLED\r\nContent_Length: 0\r\nDepth_: SMUGGLED\r\n",
        "X-Sabre-Original-Method: DELETE\r\nX-Nextcloud-Federation: 1\r\nX-Requested-With: a\r\n",
        "X-Original-URL: /ocs/v2.php/cloud/user\r\nX-Rewrite-URL: /ocs/v2.php/cloud/user\r\n",
        "X-Forwarded-Uri: /a\r\nX-Forwarded-For: 10.0.0.1\r\nForwarded: for=10.0.0.1;host=a\r\n",
        "X-Http-Method-Override: DELETE\r\nX-Http-Method: DELETE\r\nX-Method-Override: DELETE\r\n",
        "Cookie: nc_session_id=1; nc_token=SMUGGLED\r\nCookie: nc_username=bob\r\n",
        "Origin: https://evil.example\r\nReferer: https://evil.example\r\n",
        "User-Agent: Mozilla/5.0 (Linux) mirall/3.16.0\r\n",
        "X-Anything-Else: SMUGGLED\r\nA: SMUGGLED\r\nX-Nc-Unknown: SMUGGLED\r\n",
        "X-Request-Id: SMUGGLED SMUGGLED\r\n",
        "TE: trailers\r\nTrailer: X\r\n",
    ] {
        let seen = sent(fields).await;
        let names = seen.head.fields.iter().map(|(name, _)| &**name);
        let known = ["content-length", "host", "authorization", "user-agent", "x-request-id"];
        let unknown: Vec<_> = names.filter(|name| !known.contains(name)).collect();
        assert!(unknown.is_empty(), "{fields}: {unknown:?}");
    }
}

#[tokio::test]
async fn api_13_what_connection_names_goes_no_further_and_nothing_else_is_lost_by_it() {
    for (named, lost) in [
        ("close, Authorization", None),
        ("X-User-Id", None),
        ("Content-Length", None),
        ("Host", None),
        ("User-Agent, X-Request-Id", None),
        ("Depth", Some("depth")),
        ("keep-alive,  overwrite , ,", Some("overwrite")),
        ("If-Match\r\nConnection: close", Some("if-match")),
    ] {
        let fields =
            format!("Depth: 0\r\nOverwrite: F\r\nIf-Match: \"a\"\r\nConnection: {named}\r\n");
        let seen = sent(&fields).await;
        for (name, value) in [("depth", "0"), ("overwrite", "F"), ("if-match", "\"a\"")] {
            let wanted = (lost != Some(name)).then_some(value);
            assert_eq!(seen.head.field(name), wanted, "{named}");
        }
        assert_eq!(seen.head.field("connection"), None, "{named}");
        assert_eq!(seen.body.bytes, b"ab", "{named}");
    }
}

#[tokio::test]
async fn api_13_a_field_that_is_judged_is_there_once() {
    let recorder = Recorder::start().await;
    let gateway = start(&recorder.url).await;
    for (method, name, values, status) in [
        ("PROPFIND", "Depth", ["0", "infinity"], 403),
        ("PROPFIND", "Depth", ["0", "0"], 403),
        ("COPY", "Destination", [FILE, "/remote.php/dav/files/bob/x"], 400),
        ("MOVE", "Destination", [FILE, FILE], 400),
        ("PUT", "If", ["(<a>)", "</remote.php/dav/files/bob/x> (<a>)"], 400),
    ] {
        let fields = values.map(|value| format!("{name}: {value}\r\n")).concat();
        let answer = call(&gateway, "alice", &format!("{method} {FILE}"), &fields, "").await;
        assert_eq!(answer.status, status, "{method} {fields}: {answer:?}");
        recorder.assert_nothing_arrived(name);
    }
    assert_alive(&gateway, &recorder).await;
}

#[tokio::test]
async fn api_13_a_method_is_what_it_says_or_nothing() {
    let recorder = Recorder::start().await;
    let gateway = start(&recorder.url).await;
    for method in [
        "get",
        "Get",
        "PROPFINDX",
        "XPROPFIND",
        "TRACE",
        "TRACK",
        "BIND",
        "ACL",
        "SEARCH",
        "POST",
        "MKCALENDAR",
        "VERSION-CONTROL",
        "LINK",
        "(target)",
        "GET/",
        "\"GET\"",
        "M-SEARCH",
    ] {
        let what = format!("{method} {FILE}");
        let status = call(&gateway, "alice", &what, "Depth: 0\r\n", "").await.status;
        assert!(matches!(status, 400 | 403 | 404 | 405), "{method}: {status}");
        recorder.assert_nothing_arrived(method);
    }
    for query in [
        "_method=DELETE",
        "a=1&_METHOD=DELETE",
        "%5fmethod=DELETE",
        "_method[]=DELETE",
        "+_method=a",
        "requesttoken=a",
        "request%74oken=a",
        "a;requesttoken=a",
        "token=a",
        "access_token=a",
        "sabreAction=put",
        "_route=a",
    ] {
        let answer = call(&gateway, "alice", &format!("GET {FILE}?{query}"), "", "").await;
        answer.assert_error(400, "Bad request");
        recorder.assert_nothing_arrived(query);
    }
    assert_alive(&gateway, &recorder).await;
}

#[tokio::test]
async fn api_13_the_callers_address_is_sent_as_the_gateway_sees_it() {
    use portreeve::gateway::ClientAddress;

    let recorder = Recorder::start().await;
    let gateway = start_with(&recorder.url, |settings, _| {
        settings.client_address = ClientAddress::forwarded([]);
    })
    .await;
    let forged = "X-Forwarded-For: 10.0.0.1\r\nForwarded: for=10.0.0.1\r\nX-Real-IP: 10.0.0.1\r\n";
    assert_eq!(call(&gateway, "alice", &format!("GET {FILE}"), forged, "").await.status, 200);
    let seen = recorder.take_unchecked();
    assert_eq!(seen[0].head.field("x-forwarded-for"), Some("127.0.0.1"));
    assert_eq!(seen[0].head.field("forwarded"), None);
}
