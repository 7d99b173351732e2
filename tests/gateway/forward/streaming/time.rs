//! `request_timeout` is the time from the end of a request to the head of its answer, and nothing else.

use std::time::{Duration, Instant};

use tokio::time::sleep;

use super::super::wire::{Server, Wire};
use super::super::{FILE, head, start_with};
use crate::support::gateway::TestGateway;

const PATIENCE: Duration = Duration::from_millis(500);
const OK: &str = "HTTP/1.1 200 OK\r\nX-User-Id: alice\r\n";

async fn impatient(server: &Server) -> TestGateway {
    start_with(&server.url, |settings, _| settings.request_timeout = PATIENCE).await
}

#[tokio::test]
async fn api_13_a_request_that_is_not_answered_is_504() {
    let server = Server::start().await;
    let gateway = impatient(&server).await;
    for (method, fields) in [
        ("GET", "\r\n"),
        ("DELETE", "\r\n"),
        ("PUT", "Content-Length: 2\r\n\r\nab"),
        ("PUT", "Transfer-Encoding: chunked\r\n\r\n2\r\nab\r\n0\r\n\r\n"),
    ] {
        let mut caller = Wire::to(gateway.address).await;
        caller.send(head(&gateway, "alice", &format!("{method} {FILE}"), fields)).await;
        let (mut wire, _) = server.request().await;
        let message = caller.answer().await.assert_error(504, "Timeout");
        let warns = message.contains("look before you repeat it");
        assert_eq!(warns, method != "GET", "{method}: {message}");
        wire.rest().await;
    }
}

#[tokio::test]
async fn api_13_an_upload_and_a_download_may_take_longer_than_a_call() {
    let server = Server::start().await;
    let gateway = impatient(&server).await;
    let mut caller = Wire::to(gateway.address).await;
    let fields = "Transfer-Encoding: chunked\r\n\r\n";
    caller.send(head(&gateway, "alice", &format!("PUT {FILE}"), fields)).await;
    let (mut wire, head) = server.request().await;
    let began = Instant::now();
    while began.elapsed() < 3 * PATIENCE {
        caller.send("1\r\nx\r\n").await;
        sleep(PATIENCE / 20).await;
    }
    caller.send("0\r\n\r\n").await;
    assert!(wire.body(&head).await.is_complete);
    wire.send(format!("{OK}Transfer-Encoding: chunked\r\n\r\n")).await;
    let head = caller.head().await;
    assert_eq!(head.status(), 200);
    sleep(3 * PATIENCE).await;
    wire.send("1\r\nx\r\n0\r\n\r\n").await;
    let body = caller.body(&head).await;
    assert!(body.is_complete && body.bytes == b"x", "{body:?}");
}

#[tokio::test]
async fn api_13_a_long_poll_of_talk_may_take_longer_than_a_call() {
    let server = Server::start().await;
    let gateway = impatient(&server).await;
    let chat = "GET /ocs/v2.php/apps/spreed/api/v1/chat/abcd1234";
    for (query, waits) in [
        ("lookIntoFuture=1&setReadMarker=0&timeout=30", true),
        ("lookIntoFuture=1", true),
        ("lookIntoFuture=0", false),
    ] {
        let mut caller = Wire::to(gateway.address).await;
        caller.send(head(&gateway, "alice", &format!("{chat}?{query}"), "\r\n")).await;
        let (mut wire, _) = server.request().await;
        if waits {
            sleep(3 * PATIENCE).await;
            wire.send(format!("{OK}Content-Length: 0\r\n\r\n")).await;
            assert_eq!(caller.answer().await.status, 200, "{query}");
        } else {
            caller.answer().await.assert_error(504, "Timeout");
        }
    }
}

#[tokio::test]
async fn api_7_times_as_long_as_can_be_are_none() {
    let server = Server::start().await;
    let gateway = start_with(&server.url, |settings, forward| {
        (settings.request_timeout, forward.stall_timeout) = (Duration::MAX, Duration::MAX);
    })
    .await;
    let chunked = "Transfer-Encoding: chunked\r\n\r\n2\r\nab\r\n0\r\n\r\n";
    for (what, fields) in [
        (format!("GET {FILE}"), "\r\n"),
        (format!("PUT {FILE}"), chunked),
        ("GET /ocs/v2.php/apps/spreed/api/v1/chat/abcd1234?lookIntoFuture=1".into(), "\r\n"),
    ] {
        let mut caller = Wire::to(gateway.address).await;
        caller.send(head(&gateway, "alice", &what, fields)).await;
        let (mut wire, seen) = server.request().await;
        assert!(wire.body(&seen).await.is_complete);
        sleep(PATIENCE / 10).await;
        wire.send(format!("{OK}Content-Length: 2\r\n\r\na")).await;
        sleep(PATIENCE / 10).await;
        wire.send("b").await;
        assert_eq!(caller.answer().await.body, "ab", "{what}");
    }
}
