//! A body that stands still for too long, at either end, ends the call at both.

use std::time::{Duration, Instant};

use http_body_util::BodyExt as _;
use tokio::time::sleep;

use super::super::wire::{Server, Wire, soon};
use super::super::{FILE, head, http2, start_with};
use crate::support::gateway::TestGateway;

const STALL: Duration = Duration::from_secs(1);
const OK: &str = "HTTP/1.1 200 OK\r\nX-User-Id: alice\r\n";

async fn impatient(server: &Server) -> TestGateway {
    start_with(&server.url, |settings, forward| {
        forward.stall_timeout = STALL;
        // What ends here, ends because it stands still.
        settings.request_timeout = Duration::from_secs(600);
    })
    .await
}

#[tokio::test]
async fn api_13_a_server_that_stops_in_its_answer_ends_the_call() {
    let server = Server::start().await;
    let gateway = impatient(&server).await;
    for field in ["Content-Length: 100", "Transfer-Encoding: chunked", "ETag: \"a\""] {
        let mut caller = Wire::to(gateway.address).await;
        caller.send(head(&gateway, "alice", &format!("GET {FILE}"), "\r\n")).await;
        let (mut wire, _) = server.request().await;
        let half = if field.contains("chunked") { "4\r\nhalf\r\n" } else { "half" };
        wire.send(format!("{OK}{field}\r\n\r\n{half}")).await;
        let head = caller.head().await;
        let body = caller.body(&head).await;
        assert!(!body.is_complete && body.bytes == b"half", "{field}: {body:?}");
        caller.ended().await;
        wire.ended().await;
    }

    let mut caller = http2::connect(gateway.address).await;
    let request = http2::request(&gateway, "alice", "GET", FILE).body(http2::empty()).unwrap();
    let answer = tokio::spawn(caller.send_request(request));
    let (mut wire, _) = server.request().await;
    wire.send(format!("{OK}Content-Length: 100\r\n\r\nhalf")).await;
    let answer = soon(answer).await.unwrap().unwrap();
    assert!(soon(answer.into_body().collect()).await.is_err());
    wire.ended().await;
}

#[tokio::test]
async fn api_13_a_server_that_stops_reading_ends_the_call() {
    let server = Server::start().await;
    let gateway = impatient(&server).await;
    let mut caller = Wire::to(gateway.address).await;
    let fields = "Content-Length: 1000000000\r\n\r\n";
    caller.send(head(&gateway, "alice", &format!("PUT {FILE}"), fields)).await;
    let (mut wire, _) = server.request().await;
    // Until the caller gets rid of no more.
    let piece = vec![b'x'; 1 << 20];
    let (read, mut write) = caller.stream.split();
    loop {
        use tokio::io::AsyncWriteExt as _;
        tokio::select! {
            written = write.write_all(&piece) => written.unwrap(),
            readable = read.readable() => break readable.unwrap(),
        }
    }
    let message = caller.answer().await.assert_error(504, "Timeout");
    assert!(message.contains("look before you repeat it"), "{message}");
    wire.rest().await;
}

#[tokio::test]
async fn api_13_a_caller_that_stops_in_its_request_ends_the_call() {
    let server = Server::start().await;
    let gateway = impatient(&server).await;
    for (field, half) in [
        ("Content-Length: 1000000", "x".repeat(100_000)),
        ("Transfer-Encoding: chunked", "5\r\nhello\r\n".into()),
    ] {
        let mut caller = Wire::to(gateway.address).await;
        let fields = format!("{field}\r\n\r\n");
        caller.send(head(&gateway, "alice", &format!("PUT {FILE}"), &fields)).await;
        caller.send(half).await;
        let (mut wire, head) = server.request().await;
        let body = wire.body(&head).await;
        assert!(!body.is_complete && !body.bytes.is_empty(), "{field}");
        let answer = caller.answer().await;
        answer.assert_error(504, "Timeout");
        caller.ended().await;
    }
}

#[tokio::test]
async fn api_13_a_caller_that_stops_in_a_small_request_ends_the_call() {
    let server = Server::start().await;
    let gateway = impatient(&server).await;
    let mut caller = Wire::to(gateway.address).await;
    let fields = "Content-Length: 100\r\n\r\nhalf";
    caller.send(head(&gateway, "alice", &format!("PUT {FILE}"), fields)).await;
    caller.answer().await.assert_error(504, "Timeout");
    caller.ended().await;
}

#[tokio::test]
async fn api_13_a_caller_that_stops_reading_ends_the_call() {
    let server = Server::start().await;
    let gateway = impatient(&server).await;
    let mut caller = Wire::to(gateway.address).await;
    caller.send(head(&gateway, "alice", &format!("GET {FILE}"), "\r\n")).await;
    let (mut wire, _) = server.request().await;
    wire.send(format!("{OK}Content-Length: 1000000000\r\n\r\n")).await;
    caller.head().await;
    let piece = vec![b'x'; 1 << 20];
    let pouring = async {
        use tokio::io::AsyncWriteExt as _;
        while wire.stream.write_all(&piece).await.is_ok() {}
    };
    soon(pouring).await;
}

#[tokio::test]
async fn api_13_a_body_that_moves_slowly_is_not_ended() {
    let server = Server::start().await;
    let gateway = impatient(&server).await;
    let mut caller = Wire::to(gateway.address).await;
    let fields = "Transfer-Encoding: chunked\r\n\r\n";
    caller.send(head(&gateway, "alice", &format!("PUT {FILE}"), fields)).await;
    let (mut wire, head) = server.request().await;
    let began = Instant::now();
    let mut sent = 0;
    while began.elapsed() < 2 * STALL {
        caller.send("1\r\nx\r\n").await;
        sent += 1;
        sleep(STALL / 50).await;
    }
    caller.send("0\r\n\r\n").await;
    assert_eq!(wire.body(&head).await.bytes.len(), sent);
    wire.send(format!("{OK}Content-Length: {sent}\r\n\r\n")).await;
    let head = caller.head().await;
    for _ in 0..sent {
        wire.send("x").await;
        sleep(STALL / 50).await;
    }
    let body = caller.body(&head).await;
    assert!(body.is_complete && body.bytes.len() == sent);
}
