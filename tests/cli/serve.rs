//! `portreeve serve`: from startup to the drain.

use std::time::Duration;

use crate::support::binary::{
    Served, assert_contains, credentials, eventually, failure, get, http, in_dir, serve_in, token,
};
use crate::support::gateway::PASSWORD;
use crate::support::nextcloud::Nextcloud;

#[tokio::test(flavor = "multi_thread")]
async fn sigterm_drains_and_exits_0() {
    let nextcloud = Nextcloud::start().await;
    nextcloud.answer("webhooks-list-admin");
    nextcloud.delay(Duration::from_millis(700));
    let dir = tempfile::tempdir().unwrap();
    let token = token(dir.path(), "admin");
    credentials(dir.path(), &["put", "--user", "admin"], PASSWORD);
    let mut served = Served::start(serve_in(dir.path()).args(["--groupware-url", nextcloud.url()]));
    let address = served.address;
    let in_flight = std::thread::spawn(move || get(address, "/api/v1/webhooks", &token));
    eventually("the call is in flight", || !nextcloud.seen().is_empty());
    served.terminate();
    assert_eq!(in_flight.join().unwrap().status, 200);
    assert_eq!(served.wait().code(), Some(0));
}

#[test]
fn api_9_each_link_of_the_page_for_browsers_leads_somewhere() {
    let dir = tempfile::tempdir().unwrap();
    token(dir.path(), "alice");
    let served = Served::start(&mut serve_in(dir.path()));
    let call = |path: &str| {
        let head = format!(
            "GET {path} HTTP/1.1\r\nHost: g\r\nAccept: text/html\r\nConnection: close\r\n\r\n"
        );
        http(served.address, &head)
    };
    let page = call("/").body;
    let links: Vec<_> = page
        .split("href=\"")
        .skip(1)
        .map(|rest| &rest[..rest.find('"').unwrap()])
        .collect();
    assert!(!links.is_empty(), "{page}");
    for link in links {
        assert_eq!(call(&format!("/{link}")).status, 200, "{link}");
    }
}

#[test]
fn a_port_that_is_in_use_is_named_in_the_error() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let dir = tempfile::tempdir().unwrap();
    token(dir.path(), "alice");
    // Together with a free one.
    let mut command = serve_in(dir.path());
    command.env("RUST_LOG", "off").args(["--listen", &address]);
    let line = failure(&mut command, 1);
    assert!(line.contains(&address), "{line}");
    let mut command = in_dir(dir.path(), &["serve", "--listen", &address]);
    let line = failure(command.env("RUST_LOG", "off"), 1);
    assert_contains(&line, &[&address, "--listen"]);
}

#[test]
fn filters_of_a_trusted_event_class_may_use_any_field() {
    let dir = tempfile::tempdir().unwrap();
    let token = token(dir.path(), "alice");
    let class = r"OCA\Approval\Events\ApprovedEvent";
    let served = Served::start(serve_in(dir.path()).args(["--trusted-event-classes", class]));
    for (event, status) in [(class, 500), (r"OCA\Another\Event", 400)] {
        let event = event.replace('\\', r"\\");
        let body =
            format!(r#"{{"event":"{event}","uri":"u","eventFilter":{{"event.title":"/x/"}}}}"#);
        let length = body.len();
        let request = format!(
            "POST /api/v1/webhooks HTTP/1.1\r\nHost: g\r\nConnection: close\r\nAuthorization: Bearer {token}\r\nContent-Length: {length}\r\n\r\n{body}"
        );
        // 500, as no groupware server is configured; the filter is checked before that.
        assert_eq!(http(served.address, &request).status, status, "{body}");
    }
}

#[test]
fn an_error_line_carries_the_request_id_at_any_level() {
    let dir = tempfile::tempdir().unwrap();
    let token = token(dir.path(), "alice");
    // Apart from the line with the address, nothing below an error is logged.
    let served = Served::start(serve_in(dir.path()).env("RUST_LOG", "error,portreeve::cli=info"));
    let request = "DELETE /api/v1/webhooks/4711?q=5 HTTP/1.1\r\nHost: g\r\nConnection: close\r\n";
    for (id, written) in [
        ("the-id-of-it", "request{id=the-id-of-it method=DELETE "),
        // Escaped, so that no part of it looks like the end of the span.
        (
            r#"x"}:y{z="1"#,
            r#"request{id="x\"}:y{z=\"1" method=DELETE "#,
        ),
    ] {
        let request =
            format!("{request}Authorization: Bearer {token}\r\nX-Request-Id: {id}\r\n\r\n");
        http(served.address, &request).assert_error(500, "Internal error");
        let mut lines = Vec::new();
        eventually("the failure is logged", || {
            lines.extend(served.lines());
            lines.iter().any(|line| line.contains("request failed"))
        });
        let line = lines.iter().find(|line| line.contains("request failed"));
        let line = line.unwrap();
        assert!(line.contains(written), "{line}");
        assert_contains(line, &["route=/api/v1/webhooks/{webhook_id}}"]);
        assert!(!line.contains("4711") && !line.contains("q=5"), "{line}");
    }
}

#[test]
fn json_lines_carry_the_request_id_unchanged() {
    let dir = tempfile::tempdir().unwrap();
    let token = token(dir.path(), "alice");
    let served = Served::start(serve_in(dir.path()).args(["--log-format", "json"]));
    for id in ["plain-1", "a:b/1", r#"x"}:y{z="1"#] {
        let request = format!(
            "GET /api/v1/apps HTTP/1.1\r\nHost: g\r\nConnection: close\r\n\
             Authorization: Bearer {token}\r\nX-Request-Id: {id}\r\n\r\n"
        );
        http(served.address, &request).assert_error(500, "Internal error");
        let line = served.line_with("request failed");
        let line: serde_json::Value = serde_json::from_str(&line).unwrap();
        assert_eq!(line["span"]["id"], id, "{line}");
        assert_eq!(line["span"]["route"], "/api/v1/apps", "{line}");
    }
}
