//! Paths that two readers may read differently.

use super::super::recorder::Recorder;
use super::super::{head, start};
use super::{assert_alive, statuses};

/// What happens to a path.
#[derive(Clone, Copy, Debug)]
enum Fate {
    /// Nothing is sent.
    Refused,
    /// It arrives as this.
    Sent(&'static str),
}
use Fate::{Refused, Sent};

const PATHS: &[(&str, Fate)] = &[
    // Dot segments.
    ("/remote.php/dav/files/alice/../bob/x", Refused),
    ("/remote.php/dav/files/alice/../../calendars/alice/", Refused),
    ("/apps/notes/api/v1/notes/../../../../settings", Refused),
    ("/x/../remote.php/dav/files/alice/x", Refused),
    ("/remote.php/dav/files/alice/..", Refused),
    ("/remote.php/dav/files/alice/%2e%2e/bob/x", Refused),
    ("/remote.php/dav/files/alice/.%2e/bob/x", Refused),
    ("/remote.php/dav/files/alice/%2E./bob/x", Refused),
    ("/./remote.php/dav/files/alice/x", Refused),
    ("/remote.php/./dav/files/alice/x", Refused),
    ("/remote.php/dav/files/alice/.", Refused),
    ("/apps/notes/api/v1/notes/%2e", Refused),
    // These are names, which are decoded once.
    (
        "/remote.php/dav/files/alice/%252e%252e/bob",
        Sent("/remote.php/dav/files/alice/%252e%252e/bob"),
    ),
    ("/remote.php/dav/files/alice/...", Sent("/remote.php/dav/files/alice/...")),
    ("/remote.php/dav/files/alice/..x", Sent("/remote.php/dav/files/alice/..x")),
    // Slashes that are none, or are too many.
    ("/remote.php/dav/files%2Falice/x", Refused),
    ("/remote.php%2Fdav/files/alice/x", Refused),
    ("/remote.php/dav/files/alice/a%2fb", Refused),
    ("/remote.php/dav/files/alice%2f..%2fbob/x", Refused),
    ("/ocs/v2.php/cloud%2Fuser", Refused),
    ("/ocs/v2.php%2Fcloud/user", Refused),
    ("/ocs/v2.php/apps%2Fspreed/api/v4/room", Refused),
    ("/apps/notes/api/v1/notes%2f..%2f..", Refused),
    ("/remote.php/dav/files/alice/a%252Fb", Sent("/remote.php/dav/files/alice/a%252Fb")),
    ("//remote.php/dav/files/alice/x", Refused),
    ("//ocs/v2.php/cloud/user", Refused),
    ("/remote.php/dav/files/alice//x", Refused),
    ("/apps//notes/api/v1/notes", Refused),
    ("/remote.php/dav/files//alice/x", Refused),
    ("/remote.php/dav/files/alice/x//", Refused),
    ("/remote.php/dav/files/alice\\..\\bob", Refused),
    ("/remote.php/dav/files/alice/a%5cb", Refused),
    ("/remote.php/dav/files/alice/..%5Cbob", Refused),
    // A semicolon is a letter.
    ("/remote.php/dav/files/alice/..;/x", Sent("/remote.php/dav/files/alice/..%3B/x")),
    ("/remote.php/dav/files/alice/a;b=c", Sent("/remote.php/dav/files/alice/a%3Bb%3Dc")),
    ("/remote.php/dav/files/alice/%3bx", Sent("/remote.php/dav/files/alice/%3Bx")),
    ("/remote.php/dav/files/alice;x/f", Refused),
    ("/apps/notes;x/api/v1/notes", Refused),
    ("/apps/notes/api/v1/notes;x=1", Refused),
    // Blanks and controls.
    ("/remote.php/dav/files/alice/x%20", Sent("/remote.php/dav/files/alice/x%20")),
    ("/remote.php/dav/files/alice/x+y", Sent("/remote.php/dav/files/alice/x%2By")),
    ("/remote.php/dav/files/alice%20/x", Refused),
    ("/apps/notes%20/api/v1/notes", Refused),
    ("/apps/notes/api/v1/notes%20", Refused),
    ("/remote.php/dav/files/alice/x%0a", Refused),
    ("/remote.php/dav/files/alice/x%0d%0aX:%20SMUGGLED", Refused),
    ("/apps/notes/api/v1/notes%0a", Refused),
    ("/remote.php/dav/files/alice/x%00", Refused),
    ("/remote.php/dav/files/alice/x%7f", Refused),
    ("/remote.php/dav/files/alice/x%C2%85", Refused),
    ("/remote.php/dav/files/alice/x\0", Refused),
    ("/remote.php/dav/files/alice/x\x0b", Refused),
    // Where the path ends.
    ("/ocs/v2.php/cloud/user#/apps/notes/api/v1/notes", Refused),
    ("/remote.php/dav/files/alice/%23x", Sent("/remote.php/dav/files/alice/%23x")),
    ("/ocs/v2.php/cloud/user?x=/apps/notes/api/v1/notes", Refused),
    ("/ocs/v2.php/cloud/user%3f/apps/notes/api/v1/notes", Refused),
    ("/remote.php/dav/files/alice/x%3f/y", Sent("/remote.php/dav/files/alice/x%3F/y")),
    ("/apps/notes/api/v1/notes?x=/../..//a%2fb", Sent("/apps/notes/api/v1/notes?x=/../..//a%2fb")),
    ("/?/remote.php/dav/files/alice/x", Refused),
    // Case, and letters that need no escape.
    ("/APPS/notes/api/v1/notes", Refused),
    ("/apps/Notes/api/v1/notes", Refused),
    ("/remote.php/DAV/files/alice/x", Refused),
    ("/remote.php/dav/files/ALICE/x", Refused),
    ("/%61pps/notes/api/v1/notes", Sent("/apps/notes/api/v1/notes")),
    ("/index.php/%61pps/notes/api/v1/notes", Sent("/index.php/apps/notes/api/v1/notes")),
    ("/remote.php/%64av/files/%61lice/x", Sent("/remote.php/dav/files/alice/x")),
    ("/remote.php/dav/files/%2561lice/x", Refused),
    ("/apps/notes/api/v1/notes.", Refused),
    ("/apps/notes/api/v1/notes%2e", Refused),
    ("/apps/notes/api/v1/notes/.php", Refused),
    ("/apps/notes/api/v1/notes/", Refused),
    ("/remote.php/dav/files/alice/", Sent("/remote.php/dav/files/alice/")),
    // What is not UTF-8, or no escape.
    ("/remote.php/dav/files/alice/%c0%ae%c0%ae/bob", Refused),
    ("/remote.php/dav/files/alice/a%c0%afb", Refused),
    ("/remote.php/dav/files/alice/%ff", Refused),
    ("/remote.php/dav/files/alice/a%u002fb", Refused),
    ("/remote.php/dav/files/alice/a%", Refused),
    ("/remote.php/dav/files/alice/a%2", Refused),
    ("/remote.php/dav/files/alice/a%zz", Refused),
    ("/remote.php/dav/files/alice/ü", Refused),
    ("/remote.php/dav/files/alice/%c3%bc", Sent("/remote.php/dav/files/alice/%C3%BC")),
    // Names that only begin alike.
    ("/apps/notesX/api/v1/notes", Refused),
    ("/apps/notes-evil/api/v1/notes", Refused),
    ("/apps/notes/api/v1/notesX", Refused),
    ("/remote.php/dav/files/alice2/x", Refused),
    ("/remote.php/dav/files/alic/x", Refused),
    ("/remote.php/dav/filesX/alice/x", Refused),
    ("/remote.phpX/dav/files/alice/x", Refused),
    ("/xremote.php/dav/files/alice/x", Refused),
    // Other ways to the same place.
    ("/index.php/apps/notes/api/v1/notes", Sent("/index.php/apps/notes/api/v1/notes")),
    ("/remote.php/webdav/x", Sent("/remote.php/webdav/x")),
    ("/index.php/index.php/apps/notes/api/v1/notes", Refused),
    ("/index.php/remote.php/dav/files/alice/x", Refused),
    ("/ocsapp/apps/spreed/api/v4/room", Refused),
    ("/index.php/ocsapp/apps/spreed/api/v4/room", Refused),
    ("/ocs/v2.php/apps/spreed/api/v4/room", Sent("/ocs/v2.php/apps/spreed/api/v4/room")),
    ("/ocs/v1.php/cloud/user", Refused),
    ("/ocs/v3.php/apps/spreed/api/v4/room", Refused),
    ("/ocs/v2.php/index.php/apps/spreed/api/v4/room", Refused),
    ("/csrftoken", Refused),
    ("/index.php/csrftoken", Refused),
    ("/login/v2", Refused),
    ("/status.php", Refused),
    ("/cron.php", Refused),
    ("/", Refused),
];

#[tokio::test]
async fn api_13_a_path_arrives_as_it_was_judged_or_not_at_all() {
    let recorder = Recorder::start().await;
    let gateway = start(&recorder.url).await;
    for &(path, fate) in PATHS {
        let request = head(&gateway, "alice", &format!("GET {path}"), "Connection: close\r\n\r\n");
        let got = statuses(&gateway, request.as_bytes()).await;
        match fate {
            Refused => {
                assert!(matches!(got[..], [400 | 403 | 404 | 405]), "{path:?}: {got:?}");
                recorder.assert_nothing_arrived(path);
            }
            Sent(path) => {
                assert_eq!(got, [200], "{path}");
                assert_eq!(recorder.take_one().head.line, format!("GET {path} HTTP/1.1"));
            }
        }
    }
    assert_alive(&gateway, &recorder).await;
}

#[tokio::test]
async fn api_13_a_raw_byte_that_is_no_letter_is_refused() {
    let recorder = Recorder::start().await;
    let gateway = start(&recorder.url).await;
    for byte in (0..=0x20_u8).chain(0x7f..=0xff) {
        let mut request = b"GET /remote.php/dav/files/alice/a".to_vec();
        request.push(byte);
        let rest = head(&gateway, "alice", "b", "Connection: close\r\n\r\n");
        request.extend(rest.as_bytes());
        let got = statuses(&gateway, &request).await;
        assert!(matches!(got[..], [] | [400]), "{byte:#x}: {got:?}");
        recorder.assert_nothing_arrived("a raw byte");
    }
    assert_alive(&gateway, &recorder).await;
}

#[tokio::test]
async fn api_13_the_form_of_a_target_changes_nothing() {
    let recorder = Recorder::start().await;
    let gateway = start(&recorder.url).await;
    let notes = "/apps/notes/api/v1/notes";
    let token = gateway.token("alice");
    let login = format!("Authorization: Bearer {token}\r\nConnection: close\r\n\r\n");
    for (start, hosts, arrives) in [
        (format!("GET http://gateway{notes}"), "Host: gateway\r\n", true),
        // RFC 9112, section 3.2.2: then the field does not count.
        (format!("GET http://other{notes}"), "Host: gateway\r\n", true),
        ("GET http://gateway/ocs/v2.php/cloud/user".into(), "Host: gateway\r\n", false),
        (format!("GET gateway{notes}"), "Host: gateway\r\n", false),
        (format!("GET http://SMUGGLED@gateway{notes}"), "Host: gateway\r\n", false),
        ("CONNECT gateway:443".into(), "Host: gateway:443\r\n", false),
        (format!("CONNECT {notes}"), "Host: gateway\r\n", false),
        ("OPTIONS *".into(), "Host: gateway\r\n", false),
        ("GET *".into(), "Host: gateway\r\n", false),
        (format!("GET {notes}"), "Host: gateway\r\nHost: gateway\r\n", false),
        (format!("GET {notes}"), "Host: gateway\r\nHost: other\r\n", false),
        (format!("GET {notes}"), "", false),
        (format!("GET {notes}"), "Host: 127.0.0.1:1\r\n", true),
        (format!("GET {notes}"), "Host: SMUGGLED\r\n", true),
    ] {
        let request = format!("{start} HTTP/1.1\r\n{hosts}{login}");
        let got = statuses(&gateway, request.as_bytes()).await;
        assert_eq!(got == [200], arrives, "{start} {hosts}: {got:?}");
        if arrives {
            assert_eq!(recorder.take_one().head.line, format!("GET {notes} HTTP/1.1"));
        }
        recorder.assert_nothing_arrived(&start);
    }
    assert_alive(&gateway, &recorder).await;
}
