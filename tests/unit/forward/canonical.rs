//! For any bytes as a path, what is sent is read by the server as the rule read it. The two readers here are written after the
//! server's own, not after the gateway's.

use percent_encoding::percent_decode_str;
use proptest::prelude::*;

use super::super::routes;
use super::*;

/// The router of apps and OCS: slashes in a row are one, all up to the first question mark is decoded once, and only then
/// cut at its slashes. Dot segments are names.
fn as_the_router_reads(sent: &str) -> Vec<String> {
    let mut path = sent.split('?').next().unwrap().to_owned();
    while path.contains("//") {
        path = path.replace("//", "/");
    }
    let decoded = percent_decode_str(&path).decode_utf8().unwrap().into_owned();
    decoded.trim_matches('/').split('/').map(str::to_owned).collect()
}

/// WebDAV: a URI is cut at its slashes, dot segments resolved; then all of it is decoded, slashes too. Bytes that are not
/// UTF-8 are read as Latin-1.
fn as_dav_reads(sent: &str) -> Vec<String> {
    let path = match sent.find("://") {
        Some(at) => sent[at + 3..].find('/').map_or("", |slash| &sent[at + 3 + slash..]),
        None => sent,
    };
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/').filter(|part| !part.is_empty()) {
        match part {
            "." => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    let bytes: Vec<u8> = percent_decode_str(&parts.join("/")).collect();
    let decoded = String::from_utf8(bytes.clone());
    let decoded = decoded.unwrap_or_else(|_| bytes.iter().copied().map(char::from).collect());
    decoded.split('/').map(str::to_owned).collect()
}

/// What the sent path, with the web root, is for the server; and whether the rule allows that.
fn check(sent: &str, method: &str) {
    let read = as_the_router_reads(sent);
    assert_eq!(read, as_dav_reads(sent.split('?').next().unwrap()), "{sent}");
    assert_eq!(read[0], "cloud", "{sent}");
    let dots = read.iter().any(|segment| matches!(&**segment, "" | "." | ".."));
    assert!(!dots, "{sent}");
    let route = routes::at(&read[1..].join("/"), Some("alice")).expect(sent);
    assert!(route.access(method).is_some(), "{method} {sent}");
    assert!(sent.bytes().all(|byte| byte.is_ascii_graphic()), "{sent}");
}

const PIECES: &[&str] = &[
    "/",
    "/",
    "/",
    "//",
    ".",
    "..",
    "%2e",
    "%2E%2e",
    "%2f",
    "%5c",
    "\\",
    ";",
    "%3b",
    "%00",
    "%0a",
    "%25",
    "%252e",
    "%c0%ae",
    "%ff",
    "%",
    "%zz",
    "?",
    "#",
    "%3f",
    "%23",
    " ",
    "%20",
    "+",
    "@",
    ":",
    "a",
    "17",
    "alice",
    "bob",
    "x.php",
    "ü",
    "%C3%BC",
    "cloud",
    "remote.php",
    "dav",
    "files",
    "calendars",
    "personal",
    "apps",
    "index.php",
    "ocs",
    "v2.php",
    "notes",
    "api",
    "v1",
    "core",
    "apppassword",
    "ocsapp",
];

const STARTS: &[&str] = &[
    "",
    "/cloud/remote.php/dav/files/alice/",
    "/cloud/remote.php/dav/calendars/alice/",
    "/cloud/apps/notes/api/v1/notes/",
    "/cloud/index.php/apps/deck/api/v1.0/boards/3/",
    "/cloud/ocs/v2.php/apps/collectives/api/v1.0/collectives/",
];

fn paths() -> impl Strategy<Value = Vec<u8>> {
    let pieces = proptest::collection::vec(proptest::sample::select(PIECES), 0..9);
    let pieces = (proptest::sample::select(STARTS), pieces);
    let pieces =
        pieces.prop_map(|(start, pieces)| (start.to_owned() + &pieces.concat()).into_bytes());
    let start = proptest::sample::select(STARTS);
    let bytes = (start, proptest::collection::vec(any::<u8>(), 0..12));
    let bytes = bytes.prop_map(|(start, bytes)| [start.as_bytes(), &bytes].concat());
    prop_oneof![3 => pieces, 1 => bytes]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 10_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_sent_is_what_the_rule_read(path in paths(), method in proptest::sample::select(vec!["GET", "PUT", "PROPFIND"])) {
        let Ok(uri) = http::Uri::try_from(path) else {
            return Ok(());
        };
        let mut head = Request::new(()).into_parts().0;
        (head.method, head.uri, head.headers) = (method.parse().unwrap(), uri, map(&["Depth: 0"]));
        let server = server();
        if let Ok(forwarded) = decide(&head, &context(&server, everything())) {
            check(forwarded.path_and_query.as_str(), method);
        }
    }

    #[test]
    fn so_is_a_destination(path in paths(), has_host in any::<bool>()) {
        let host: &[u8] = if has_host { b"https://cloud.example.org" } else { b"" };
        let Ok(value) = HeaderValue::from_bytes(&[host, &path].concat()) else {
            return Ok(());
        };
        let mut head = Request::new(()).into_parts().0;
        (head.method, head.uri) = ("MOVE".parse().unwrap(), "/cloud/remote.php/dav/files/alice/a".parse().unwrap());
        head.headers.insert("destination", value);
        let server = server();
        if let Ok(forwarded) = decide(&head, &context(&server, everything())) {
            let sent = forwarded.headers["destination"].to_str().unwrap();
            let path = sent.strip_prefix("https://cloud.example.org").unwrap();
            check(path, routes::TARGET);
            prop_assert_eq!(as_dav_reads(sent), as_the_router_reads(path));
        }
    }
}

/// The readers find what the server finds, so that the properties can fail.
#[test]
fn the_readers_read_as_the_server_does() {
    let router = |sent: &str| as_the_router_reads(sent).join("|");
    assert_eq!(router("/ocs/v2.php//cloud%2Fcapabilities?x"), "ocs|v2.php|cloud|capabilities");
    assert_eq!(router("/a/../b"), "a|..|b");
    let dav = |sent: &str| as_dav_reads(sent).join("|");
    assert_eq!(dav("/files/alice/../../calendars/alice/"), "calendars|alice");
    assert_eq!(dav("/files%2Falice%2Fx"), "files|alice|x");
    assert_eq!(dav("https://host/files/%2e%2e/%ff"), "files|..|ÿ");
}

/// The time that a long path takes grows with its length only.
#[test]
fn long_paths_are_decided_about() {
    let segments = "/a".repeat(30_000);
    assert!(ask("GET", &format!("/remote.php/dav/files/alice{segments}"), &[]).is_ok());
    let escapes = "%20".repeat(20_000);
    assert!(ask("GET", &format!("/remote.php/dav/files/alice/{escapes}"), &[]).is_ok());
    assert!(
        ask("GET", &format!("/remote.php/dav/files/alice/{}", "//".repeat(30_000)), &[]).is_err()
    );
    let lists = "(<urn:uuid:1>)".repeat(4_000);
    assert!(ask("PUT", "/remote.php/dav/files/alice/a", &[&format!("If: {lists}")]).is_ok());
}
