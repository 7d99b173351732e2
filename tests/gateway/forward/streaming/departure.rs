//! A caller that leaves ends the call: the server sees the end of its connection.

use std::net::Shutdown;
use std::time::Duration;

use hyper::body::Frame;
use tokio::io::AsyncWriteExt as _;
use tokio::time::{sleep, timeout};

use super::super::recorder::Recorder;
use super::super::wire::{Server, Wire};
use super::super::{FILE, call, head, http2, start_with};
use crate::support::gateway::TestGateway;

const OK: &str = "HTTP/1.1 200 OK\r\nX-User-Id: alice\r\n";

/// A gateway on which nothing ends by itself in the time of a test.
async fn patient(server: &Server, stall: Duration) -> TestGateway {
    start_with(&server.url, |settings, forward| {
        settings.request_timeout = Duration::from_secs(600);
        forward.stall_timeout = stall;
    })
    .await
}

#[tokio::test]
async fn api_13_a_caller_that_leaves_before_the_answer_ends_the_call() {
    let server = Server::start().await;
    let gateway = patient(&server, Duration::from_secs(2)).await;
    for (method, fields) in [("GET", "\r\n"), ("PUT", "Content-Length: 2\r\n\r\nab")] {
        let mut caller = Wire::to(gateway.address).await;
        caller.send(head(&gateway, "alice", &format!("{method} {FILE}"), fields)).await;
        let (mut wire, _) = server.request().await;
        caller.reset();
        wire.rest().await;
    }
    let mut caller = http2::connect(gateway.address).await;
    let request = http2::request(&gateway, "alice", "GET", FILE).body(http2::empty()).unwrap();
    let answer = tokio::spawn(caller.send_request(request));
    let (mut wire, _) = server.request().await;
    answer.abort();
    wire.rest().await;
}

#[tokio::test]
async fn api_13_a_caller_that_leaves_in_its_request_ends_the_call() {
    let server = Server::start().await;
    let gateway = patient(&server, Duration::from_secs(600)).await;
    for field in ["Content-Length: 1000000", "Transfer-Encoding: chunked"] {
        for resets in [true, false] {
            let mut caller = Wire::to(gateway.address).await;
            let fields = format!("{field}\r\n\r\n");
            caller.send(head(&gateway, "alice", &format!("PUT {FILE}"), &fields)).await;
            caller.send("5\r\nhello\r\n").await;
            let (mut wire, head) = server.request().await;
            let caller = match resets {
                true => {
                    caller.reset();
                    None
                }
                // It would still read an answer.
                false => {
                    let stream = caller.stream.into_std().unwrap();
                    stream.shutdown(Shutdown::Write).unwrap();
                    Some(stream)
                }
            };
            // The server does not take what it has for the whole file.
            let body = wire.body(&head).await;
            assert!(!body.is_complete, "{field} {resets}: {body:?}");
            drop(caller);
        }
    }
    for resets in [true, false] {
        let mut caller = http2::connect(gateway.address).await;
        let (frames, body) = http2::channel();
        let request = http2::request(&gateway, "alice", "PUT", FILE).body(body).unwrap();
        let answer = tokio::spawn(caller.send_request(request));
        frames.send(Ok(Frame::data("hello".into()))).await.unwrap();
        let (mut wire, head) = server.request().await;
        if resets {
            answer.abort();
        } else {
            frames.send(Err("the caller's own fault".into())).await.unwrap();
        }
        let body = wire.body(&head).await;
        assert!(!body.is_complete, "{resets}: {body:?}");
    }
}

#[tokio::test]
async fn api_13_a_caller_that_leaves_in_the_answer_ends_the_call() {
    let server = Server::start().await;
    let gateway = patient(&server, Duration::from_secs(600)).await;
    let length = "Content-Length: 1000000\r\n\r\nbegun";
    let mut caller = Wire::to(gateway.address).await;
    caller.send(head(&gateway, "alice", &format!("GET {FILE}"), "\r\n")).await;
    let (mut wire, _) = server.request().await;
    wire.send(format!("{OK}{length}")).await;
    caller.head().await;
    caller.reset();
    wire.rest().await;

    let mut caller = http2::connect(gateway.address).await;
    let request = http2::request(&gateway, "alice", "GET", FILE).body(http2::empty()).unwrap();
    let answer = tokio::spawn(caller.send_request(request));
    let (mut wire, _) = server.request().await;
    wire.send(format!("{OK}{length}")).await;
    drop(answer.await.unwrap().unwrap());
    wire.rest().await;
}

/// Over HTTP/2 a caller can leave without an error, as those in Node.js do unless they are told otherwise.
#[tokio::test]
async fn api_13_a_stream_that_is_reset_without_an_error_is_no_complete_request() {
    let recorder = Recorder::start().await;
    let gateway = start_with(&recorder.url, |_, _| {}).await;
    let webhook = br#"{"httpMethod":"POST","uri":"http://127.0.0.1:1/","event":"OCP\\A"}"#;
    let cases: [(http2::Fields<'_>, &[u8]); 4] = [
        (&[], &[b'x'; 10_000]),
        (&[(b"content-length", Some(b"1000"))], &[b'x'; 500]),
        (&[(b"content-length", Some(b"100000"))], &[b'x'; 10_000]),
        (&[(b":method", Some(b"POST")), (b":path", Some(b"/api/v1/webhooks"))], webhook),
    ];
    for (fields, half) in cases {
        for round in 0..10 {
            let mut caller = http2::begin(&gateway, fields, false).await;
            caller.send(http2::frame(http2::DATA, 0, half)).await;
            sleep(Duration::from_millis(5 * (round % 3))).await;
            caller.send(http2::frame(http2::RST_STREAM, 0, &[0; 4])).await;
            // Until the gateway has seen it.
            sleep(Duration::from_millis(20)).await;
        }
        sleep(Duration::from_millis(300)).await;
        let complete = recorder.take_unchecked().into_iter().filter(|seen| seen.body.is_complete);
        assert_eq!(complete.count(), 0, "{fields:?}");
    }
}

/// As long as the call goes on, it keeps its place.
#[tokio::test]
async fn api_13_a_call_whose_caller_has_left_counts_until_it_has_ended() {
    let server = Server::start().await;
    let gateway = start_with(&server.url, |settings, forward| {
        // One for each caller.
        settings.max_in_flight = 4;
        forward.stall_timeout = Duration::from_secs(2);
    })
    .await;
    let mut caller = http2::connect(gateway.address).await;
    let request = http2::request(&gateway, "alice", "GET", FILE).body(http2::empty()).unwrap();
    let answer = tokio::spawn(caller.send_request(request));
    let (mut wire, _) = server.request().await;
    answer.abort();
    for _ in 0..10 {
        sleep(Duration::from_millis(100)).await;
        let refused = call(&gateway, "alice", &format!("GET {FILE}"), "", "").await;
        refused.assert_error(429, "Too many requests");
    }
    wire.rest().await;
    let mut caller = Wire::to(gateway.address).await;
    caller.send(head(&gateway, "alice", &format!("GET {FILE}"), "\r\n")).await;
    server.request().await;
}

/// A removal waits for the calls with the password, and is not kept waiting by one that goes on and on.
#[tokio::test]
async fn api_5_3_a_removal_ends_what_is_forwarded_with_the_password() {
    const CHAT: &str = "/ocs/v2.php/apps/spreed/api/v1/chat/abcd?lookIntoFuture=1";
    let server = Server::start().await;
    let gateway = patient(&server, Duration::from_secs(1)).await;
    // It belongs to another account, and goes on.
    let mut other = Wire::to(gateway.address).await;
    other
        .send(head(&gateway, "bob", &format!("GET {}", FILE.replace("alice", "bob")), "\r\n"))
        .await;
    let (mut of_other, _) = server.request().await;
    let mut upload = Wire::to(gateway.address).await;
    let fields = "Transfer-Encoding: chunked\r\n\r\n";
    upload.send(head(&gateway, "alice", &format!("PUT {FILE}"), fields)).await;
    let (mut wire, of_upload) = server.request().await;
    let mut poll = Wire::to(gateway.address).await;
    poll.send(head(&gateway, "alice", &format!("GET {CHAT}"), "\r\n")).await;
    let _polled = server.request().await;
    let uploading = tokio::spawn(async move {
        // It never stalls.
        while upload.stream.write_all(b"1\r\nx\r\n").await.is_ok() {
            sleep(Duration::from_millis(100)).await;
        }
    });
    let removal = "DELETE /api/v1/background-sync/credentials";
    let removed = timeout(Duration::from_secs(10), call(&gateway, "alice", removal, "", "")).await;
    assert_eq!(removed.expect("it waits for no upload").status, 200);
    assert!(!wire.body(&of_upload).await.is_complete);
    assert_eq!(poll.answer().await.status, 504);
    uploading.await.unwrap();
    of_other.send(format!("{}Content-Length: 2\r\n\r\nab", OK.replace("alice", "bob"))).await;
    assert_eq!(other.answer().await.status, 200);
}
