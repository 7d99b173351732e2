//! Callers do not get into each other's way, and what is forwarded not into that of the gateway's own API.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::select_all;
use portreeve::gateway::forward::{Forward, Scopes};
use portreeve::gateway::{EndedRequest, RequestObserver, Settings};
use portreeve::groupware::Groupware;
use portreeve::server::Bounds;

use super::recorder::Recorder;
use super::wire::{Head, Server, Wire};
use super::{FILE, call, head, http2, start, start_tls, start_with};
use crate::support::gateway::{PASSWORD, TestGateway};
use crate::support::log::Log;
use crate::support::nextcloud::basic;
use crate::support::own_process;

fn file_of(user: &str) -> String {
    format!("GET /remote.php/dav/files/{user}/x")
}

/// The next request, on a connection that is there or on a new one, and the number of that.
async fn next_request(server: &Server, wires: &mut Vec<Wire>) -> (usize, Head) {
    let new = {
        let heads = wires.iter_mut().map(|wire| wire.head().boxed_local());
        let heads = select_all(heads.chain([std::future::pending().boxed_local()]));
        tokio::select! {
            (head, at, _) = heads => return (at, head),
            wire = server.accept() => wire,
        }
    };
    wires.push(new);
    let at = wires.len() - 1;
    (at, wires[at].head().await)
}

#[tokio::test]
async fn api_13_answers_in_another_order_reach_those_who_asked() {
    let server = Server::start().await;
    let gateway = start(&server.url).await;
    let mut callers = [Wire::to(gateway.address).await, Wire::to(gateway.address).await];
    let mut wires = Vec::new();
    for round in 0..6 {
        let mut asked = Vec::new();
        for (caller, user) in callers.iter_mut().zip(["alice", "bob"]) {
            caller.send(head(&gateway, user, &file_of(user), "\r\n")).await;
            let (at, head) = next_request(&server, &mut wires).await;
            assert_eq!(head.field("authorization"), Some(&*basic(user, PASSWORD)));
            assert_eq!(head.field("cookie"), None);
            asked.push((at, user));
        }
        if round % 2 == 0 {
            asked.reverse();
        }
        for (at, user) in asked {
            let fields =
                format!("Set-Cookie: s={user}\r\nX-User-Id: {user}\r\nContent-Length: 5\r\n");
            wires[at].send(format!("HTTP/1.1 200 OK\r\n{fields}\r\n{user:5}")).await;
        }
        for (caller, user) in callers.iter_mut().zip(["alice", "bob"]) {
            assert_eq!(caller.answer().await.body.trim(), user);
        }
    }
}

#[tokio::test]
async fn api_13_many_callers_at_once_get_their_own() {
    let recorder = Recorder::with(|seen| {
        let target = seen.head.line.split(' ').nth(1).unwrap();
        seen.answer("200 OK", "", &format!("{} {target}", seen.user()))
    })
    .await;
    let gateway = Arc::new(start(&recorder.url).await);
    let calls = (0..120).map(|at| {
        let gateway = gateway.clone();
        tokio::spawn(async move {
            let user = if at % 2 == 0 { "alice" } else { "bob" };
            let target = format!("/remote.php/dav/files/{user}/{at}");
            let answer = call(&gateway, user, &format!("PUT {target}"), "", &at.to_string()).await;
            assert_eq!((answer.status, answer.body), (200, format!("{user} {target}")));
        })
    });
    for call in calls.collect::<Vec<_>>() {
        call.await.unwrap();
    }
    for seen in recorder.take() {
        let number = seen.head.line.split(['/', ' ']).rev().nth(2).unwrap();
        assert_eq!(seen.body.bytes, number.as_bytes());
    }
}

#[tokio::test]
async fn api_13_a_caller_cannot_take_all_places() {
    let server = Server::start().await;
    let gateway = start_with(&server.url, |settings, _| {
        settings.max_in_flight_per_caller = 2;
        settings.request_timeout = Duration::from_secs(600);
    })
    .await;
    let mut held = Vec::new();
    for (what, fields) in [
        (file_of("alice"), "\r\n"),
        (format!("PUT {FILE}"), "Content-Length: 1000000\r\n\r\nbegun"),
    ] {
        let mut caller = Wire::to(gateway.address).await;
        caller.send(head(&gateway, "alice", &what, fields)).await;
        held.push((caller, server.request().await.0));
    }
    call(&gateway, "alice", &file_of("alice"), "", "").await.assert_error(429, "Too many requests");
    let mut other = Wire::to(gateway.address).await;
    other.send(head(&gateway, "bob", &file_of("bob"), "\r\n")).await;
    let (mut wire, _) = server.request().await;
    wire.send("HTTP/1.1 200 OK\r\nX-User-Id: bob\r\nContent-Length: 0\r\n\r\n").await;
    assert_eq!(other.answer().await.status, 200);
    // A place is free again once its call has ended.
    let (mut caller, mut wire) = held.remove(0);
    wire.send("HTTP/1.1 200 OK\r\nX-User-Id: alice\r\nContent-Length: 0\r\n\r\n").await;
    assert_eq!(caller.answer().await.status, 200);
    caller.send(head(&gateway, "alice", &file_of("alice"), "\r\n")).await;
    wire.head().await;
    wire.send("HTTP/1.1 200 OK\r\nX-User-Id: alice\r\nContent-Length: 0\r\n\r\n").await;
    assert_eq!(caller.answer().await.status, 200);
}

#[tokio::test]
async fn api_13_the_shared_key_holds_for_what_is_forwarded() {
    let recorder = Recorder::start().await;
    let change = |settings: &mut Settings| settings.shared_key = Some("the-shared-key".into());
    let gateway = start_with(&recorder.url, |settings, _| change(settings)).await;
    for fields in ["", "X-API-Key: wrong\r\n", "X-API-Key: the-shared-key\r\nX-API-Key: a\r\n"] {
        let answer = call(&gateway, "alice", &file_of("alice"), fields, "").await;
        answer.assert_error(401, "Unauthorized");
        recorder.assert_nothing_arrived(fields);
    }
    let key = "X-API-Key: the-shared-key\r\n";
    assert_eq!(call(&gateway, "alice", &file_of("alice"), key, "").await.status, 200);
    recorder.take_one();
}

#[tokio::test]
async fn api_13_the_gateways_own_paths_stay_its_own() {
    let recorder = Recorder::start().await;
    let gateway = start(&recorder.url).await;
    for path in ["/healthz", "/readyz", "/api/v1/status"] {
        let mut wire = Wire::to(gateway.address).await;
        wire.send(format!("GET {path} HTTP/1.1\r\nHost: gateway\r\n\r\n")).await;
        assert_eq!(wire.answer().await.status, 200, "{path}");
    }
    let own = |path| format!("GET /api/v1/{path}");
    let answer = call(&gateway, "alice", &own("background-sync/status"), "", "").await;
    assert_eq!(answer.json()["has_background_access"], true);
    let answer = call(&gateway, "alice", &own("nothing"), "", "").await;
    answer.assert_error(404, "Not found");
    let large = "x".repeat(100_000);
    let answer = call(&gateway, "alice", "POST /api/v1/webhooks", "", &large).await;
    answer.assert_error(413, "Payload too large");
    recorder.assert_nothing_arrived("own paths");
}

/// Even if the server could take all calls on one connection.
#[tokio::test]
async fn api_13_answers_that_are_not_read_keep_nobody_waiting() {
    use http_body_util::BodyExt as _;

    const SIZE: usize = 3 << 20;
    // More than all sockets on its way take.
    let large = bytes::Bytes::from(vec![b'x'; 64 << 20]);
    let answer = move |request: http::Request<hyper::body::Incoming>| {
        let is_of_bob = request.uri().path().contains("bob");
        let body = if is_of_bob { large.slice(..SIZE) } else { large.clone() };
        let body = http_body_util::Full::from(body).map_err(|never| match never {});
        let user = if is_of_bob { "bob" } else { "alice" };
        let answer = http::Response::builder().header("x-user-id", user);
        std::future::ready(answer.body(body.boxed_unsync()).unwrap())
    };
    let (url, ca_pem) = http2::server(answer).await;
    let gateway = start_tls(&url, &ca_pem).await;
    let mut unread = Vec::new();
    for _ in 0..12 {
        let mut caller = Wire::to(gateway.address).await;
        caller.send(head(&gateway, "alice", &file_of("alice"), "\r\n")).await;
        assert_eq!(caller.head().await.status(), 200);
        unread.push(caller);
    }
    let answer = call(&gateway, "bob", &file_of("bob"), "", "").await;
    assert_eq!((answer.status, answer.body.len()), (200, SIZE));
}

#[tokio::test]
async fn api_7_answers_that_are_passed_on_are_counted_by_caller() {
    let server = Server::start().await;
    let gateway = start_with(&server.url, |settings, _| settings.max_in_flight = 8).await;
    let answer = |user, body| {
        format!("HTTP/1.1 200 OK\r\nX-User-Id: {user}\r\nContent-Length: 5\r\n\r\n{body}")
    };
    let mut wires = Vec::new();
    let mut under_way = Vec::new();
    for _ in 0..2 {
        let mut caller = Wire::to(gateway.address).await;
        caller.send(head(&gateway, "alice", &file_of("alice"), "\r\n")).await;
        let (at, _) = next_request(&server, &mut wires).await;
        wires[at].send(answer("alice", "")).await;
        assert_eq!(caller.head().await.status(), 200);
        under_way.push(caller);
    }
    let refused = call(&gateway, "alice", &file_of("alice"), "", "").await;
    refused.assert_error(429, "Too many requests");
    // Others have their own.
    for user in ["bob", "alice"] {
        if user == "alice" {
            wires[0].send("whole").await;
            assert_eq!(under_way[0].bytes(5).await, b"whole");
        }
        let mut caller = Wire::to(gateway.address).await;
        caller.send(head(&gateway, user, &file_of(user), "\r\n")).await;
        let (at, _) = next_request(&server, &mut wires).await;
        wires[at].send(answer(user, "hello")).await;
        assert_eq!(caller.answer().await.body, "hello", "{user}");
    }
}

/// The route and the status of each request that has ended.
#[derive(Clone, Debug, Default)]
struct Ended(Arc<Mutex<Vec<(&'static str, u16)>>>);

impl RequestObserver for Ended {
    fn request_ended(&self, request: &EndedRequest<'_>) {
        self.0.lock().unwrap().push((request.endpoint.as_str(), request.status));
    }
}

#[test]
fn api_13_log_and_metrics_name_the_family_and_no_path() {
    own_process::run_async(
        "forward::isolation::api_13_log_and_metrics_name_the_family_and_no_path",
        tell_of_requests(),
    );
}

async fn tell_of_requests() {
    let log = Log::default();
    let lines = tracing_subscriber::fmt().with_ansi(false);
    lines.with_max_level(tracing::Level::DEBUG).with_writer(log.clone()).init();
    let recorder = Recorder::start().await;
    let ended = Ended::default();
    let observer = ended.clone();
    let groupware = Groupware::new(recorder.url.parse().unwrap(), Default::default()).unwrap();
    let mut settings = Settings::default();
    settings.forward = Some(Forward::new(Scopes::opened_by(["files", "notes"]).unwrap()));
    let scopes = ["files.read", "notes.read"].map(str::to_owned).to_vec();
    let tokens = [("alice".to_owned(), "alice".to_owned(), scopes)];
    let gateway = TestGateway::for_users(Bounds::default(), &tokens, |gateway| {
        gateway.groupware(groupware).settings(settings).observer(Arc::new(observer))
    })
    .await;
    let mut wanted = Vec::new();
    for (what, route, status) in [
        ("GET /remote.php/dav/files/alice/CONFIDENTIAL?CONFIDENTIAL=1", "forward:files", 200),
        ("GET /remote.php/dav/files/bob/CONFIDENTIAL", "forward:files", 404),
        ("PUT /remote.php/dav/files/alice/CONFIDENTIAL", "forward:files", 403),
        ("GET /apps/notes/api/v1/notes?CONFIDENTIAL", "forward:notes", 200),
        ("COPY /remote.php/dav/files/alice/CONFIDENTIAL", "forward:files", 400),
        ("GET /remote.php/dav/files/alice/../CONFIDENTIAL", "other", 400),
        ("GET /remote.php/dav/calendars/alice/CONFIDENTIAL/x", "other", 404),
        ("GET /CONFIDENTIAL", "other", 404),
    ] {
        assert_eq!(call(&gateway, "alice", what, "", "").await.status, status, "{what}");
        wanted.push((route, status));
    }
    assert_eq!(*ended.0.lock().unwrap(), wanted);
    let text = log.text();
    let own = || text.lines().filter(|line| line.contains("portreeve"));
    let lines = own().filter(|line| line.contains("portreeve::request"));
    for (line, (route, status)) in lines.zip(wanted.iter().copied()) {
        assert!(line.contains(&format!("route=\"{route}\"")), "{line}");
        assert!(line.contains(&format!("status={status}")), "{line}");
    }
    assert!(own().count() >= wanted.len(), "{text}");
    let told = own().find(|line| line.contains("CONFIDENTIAL"));
    assert_eq!(told, None);
}
