//! A body that stands still for too long, at either end, ends the call at both.

use std::time::{Duration, Instant};

use http_body_util::BodyExt as _;
use hyper::body::Frame;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::time::{sleep, timeout};

use super::super::recorder::Recorder;
use super::super::wire::{Server, Wire, soon};
use super::super::{FILE, call, head, http2, start_with};
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
        let message = caller.answer().await.assert_error(504, "Timeout");
        assert!(message.starts_with("The body of the request stood still"), "{message}");
        assert!(message.contains("look before you repeat it"), "{message}");
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
    let pouring = async { while wire.stream.write_all(&piece).await.is_ok() {} };
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

#[tokio::test]
async fn api_13_a_refusal_that_does_not_end_ends_the_call() {
    use portreeve::gateway::Settings;
    use portreeve::gateway::forward::{Forward, Scopes};
    use portreeve::groupware::{ClientSettings, Groupware};
    use portreeve::server::Bounds;

    let server = Server::start().await;
    let mut client = ClientSettings::default();
    client.timeout = STALL;
    let groupware = Groupware::new(server.url.parse().unwrap(), client).unwrap();
    let mut settings = Settings::default();
    settings.forward = Some(Forward::new(Scopes::opened_by(["files"]).unwrap()));
    let tokens = [("alice".to_owned(), "alice".to_owned(), vec!["files.read".to_owned()])];
    let gateway = TestGateway::for_users(Bounds::default(), &tokens, |gateway| {
        gateway.groupware(groupware).settings(settings)
    })
    .await;
    let mut caller = Wire::to(gateway.address).await;
    caller.send(head(&gateway, "alice", &format!("GET {FILE}"), "\r\n")).await;
    let (mut wire, _) = server.request().await;
    wire.send("HTTP/1.1 401 Unauthorized\r\nContent-Length: 100\r\n\r\nhalf").await;
    caller.answer().await.assert_error(502, "Bad gateway");
    wire.ended().await;
}

/// Even if the server reads nothing more, so that nobody asks for the rest of the body.
#[tokio::test]
async fn api_13_an_upload_that_has_been_answered_ends_and_counts_until_then() {
    let server = Server::start().await;
    let gateway = start_with(&server.url, |settings, forward| {
        forward.stall_timeout = STALL;
        // One for each caller.
        settings.max_in_flight = 4;
        settings.request_timeout = Duration::from_secs(600);
    })
    .await;
    let put = format!("PUT {FILE}");
    let answer = format!("{OK}Content-Length: 2\r\n\r\nok");
    let next = async || {
        let answered = call(&gateway, "alice", &put, "Content-Length: 0\r\n", "").await;
        answered.status
    };
    let serving = async |server: &Server| {
        let (mut wire, _) = server.request().await;
        wire.send(&answer).await;
        wire
    };

    let mut caller = http2::connect(gateway.address).await;
    let (frames, body) = http2::channel();
    let request = http2::request(&gateway, "alice", "PUT", FILE).body(body).unwrap();
    let asking = tokio::spawn(caller.send_request(request));
    frames.send(Ok(Frame::data("begun".into()))).await.unwrap();
    let mut wire = serving(&server).await;
    let answered = soon(asking).await.unwrap().unwrap();
    assert_eq!(soon(answered.into_body().collect()).await.unwrap().to_bytes(), "ok");
    assert_eq!(next().await, 429);
    wire.rest().await;
    let (status, wire) = tokio::join!(next(), serving(&server));
    assert_eq!(status, 200);
    drop((wire, frames));

    // The server reads nothing, and the caller sends until nobody takes more.
    let mut caller = Wire::to(gateway.address).await;
    caller.send(head(&gateway, "alice", &put, "Content-Length: 1000000000\r\n\r\n")).await;
    let unread = serving(&server).await;
    let piece = vec![b'x'; 1 << 20];
    while timeout(STALL / 2, caller.stream.write(&piece)).await.is_ok_and(|sent| sent.is_ok()) {}
    caller.reset();
    let began = Instant::now();
    let (status, _wire) = tokio::join!(
        async {
            loop {
                match next().await {
                    429 if began.elapsed() < 20 * STALL => sleep(STALL / 10).await,
                    status => break status,
                }
            }
        },
        timeout(25 * STALL, serving(&server))
    );
    assert_eq!(status, 200);
    drop(unread);
}

#[tokio::test]
async fn api_13_a_body_that_is_checked_has_a_time_in_all() {
    let server = Server::start().await;
    let gateway = start_with(&server.url, |settings, _| settings.request_timeout = STALL).await;
    let mut caller = Wire::to(gateway.address).await;
    let fields = "Content-Length: 200000\r\n\r\n";
    caller.send(head(&gateway, "alice", &format!("REPORT {FILE}"), fields)).await;
    let (mut read, mut write) = caller.stream.split();
    let drip = async {
        loop {
            if write.write_all(b"x").await.is_err() {
                std::future::pending::<()>().await;
            }
            sleep(STALL / 20).await;
        }
    };
    let mut answer = [0; 12];
    let answered = soon(read.read_exact(&mut answer));
    tokio::select! {
        answered = answered => drop(answered.unwrap()),
        () = drip => {}
    }
    assert_eq!(&answer, b"HTTP/1.1 504");
}

/// What a body announces is all that it takes of the memory for those that are checked.
#[tokio::test]
async fn api_13_bodies_that_are_being_checked_leave_room_for_others() {
    let recorder = Recorder::start().await;
    let gateway = start_with(&recorder.url, |settings, forward| {
        settings.max_in_flight_per_caller = 200;
        settings.request_timeout = Duration::from_secs(600);
        forward.stall_timeout = Duration::from_secs(600);
    })
    .await;
    let mut held = Vec::new();
    for _ in 0..130 {
        let mut caller = Wire::to(gateway.address).await;
        let fields = format!("Content-Length: 200000\r\n\r\n{}", "x".repeat(70_000));
        caller.send(head(&gateway, "alice", &format!("REPORT {FILE}"), &fields)).await;
        held.push(caller);
    }
    sleep(STALL).await;
    let report = format!(
        "<a:filter-files xmlns:a=\"http://owncloud.org/ns\">{}</a:filter-files>",
        " ".repeat(100_000)
    );
    let what = "REPORT /remote.php/dav/files/bob/";
    let answer = call(&gateway, "bob", what, "", &report).await;
    assert_eq!(answer.status, 200, "{answer:?}");
}

#[tokio::test]
async fn api_13_a_login_that_waits_for_others_is_504() {
    use portreeve::gateway::BearerLogins;

    for bearer in [BearerLogins::Off, BearerLogins::Auto] {
        let server = Server::start().await;
        let gateway = start_with(&server.url, |settings, forward| {
            forward.stall_timeout = Duration::from_secs(600);
            settings.logins.bearer = bearer;
            settings.logins.refused_login_budget = Some(1);
            settings.request_timeout = STALL;
        })
        .await;
        let mut slow = Wire::to(gateway.address).await;
        let fields = "Content-Length: 1000000\r\n\r\nbegun";
        slow.send(head(&gateway, "alice", &format!("PUT {FILE}"), fields)).await;
        let (_wire, _) = server.request().await;
        let answer = call(&gateway, "bob", "GET /remote.php/dav/files/bob/x", "", "");
        let refuse = async {
            if bearer == BearerLogins::Auto {
                // Which says nothing while it is not known whether the server takes such tokens.
                let (mut wire, seen) = server.request().await;
                assert!(seen.field("authorization").unwrap().starts_with("Bearer "));
                let challenge = "WWW-Authenticate: Basic realm=\"Authorisation Required\"";
                let refusal = format!("HTTP/1.1 401 Unauthorized\r\n{challenge}\r\n");
                wire.send(refusal + "Content-Length: 0\r\n\r\n").await;
            }
        };
        let (answer, ()) = soon(async { tokio::join!(answer, refuse) }).await;
        answer.assert_error(504, "Timeout");
    }
}

/// Whoever knows the length of a body does not wait for the frame that ends it.
#[tokio::test]
async fn api_13_an_upload_over_http2_has_ended_with_its_last_byte() {
    let server = Server::start().await;
    let gateway = impatient(&server).await;
    let mut caller = http2::connect(gateway.address).await;
    let (frames, body) = http2::channel();
    let request = http2::request(&gateway, "alice", "PUT", FILE).header("content-length", 100_000);
    let answer = tokio::spawn(caller.send_request(request.body(body).unwrap()));
    let (mut wire, head) = server.request().await;
    frames.send(Ok(Frame::data(vec![b'x'; 100_000].into()))).await.unwrap();
    assert!(wire.body(&head).await.is_complete);
    // The end is a frame of its own.
    drop(frames);
    sleep(2 * STALL).await;
    wire.send(format!("{OK}Content-Length: 0\r\n\r\n")).await;
    assert_eq!(soon(answer).await.unwrap().unwrap().status(), 200);
}
