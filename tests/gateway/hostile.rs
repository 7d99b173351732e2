//! Bad input of every kind gets a clear answer, and the gateway still works after each.

use std::time::Duration;

use portreeve::server::Bounds;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::support::gateway::{Answer, TestGateway, set};
use crate::support::nextcloud::Nextcloud;

async fn start() -> (Nextcloud, TestGateway) {
    let nextcloud = Nextcloud::start().await;
    nextcloud.answer("webhooks-list-empty-admin");
    nextcloud.answer("webhooks-create-minimal-admin");
    let gateway = TestGateway::before(nextcloud.url()).await;
    (nextcloud, gateway)
}

async fn assert_alive(gateway: &TestGateway) {
    assert_eq!(gateway.call("admin", "GET", "/api/v1/webhooks", "").await.status, 200);
}

#[tokio::test]
async fn api_7_what_is_not_http_is_refused_without_a_body() {
    let (_nextcloud, gateway) = start().await;
    let token = gateway.token("admin").to_owned();
    let good =
        format!("GET /api/v1/webhooks HTTP/1.1\r\nHost: g\r\nAuthorization: Bearer {token}\r\n");
    let cases: Vec<(Vec<u8>, u16)> = vec![
        (b"\0\0\0\0\r\n\r\n".to_vec(), 400),
        (b"GET\r\n\r\n".to_vec(), 400),
        (b"GET / HTTP/9.9\r\n\r\n".to_vec(), 400),
        (format!("{good}No Colon\r\n\r\n").into_bytes(), 400),
        (format!("{good}X: a\0b\r\n\r\n").into_bytes(), 400),
        (format!("{good}Content-Length: 1\r\nContent-Length: 2\r\n\r\nx").into_bytes(), 400),
        (format!("{good}Content-Length: -1\r\n\r\n").into_bytes(), 400),
        (format!("{good}Transfer-Encoding: gzip\r\n\r\n").into_bytes(), 400),
        (format!("{good}X: {}\r\n\r\n", "x".repeat(100_000)).into_bytes(), 431),
        (format!("{good}{}\r\n", "A: b\r\n".repeat(500)).into_bytes(), 431),
        (format!("GET /{} HTTP/1.1\r\nHost: g\r\n\r\n", "x".repeat(70_000)).into_bytes(), 431),
        (format!("GET /{} HTTP/1.1\r\nHost: g\r\n\r\n", "x".repeat(65_530)).into_bytes(), 431),
    ];
    for (bytes, status) in cases {
        let shown = String::from_utf8_lossy(&bytes[..bytes.len().min(60)]).into_owned();
        let answer = gateway.raw(&bytes).await;
        assert_eq!(answer.status, status, "{shown:?}: {answer:?}");
        assert_eq!((&*answer.body, answer.header("content-type")), ("", None), "{shown:?}");
        assert_alive(&gateway).await;
    }
}

#[tokio::test]
async fn api_7_a_head_over_http_1_has_at_most_100_fields() {
    let (_nextcloud, gateway) = start().await;
    let token = gateway.token("admin").to_owned();
    let head = format!(
        "GET /api/v1/webhooks HTTP/1.1\r\nHost: g\r\nConnection: close\r\nAuthorization: Bearer {token}\r\n"
    );
    for (more, status) in [(97, 200), (98, 431)] {
        let head = format!("{head}{}\r\n", "A: b\r\n".repeat(more));
        assert_eq!(gateway.raw(head.as_bytes()).await.status, status, "{more}");
    }
}

#[tokio::test]
async fn api_7_a_request_that_does_not_name_its_host_once_is_400() {
    use http_body_util::Empty;
    use hyper_util::rt::{TokioExecutor, TokioIo};

    let (nextcloud, gateway) = start().await;
    let token = gateway.token("admin").to_owned();
    for path in ["/healthz", "/api/v1/webhooks"] {
        for (version, hosts, status) in [
            ("1.1", "", 400),
            ("1.1", "Host: g\r\nHost: g\r\n", 400),
            ("1.1", "Host: g/h\r\n", 400),
            ("1.1", "Host: user@g\r\n", 400),
            ("1.1", "Host: a b\r\n", 400),
            ("1.1", "Host: [::1]:8000\r\n", 200),
            ("1.1", "Host:\r\n", 200),
            ("1.1", "Host: g\r\n", 200),
            ("1.0", "", 200),
            ("1.0", "Host: g\r\nHost: h\r\n", 400),
        ] {
            let seen = nextcloud.seen().len();
            let head =
                format!("GET {path} HTTP/{version}\r\n{hosts}Authorization: Bearer {token}\r\n");
            // It is closed although the request does not ask for it.
            let close = if status == 200 { "Connection: close\r\n" } else { "" };
            let answer = gateway.raw(format!("{head}{close}\r\n").as_bytes()).await;
            assert_eq!(answer.status, status, "{head}: {answer:?}");
            if status == 400 {
                assert_eq!(answer.header("connection"), Some("close"), "{answer:?}");
                assert_eq!(answer.body, "");
                assert_eq!(nextcloud.seen().len(), seen);
            }
        }
    }
    let stream = TcpStream::connect(gateway.address).await.unwrap();
    let (mut sender, connection) =
        hyper::client::conn::http2::handshake(TokioExecutor::new(), TokioIo::new(stream))
            .await
            .unwrap();
    tokio::spawn(connection);
    for (authority, host, status) in [
        ("g", None, 200),
        ("g", Some("G"), 200),
        ("g", Some("other"), 400),
        ("[::1]:8000", None, 200),
        ("user@g", None, 400),
        ("user@g", Some("g"), 400),
    ] {
        let mut request = http::Request::get(format!("http://{authority}/healthz"));
        if let Some(host) = host {
            request = request.header("host", host);
        }
        let request = request.body(Empty::<bytes::Bytes>::new()).unwrap();
        let answer = sender.send_request(request).await.unwrap();
        assert_eq!(answer.status(), status, "{authority} {host:?}");
    }
    let head = "GET http://user@g/healthz HTTP/1.1\r\nHost: g\r\n\r\n";
    assert_eq!(gateway.raw(head.as_bytes()).await.status, 400);
}

#[tokio::test]
async fn api_7_an_answer_that_leaves_the_body_unread_announces_the_close() {
    let (_nextcloud, gateway) = start().await;
    let token = gateway.token("admin").to_owned();
    let wrong = "wrong".to_owned();
    const CHUNK: &str = "Transfer-Encoding: chunked\r\n\r\n20000\r\n";
    for (path, token, body, status, closes) in [
        ("webhooks", &token, "Content-Length: 100000\r\n\r\n", 413, true),
        ("webhooks", &token, "Content-Length: 2000000\r\n\r\n", 413, true),
        ("webhooks", &token, CHUNK, 413, true),
        ("webhooks", &wrong, "Content-Length: 2000000\r\n\r\n", 401, true),
        ("nothing", &token, "Content-Length: 2000000\r\n\r\n", 404, true),
        // What is left is discarded, and the connection used again.
        ("webhooks", &wrong, "Content-Length: 5\r\n\r\nwrong", 401, false),
        ("webhooks", &wrong, "\r\n", 401, false),
    ] {
        let mut request = format!(
            "POST /api/v1/{path} HTTP/1.1\r\nHost: g\r\nAuthorization: Bearer {token}\r\n{body}"
        );
        if body == CHUNK {
            request.push_str(&"x".repeat(0x20000));
        }
        let mut stream = TcpStream::connect(gateway.address).await.unwrap();
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut bytes = Vec::new();
        while !bytes.windows(4).any(|end| end == b"\r\n\r\n") {
            assert_ne!(stream.read_buf(&mut bytes).await.unwrap(), 0, "{request}");
        }
        let answer = Answer::parse(&bytes);
        assert_eq!(answer.status, status, "{path}: {answer:?}");
        let close = answer.header("connection");
        assert_eq!(close, closes.then_some("close"), "{path} {status}: {answer:?}");
    }
}

#[tokio::test]
async fn header_values_that_are_not_text_are_401_or_ignored() {
    let (_nextcloud, gateway) = start().await;
    let token = gateway.token("admin").to_owned();
    let mut request = b"GET /api/v1/webhooks HTTP/1.1\r\nHost: g\r\nConnection: close\r\nAuthorization: Bearer \xff\xfe\r\n\r\n".to_vec();
    gateway.raw(&request).await.assert_error(401, "Unauthorized");
    request = format!("GET /api/v1/webhooks HTTP/1.1\r\nHost: g\r\nConnection: close\r\nAuthorization: Bearer {token}\r\nX-Request-Id: ").into_bytes();
    request.extend(b"\xc3\x28\r\n\r\n");
    let answer = gateway.raw(&request).await;
    assert_eq!(answer.status, 200);
    assert!(answer.header("x-request-id").unwrap().is_ascii());
}

#[tokio::test]
async fn a_body_shorter_than_announced_creates_nothing() {
    let (nextcloud, gateway) = start().await;
    let token = gateway.token("admin").to_owned();
    let head = format!(
        "POST /api/v1/webhooks HTTP/1.1\r\nHost: g\r\nConnection: close\r\nAuthorization: Bearer {token}\r\n"
    );
    let mut stream = TcpStream::connect(gateway.address).await.unwrap();
    stream
        .write_all(
            format!("{head}Content-Length: 500\r\n\r\n{{\"event\":\"e\",\"uri\":\"u\"}}")
                .as_bytes(),
        )
        .await
        .unwrap();
    stream.shutdown().await.unwrap();
    let answer = Answer::read(&mut stream).await;
    assert!(matches!(answer.status, 0 | 400), "{answer:?}");
    // A chunk whose size is not a number.
    let answer = gateway
        .raw(format!("{head}Transfer-Encoding: chunked\r\n\r\nzz\r\n{{}}\r\n0\r\n\r\n").as_bytes())
        .await;
    assert!(matches!(answer.status, 0 | 400), "{answer:?}");
    assert_eq!(nextcloud.seen().len(), 0);
    assert_alive(&gateway).await;
}

#[tokio::test]
async fn api_6_3_a_body_that_is_slower_than_the_deadline_has_changed_nothing() {
    let nextcloud = Nextcloud::start().await;
    nextcloud.answer("webhooks-list-empty-admin");
    let change = set(|settings| settings.request_timeout = Duration::from_secs(1));
    let gateway = TestGateway::with(nextcloud.url(), change).await;
    let token = gateway.token("admin").to_owned();
    for (method, path) in [
        ("POST", "webhooks"),
        ("POST", "events/match"),
        ("POST", "background-sync/credentials"),
        ("PUT", "webhook-presets/files"),
    ] {
        let mut stream = TcpStream::connect(gateway.address).await.unwrap();
        let head = format!(
            "{method} /api/v1/{path} HTTP/1.1\r\nHost: g\r\nConnection: close\r\nAuthorization: Bearer {token}\r\nContent-Length: 100\r\n\r\n{{"
        );
        stream.write_all(head.as_bytes()).await.unwrap();
        let message = Answer::read(&mut stream).await.assert_error(504, "Timeout");
        assert_eq!(message, "The request was not answered in time", "{path}");
    }
    assert_alive(&gateway).await;
}

#[tokio::test]
async fn a_connection_without_a_complete_head_is_closed() {
    let mut bounds = Bounds::default();
    bounds.head_timeout = Duration::from_millis(300);
    let gateway = TestGateway::start(bounds, |gateway| gateway).await;
    for first in [
        &b""[..],
        b"G",
        b"PRI * HTTP/2.0\r\n",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r",
        b"GET / HTTP/1.1\r\nHost: g\r\n",
    ] {
        let mut stream = TcpStream::connect(gateway.address).await.unwrap();
        stream.write_all(first).await.unwrap();
        let mut rest = Vec::new();
        let read =
            tokio::time::timeout(Duration::from_secs(60), stream.read_to_end(&mut rest)).await;
        assert!(read.is_ok(), "still open after {first:?}");
    }
}

#[tokio::test]
async fn garbage_after_a_request_does_not_change_its_answer() {
    let (nextcloud, gateway) = start().await;
    let token = gateway.token("admin").to_owned();
    let request = format!(
        "GET /api/v1/webhooks HTTP/1.1\r\nHost: g\r\nAuthorization: Bearer {token}\r\n\r\n\x01\x02 garbage\r\n\r\n"
    );
    let answer = gateway.raw(request.as_bytes()).await;
    assert_eq!(answer.status, 200);
    assert_eq!(nextcloud.seen().len(), 1);
    // Two requests in one write get two answers; the second one, without a token, is refused.
    let request = format!(
        "GET /api/v1/webhooks HTTP/1.1\r\nHost: g\r\nAuthorization: Bearer {token}\r\n\r\nGET /api/v1/webhooks HTTP/1.1\r\nHost: g\r\nConnection: close\r\n\r\n"
    );
    let mut stream = TcpStream::connect(gateway.address).await.unwrap();
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).await.unwrap();
    assert_eq!(text.matches("HTTP/1.1 200 OK").count(), 1, "{text}");
    assert_eq!(text.matches("HTTP/1.1 401 Unauthorized").count(), 1, "{text}");
}

#[tokio::test]
async fn a_client_that_resets_its_connection_cancels_its_call() {
    let (nextcloud, gateway) = start().await;
    nextcloud.holds();
    let token = gateway.token("admin").to_owned();
    let mut stream = TcpStream::connect(gateway.address).await.unwrap();
    stream
        .write_all(
            format!(
                "GET /api/v1/webhooks HTTP/1.1\r\nHost: g\r\nAuthorization: Bearer {token}\r\n\r\n"
            )
            .as_bytes(),
        )
        .await
        .unwrap();
    nextcloud.until_seen(1).await;
    stream.set_zero_linger().unwrap();
    drop(stream);
    // With nothing in flight, the shutdown does not wait.
    let stopped = tokio::time::timeout(Duration::from_secs(25), gateway.stop()).await;
    assert!(stopped.is_ok(), "the call outlived its client");
}

#[tokio::test]
async fn http_2_is_served_with_the_same_rules() {
    use http_body_util::{BodyExt as _, Empty};
    use hyper_util::rt::{TokioExecutor, TokioIo};

    let (_nextcloud, gateway) = start().await;
    let stream = TcpStream::connect(gateway.address).await.unwrap();
    let (mut sender, connection) =
        hyper::client::conn::http2::handshake(TokioExecutor::new(), TokioIo::new(stream))
            .await
            .unwrap();
    tokio::spawn(connection);
    for (token, status) in [(gateway.token("admin"), 200), ("wrong", 401)] {
        let request = http::Request::get("http://gateway/api/v1/webhooks")
            .header("authorization", format!("Bearer {token}"))
            .body(Empty::<bytes::Bytes>::new())
            .unwrap();
        let answer = sender.send_request(request).await.unwrap();
        assert_eq!(answer.status(), status);
        answer.into_body().collect().await.unwrap();
    }
}

#[tokio::test]
async fn api_4_2_a_body_that_is_not_utf_8_or_begins_with_a_mark_is_500() {
    let (nextcloud, gateway) = start().await;
    let token = gateway.token("admin");
    let bodies = [
        &b"{\"event\":\"\xff\xfe\"}"[..],
        b"{\"event\":\"e\",\"uri\":\"u\",\"\xff\":1}",
        b"\xef\xbb\xbf{}",
    ];
    for body in bodies {
        let mut request = format!(
            "POST /api/v1/webhooks HTTP/1.1\r\nHost: g\r\nConnection: close\r\n\
             Authorization: Bearer {token}\r\nContent-Length: {}\r\n\r\n",
            body.len()
        )
        .into_bytes();
        request.extend(body);
        let answer = gateway.raw(&request).await;
        answer.assert_error(500, "Internal error");
    }
    assert_eq!(nextcloud.seen().len(), 0);
}

#[tokio::test]
async fn api_7_a_body_without_a_length_that_is_far_over_the_limit_is_413() {
    let (nextcloud, gateway) = start().await;
    let mut request = format!(
        "POST /api/v1/webhooks HTTP/1.1\r\nHost: g\r\nConnection: close\r\n\
         Authorization: Bearer {}\r\nTransfer-Encoding: chunked\r\n\r\n",
        gateway.token("admin")
    );
    request += &format!("4000\r\n{}\r\n", "x".repeat(0x4000)).repeat(40);
    request += "0\r\n\r\n";
    let answer = gateway.raw(request.as_bytes()).await;
    answer.assert_error(413, "Payload too large");
    assert_eq!(nextcloud.seen().len(), 0);
}
