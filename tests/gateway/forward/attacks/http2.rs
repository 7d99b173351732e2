//! Over HTTP/2, where a field or a target may hold what cannot be said over HTTP/1.1.

use http_body_util::BodyExt as _;
use hyper::body::Frame;

use super::super::http2::{DATA, END_STREAM, Fields, GOAWAY, HEADERS, RST_STREAM, frame};
use super::super::recorder::Recorder;
use super::super::wire::{Server, soon};
use super::super::{FILE, http2, start};
use super::assert_alive;
use crate::support::gateway::TestGateway;

/// Sends one request frame by frame, with `fields` instead of or beside the usual ones, and a body in these pieces.
/// Returns once it is answered or refused.
async fn send(gateway: &TestGateway, fields: Fields<'_>, pieces: &[&[u8]]) {
    let mut wire = http2::begin(gateway, fields, pieces.is_empty()).await;
    for (at, piece) in pieces.iter().enumerate() {
        let ends = if at + 1 == pieces.len() { END_STREAM } else { 0 };
        wire.send(frame(DATA, ends, piece)).await;
    }
    loop {
        let head = wire.bytes(9).await;
        let &[a, b, c, kind, ..] = &head[..] else {
            return;
        };
        if matches!(kind, HEADERS | RST_STREAM | GOAWAY) {
            return;
        }
        wire.bytes(u32::from_be_bytes([0, a, b, c]) as usize).await;
    }
}

#[tokio::test]
async fn api_13_over_http_2_what_is_no_request_is_refused() {
    let recorder = Recorder::start().await;
    let gateway = start(&recorder.url).await;
    // This is how one arrives.
    send(&gateway, &[(b"depth", Some(b"0"))], &[b"bo", b"dy"]).await;
    let seen = recorder.take_one();
    assert_eq!((seen.head.field("depth"), &*seen.body.bytes), (Some("0"), &b"body"[..]));

    let refused: &[Fields<'_>] = &[
        &[(b":path", Some(b"/remote.php/dav/files/alice/a b"))],
        &[(b":path", Some(b"/remote.php/dav/files/alice/a HTTP/1.1\r\nX: SMUGGLED"))],
        &[(b":path", Some(b"/remote.php/dav/files/alice/a\r\n\r\nGET /SMUGGLED"))],
        &[(b":path", Some(b"/remote.php/dav/files/alice/a\0"))],
        &[(b":path", Some(b"/remote.php/dav/files/alice/\xff"))],
        &[(b":path", Some(b"/remote.php/dav/files/alice/../bob/a"))],
        &[(b":path", Some(b"remote.php/dav/files/alice/a"))],
        &[(b":path", Some(b"http://other/remote.php/dav/files/alice/a"))],
        &[(b":path", Some(b""))],
        &[(b":path", Some(b"*"))],
        &[(b":path", None)],
        &[(b":method", Some(b"PUT "))],
        &[(b":method", Some(b"PUT /SMUGGLED HTTP/1.1\r\nX:"))],
        &[(b":method", Some(b"put"))],
        &[(b":method", Some(b""))],
        &[(b":method", None)],
        &[(b":method", Some(b"CONNECT"))],
        &[(b":authority", Some(b"gate way"))],
        &[(b":authority", Some(b"gateway/x"))],
        &[(b"host", Some(b"other"))],
        &[(b":status", Some(b"200"))],
        &[(b":unknown", Some(b"a"))],
        &[(b":protocol", Some(b"websocket"))],
        &[(b"connection", Some(b"close"))],
        &[(b"transfer-encoding", Some(b"chunked"))],
        &[(b"keep-alive", Some(b"timeout=5"))],
        &[(b"proxy-connection", Some(b"keep-alive"))],
        &[(b"upgrade", Some(b"h2c"))],
        &[(b"te", Some(b"chunked"))],
        &[(b"depth", Some(b"0\r\nX: SMUGGLED"))],
        &[(b"depth", Some(b"0\nX: SMUGGLED"))],
        &[(b"depth", Some(b"0\0"))],
        &[(b"Depth", Some(b"0"))],
        &[(b"depth ", Some(b"0"))],
        &[(b"depth\t", Some(b"0"))],
        &[(b" depth", Some(b"0"))],
        &[(b"depth:", Some(b"0"))],
        &[(b"de\r\npth", Some(b"0"))],
        &[(b"", Some(b"0"))],
        &[(b"content-length", Some(b"5"))],
        &[(b"content-length", Some(b"3"))],
        &[(b"content-length", Some(b"+4"))],
        &[(b"content-length", Some(b"4")), (b"content-length", Some(b"5"))],
        &[(b"content-length", Some(b"4, 5"))],
        &[(b"authorization", None)],
    ];
    for fields in refused {
        send(&gateway, fields, &[b"bo", b"dy"]).await;
        let mut seen = recorder.take();
        // A body of another length than announced is known at its end.
        seen.retain(|seen| seen.body.is_complete);
        let shown: Vec<_> = fields.iter().map(|(name, _)| String::from_utf8_lossy(name)).collect();
        assert!(seen.is_empty(), "{shown:?}: {seen:?}");
    }
    assert_alive(&gateway, &recorder).await;
}

#[tokio::test]
async fn api_13_over_http_2_fields_that_must_not_pass_do_not() {
    let recorder = Recorder::start().await;
    let gateway = start(&recorder.url).await;
    let value = Some(&b"SMUGGLED"[..]);
    let fields: Vec<_> = super::super::recorder::NEVER
        .iter()
        .filter(|name| !matches!(**name, "keep-alive" | "proxy-connection" | "upgrade" | "expect"))
        .map(|name| (name.as_bytes(), value))
        .chain([(&b"cookie"[..], value), (b"x_forwarded_for", value), (b"x-any", value)])
        .collect();
    send(&gateway, &fields, &[b"body"]).await;
    let seen = recorder.take_one();
    assert_eq!(seen.body.bytes, b"body");
    // A fragment is no part of what is asked for.
    send(&gateway, &[(b":path", Some(b"/remote.php/dav/files/alice/a#/SMUGGLED"))], &[b"a"]).await;
    for seen in recorder.take() {
        assert_eq!(seen.head.line, "PUT /remote.php/dav/files/alice/a HTTP/1.1");
    }
}

#[tokio::test]
async fn api_13_trailers_pass_in_no_direction() {
    let server = Server::start().await;
    let gateway = start(&server.url).await;
    let mut caller = http2::connect(gateway.address).await;
    let (frames, body) = http2::channel();
    let request = http2::request(&gateway, "alice", "PUT", FILE).header("te", "trailers");
    let answer = tokio::spawn(caller.send_request(request.body(body).unwrap()));
    frames.send(Ok(Frame::data("body".into()))).await.unwrap();
    let mut trailers = http::HeaderMap::new();
    for name in ["authorization", "cookie", "destination", "x-sabre-original-method"] {
        trailers.insert(name, "SMUGGLED".parse().unwrap());
    }
    frames.send(Ok(Frame::trailers(trailers))).await.unwrap();
    drop(frames);
    let (mut wire, head) = server.request().await;
    let body = wire.body(&head).await;
    assert_eq!((&*body.bytes, body.trailers, body.is_complete), (&b"body"[..], Vec::new(), true));
    let fields = "X-User-Id: alice\r\nTrailer: Set-Cookie\r\nTransfer-Encoding: chunked\r\n";
    let trailers = "Set-Cookie: nc_session_id=SMUGGLED\r\nWWW-Authenticate: Basic\r\n";
    wire.send(format!("HTTP/1.1 200 OK\r\n{fields}\r\n6\r\nanswer\r\n0\r\n{trailers}\r\n")).await;
    let answer = soon(answer).await.unwrap().unwrap();
    assert_eq!(answer.status(), 200);
    let body = soon(answer.into_body().collect()).await.unwrap();
    assert_eq!(body.trailers().cloned().unwrap_or_default(), http::HeaderMap::new());
    assert_eq!(body.to_bytes(), "answer");
}
