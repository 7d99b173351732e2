//! The program of docs/DELIVERIES.md, "Without an address", as printed there: what it does when it gets no events.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener};
use std::path::Path;
use std::process::{Command, Stdio};

use super::{deliver, event, receiving};
use crate::support::binary::{Served, in_dir, serve_in, token, wait};

/// What the page leaves to its reader. It prints the numbers of events, and sleeps less than the page says.
const REST: &str = r#"
import os, time
sleep, gateway = time.sleep, os.environ["GATEWAY"]
time.sleep = lambda seconds: sleep(min(seconds, 0.1))
def token():
    print("token", flush=True)
    return open("token").read()
def compare_everything():
    print("gap", flush=True)
def handle(body):
    print(body["time"], flush=True)
print("it reads from what listens on", gateway, flush=True)
"#;

/// Starts it in `dir`, which has its token.
fn start(dir: &Path, gateway: SocketAddr) -> Option<Served> {
    if Command::new("python3").arg("--version").stdout(Stdio::null()).status().is_err() {
        println!("left out: python3 is not installed");
        return None;
    }
    let mut blocks = include_str!("../../../docs/DELIVERIES.md").split("```").skip(1).step_by(2);
    let of_page =
        blocks.find_map(|it| it.strip_prefix("python\n").filter(|it| it.contains("cursor")));
    std::fs::write(dir.join("reader.py"), format!("{REST}{}", of_page.unwrap())).unwrap();
    let mut python = Command::new("python3");
    python.arg("reader.py").current_dir(dir).env("GATEWAY", format!("http://{gateway}"));
    Some(Served::start(&mut python))
}

#[test]
fn the_reader_of_the_page_goes_on_after_a_restart_and_with_a_new_token() {
    let dir = tempfile::tempdir().unwrap();
    let put = |token: &str| std::fs::write(dir.path().join("token"), token).unwrap();
    put(&token(dir.path(), "alice"));
    let mut served = Served::start(receiving(&mut serve_in(dir.path())));
    let address = served.address;
    let Some(reader) = start(dir.path(), address) else {
        return;
    };
    // Delivers event `n` until it prints this line: it may begin to read later than the first time.
    let prints = |line: &str, n: u32| {
        let mut lines = Vec::new();
        wait("it prints a line", || {
            assert_eq!(deliver(address, &event(n, 1)).unwrap().status, 200);
            lines.extend(reader.lines());
            lines.iter().any(|it| it == line)
        });
        lines
    };
    assert_eq!(prints("1", 1)[0], "token");

    served.terminate();
    served.wait();
    let listen = format!("--listen={address}");
    let mut again = in_dir(dir.path(), &["serve", &listen]);
    let _served = Served::start(receiving(&mut again));
    // It is told that no gateway ran meanwhile.
    assert!(prints("2", 2).contains(&"gap".to_owned()));

    // No other token is in the new file.
    std::fs::remove_file(dir.path().join("tokens")).unwrap();
    put(&token(dir.path(), "alice"));
    prints("token", 3);
    prints("4", 4);
}

#[test]
fn the_reader_of_the_page_tries_again_what_was_refused_or_broken_off() {
    let page = r#"{"events": [{"body": {"time": 7}}], "cursor": "c", "gap": false}"#;
    let whole = format!("200 OK\r\nContent-Length: {}\r\n\r\n{page}", page.len());
    let empty = "\r\nContent-Length: 0\r\n\r\n";
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("token"), "t").unwrap();
    let Some(mut reader) = start(dir.path(), listener.local_addr().unwrap()) else {
        return;
    };
    let answers = [
        format!("429 Too Many Requests\r\nRetry-After: 1{empty}"),
        format!("503 Service Unavailable{empty}"),
        format!("500 Internal Server Error{empty}"),
        "200 OK\r\nContent-Length: 100\r\n\r\n{".to_owned(),
        String::new(),
        whole,
        format!("400 Bad Request{empty}"),
    ];
    for answer in &answers {
        let (mut stream, _) = listener.accept().unwrap();
        let mut head = [0; 4096];
        assert!(stream.read(&mut head).unwrap() > 0);
        if !answer.is_empty() {
            write!(stream, "HTTP/1.1 {answer}").unwrap();
        }
    }
    // Its own fault is not repeated.
    assert_eq!(reader.wait().code(), Some(1));
    let lines = reader.rest();
    // Its errors come through a pipe of their own, at any place among what it prints.
    let printed = lines.iter().filter(|it| ["token", "gap", "7"].contains(&it.as_str()));
    assert_eq!(printed.collect::<Vec<_>>(), ["token", "7"], "{lines:#?}");
    assert!(lines.iter().any(|it| it.contains("HTTP Error 400")), "{lines:#?}");
}
