//! curl, for what HTTP itself has: parts of files, conditions, bodies that are announced first.

use std::fs;
use std::path::Path;

use crate::site::{Door, FILES, Login, PASSWORD, Site};
use crate::support::binary::success;

/// The output of curl on one of alice's files.
fn curl(site: &Site, door: &Door, name: &str, arguments: &[&str]) -> String {
    let mut command = site.client("curl");
    match &door.login {
        Login::Basic => command.args(["--user", &format!("alice:{PASSWORD}")]),
        Login::Bearer(token) => command.args(["--oauth2-bearer", token]),
    };
    command.args(["--silent", "--show-error"]).args(arguments);
    command.arg(format!("{}{FILES}/{name}", door.url));
    success(&mut command, "")
}

/// The status of a request, and how many bytes of its body curl sent.
fn status(site: &Site, door: &Door, name: &str, arguments: &[&str]) -> String {
    let wanted = ["--output", "/dev/null", "--write-out", "%{http_code} %{size_upload}"];
    curl(site, door, name, &[&wanted, arguments].concat())
}

fn shown(path: &Path) -> String {
    path.display().to_string()
}

/// A field of the head of an answer.
fn field<'a>(head: &'a str, name: &str) -> &'a str {
    let of = |line: &'a str| {
        let (found, value) = line.split_once(": ")?;
        found.eq_ignore_ascii_case(name).then_some(value)
    };
    head.lines().find_map(of).unwrap_or_else(|| panic!("no {name} in {head}"))
}

#[test]
fn curl_gets_parts_of_files_and_what_has_changed() {
    let Some(site) = Site::with(&["curl"]) else {
        return;
    };
    let file = site.file("file", 3_000_001);
    let bytes = fs::read(&file).unwrap();
    let down = site.path("down");
    let down_name = shown(&down);
    for door in site.doors() {
        let name = door.name;
        let curl = |arguments: &[&str]| curl(&site, &door, name, arguments);
        assert_eq!(status(&site, &door, name, &["-T", &shown(&file)]), "201 3000001");

        let head = curl(&["--head"]);
        assert_eq!(field(&head, "content-length"), "3000001");
        assert_eq!(field(&head, "content-type"), "application/octet-stream");
        assert_eq!(field(&head, "accept-ranges"), "bytes");
        let tag = field(&head, "etag").to_owned();

        let head = curl(&["--range", "1000000-1999999", "-o", &down_name, "-D", "-"]);
        assert!(head.starts_with("HTTP/1.1 206 "), "{head}");
        assert_eq!(field(&head, "content-range"), "bytes 1000000-1999999/3000001");
        assert!(fs::read(&down).unwrap() == bytes[1_000_000..2_000_000]);
        curl(&["--range", "-1", "-o", &down_name]);
        assert!(fs::read(&down).unwrap() == bytes[3_000_000..]);
        assert!(status(&site, &door, name, &["--range", "3000001-"]).starts_with("416 "));

        // Goes on where an earlier download ended.
        fs::write(&down, &bytes[..1_234_567]).unwrap();
        curl(&["--continue-at", "-", "-o", &down_name]);
        assert!(fs::read(&down).unwrap() == bytes);

        for (condition, wanted) in [
            (format!("If-None-Match: {tag}"), "304 0"),
            ("If-Modified-Since: Fri, 01 Jan 2100 00:00:00 GMT".to_owned(), "304 0"),
            ("If-Modified-Since: Sat, 01 Jan 2000 00:00:00 GMT".to_owned(), "200 0"),
            ("If-None-Match: \"other\"".to_owned(), "200 0"),
            ("If-Match: \"other\"".to_owned(), "412 0"),
        ] {
            assert_eq!(status(&site, &door, name, &["-H", &condition]), wanted, "{condition}");
        }
        let condition = format!("If-Match: {tag}");
        let put = ["-T", "/dev/null", "-H", &condition];
        assert!(status(&site, &door, name, &put).starts_with("204 "));
        assert!(status(&site, &door, name, &put).starts_with("412 "));
    }
}

#[test]
fn curl_sends_large_bodies_when_they_are_wanted() {
    let Some(site) = Site::with(&["curl"]) else {
        return;
    };
    let file = site.file("file", 20_000_000);
    // Longer than curl may take: it does not send the body without being told to.
    let put = ["-T", &shown(&file), "--expect100-timeout", "300", "-H", "Expect: 100-continue"];
    let [direct, gateway] = site.doors();
    for door in [&direct, &gateway] {
        assert_eq!(status(&site, door, door.name, &put), "201 20000000");
        assert_eq!(status(&site, door, "none/of/these", &put), "409 20000000");
        let stored = site.path("server/files").join(door.name);
        assert!(fs::read(stored).unwrap() == fs::read(&file).unwrap());
        // Without a length.
        let chunked = ["-T", &shown(&file), "-H", "Transfer-Encoding: chunked"];
        assert!(status(&site, door, "chunked", &chunked).starts_with("201 "));
        assert!(fs::read(site.path("server/files/chunked")).unwrap() == fs::read(&file).unwrap());
        assert!(status(&site, door, "chunked", &["-X", "DELETE"]).starts_with("204 "));
    }
    // Refused by the head alone.
    let reads = site.gateway("alice", &["files.read"]);
    assert_eq!(status(&site, &reads, "gateway", &put), "403 0");
    let stranger = site.gateway("bob", &["files.read", "files.write"]);
    assert_eq!(status(&site, &stranger, "gateway", &put), "404 0");
    assert_eq!(status(&site, &stranger, "gateway", &[]), "404 0");
}

#[test]
fn curl_gets_and_sends_by_http_2() {
    let Some(site) = Site::with(&["curl"]) else {
        return;
    };
    let file = site.file("file", 20_000_000);
    let (down, [_, gateway]) = (site.path("down"), site.doors());
    let http_2 = "--http2-prior-knowledge";
    assert_eq!(status(&site, &gateway, "file", &[http_2, "-T", &shown(&file)]), "201 20000000");
    let head = curl(&site, &gateway, "file", &[http_2, "-o", &shown(&down), "-D", "-"]);
    assert!(head.starts_with("HTTP/2 200 "), "{head}");
    assert!(fs::read(down).unwrap() == fs::read(file).unwrap());
}

#[test]
fn curl_sees_nothing_of_the_login_at_the_server() {
    let Some(site) = Site::with(&["curl"]) else {
        return;
    };
    let [direct, gateway] = site.doors();
    let folder = ["-X", "PROPFIND", "-H", "Depth: 0", "-D", "-", "-o", "/dev/null"];
    let head = curl(&site, &direct, "", &folder);
    assert!(head.contains("Set-Cookie: oc_sessionPassphrase"), "{head}");
    let head = curl(&site, &gateway, "", &folder);
    assert!(head.starts_with("HTTP/1.1 207 ") && !head.to_lowercase().contains("cookie"), "{head}");

    site.revoke_app_passwords();
    assert!(curl(&site, &direct, "", &folder).starts_with("HTTP/1.1 401 "));
    let head = curl(&site, &gateway, "", &folder);
    assert!(head.starts_with("HTTP/1.1 428 ") && !head.contains("Basic"), "{head}");
}
