//! How long a connection lives, whatever its client does (docs/API.md, section 7).

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::{Request, Response};
use http_body_util::{BodyExt as _, Empty, Full};
use hyper::body::Incoming;
use hyper::client::conn::http2;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use portreeve::server::{self, Bounds, Connections, Listeners, Tls, TlsConfig, replaceable};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::sync::Notify;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep, timeout};
use tokio_rustls::TlsConnector;
use tower::service_fn;

use crate::support::certificates::{Authority, client};
use crate::support::gateway::{Answer, TestGateway};

/// A timeout that is met; what must not meet it takes at most an eighth.
const SHORT: Duration = Duration::from_secs(1);
/// Longer than anything here takes, on a machine that is busy with other tests.
const LONG: Duration = Duration::from_secs(60);

#[tokio::test]
async fn an_http_2_connection_without_requests_is_closed_despite_pings() {
    let address = serve(bounds(|it| it.idle_timeout = SHORT)).await;
    let (mut sender, connection) = connect_http2(address).await;
    let mut idle = Instant::now();
    // It stays open while requests come.
    for _ in 0..12 {
        sleep(SHORT / 8).await;
        idle = Instant::now();
        let answer = sender.send_request(request()).await.unwrap();
        assert_eq!(answer.into_body().collect().await.unwrap().to_bytes(), "hello");
    }
    timeout(LONG, connection).await.expect("it is ended").unwrap();
    assert!(idle.elapsed() >= SHORT, "{:?}", idle.elapsed());
}

/// Opens a connection, and lets it have one answer.
async fn used(address: SocketAddr) -> TcpStream {
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(GET).await.unwrap();
    assert!(read(&mut stream).await.ends_with("hello"));
    stream
}

/// Waits for the end of a connection.
async fn ended(stream: &mut TcpStream) {
    let read = timeout(LONG, stream.read(&mut [0; 64])).await;
    assert_eq!(read.expect("it is closed").unwrap_or(0), 0);
}

/// Begins a request that is answered when told to.
async fn held(address: SocketAddr, held: &Held) -> TcpStream {
    let mut stream = TcpStream::connect(address).await.unwrap();
    let request = b"GET /hold HTTP/1.1\r\nHost: server\r\n\r\n";
    stream.write_all(request).await.unwrap();
    timeout(LONG, held.begun.notified()).await.unwrap();
    stream
}

#[tokio::test]
async fn api_7_the_longest_idle_connection_makes_room_for_another() {
    let (address, counted, holding) = serve_counted(bounds(|it| it.max_connections = 4)).await;
    let mut silent = TcpStream::connect(address).await.unwrap();
    let mut first = used(address).await;
    let (mut http2, end_of_http2) = connect_http2(address).await;
    http2.send_request(request()).await.unwrap();
    let mut busy = held(address, &holding).await;
    assert_eq!(counted.counts().open(), 4);

    let mut second = used(address).await;
    ended(&mut silent).await;
    let mut third = used(address).await;
    ended(&mut first).await;
    let _fourth = used(address).await;
    timeout(LONG, end_of_http2).await.unwrap().unwrap();
    // One that has been used since then is younger than the others.
    second.write_all(GET).await.unwrap();
    assert!(read(&mut second).await.ends_with("hello"));
    let _fifth = used(address).await;
    ended(&mut third).await;
    second.write_all(GET).await.unwrap();
    assert!(read(&mut second).await.ends_with("hello"));
    holding.go.notify_one();
    assert!(read(&mut busy).await.ends_with("hello"));
    assert_eq!(counted.counts().dismissed, 4);
    assert_eq!(counted.counts().delayed, 0);
}

#[tokio::test]
async fn api_7_a_connection_waits_while_each_has_a_request() {
    let (address, counted, holding) = serve_counted(bounds(|it| it.max_connections = 1)).await;
    let mut busy = held(address, &holding).await;
    let waiting = tokio::spawn(used(address));
    while counted.counts().delayed == 0 {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    assert!(!waiting.is_finished());
    holding.go.notify_one();
    assert!(read(&mut busy).await.ends_with("hello"));
    timeout(LONG, waiting).await.unwrap().unwrap();
    ended(&mut busy).await;
}

#[tokio::test]
async fn api_7_a_connection_in_its_tls_handshake_makes_room_for_another() {
    let authority = Authority::new("room");
    let own = authority.ending_in(9);
    let tls = TlsConfig::from_pem(own.certificate.as_bytes(), own.key.as_bytes(), None).unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let listeners = Listeners::default().tls(listener, Tls::new(tls));
    let service = service_fn(async |_: Request<Incoming>| {
        Ok::<_, Infallible>(Response::new(Full::new(Bytes::from_static(b"hello"))))
    });
    let bounds = bounds(|it| it.max_connections = 1);
    tokio::spawn(server::serve(listeners, service, bounds, std::future::pending()));
    let mut silent = TcpStream::connect(address).await.unwrap();
    let connector = TlsConnector::from(client(&authority.pem(), None, &[]));
    let stream = TcpStream::connect(address).await.unwrap();
    let name = "localhost".try_into().unwrap();
    let mut stream =
        timeout(LONG, connector.connect(name, stream)).await.expect("there is room").unwrap();
    stream.write_all(GET).await.unwrap();
    ended(&mut silent).await;
    let mut answer = [0; 12];
    stream.read_exact(&mut answer).await.unwrap();
    assert_eq!(&answer, b"HTTP/1.1 200");
}

#[tokio::test]
async fn a_kept_connection_gets_the_new_service_and_frees_the_old_one() {
    let greeting = |text: &'static [u8], alive: Arc<()>| {
        service_fn(move |_: Request<Incoming>| {
            let _alive = alive.clone();
            async move { Ok::<_, Infallible>(Response::new(Full::new(Bytes::from_static(text)))) }
        })
    };
    let alive = Arc::new(());
    let old = Arc::downgrade(&alive);
    let (service, replace) = replaceable(greeting(b"say hello", alive));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let bounds = Bounds::default();
    tokio::spawn(server::serve(listener, service, bounds, std::future::pending()));
    let mut stream = used(address).await;
    assert!(old.upgrade().is_some());
    replace(greeting(b"now hello", Arc::default()));
    assert!(old.upgrade().is_none(), "the connection keeps it");
    stream.write_all(GET).await.unwrap();
    assert!(read(&mut stream).await.ends_with("now hello"));
}

#[tokio::test]
async fn http_1_may_wait_between_requests_but_not_within_a_head() {
    let address = serve(bounds(|it| {
        it.head_timeout = SHORT;
        it.idle_timeout = 2 * LONG;
    }))
    .await;
    let mut stream = TcpStream::connect(address).await.unwrap();
    for _ in 0..2 {
        stream.write_all(GET).await.unwrap();
        assert!(read(&mut stream).await.ends_with("hello"));
        sleep(SHORT * 2).await;
    }
    let begun = Instant::now();
    stream.write_all(&GET[..20]).await.unwrap();
    ended(&mut stream).await;
    assert!(begun.elapsed() >= SHORT, "{:?}", begun.elapsed());

    let address = serve(bounds(|it| {
        it.head_timeout = 2 * LONG;
        it.idle_timeout = SHORT;
    }))
    .await;
    let begun = Instant::now();
    let mut stream = used(address).await;
    ended(&mut stream).await;
    assert!(begun.elapsed() >= SHORT, "{:?}", begun.elapsed());
}

#[tokio::test]
async fn a_connection_whose_client_does_not_read_the_answer_is_closed() {
    let address = serve(bounds(|it| it.stall_timeout = SHORT)).await;
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
        assert!(begun.elapsed() >= SHORT / 2, "{window}: {:?}", begun.elapsed());
        drop(answer);
    }
}

/// Over HTTP/1 the answer waits in the socket.
#[tokio::test]
async fn a_connection_whose_client_reads_nothing_from_its_socket_is_closed() {
    let address = serve(bounds(|it| it.stall_timeout = SHORT)).await;
    for reads in [false, true] {
        let socket = TcpSocket::new_v4().unwrap();
        socket.set_recv_buffer_size(4096).unwrap();
        let mut stream = socket.connect(address).await.unwrap();
        let request = b"GET /huge HTTP/1.1\r\nHost: server\r\nConnection: close\r\n\r\n";
        stream.write_all(request).await.unwrap();
        let mut piece = vec![0; HUGE / 32];
        for _ in 0..24 {
            sleep(SHORT / 8).await;
            if reads {
                stream.read_exact(&mut piece).await.unwrap();
            }
        }
        let mut rest = Vec::new();
        let ended = timeout(LONG, stream.read_to_end(&mut rest)).await;
        let _ = ended.expect("it is closed");
        let read = rest.len() + if reads { 24 * piece.len() } else { 0 };
        assert_eq!(read >= HUGE, reads, "{read}");
    }
}

/// Of small answers none is in flight any more when the socket is full.
#[tokio::test]
async fn a_connection_whose_client_reads_no_small_answer_is_closed() {
    let bounds = bounds(|it| {
        it.stall_timeout = SHORT;
        it.head_timeout = 10 * LONG;
    });
    let socket = TcpSocket::new_v4().unwrap();
    socket.set_recv_buffer_size(4096).unwrap();
    let mut stream = socket.connect(serve(bounds).await).await.unwrap();
    let many = GET.repeat(1000);
    let sent = async { while stream.write_all(&many).await.is_ok() {} };
    timeout(LONG, sent).await.expect("it is closed");
}

#[tokio::test]
async fn timeouts_beyond_the_clock_never_end() {
    let address = serve(bounds(|it| {
        it.idle_timeout = Duration::MAX;
        it.head_timeout = Duration::MAX;
        it.stall_timeout = Duration::MAX;
    }))
    .await;
    let mut stream = used(address).await;
    // In the meantime the connection is looked at.
    sleep(SHORT / 4).await;
    stream.write_all(GET).await.unwrap();
    assert!(read(&mut stream).await.ends_with("hello"));
    let (mut sender, _connection) = connect_http2(address).await;
    for _ in 0..2 {
        assert_eq!(sender.send_request(request()).await.unwrap().status(), 200);
    }
}

/// Such as one with a token that is not accepted: its rest is no head that takes too long.
#[tokio::test]
async fn a_connection_is_kept_after_the_rest_of_a_body_that_nobody_read() {
    let bounds = bounds(|it| it.head_timeout = SHORT);
    let gateway = TestGateway::start(bounds, |gateway| gateway).await;
    let mut stream = TcpStream::connect(gateway.address).await.unwrap();
    let half = "x".repeat(100_000);
    let head = "POST /api/v1/webhooks HTTP/1.1\r\nHost: g\r\nContent-Length: 200000\r\n\r\n";
    stream.write_all(format!("{head}{half}").as_bytes()).await.unwrap();
    let answer = Answer::read(&mut stream).await;
    assert_eq!((answer.status, answer.header("connection")), (401, None), "{answer:?}");
    stream.write_all(half.as_bytes()).await.unwrap();
    sleep(2 * SHORT).await;
    stream.write_all(b"GET /healthz HTTP/1.1\r\nHost: g\r\n\r\n").await.unwrap();
    assert_eq!(Answer::read(&mut stream).await.status, 200);
}

#[tokio::test]
async fn bounds_that_are_too_small_to_serve_are_the_smallest_ones() {
    let address = serve(bounds(|it| {
        it.max_connections = 0;
        it.max_head = 1;
    }))
    .await;
    for _ in 0..2 {
        let mut stream = used(address).await;
        stream.write_all(GET).await.unwrap();
        assert!(read(&mut stream).await.ends_with("hello"));
    }
}

#[tokio::test]
async fn a_slow_client_gets_its_whole_answer() {
    let address = serve(bounds(|it| {
        it.stall_timeout = SHORT;
        it.idle_timeout = SHORT;
    }))
    .await;
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
        sleep(SHORT / 50).await;
    }
    assert_eq!(received, LARGE);
    assert!(begun.elapsed() > SHORT * 2, "it was not slow: {:?}", begun.elapsed());
}

#[tokio::test]
async fn connections_per_address_are_limited() {
    let address = serve(bounds(|it| it.max_connections_per_address = 2)).await;
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
    // Once the server has noticed.
    let answered = async {
        loop {
            let mut third = TcpStream::connect(address).await.unwrap();
            let sent = third.write_all(GET).await;
            if sent.is_ok() && third.read(&mut [0; 64]).await.is_ok_and(|len| len > 0) {
                return;
            }
        }
    };
    timeout(LONG, answered).await.expect("there is room");
}

#[tokio::test]
async fn an_old_connection_is_closed_after_its_requests_are_answered() {
    let address = serve(bounds(|it| it.max_connection_age = Some(SHORT))).await;
    let (mut sender, connection) = connect_http2(address).await;
    let mut slow = request();
    *slow.uri_mut() = "http://server/slow".parse().unwrap();
    let answer = sender.send_request(slow).await.unwrap();
    assert_eq!(answer.into_body().collect().await.unwrap().to_bytes(), "hello");
    timeout(LONG, connection).await.expect("it is ended").unwrap();
}

const GET: &[u8] = b"GET / HTTP/1.1\r\nHost: server\r\n\r\n";
/// Bytes of the answer to `/large`.
const LARGE: usize = 2 << 20;
/// The same of `/huge`: more than sockets hold.
const HUGE: usize = 16 << 20;

fn request() -> Request<Empty<Bytes>> {
    Request::get("http://server/").body(Empty::new()).unwrap()
}

/// The requests for `/hold`.
#[derive(Clone, Default)]
struct Held {
    begun: Arc<Notify>,
    go: Arc<Notify>,
}

/// The defaults but for what `set` changes.
fn bounds(set: impl FnOnce(&mut Bounds)) -> Bounds {
    let mut bounds = Bounds::default();
    set(&mut bounds);
    bounds
}

async fn serve(bounds: Bounds) -> SocketAddr {
    serve_counted(bounds).await.0
}

/// Answers every request; `/large` and `/huge` with much, `/slow` after some time, `/hold` when told to.
async fn serve_counted(bounds: Bounds) -> (SocketAddr, Connections, Held) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let held = Held::default();
    let holding = held.clone();
    let service = service_fn(move |request: Request<Incoming>| {
        let held = holding.clone();
        async move {
            let body = match request.uri().path() {
                "/large" => Bytes::from(vec![b'x'; LARGE]),
                "/huge" => Bytes::from(vec![b'x'; HUGE]),
                "/slow" => {
                    sleep(SHORT * 3).await;
                    Bytes::from_static(b"hello")
                }
                "/hold" => {
                    held.begun.notify_one();
                    held.go.notified().await;
                    Bytes::from_static(b"hello")
                }
                _ => Bytes::from_static(b"hello"),
            };
            Ok::<_, Infallible>(Response::new(Full::new(body)))
        }
    });
    let counted = Connections::default();
    let mut listeners = Listeners::from(listener);
    listeners.connections = counted.clone();
    tokio::spawn(server::serve(listeners, service, bounds, std::future::pending()));
    (address, counted, held)
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
        let len = timeout(LONG, stream.read(&mut bytes)).await.unwrap().unwrap();
        assert!(len > 0, "{:?}", String::from_utf8_lossy(&text));
        text.extend(&bytes[..len]);
    }
    String::from_utf8(text).unwrap()
}
