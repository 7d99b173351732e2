//! Who speaks when: `100 Continue`, other interim answers, answers before the end of the request, trailers.

use hyper::body::Frame;

use super::super::recorder::Recorder;
use super::super::wire::{Server, Wire, soon};
use super::super::{FILE, head, http2, start};

/// More than is kept of a body before the call.
const LARGE: usize = 1 << 20;

fn upload(gateway: &crate::support::gateway::TestGateway, what: &str) -> String {
    let fields = format!("Content-Length: {LARGE}\r\nExpect: 100-continue\r\n\r\n");
    head(gateway, "alice", what, &fields)
}

#[tokio::test]
async fn api_13_a_caller_continues_once_the_server_is_reached() {
    let server = Server::start().await;
    let gateway = start(&server.url).await;
    let mut caller = Wire::to(gateway.address).await;
    caller.send(upload(&gateway, &format!("PUT {FILE}"))).await;
    let (mut wire, head) = server.request().await;
    assert_eq!(head.field("expect"), None);
    assert_eq!(caller.head().await.line, "HTTP/1.1 100 Continue");
    let body = "x".repeat(LARGE);
    caller.send(&body).await;
    assert!(wire.body(&head).await.bytes == body.as_bytes());
    wire.send("HTTP/1.1 201 Created\r\nX-User-Id: alice\r\nContent-Length: 0\r\n\r\n").await;
    assert_eq!(caller.answer().await.status, 201);
}

#[tokio::test]
async fn api_13_a_caller_does_not_send_what_cannot_be_forwarded() {
    let server = Server::start().await;
    let gateway = start(&server.url).await;
    let others = "/remote.php/dav/files/bob/file";
    for (what, status) in [
        (format!("PUT {others}"), 404),
        ("PUT /remote.php/dav/nothing/file".into(), 404),
        ("PUT /remote.php/dav/files/alice/../file".into(), 400),
    ] {
        let mut caller = Wire::to(gateway.address).await;
        caller.send(upload(&gateway, &what)).await;
        assert_eq!(caller.answer().await.status, status, "{what}");
    }
    // Nobody listens there any more.
    drop(server);
    let mut caller = Wire::to(gateway.address).await;
    caller.send(upload(&gateway, &format!("PUT {FILE}"))).await;
    caller.answer().await.assert_error(502, "Bad gateway");
}

#[tokio::test]
async fn api_13_an_answer_may_come_before_the_end_of_the_request() {
    let server = Server::start().await;
    let gateway = start(&server.url).await;
    for status in ["403 Forbidden", "507 Insufficient Storage"] {
        let mut caller = Wire::to(gateway.address).await;
        let length = format!("Content-Length: {LARGE}\r\n\r\n");
        caller.send(head(&gateway, "alice", &format!("PUT {FILE}"), &length)).await;
        caller.send("x".repeat(LARGE / 2)).await;
        let (mut wire, _) = server.request().await;
        wire.bytes(1000).await;
        let answer = "X-User-Id: alice\r\nContent-Type: application/xml\r\nContent-Length: 4\r\n";
        wire.send(format!("HTTP/1.1 {status}\r\n{answer}\r\nfull")).await;
        let got = caller.answer().await;
        assert_eq!((got.status, &*got.body), (status[..3].parse().unwrap(), "full"));
        // The server does not wait for the rest, which the caller keeps.
        wire.rest().await;
    }
}

#[tokio::test]
async fn api_13_over_http_2_an_answer_may_come_before_the_end_of_the_request() {
    use http_body_util::BodyExt as _;

    let server = Server::start().await;
    let gateway = start(&server.url).await;
    let mut caller = http2::connect(gateway.address).await;
    let (frames, body) = http2::channel();
    let request = http2::request(&gateway, "alice", "PUT", FILE);
    let request = request.header("content-length", LARGE).body(body).unwrap();
    let answer = tokio::spawn(caller.send_request(request));
    frames.send(Ok(Frame::data("x".repeat(1000).into()))).await.unwrap();
    let (mut wire, _) = server.request().await;
    wire.bytes(1000).await;
    wire.send("HTTP/1.1 403 Forbidden\r\nX-User-Id: alice\r\nContent-Length: 4\r\n\r\nfull").await;
    let answer = soon(answer).await.unwrap().unwrap();
    assert_eq!(answer.status(), 403);
    assert_eq!(soon(answer.into_body().collect()).await.unwrap().to_bytes(), "full");
    // The other streams of the connection are not touched.
    let request = http2::request(&gateway, "alice", "GET", FILE).body(http2::empty()).unwrap();
    let answer = tokio::spawn(caller.send_request(request));
    let (mut wire, _) = server.request().await;
    wire.send("HTTP/1.1 200 OK\r\nX-User-Id: alice\r\nContent-Length: 0\r\n\r\n").await;
    assert_eq!(soon(answer).await.unwrap().unwrap().status(), 200);
}

#[tokio::test]
async fn api_13_interim_answers_of_the_server_are_not_the_answer() {
    let server = Server::start().await;
    let gateway = start(&server.url).await;
    let mut caller = Wire::to(gateway.address).await;
    caller.send(head(&gateway, "alice", &format!("GET {FILE}"), "\r\n")).await;
    let (mut wire, _) = server.request().await;
    wire.send("HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n")
        .await;
    wire.send("HTTP/1.1 200 OK\r\nX-User-Id: alice\r\nContent-Length: 2\r\n\r\nok").await;
    assert_eq!(caller.answer().await.body, "ok");
}

#[tokio::test]
async fn api_13_two_requests_sent_at_once_are_answered_in_their_order() {
    let recorder = Recorder::with(|seen| {
        let target = seen.head.line.split(' ').nth(1).unwrap();
        seen.answer("200 OK", "", target)
    })
    .await;
    let gateway = start(&recorder.url).await;
    let mut caller = Wire::to(gateway.address).await;
    let targets: Vec<_> = (0..20).map(|at| format!("{FILE}{at}")).collect();
    let requests = targets.iter().map(|it| head(&gateway, "alice", &format!("GET {it}"), "\r\n"));
    caller.send(requests.collect::<String>()).await;
    for target in targets {
        assert_eq!(caller.answer().await.body, target);
    }
}
