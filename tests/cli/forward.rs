//! What is forwarded, as the commands and the log say it (docs/FORWARDING.md).

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::process::Command;

use crate::support::binary::{
    Served, assert_contains, credentials, failure, in_dir, portreeve, run, serve_in, success, text,
    token,
};
use crate::support::gateway::PASSWORD;

const FILE: &str = "/remote.php/dav/files/alice/a";

/// `forward explain` of a request, with files and calendars opened.
fn explain(arguments: &[&str]) -> Command {
    let mut command = portreeve();
    command.args(["forward", "explain"]).args(arguments);
    command.args(["--scope", "files.read", "--scope", "files.write"]);
    command.env("PORTREEVE_FORWARD", "files,calendar");
    command.args(["--groupware-url", "http://127.0.0.1:9/cloud"]);
    command
}

#[test]
fn explain_knows_the_addresses_of_the_gateway_and_of_the_server() {
    let path = format!("/cloud{FILE}");
    let to = format!("destination: http://127.0.0.1:9{path}2");
    for origin in ["https://gate.example", "https://cloud.example", "http://127.0.0.1:9"] {
        let field = format!("Destination: {origin}{path}2");
        let mut command = explain(&["MOVE", &path, "--header", &field]);
        command.env("PORTREEVE_PUBLIC_URL", "https://gate.example");
        command.env("PORTREEVE_GROUPWARE_PUBLIC_URL", "https://cloud.example");
        assert_contains(&success(&mut command, ""), &[&to]);
    }
    let field = format!("Destination: https://gate.example{path}2");
    let refused = failure(&mut explain(&["MOVE", &path, "--header", &field]), 1);
    assert_contains(&refused, &["400", "its host is neither this gateway's nor the server's"]);
}

#[test]
fn explain_says_what_the_gateway_answers_itself() {
    let found = failure(&mut explain(&["GET", "/.well-known/caldav"]), 1);
    assert_contains(&found, &["301", "/cloud/remote.php/dav/"]);
    let closed = failure(&mut explain(&["GET", "/.well-known/carddav"]), 1);
    assert_contains(&closed, &["404"]);
    for path in ["/api/v1/apps", "/healthz", "/api/v1/webhooks/3"] {
        let own = failure(&mut explain(&["GET", path]), 1);
        assert_contains(&own, &[path, "the gateway's own"]);
        assert!(!own.contains("404"), "{own}");
    }
}

/// Else the gateway would start and forward nothing.
#[test]
fn an_address_to_which_nothing_can_be_forwarded_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    token(dir.path(), "alice");
    for path in ["/a%2Fb", "/a%5Cb", "/a%00b"] {
        let url = format!("http://127.0.0.1:9{path}");
        for command in ["check-config", "serve"] {
            let mut command = in_dir(dir.path(), &[command]);
            command.env("PORTREEVE_GROUPWARE_URL", &url);
            let output = run(command.env("PORTREEVE_FORWARD", "files"), "");
            assert_eq!(output.status.code(), Some(1), "{command:?}: {output:?}");
            assert_contains(text(&output.stderr), &["PORTREEVE_GROUPWARE_URL", "forward"]);
        }
    }
}

/// The server takes connections, and does nothing else.
#[test]
fn the_log_says_which_time_has_passed_and_for_whom() {
    let dir = tempfile::tempdir().unwrap();
    let server = TcpListener::bind("127.0.0.1:0").unwrap();
    credentials(dir.path(), &["put", "--user", "alice"], PASSWORD);
    let mut new = in_dir(dir.path(), &["token", "new", "--user", "alice"]);
    let new = new.args(["--scope", "files.read", "--scope", "files.write"]);
    let scoped = success(new, "");
    let mut serve = serve_in(dir.path());
    serve.args(["--groupware-url", &format!("http://{}", server.local_addr().unwrap())]);
    serve.args(["--request-timeout", "2s", "--stall-timeout", "1s"]);
    let gateway = Served::start(serve.env("PORTREEVE_FORWARD", "files"));
    for (method, length, cause) in [
        ("GET", 0, "did not answer within 2s (request_timeout)"),
        // To be streamed, and to be kept.
        ("PUT", 100_000, "stood still for 1s (stall_timeout)"),
        ("PUT", 100, "stood still for 1s (stall_timeout)"),
    ] {
        let mut stream = TcpStream::connect(gateway.address).unwrap();
        let head = format!("{method} {FILE} HTTP/1.1\r\nHost: g\r\nConnection: close\r\n");
        let token = scoped.trim_end();
        let fields = format!("Authorization: Bearer {token}\r\nContent-Length: {length}\r\n\r\n");
        stream.write_all(format!("{head}{fields}").as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        assert!(answer.starts_with("HTTP/1.1 504"), "{method} {length}: {answer}");
        let said = gateway.line_with("timeout)");
        assert_contains(&said, &[cause]);
    }
}

/// One side of it, the connections, has the time that it started with.
#[test]
fn a_reload_leaves_the_stall_timeout_as_it_was_and_says_so() {
    let dir = tempfile::tempdir().unwrap();
    let server = TcpListener::bind("127.0.0.1:0").unwrap();
    credentials(dir.path(), &["put", "--user", "alice"], PASSWORD);
    let mut new = in_dir(dir.path(), &["token", "new", "--user", "alice"]);
    let scoped = success(new.args(["--scope", "files.write"]), "");
    let config = dir.path().join("portreeve.toml");
    let write = |stall: &str, unbounded: &str| {
        let text = format!("stall_timeout = \"{stall}\"\nunbounded_webhooks = \"{unbounded}\"\n");
        std::fs::write(&config, text).unwrap();
    };
    write("1s", "warn");
    let mut serve = serve_in(dir.path());
    serve.args(["--groupware-url", &format!("http://{}", server.local_addr().unwrap())]);
    serve.arg("--config").arg(&config);
    let gateway = Served::start(serve.env("PORTREEVE_FORWARD", "files"));
    write("1h", "refuse");
    gateway.signal("HUP");
    let reloaded = gateway.line_with("reloaded the settings");
    assert!(reloaded.contains("unbounded_webhooks") && !reloaded.contains("stall"), "{reloaded}");
    let waiting = gateway.line_with("need a restart");
    assert!(waiting.contains("stall_timeout") && !waiting.contains("unbounded"), "{waiting}");
    let mut stream = TcpStream::connect(gateway.address).unwrap();
    let head = format!("PUT {FILE} HTTP/1.1\r\nHost: g\r\nConnection: close\r\n");
    let token = scoped.trim_end();
    let fields = format!("Authorization: Bearer {token}\r\nContent-Length: 100000\r\n\r\n");
    stream.write_all(format!("{head}{fields}").as_bytes()).unwrap();
    stream.set_read_timeout(Some(std::time::Duration::from_secs(60))).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 504"), "{answer}");
}
