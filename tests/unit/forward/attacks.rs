//! What attackers send to get past rules on paths and queries. Each is refused, or reaches what the rule saw.

use super::*;

const CLOSED: &str = "/ocs/v2.php/core/apppassword";

/// Whether a request with this path, below the web root, is refused whatever the method.
fn is_refused(path: &str) -> bool {
    ["GET", "PUT", "POST", "DELETE", "PROPFIND"]
        .iter()
        .all(|method| ask(method, path, &["Depth: 0"]).is_err())
}

fn is_not_canonical(path: &str) -> bool {
    matches!(ask("GET", path, &[]), Err(Refused::Malformed("path", _)))
}

#[test]
fn no_path_has_a_second_reading() {
    let notes = "/apps/notes/api/v1/notes";
    let files = "/remote.php/dav/files/alice";
    for attack in [
        "/..",
        "/../..",
        "/../x",
        "/./x",
        "/.",
        "/%2e%2e/x",
        "/.%2e/x",
        "/%2E./x",
        "/%2e",
        "/%2e/",
        "//x",
        "//",
        "/a//b",
        "/%2fx",
        "/a%2Fb",
        "/a%2f..%2fb",
        "/a%5cb",
        "/a%5C..%5Cb",
        "/a\\b",
        "/..\\x",
        "/a%00",
        "/a%00.jpg",
        "/a%0a",
        "/a%0d",
        "/a%09",
        "/a%7f",
        "/%c2%85",
        "/%c0%ae%c0%ae/x",
        "/%c0%af",
        "/%ff",
        "/%e0%80%af",
        "/%u002f",
        "/%",
        "/a%",
        "/a%2",
        "/%zz",
        "/%2g",
    ] {
        for base in [notes, files, CLOSED] {
            let path = format!("{base}{attack}");
            assert!(is_not_canonical(&path), "{path}");
        }
    }
    assert!(is_not_canonical(&format!("/.{files}/../../..{CLOSED}")));
    for path in
        ["//apps/notes/api/v1/notes", "/./apps/notes/api/v1/notes", "/x/../apps/notes/api/v1/notes"]
    {
        assert!(is_not_canonical(path), "{path}");
    }
    // Characters that are no URI's, and bytes beyond ASCII.
    for path in ["/cloud/apps/notes/api/v1/notes/\u{fc}", "/cloud/apps/\u{2025}/"] {
        assert!(ask_with(everything(), "GET", path, &[]).is_err());
    }
}

#[test]
fn other_spellings_reach_what_the_rule_saw_or_nothing() {
    // Decoded once: what is left is a letter, and is encoded again.
    for (path, sent) in [
        ("/remote.php/dav/files/alice/%252e%252e/x", "/remote.php/dav/files/alice/%252e%252e/x"),
        ("/remote.php/dav/files/alice/a%252fb", "/remote.php/dav/files/alice/a%252fb"),
        ("/remote.php/dav/files/alice/..;/x", "/remote.php/dav/files/alice/..%3B/x"),
        ("/remote.php/dav/files/alice/a;b=1", "/remote.php/dav/files/alice/a%3Bb%3D1"),
        ("/remote.php/dav/files/alice/%3bx", "/remote.php/dav/files/alice/%3Bx"),
        ("/remote.php/dav/files/alice/a%3Fb%23c", "/remote.php/dav/files/alice/a%3Fb%23c"),
        ("/remote.php/dav/files/alice/a%20", "/remote.php/dav/files/alice/a%20"),
        ("/remote.php/dav/files/alice/...", "/remote.php/dav/files/alice/..."),
        ("/remote.php/dav/files/alice/%C3%BC", "/remote.php/dav/files/alice/%C3%BC"),
        ("/remote.php/%64av/%66iles/%61lice/a", "/remote.php/dav/files/alice/a"),
        ("/remote.php/dav/files/alice/a?x=/../..", "/remote.php/dav/files/alice/a?x=/../.."),
        ("/index.php/%61pps/notes/api/v1/notes", "/index.php/apps/notes/api/v1/notes"),
        ("/remote.php/dav/files/alice/a#/../b", "/remote.php/dav/files/alice/a"),
    ] {
        let forwarded = ask("GET", path, &[]).unwrap();
        assert_eq!(forwarded.path_and_query, format!("/cloud{sent}"));
    }
    for path in [
        "/apps%2Fnotes/api/v1/notes",
        "/ocs/v2.php%2Fapps/spreed/api/v4/room",
        "/ocs%2Fv2.php/apps/spreed/api/v4/room",
        "/index.php%2Fapps/notes/api/v1/notes",
        "/remote.php%2Fdav/files/alice/a",
        "/remote.php/dav%2Ffiles/alice/a",
        "/remote.php/dav/files%2Falice/a",
        "/apps/notesX/api/v1/notes",
        "/apps/notes-evil/api/v1/notes",
        "/apps/notes/api/v1/notes;x",
        "/apps/notes;x/api/v1/notes",
        "/apps/notes/api/v1/notes%20",
        "/apps/notes/api/v1/notes/%20",
        "/apps/notes/api/v1/notes/17%20",
        "/apps/notes/api/v1/notes/",
        "/apps/notes/api/v1/notes.",
        "/apps/notes/api/v1/notes%2e",
        "/apps/notes/api/v1",
        "/apps/notes/api/v1notes",
        "/apps/notes",
        "/APPS/notes/api/v1/notes",
        "/apps/Notes/api/v1/notes",
        "/apps/%4eotes/api/v1/notes",
        "/INDEX.PHP/apps/notes/api/v1/notes",
        "/OCS/v2.php/apps/spreed/api/v4/room",
        "/ocs/v3.php/apps/spreed/api/v4/room",
        "/index.php/settings/notes/api/v1/notes",
        "/index.php/ocs/v2.php/apps/spreed/api/v4/room",
        "/index.php/index.php/apps/notes/api/v1/notes",
        "/index.php/remote.php/dav/files/alice/a",
        "/remote.php/DAV/files/alice/a",
        "/remote.php/dav/files/alice2/a",
        "/remote.php/dav/files/alic/a",
        "/remote.php/dav/files/ALICE/a",
        "/remote.php/dav/files/alice%20/a",
        "/remote.php/dav/files/alice%3B/a",
        "/remote.php/dav/Files/alice/a",
        "/remote.phpx/dav/files/alice/a",
        "/ocs/v2.php/apps/spreed/api/v4/room/ABC4",
        "/apps/deck/api/v1.0/boards/+3",
        "/apps/deck/api/v1.0/boards/\u{663}",
        "/apps/deck/api/v1.0/boards/%D9%A3",
        "/denied#/apps/notes/api/v1/notes",
        "/core?x=/apps/notes/api/v1/notes",
        "/core%3f/apps/notes/api/v1/notes",
    ] {
        assert!(is_refused(path), "{path}");
    }
}

#[test]
fn only_the_path_of_an_absolute_target_counts() {
    let path = "/cloud/apps/notes/api/v1/notes";
    let forwarded =
        ask_with(everything(), "GET", &format!("http://evil.example{path}"), &[]).unwrap();
    assert_eq!(forwarded.path_and_query, path);
    assert!(
        ask_with(everything(), "GET", &format!("http://evil.example/denied?{path}"), &[]).is_err()
    );
    assert!(ask_with(everything(), "OPTIONS", "*", &[]).is_err());
    assert!(ask_with(everything(), "CONNECT", "cloud.example.org:443", &[]).is_err());
}

#[test]
fn a_query_has_no_parameter_that_the_server_reads_on_any_route() {
    let asked = |query: &str| ask("GET", &format!("/apps/notes/api/v1/notes?{query}"), &[]);
    for query in ["category=a%20b&chunkSize=10", "x=requesttoken", "format=json", "", "a=b;c"] {
        let sent = asked(query).unwrap().path_and_query;
        assert_eq!(sent, format!("/cloud/apps/notes/api/v1/notes?{query}"));
    }
    for query in [
        "requesttoken=a",
        "a=b&requesttoken",
        "requestToken=a",
        "request%74oken=a",
        "requesttoken[]=a",
        "+requesttoken=a",
        "requesttoken%00x=a",
        "a=b;requesttoken=c",
        "token=a",
        "access_token=a",
        "_method=DELETE",
        ".method=DELETE",
        "+%2Eroute=a",
        "sabreAction=mkcol",
    ] {
        assert!(matches!(asked(query), Err(Refused::Malformed("path", _))), "{query}");
    }
    assert!(asked("a=\u{fc}").is_err());
    let many = |count: usize| asked(&vec!["a=1"; count].join("&"));
    assert!(many(500).is_ok() && many(501).is_err());
}
