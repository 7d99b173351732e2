//! The second path of a request: `Destination`, and the tags of `If`. It is judged like the first.

use super::super::recorder::Recorder;
use super::super::{call, start_with};
use super::assert_alive;
use crate::support::gateway::TestGateway;

const FROM: &str = "/remote.php/dav/files/alice/from";
const TO: &str = "/remote.php/dav/files/alice/to";

async fn start() -> (Recorder, TestGateway) {
    let recorder = Recorder::start().await;
    let gateway = start_with(&recorder.url, |settings, _| {
        settings.public_url = Some("https://gate.example".parse().unwrap());
    })
    .await;
    (recorder, gateway)
}

/// What the path of a URI must be, wherever its host is that of the server.
fn path_of<'a>(uri: &'a str, recorder: &Recorder) -> &'a str {
    uri.strip_prefix(&*recorder.url).unwrap_or(uri)
}

#[tokio::test]
async fn api_13_a_destination_arrives_as_it_was_judged() {
    let (recorder, gateway) = start().await;
    let to_server = format!("{}{TO}", recorder.url);
    for destination in [
        TO,
        &to_server,
        "https://gate.example/remote.php/dav/files/alice/to",
        "http://gateway/remote.php/dav/files/alice/to",
        "https://gateway/remote.php/dav/files/alice/to",
        "https://GATEWAY:443/remote.php/dav/files/alice/to",
        "/remote.php/dav/files/%61lice/to",
        "/remote.php/dav/files/alice/%74o",
    ] {
        for method in ["COPY", "MOVE"] {
            let fields = format!("Destination: {destination}\r\nOverwrite: F\r\n");
            let answer = call(&gateway, "alice", &format!("{method} {FROM}"), &fields, "").await;
            assert_eq!(answer.status, 200, "{destination}: {answer:?}");
            let seen = recorder.take_one();
            let sent = seen.head.field("destination").unwrap();
            assert_eq!(path_of(sent, &recorder), TO, "{destination}");
            assert_eq!(seen.head.field("overwrite"), Some("F"));
        }
    }
}

#[tokio::test]
async fn api_13_a_destination_elsewhere_is_refused() {
    let (recorder, gateway) = start().await;
    let port = recorder.url.rsplit(':').next().unwrap().to_owned();
    let others = [
        "",
        "x",
        "to",
        "?",
        "*",
        "/",
        "/remote.php/dav/files/bob/to",
        "/remote.php/dav/calendars/alice/c/a.ics",
        "/remote.php/dav/files/alice/../bob/to",
        "/remote.php/dav/files/alice/%2e%2e/bob/to",
        "/remote.php/dav/files/alice/%2E%2E%2Fbob/to",
        "/remote.php/dav/files/alice%2fto",
        "/remote.php/dav/files/alice/a%5cb",
        "/remote.php/dav/files//alice/to",
        "//remote.php/dav/files/alice/to",
        "///remote.php/dav/files/alice/to",
        "/remote.php/dav/files/alice/to?x",
        "/remote.php/dav/files/alice/x?../../bob/to",
        "/remote.php/dav/files/alice/to#x",
        "/remote.php/dav/files/alice/to%00",
        "/remote.php/dav/files/alice/to%0d%0aX: y",
        "/remote.php/dav/files/alice/a b",
        "/remote.php/dav/files/alice/\u{fc}",
        "/remote.php/dav/files/alice/%ff",
        "/remote.php/dav/files/alice/%zz",
        "/remote.php/dav/trashbin/alice/trash/x",
        "/ocs/v2.php/apps/spreed/api/v4/room",
        "https://evil.example/remote.php/dav/files/alice/to",
        "https://gate.example.evil.example/remote.php/dav/files/alice/to",
        "https://gate.example:1/remote.php/dav/files/alice/to",
        "https://user@gateway/remote.php/dav/files/alice/to",
        "https://gateway@evil.example/remote.php/dav/files/alice/to",
        "https://gateway:1/remote.php/dav/files/alice/to",
        "https://gateway.evil.example/remote.php/dav/files/alice/to",
        "https://gateway\\@evil.example/remote.php/dav/files/alice/to",
        "https:///remote.php/dav/files/alice/to",
        "https:/remote.php/dav/files/alice/to",
        "ftp://gateway/remote.php/dav/files/alice/to",
        "file:///remote.php/dav/files/alice/to",
        "javascript://gateway/remote.php/dav/files/alice/to",
        "/remote.php/dav/files/alice/to, /remote.php/dav/files/alice/to2",
    ];
    let on_server = [
        format!("http://127.0.0.1:{port}/remote.php/dav/files/bob/to"),
        format!("http://127.0.0.1:{port}0/remote.php/dav/files/alice/to"),
        format!("http://127.0.0.1:{port}@evil.example/remote.php/dav/files/alice/to"),
    ];
    for destination in others.into_iter().chain(on_server.iter().map(|it| &**it)) {
        for method in ["COPY", "MOVE"] {
            let fields = format!("Destination: {destination}\r\n");
            let answer = call(&gateway, "alice", &format!("{method} {FROM}"), &fields, "").await;
            let is_refused = matches!(answer.status, 400 | 403 | 404);
            assert!(is_refused, "{method} {destination:?}: {answer:?}");
            recorder.assert_nothing_arrived(destination);
        }
    }
    for method in ["COPY", "MOVE"] {
        let answer = call(&gateway, "alice", &format!("{method} {FROM}"), "", "").await;
        answer.assert_error(400, "Bad request");
        let fields = format!("Destination: {TO}\r\nDestination: {TO}2\r\n");
        let answer = call(&gateway, "alice", &format!("{method} {FROM}"), &fields, "").await;
        answer.assert_error(400, "Bad request");
        recorder.assert_nothing_arrived(method);
    }
    assert_alive(&gateway, &recorder).await;
}

#[tokio::test]
async fn api_13_a_destination_where_none_belongs_changes_nothing() {
    let (recorder, gateway) = start().await;
    let fields = "Destination: /remote.php/dav/files/bob/to\r\n";
    for method in ["PUT", "GET", "DELETE", "PROPFIND"] {
        let fields = format!("{fields}Depth: 0\r\n");
        let answer = call(&gateway, "alice", &format!("{method} {FROM}"), &fields, "").await;
        match answer.status {
            200 => assert_eq!(recorder.take_one().head.field("destination"), None, "{method}"),
            status => assert!(matches!(status, 400 | 404), "{method}: {answer:?}"),
        }
    }
    // Of an upload in chunks each request names where the file goes.
    let uploads = "/remote.php/dav/uploads/alice/u1";
    for what in
        [format!("MKCOL {uploads}"), format!("PUT {uploads}/1"), format!("MOVE {uploads}/.file")]
    {
        let answer = call(&gateway, "alice", &what, fields, "").await;
        assert!(matches!(answer.status, 400 | 403 | 404), "{what}: {answer:?}");
        recorder.assert_nothing_arrived(&what);
        let answer = call(&gateway, "alice", &what, &format!("Destination: {TO}\r\n"), "").await;
        assert_eq!(answer.status, 200, "{what}: {answer:?}");
        let seen = recorder.take_one();
        assert_eq!(path_of(seen.head.field("destination").unwrap(), &recorder), TO);
    }
}

#[tokio::test]
async fn api_13_tags_of_if_are_judged_like_destinations() {
    let (recorder, gateway) = start().await;
    let put = format!("PUT {FROM}");
    for (value, path) in [
        ("(<opaquelocktoken:a>)", None),
        ("(Not <DAV:no-lock>)", None),
        ("(<opaquelocktoken:a> [\"b\"])", None),
        ("</remote.php/dav/files/alice/from> (<opaquelocktoken:a>)", Some(FROM)),
        ("<https://gateway/remote.php/dav/files/alice/%66rom> ([\"b\"])", Some(FROM)),
    ] {
        let answer = call(&gateway, "alice", &put, &format!("If: {value}\r\n"), "").await;
        assert_eq!(answer.status, 200, "{value}: {answer:?}");
        let seen = recorder.take_one();
        let sent = seen.head.field("if").unwrap();
        let tag = sent.strip_prefix('<').filter(|_| path.is_some());
        let tag = tag.and_then(|it| it.split_once('>')).map(|(tag, _)| path_of(tag, &recorder));
        assert_eq!(tag, path, "{value}: {sent}");
    }
    for value in [
        "</remote.php/dav/files/bob/x> (<opaquelocktoken:a>)",
        "</remote.php/dav/calendars/alice/c/a.ics> (<opaquelocktoken:a>)",
        "<https://evil.example/remote.php/dav/files/alice/x> (<opaquelocktoken:a>)",
        "</remote.php/dav/files/alice/../bob/x> (<opaquelocktoken:a>)",
        "</remote.php/dav/files/alice/x> (<a>) </remote.php/dav/files/bob/x> (<a>)",
        "</remote.php/dav/files/alice/x>",
        "(<opaquelocktoken:a>",
        "(<a>) garbage",
        "(<a> <b> </remote.php/dav/files/bob/x>)",
        "",
        "()",
        "<>",
    ] {
        let answer = call(&gateway, "alice", &put, &format!("If: {value}\r\n"), "").await;
        assert!(matches!(answer.status, 400 | 403 | 404), "{value}: {answer:?}");
        recorder.assert_nothing_arrived(value);
    }
    assert_alive(&gateway, &recorder).await;
}
