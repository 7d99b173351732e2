//! The connections to the server: which are used again, and who keeps them going.

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use super::super::wire::{Server, Wire, soon};
use super::super::{FILE, head, start};

/// More than all buffers between two ends hold.
const LARGE: usize = 32 << 20;
const OK: &str = "HTTP/1.1 200 OK\r\nX-User-Id: alice\r\n";
const INTERIM: &[u8] = b"HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n";

#[tokio::test]
async fn api_13_the_rest_of_a_request_does_not_wait_for_the_reader_of_its_answer() {
    let server = Server::start().await;
    let gateway = start(&server.url).await;
    let mut caller = Wire::to(gateway.address).await;
    let length = format!("Content-Length: {LARGE}\r\n\r\n");
    caller.send(head(&gateway, "alice", &format!("PUT {FILE}"), &length)).await;
    let (wire, _) = server.request().await;
    let (mut received, mut sent) = wire.stream.into_split();
    let answering = tokio::spawn(async move {
        sent.write_all(format!("{OK}{length}").as_bytes()).await.unwrap();
        sent.write_all(&vec![b'y'; LARGE]).await.unwrap();
    });
    // All of the answer cannot leave: the caller reads nothing of it before it has sent everything.
    let head = caller.head().await;
    assert_eq!(head.status(), 200);
    let receiving = tokio::spawn(async move {
        let mut body = vec![0; LARGE];
        received.read_exact(&mut body).await.unwrap();
    });
    soon(caller.stream.write_all(&vec![b'x'; LARGE])).await.unwrap();
    soon(receiving).await.unwrap();
    let body = soon(caller.body(&head)).await;
    assert!(body.is_complete && body.bytes.len() == LARGE);
    soon(answering).await.unwrap();
}

#[tokio::test]
async fn api_13_a_connection_is_used_again_after_an_answer_in_many_pieces() {
    let server = Server::start().await;
    let gateway = start(&server.url).await;
    let mut caller = Wire::to(gateway.address).await;
    let request = head(&gateway, "alice", &format!("GET {FILE}"), "\r\n");
    caller.send(&request).await;
    let (mut wire, _) = server.request().await;
    for (field, end) in
        [("Content-Length: 400000", ""), ("Transfer-Encoding: chunked", "0\r\n\r\n")]
    {
        wire.send(format!("{OK}{field}\r\n\r\n")).await;
        let head = caller.head().await;
        for _ in 0..4 {
            let size = if end.is_empty() { "" } else { "186a0\r\n" };
            let after = if end.is_empty() { "" } else { "\r\n" };
            wire.send(format!("{size}{}{after}", "x".repeat(100_000))).await;
        }
        wire.send(end).await;
        let body = caller.body(&head).await;
        assert!(body.is_complete && body.bytes.len() == 400_000, "{field}");
        caller.send(&request).await;
        assert_eq!(wire.head().await.line, format!("GET {FILE} HTTP/1.1"), "{field}");
    }
}

#[tokio::test]
async fn api_13_what_a_kept_connection_cannot_take_goes_on_another() {
    let server = Server::start().await;
    let gateway = start(&server.url).await;
    let mut caller = Wire::to(gateway.address).await;
    caller.send(head(&gateway, "alice", &format!("GET {FILE}"), "\r\n")).await;
    let (mut wire, _) = server.request().await;
    wire.send(format!("{OK}Content-Length: 2\r\n\r\nok")).await;
    assert_eq!(caller.answer().await.body, "ok");
    // The server has enough of it.
    drop(wire);
    let fields = "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n";
    caller.send(head(&gateway, "alice", &format!("PUT {FILE}"), fields)).await;
    let (mut wire, head) = server.request().await;
    let body = wire.body(&head).await;
    assert!(body.is_complete && body.bytes == b"hello", "{body:?}");
    wire.send(format!("{OK}Content-Length: 2\r\n\r\nok")).await;
    assert_eq!(caller.answer().await.body, "ok");
}

#[tokio::test]
async fn api_13_interim_answers_without_end_are_502() {
    let server = Server::start().await;
    let gateway = start(&server.url).await;
    let mut caller = Wire::to(gateway.address).await;
    caller.send(head(&gateway, "alice", &format!("GET {FILE}"), "\r\n")).await;
    let (wire, _) = server.request().await;
    // Until the gateway has enough of it.
    let (_, mut sent) = wire.stream.into_split();
    let sending = tokio::spawn(async move { while sent.write_all(INTERIM).await.is_ok() {} });
    caller.answer().await.assert_error(502, "Bad gateway");
    soon(sending).await.unwrap();
}

#[tokio::test]
async fn api_13_an_answer_that_is_not_read_as_http_is_502_and_says_so() {
    let server = Server::start().await;
    let gateway = start(&server.url).await;
    let (many, large) = ("Link: </x>\r\n".repeat(100), "x".repeat(30_000));
    let heads =
        [format!("{OK}{many}\r\n"), format!("{OK}X: {large}\r\n\r\n"), "hello\r\n\r\n".into()];
    for answered in heads {
        let mut caller = Wire::to(gateway.address).await;
        caller.send(head(&gateway, "alice", &format!("GET {FILE}"), "\r\n")).await;
        let (mut wire, _) = server.request().await;
        wire.send(answered).await;
        let answer = caller.answer().await;
        answer.assert_error(502, "Bad gateway");
        assert!(answer.body.contains("could not be read"), "{}", answer.body);
    }
}

/// There a body of unknown length has no end of its own.
#[tokio::test]
async fn api_13_an_upload_does_not_follow_an_answer_of_http_1_0() {
    let server = Server::start().await;
    let gateway = start(&server.url).await;
    for first in ["GET", "PUT"] {
        let mut caller = Wire::to(gateway.address).await;
        let chunks = "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n";
        let fields = if first == "GET" { "\r\n" } else { chunks };
        caller.send(head(&gateway, "alice", &format!("{first} {FILE}"), fields)).await;
        let (mut old, asked) = server.request().await;
        old.body(&asked).await;
        let fields = "X-User-Id: alice\r\nConnection: keep-alive\r\nContent-Length: 2\r\n";
        old.send(format!("HTTP/1.0 200 OK\r\n{fields}\r\nok")).await;
        assert_eq!(caller.answer().await.body, "ok");
        caller.send(head(&gateway, "alice", &format!("PUT {FILE}"), chunks)).await;
        let (mut wire, head) = server.request().await;
        let body = wire.body(&head).await;
        assert!(body.is_complete && body.bytes == b"hello", "{first}: {head:?} {body:?}");
        wire.send(format!("{OK}Connection: close\r\nContent-Length: 0\r\n\r\n")).await;
        assert_eq!(caller.answer().await.status, 200);
    }
}

/// A server may close a connection while a request is on its way.
#[tokio::test]
async fn api_13_what_only_reads_is_repeated_once_if_a_kept_connection_ends() {
    let server = Server::start().await;
    let gateway = start(&server.url).await;
    let chat = "GET /ocs/v2.php/apps/spreed/api/v1/chat/abcd1234?lookIntoFuture=1";
    for (what, fields, is_repeated) in [
        (format!("GET {FILE}"), "\r\n", true),
        (format!("PROPFIND {FILE}"), "Depth: 0\r\n\r\n", true),
        (format!("{chat}&setReadMarker=0"), "\r\n", true),
        // It marks what it reads as read.
        (chat.into(), "\r\n", false),
        (format!("DELETE {FILE}"), "\r\n", false),
        (format!("PUT {FILE}"), "Content-Length: 2\r\n\r\nab", false),
    ] {
        let mut caller = Wire::to(gateway.address).await;
        caller.send(head(&gateway, "alice", &format!("GET {FILE}"), "\r\n")).await;
        let (mut wire, _) = server.request().await;
        wire.send(format!("{OK}Content-Length: 2\r\n\r\nok")).await;
        assert_eq!(caller.answer().await.body, "ok");
        caller.send(head(&gateway, "alice", &what, fields)).await;
        wire.head().await;
        drop(wire);
        if is_repeated {
            let (mut wire, _) = server.request().await;
            // It had a connection of its own.
            wire.send("HTTP/1.1").await;
        }
        caller.answer().await.assert_error(502, "Bad gateway");
    }
}
