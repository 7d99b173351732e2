//! A server that breaks off: its caller never takes a part of an answer for the whole.

use http_body_util::BodyExt as _;

use super::super::wire::{Server, Wire, soon};
use super::super::{FILE, head, http2, start};

/// Answers that lack their end.
const CUT: &[(&str, &str)] = &[
    ("Content-Length: 100", "half"),
    ("Transfer-Encoding: chunked", "4\r\nhalf\r\n"),
    ("Transfer-Encoding: chunked", "64\r\nhalf"),
    ("Transfer-Encoding: chunked", "4\r\nhalf\r\n0\r\n"),
    ("Transfer-Encoding: chunked", "4\r\nhalf\r\nnonsense\r\n"),
];

/// Lets the server answer so, and leave.
async fn cut(server: &Server, (field, body): (&str, &str)) {
    let (mut wire, _) = server.request().await;
    wire.send(format!("HTTP/1.1 200 OK\r\nX-User-Id: alice\r\n{field}\r\n\r\n{body}")).await;
}

#[tokio::test]
async fn api_13_an_answer_that_breaks_off_is_no_complete_one() {
    let server = Server::start().await;
    let gateway = start(&server.url).await;
    for &answer in CUT {
        let mut caller = Wire::to(gateway.address).await;
        caller.send(head(&gateway, "alice", &format!("GET {FILE}"), "\r\n")).await;
        cut(&server, answer).await;
        let head = caller.head().await;
        assert_eq!(head.status(), 200);
        let body = caller.body(&head).await;
        assert!(!body.is_complete, "{answer:?}: {body:?}");
        assert_eq!(body.bytes, b"half", "{answer:?}");
        caller.ended().await;
    }
}

#[tokio::test]
async fn api_13_over_http_2_an_answer_that_breaks_off_is_no_complete_one() {
    let server = Server::start().await;
    let gateway = start(&server.url).await;
    let mut caller = http2::connect(gateway.address).await;
    for &answer in CUT {
        let request = http2::request(&gateway, "alice", "GET", FILE);
        let request = request.body(http2::empty()).unwrap();
        let asking = tokio::spawn(caller.send_request(request));
        cut(&server, answer).await;
        let mut body = soon(asking).await.unwrap().unwrap().into_body();
        let mut got = Vec::new();
        let end = loop {
            match soon(body.frame()).await {
                Some(Ok(frame)) => got.extend(frame.into_data().unwrap()),
                end => break end,
            }
        };
        assert!(matches!(end, Some(Err(_))), "{answer:?}: {end:?}");
        assert!(b"half".starts_with(&got[..]));
    }
}

#[tokio::test]
async fn api_13_a_reset_in_an_answer_that_ends_with_its_connection_is_no_end() {
    let server = Server::start().await;
    let gateway = start(&server.url).await;
    for resets in [false, true] {
        let mut caller = Wire::to(gateway.address).await;
        caller.send(head(&gateway, "alice", &format!("GET {FILE}"), "\r\n")).await;
        let (mut wire, _) = server.request().await;
        wire.send("HTTP/1.1 200 OK\r\nX-User-Id: alice\r\n\r\nhalf").await;
        let head = caller.head().await;
        assert_eq!(head.field("transfer-encoding"), Some("chunked"));
        assert_eq!(caller.bytes(9).await, b"4\r\nhalf\r\n");
        match resets {
            true => wire.reset(),
            false => drop(wire),
        }
        let end: &[u8] = if resets { b"" } else { b"0\r\n\r\n" };
        assert_eq!(caller.bytes(end.len().max(1)).await, end, "{resets}");
    }
}

#[tokio::test]
async fn api_13_a_server_that_breaks_off_before_its_answer_is_502() {
    let server = Server::start().await;
    let gateway = start(&server.url).await;
    for half in ["", "HTTP/1.1 200 OK\r\nX-User", "SSH-2.0-OpenSSH_9.2\r\n\r\n"] {
        for method in ["GET", "DELETE"] {
            let mut caller = Wire::to(gateway.address).await;
            caller.send(head(&gateway, "alice", &format!("{method} {FILE}"), "\r\n")).await;
            let (mut wire, _) = server.request().await;
            wire.send(half).await;
            drop(wire);
            let message = caller.answer().await.assert_error(502, "Bad gateway");
            // What was to change something may have.
            let warns = message.contains("look before you repeat it");
            assert_eq!(warns, method == "DELETE", "{half:?}: {message}");
        }
    }
}

#[tokio::test]
async fn api_13_a_server_that_leaves_in_the_middle_of_an_upload_is_502() {
    let server = Server::start().await;
    let gateway = start(&server.url).await;
    let mut caller = Wire::to(gateway.address).await;
    let fields = "Content-Length: 10000000\r\n\r\n";
    caller.send(head(&gateway, "alice", &format!("PUT {FILE}"), fields)).await;
    caller.send("x".repeat(100_000)).await;
    let (mut wire, _) = server.request().await;
    wire.bytes(1000).await;
    wire.reset();
    let answer = caller.answer().await;
    let message = answer.assert_error(502, "Bad gateway");
    assert!(message.contains("look before you repeat it"), "{message}");
    // The rest of the body is not read.
    assert_eq!(answer.header("connection"), Some("close"));
}
