//! What is forwarded, as the commands and the log say it (docs/FORWARDING.md).

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};

use crate::support::binary::{Served, assert_contains, credentials, in_dir, serve_in, success};
use crate::support::gateway::PASSWORD;

const FILE: &str = "/remote.php/dav/files/alice/a";

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
