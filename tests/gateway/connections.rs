//! How long a connection lives, whatever its client does (docs/API.md, section 7).

use std::convert::Infallible;
use std::net::SocketAddr;
use std::time::Duration;

use bytes::Bytes;
use http::{Request, Response};
use http_body_util::{BodyExt as _, Empty, Full};
use hyper::body::Incoming;
use hyper::client::conn::http2;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use portreeve::server::{self, Bounds};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep, timeout};
use tower::service_fn;

const SHORT: Duration = Duration::from_millis(400);
/// Longer than anything here should take.
const LONG: Duration = Duration::from_secs(10);

#[tokio::test]
async fn an_http_2_connection_without_requests_is_closed_despite_pings() {
    let address = serve(Bounds::new().idle_timeout(SHORT)).await;
    let (mut sender, connection) = connect_http2(address).await;
    // It stays open while requests come.
    for _ in 0..5 {
        sleep(SHORT / 2).await;
        let answer = sender.send_request(request()).await.unwrap();
        assert_eq!(
            answer.into_body().collect().await.unwrap().to_bytes(),
            "hello"
        );
    }
    let idle = Instant::now();
    timeout(LONG, connection)
        .await
        .expect("it is ended")
        .unwrap();
    assert!(idle.elapsed() >= SHORT, "{:?}", idle.elapsed());
}

#[tokio::test]
async fn idle_connections_are_closed_to_make_room_for_others() {
    let address = serve(Bounds::new().connections(4).idle_timeout(SHORT)).await;
    let mut idle = Vec::new();
    for _ in 0..4 {
        idle.push(connect_http2(address).await);
    }
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(GET).await.unwrap();
    assert!(read(&mut stream).await.ends_with("hello"));
}

#[tokio::test]
async fn http_1_may_wait_between_requests_but_not_within_a_head() {
    let bounds = Bounds::new().head_timeout(SHORT).idle_timeout(SHORT * 5);
    let address = serve(bounds).await;
    let mut stream = TcpStream::connect(address).await.unwrap();
    for _ in 0..2 {
        stream.write_all(GET).await.unwrap();
        assert!(read(&mut stream).await.ends_with("hello"));
        sleep(SHORT * 2).await;
    }
    let begun = Instant::now();
    stream.write_all(&GET[..20]).await.unwrap();
    assert_eq!(stream.read(&mut [0; 64]).await.unwrap_or(0), 0);
    assert!(
        (SHORT..SHORT * 4).contains(&begun.elapsed()),
        "{:?}",
        begun.elapsed()
    );

    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(GET).await.unwrap();
    assert!(read(&mut stream).await.ends_with("hello"));
    let idle = Instant::now();
    assert_eq!(stream.read(&mut [0; 64]).await.unwrap_or(0), 0);
    assert!(
        (SHORT * 4..SHORT * 10).contains(&idle.elapsed()),
        "{:?}",
        idle.elapsed()
    );
}

#[tokio::test]
async fn a_connection_whose_client_does_not_read_the_answer_is_closed() {
    let address = serve(Bounds::new().stall_timeout(SHORT)).await;
    for window in [0, 1, 1000] {
        let stream = TcpStream::connect(address).await.unwrap();
        let (mut sender, connection) = http2::Builder::new(TokioExecutor::new())
            .initial_stream_window_size(window)
            .handshake::<_, Empty<Bytes>>(TokioIo::new(stream))
            .await
            .unwrap();
        let connection = tokio::spawn(connection);
        let mut large = request();
        *large.uri_mut() = "http://server/large".parse().unwrap();
        let begun = Instant::now();
        let answer = sender.send_request(large).await.unwrap();
        // The body is not read, so that its window does not grow.
        let _ = timeout(LONG, connection).await.expect("it is cut");
        assert!(
            begun.elapsed() >= SHORT / 2,
            "{window}: {:?}",
            begun.elapsed()
        );
        drop(answer);
    }
}

#[tokio::test]
async fn a_slow_client_gets_its_whole_answer() {
    let address = serve(Bounds::new().stall_timeout(SHORT).idle_timeout(SHORT)).await;
    let stream = TcpStream::connect(address).await.unwrap();
    let (mut sender, connection) = http2::Builder::new(TokioExecutor::new())
        .initial_stream_window_size(64 * 1024)
        .handshake::<_, Empty<Bytes>>(TokioIo::new(stream))
        .await
        .unwrap();
    tokio::spawn(connection);
    let mut large = request();
    *large.uri_mut() = "http://server/large".parse().unwrap();
    let begun = Instant::now();
    let mut body = sender.send_request(large).await.unwrap().into_body();
    let mut received = 0;
    while let Some(frame) = body.frame().await {
        received += frame.unwrap().into_data().unwrap().len();
        sleep(SHORT / 16).await;
    }
    assert_eq!(received, LARGE);
    assert!(
        begun.elapsed() > SHORT * 2,
        "it was not slow: {:?}",
        begun.elapsed()
    );
}

#[tokio::test]
async fn connections_per_address_are_limited() {
    let address = serve(Bounds::new().connections_per_address(2)).await;
    let mut streams = Vec::new();
    for _ in 0..2 {
        let mut stream = TcpStream::connect(address).await.unwrap();
        stream.write_all(GET).await.unwrap();
        assert!(read(&mut stream).await.ends_with("hello"));
        streams.push(stream);
    }
    let mut third = TcpStream::connect(address).await.unwrap();
    assert_eq!(third.read(&mut [0; 64]).await.unwrap_or(0), 0);
    streams.pop();
    sleep(SHORT / 2).await;
    let mut third = TcpStream::connect(address).await.unwrap();
    third.write_all(GET).await.unwrap();
    assert!(read(&mut third).await.ends_with("hello"));
}

#[tokio::test]
async fn an_old_connection_is_closed_after_its_requests_are_answered() {
    let address = serve(Bounds::new().connection_age(SHORT)).await;
    let (mut sender, connection) = connect_http2(address).await;
    let mut slow = request();
    *slow.uri_mut() = "http://server/slow".parse().unwrap();
    let answer = sender.send_request(slow).await.unwrap();
    assert_eq!(
        answer.into_body().collect().await.unwrap().to_bytes(),
        "hello"
    );
    timeout(LONG, connection)
        .await
        .expect("it is ended")
        .unwrap();
}

const GET: &[u8] = b"GET / HTTP/1.1\r\nHost: server\r\n\r\n";
/// Bytes of the answer to `/large`.
const LARGE: usize = 2 << 20;

fn request() -> Request<Empty<Bytes>> {
    Request::get("http://server/").body(Empty::new()).unwrap()
}

/// Answers every request; `/large` with much, `/slow` after some time.
async fn serve(bounds: Bounds) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let service = service_fn(|request: Request<Incoming>| async move {
        let body = match request.uri().path() {
            "/large" => Bytes::from(vec![b'x'; LARGE]),
            "/slow" => {
                sleep(SHORT * 3).await;
                Bytes::from_static(b"hello")
            }
            _ => Bytes::from_static(b"hello"),
        };
        Ok::<_, Infallible>(Response::new(Full::new(body)))
    });
    tokio::spawn(server::serve(
        listener,
        service,
        bounds,
        std::future::pending(),
    ));
    address
}

/// A client that sends pings, and the end of its connection.
async fn connect_http2(address: SocketAddr) -> (http2::SendRequest<Empty<Bytes>>, JoinHandle<()>) {
    let stream = TcpStream::connect(address).await.unwrap();
    let (sender, connection) = http2::Builder::new(TokioExecutor::new())
        .timer(TokioTimer::new())
        .keep_alive_interval(Some(Duration::from_millis(50)))
        .keep_alive_while_idle(true)
        .handshake(TokioIo::new(stream))
        .await
        .unwrap();
    let connection = tokio::spawn(async move {
        let _ = connection.await;
    });
    (sender, connection)
}

/// Reads one answer and keeps the connection open.
async fn read(stream: &mut TcpStream) -> String {
    let mut text = Vec::new();
    while !text.ends_with(b"hello") {
        let mut bytes = [0; 512];
        let len = timeout(LONG, stream.read(&mut bytes))
            .await
            .unwrap()
            .unwrap();
        assert!(len > 0, "{:?}", String::from_utf8_lossy(&text));
        text.extend(&bytes[..len]);
    }
    String::from_utf8(text).unwrap()
}
