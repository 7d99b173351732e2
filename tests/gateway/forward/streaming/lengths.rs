//! How long a body is, is said as at the other end: facts that the server and the caller rely on.

use std::collections::HashSet;

use http_body_util::BodyExt as _;
use hyper::body::Frame;

use super::super::recorder::Recorder;
use super::super::wire::{Server, Wire, soon};
use super::super::{FILE, call, head, http2, start};

#[tokio::test]
async fn api_13_a_request_keeps_its_length() {
    let recorder = Recorder::start().await;
    let gateway = start(&recorder.url).await;
    let put = format!("PUT {FILE}");
    let large = "x".repeat(200_000);
    for body in ["a", "hello", &large] {
        assert_eq!(call(&gateway, "alice", &put, "", body).await.status, 200);
        let seen = recorder.take_one();
        assert_eq!(seen.head.field("content-length"), Some(&*body.len().to_string()));
        assert!(seen.body.is_complete && seen.body.bytes == body.as_bytes());
    }
    // A server cannot tell an empty file from no file, if nobody says so.
    assert_eq!(call(&gateway, "alice", &put, "Content-Length: 0\r\n", "").await.status, 200);
    assert_eq!(recorder.take_one().head.field("content-length"), Some("0"));
    for method in ["GET", "DELETE", "MKCOL"] {
        let what = format!("{method} {FILE}");
        assert_eq!(call(&gateway, "alice", &what, "", "").await.status, 200);
        let seen = recorder.take_one();
        assert_eq!(seen.head.field("transfer-encoding"), None, "{method}");
        assert!(matches!(seen.head.field("content-length"), None | Some("0")), "{method}");
    }
}

#[tokio::test]
async fn api_13_a_request_of_unknown_length_is_chunked() {
    let recorder = Recorder::start().await;
    let gateway = start(&recorder.url).await;
    let chunks = "5\r\nhello\r\n6;name=value\r\n world\r\n0\r\n\r\n";
    let mut wire = Wire::to(gateway.address).await;
    let fields = "Transfer-Encoding: chunked\r\n\r\n";
    let request = head(&gateway, "alice", &format!("PUT {FILE}"), fields);
    wire.send(format!("{request}{chunks}")).await;
    assert_eq!(wire.answer().await.status, 200);

    let mut caller = http2::connect(gateway.address).await;
    let (frames, body) = http2::channel();
    let request = http2::request(&gateway, "alice", "PUT", FILE).body(body).unwrap();
    let answer = tokio::spawn(caller.send_request(request));
    for piece in ["hello", " world"] {
        frames.send(Ok(Frame::data(piece.into()))).await.unwrap();
    }
    drop(frames);
    assert_eq!(soon(answer).await.unwrap().unwrap().status(), 200);

    let seen = recorder.take();
    assert_eq!(seen.len(), 2);
    for seen in seen {
        assert_eq!(seen.head.field("transfer-encoding"), Some("chunked"));
        assert_eq!(seen.head.field("content-length"), None);
        assert!(seen.body.is_complete && seen.body.bytes == b"hello world");
    }
}

/// A method, what a server answers, which fields the caller gets, and which body.
type Row =
    (&'static str, &'static str, &'static [(&'static str, Option<&'static str>)], &'static str);

/// What a server answers to a method; which fields the caller gets, and which body.
const ANSWERS: &[Row] = &[
    (
        "GET",
        "200 OK\r\nContent-Length: 5\r\nETag: \"a\"\r\n\r\nhello",
        &[("content-length", Some("5")), ("transfer-encoding", None), ("etag", Some("\"a\""))],
        "hello",
    ),
    (
        "GET",
        "200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
        // What is there at once goes on in one piece.
        &[("content-length", Some("5")), ("transfer-encoding", None)],
        "hello",
    ),
    (
        "GET",
        "200 OK\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
        &[("content-length", Some("5")), ("transfer-encoding", None)],
        "hello",
    ),
    ("GET", "200 OK\r\nContent-Length: 0\r\n\r\n", &[("content-length", Some("0"))], ""),
    (
        "HEAD",
        "200 OK\r\nContent-Length: 123456789\r\nETag: \"a\"\r\n\r\n",
        &[("content-length", Some("123456789")), ("transfer-encoding", None)],
        "",
    ),
    (
        "GET",
        "304 Not Modified\r\nETag: \"a\"\r\n\r\n",
        &[("content-length", None), ("transfer-encoding", None), ("etag", Some("\"a\""))],
        "",
    ),
    (
        "DELETE",
        "204 No Content\r\n\r\n",
        &[("content-length", None), ("transfer-encoding", None)],
        "",
    ),
    (
        "GET",
        "206 Partial Content\r\nContent-Length: 4\r\nContent-Range: bytes 2-5/10\r\n\r\ncdef",
        &[("content-length", Some("4")), ("content-range", Some("bytes 2-5/10"))],
        "cdef",
    ),
    (
        "GET",
        "416 Range Not Satisfiable\r\nContent-Length: 0\r\nContent-Range: bytes */10\r\n\r\n",
        &[("content-length", Some("0")), ("content-range", Some("bytes */10"))],
        "",
    ),
    (
        "PROPFIND",
        "207 Multi-Status\r\nContent-Length: 3\r\nContent-Type: application/xml\r\n\r\n<a>",
        &[("content-length", Some("3")), ("content-type", Some("application/xml"))],
        "<a>",
    ),
];

#[tokio::test]
async fn api_13_an_answer_keeps_its_length_and_its_range() {
    let server = Server::start().await;
    let gateway = start(&server.url).await;
    let mut caller = Wire::to(gateway.address).await;
    let mut wire = None;
    for &(method, answer, fields, body) in ANSWERS {
        let range = "Range: bytes=2-5\r\nIf-None-Match: \"a\"\r\nDepth: 0\r\n\r\n";
        caller.send(head(&gateway, "alice", &format!("{method} {FILE}"), range)).await;
        // One connection serves them all: each body ends where it is said to.
        let wire = match &mut wire {
            Some(wire) => wire,
            None => wire.insert(server.accept().await),
        };
        let asked = wire.head().await;
        assert_eq!(asked.line, format!("{method} {FILE} HTTP/1.1"));
        assert_eq!(asked.field("range"), Some("bytes=2-5"));
        assert_eq!(asked.field("if-none-match"), Some("\"a\""));
        let (status, rest) = answer.split_once("\r\n").unwrap();
        wire.send(format!("HTTP/1.1 {status}\r\nX-User-Id: alice\r\n{rest}")).await;
        let got = caller.head().await;
        assert!(got.line.starts_with(&format!("HTTP/1.1 {}", &status[..3])), "{got:?}");
        for &(name, value) in fields {
            assert_eq!(got.field(name), value, "{answer:?}: {got:?}");
        }
        assert_eq!(got.field("connection"), None);
        if !body.is_empty() {
            let got = caller.body(&got).await;
            assert!(got.is_complete && got.bytes == body.as_bytes(), "{got:?}");
        }
    }
}

#[tokio::test]
async fn api_13_over_http_2_an_answer_keeps_its_length_and_its_range() {
    let server = Server::start().await;
    let gateway = start(&server.url).await;
    let mut caller = http2::connect(gateway.address).await;
    let mut wire = None;
    for &(method, answer, fields, body) in ANSWERS {
        let request = http2::request(&gateway, "alice", method, FILE).header("depth", "0");
        let asking = tokio::spawn(caller.send_request(request.body(http2::empty()).unwrap()));
        let wire = match &mut wire {
            Some(wire) => wire,
            None => wire.insert(server.accept().await),
        };
        wire.head().await;
        let (status, rest) = answer.split_once("\r\n").unwrap();
        wire.send(format!("HTTP/1.1 {status}\r\nX-User-Id: alice\r\n{rest}")).await;
        let got = soon(asking).await.unwrap().unwrap();
        assert_eq!(got.status().as_str(), &status[..3]);
        for &(name, value) in fields.iter().filter(|(name, _)| *name != "transfer-encoding") {
            let got = got.headers().get(name).map(|it| it.to_str().unwrap());
            assert_eq!(got, value, "{answer:?}: {name}");
        }
        let got = soon(got.into_body().collect()).await.unwrap().to_bytes();
        assert_eq!(got, body, "{answer:?}");
    }
}

#[tokio::test]
async fn api_13_many_requests_share_a_connection_at_both_ends() {
    let recorder = Recorder::start().await;
    let gateway = start(&recorder.url).await;
    let mut caller = Wire::to(gateway.address).await;
    for (at, size) in [0, 1, 1000, 70_000, 3_000_000, 5, 1_000_000].into_iter().enumerate() {
        let length = format!("Content-Length: {size}\r\n\r\n");
        let request = head(&gateway, "alice", &format!("PUT {FILE}{at}"), &length);
        caller.send(format!("{request}{}", "x".repeat(size))).await;
        let answer = caller.answer().await;
        assert_eq!(answer.status, 200);
        assert_eq!(answer.header("connection"), None, "{size}");
    }
    let seen = recorder.take();
    let connections: HashSet<_> = seen.iter().map(|seen| seen.connection).collect();
    assert_eq!((seen.len(), connections.len()), (7, 1));
}

/// Those of the gateway itself, too; else the caller ends the stream with an error, or the whole connection.
#[tokio::test]
async fn api_13_over_http_2_an_answer_to_head_has_no_body() {
    let gateway = start("http://127.0.0.1:1").await;
    let mut caller = http2::connect(gateway.address).await;
    for (path, status) in [
        (FILE, 502),
        ("/remote.php/dav/files/bob/x", 404),
        ("/api/v1/apps", 405),
        ("/healthz", 200),
    ] {
        let request = http2::request(&gateway, "alice", "HEAD", path).body(http2::empty()).unwrap();
        let answer = soon(caller.send_request(request)).await.unwrap();
        assert_eq!(answer.status(), status, "{path}");
        let length = answer.headers()["content-length"].to_str().unwrap();
        assert_ne!(length.parse::<usize>().unwrap(), 0, "{path}");
        let body = soon(answer.into_body().collect()).await;
        assert_eq!(body.unwrap().to_bytes(), "", "{path}");
    }
}

/// A length that is said in another way than callers understand.
#[tokio::test]
async fn api_13_an_answer_has_one_length_or_none() {
    let server = Server::start().await;
    let gateway = start(&server.url).await;
    for length in ["Content-Length: 5, 5", "Content-Length: 5\r\nContent-Length: 5"] {
        for (method, body) in [("GET", "hello"), ("HEAD", "")] {
            let mut caller = Wire::to(gateway.address).await;
            caller.send(head(&gateway, "alice", &format!("{method} {FILE}"), "\r\n")).await;
            let (mut wire, _) = server.request().await;
            let fields = format!("X-User-Id: alice\r\nConnection: close\r\n{length}\r\n");
            wire.send(format!("HTTP/1.1 200 OK\r\n{fields}\r\n{body}")).await;
            let got = caller.head().await;
            assert!(matches!(got.field("content-length"), None | Some("5")), "{got:?}");
            assert_eq!(got.status(), 200);
            if method == "GET" {
                let got = caller.body(&got).await;
                assert!(got.is_complete && got.bytes == b"hello", "{got:?}");
            }
        }
    }
}
