//! Which clients are answered, and which have gone (docs/API.md, section 7).

use std::convert::Infallible;
use std::net::{Shutdown, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::{Request, Response};
use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming;
use portreeve::server::{self, Bounds, Listeners, Tls, TlsConfig};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream, UnixListener, UnixStream};
use tokio::sync::{Notify, mpsc};
use tokio::time::timeout;
use tokio_rustls::TlsConnector;
use tower::service_fn;

use crate::support::certificates::{Authority, client};

/// Longer than anything here should take.
const LONG: Duration = Duration::from_secs(60);
/// Time in which a wrong cancellation would be seen.
const SHORT: Duration = Duration::from_millis(20);
/// Bytes of an answer that no socket holds at once.
const LARGE: usize = 8 << 20;
const GET: &str = "GET / HTTP/1.1\r\nHost: server\r\n\r\n";
const POST: &str = "POST / HTTP/1.1\r\nHost: server\r\nContent-Length: 4\r\n\r\nbody";
const CHUNKED: &str =
    "POST / HTTP/1.1\r\nHost: server\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nbody\r\n0\r\n\r\n";

/// What happens to a request.
#[derive(Debug, PartialEq, Eq)]
enum Event {
    /// It has arrived with this body; `None` if the body is incomplete.
    Begun(Option<Bytes>),
    Answered,
    Cancelled,
}

/// A server whose requests wait until they are let go.
struct Server {
    address: SocketAddr,
    events: mpsc::UnboundedReceiver<Event>,
    go: Arc<Notify>,
}

impl Server {
    /// Listens on `tls` or without TLS, and on `unix`.
    async fn start(tls: Option<Tls>, unix: Option<UnixListener>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let mut listeners = match tls {
            Some(tls) => Listeners::default().tls(listener, tls),
            None => Listeners::default().tcp(listener),
        };
        if let Some(unix) = unix {
            listeners = listeners.unix(unix);
        }
        let go = Arc::new(Notify::new());
        let (sender, events) = mpsc::unbounded_channel();
        let waiting = go.clone();
        let service = service_fn(move |request: Request<Incoming>| {
            let (waiting, sender) = (waiting.clone(), sender.clone());
            async move {
                let body = request.into_body().collect().await;
                let body = body.ok().map(|body| body.to_bytes());
                let mut state = Ending(sender.clone(), Event::Cancelled);
                sender.send(Event::Begun(body)).unwrap();
                waiting.notified().await;
                state.1 = Event::Answered;
                Ok::<_, Infallible>(Response::new(Full::new(Bytes::from(vec![b'x'; LARGE]))))
            }
        });
        let bounds = Bounds::default();
        tokio::spawn(server::serve(listeners, service, bounds, std::future::pending()));
        Self { address, events, go }
    }

    async fn event(&mut self) -> Event {
        let event = timeout(LONG, self.events.recv()).await;
        event.expect("something happens").unwrap()
    }
}

/// Tells how a request ended.
struct Ending(mpsc::UnboundedSender<Event>, Event);

impl Drop for Ending {
    fn drop(&mut self) {
        let event = std::mem::replace(&mut self.1, Event::Cancelled);
        let _ = self.0.send(event);
    }
}

/// Reads to the end of the connection.
async fn read(mut stream: impl AsyncRead + Unpin) -> String {
    let mut text = String::new();
    let read = timeout(LONG, stream.read_to_string(&mut text)).await;
    read.expect("the server closes the connection").unwrap();
    text
}

/// Sends `request`, and closes the write side.
async fn send_all(stream: &mut (impl AsyncWrite + Unpin), request: &str) {
    stream.write_all(request.as_bytes()).await.unwrap();
    stream.shutdown().await.unwrap();
}

/// Sends `request` this many times, closes the write side, and expects as many answers.
async fn exchange(
    server: &mut Server,
    mut stream: impl AsyncRead + AsyncWrite + Send + Unpin + 'static,
    request: &str,
    times: usize,
) {
    send_all(&mut stream, &request.repeat(times)).await;
    let reading = tokio::spawn(read(stream));
    let body = Bytes::from_static(if request == GET { b"" } else { b"body" });
    for _ in 0..times {
        assert_eq!(server.event().await, Event::Begun(Some(body.clone())));
        // What the client has closed has been seen by now.
        timeout(SHORT, server.events.recv()).await.unwrap_err();
        server.go.notify_one();
        assert_eq!(server.event().await, Event::Answered, "{request}");
    }
    let text = reading.await.unwrap();
    assert_eq!(text.matches("HTTP/1.1 200 OK\r\n").count(), times);
    assert_eq!(text.matches('x').count(), times * LARGE);
}

#[tokio::test]
async fn api_7_a_client_that_has_sent_everything_is_answered() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("socket");
    let unix = UnixListener::bind(&path).unwrap();
    let mut server = Server::start(None, Some(unix)).await;
    for request in [GET, POST, CHUNKED] {
        for times in [1, 2] {
            let tcp = TcpStream::connect(server.address).await.unwrap();
            exchange(&mut server, tcp, request, times).await;
            let unix = UnixStream::connect(&path).await.unwrap();
            exchange(&mut server, unix, request, times).await;
        }
    }
}

#[tokio::test]
async fn api_7_a_body_that_ends_early_is_noticed_at_once() {
    let mut server = Server::start(None, None).await;
    for request in
        [&POST[..POST.len() - 1], &CHUNKED[..CHUNKED.len() - 2], &CHUNKED[..CHUNKED.len() - 9]]
    {
        let mut stream = TcpStream::connect(server.address).await.unwrap();
        send_all(&mut stream, request).await;
        assert_eq!(server.event().await, Event::Begun(None), "{request}");
        server.go.notify_one();
        assert_eq!(server.event().await, Event::Answered);
        assert!(read(stream).await.starts_with("HTTP/1.1 200 OK\r\n"));
    }
}

#[tokio::test]
async fn api_7_a_client_that_has_gone_cancels_its_request() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("socket");
    let unix = UnixListener::bind(&path).unwrap();
    let mut server = Server::start(None, Some(unix)).await;
    for request in [GET, POST, CHUNKED] {
        let mut stream = TcpStream::connect(server.address).await.unwrap();
        stream.write_all(request.as_bytes()).await.unwrap();
        assert!(matches!(server.event().await, Event::Begun(Some(_))));
        stream.set_zero_linger().unwrap();
        drop(stream);
        assert_eq!(server.event().await, Event::Cancelled, "reset: {request}");

        let mut stream = UnixStream::connect(&path).await.unwrap();
        stream.write_all(request.as_bytes()).await.unwrap();
        assert!(matches!(server.event().await, Event::Begun(Some(_))));
        drop(stream);
        assert_eq!(server.event().await, Event::Cancelled, "unix: {request}");
    }
}

#[tokio::test]
async fn api_7_a_client_that_ends_tls_cancels_its_request() {
    let authority = Authority::new("departure");
    let own = authority.ending_in(9);
    let tls = TlsConfig::from_pem(own.certificate.as_bytes(), own.key.as_bytes(), None).unwrap();
    let mut server = Server::start(Some(Tls::new(tls)), None).await;
    let connector = TlsConnector::from(client(&authority.pem(), None, &[]));
    for is_polite in [true, false] {
        let stream = TcpStream::connect(server.address).await.unwrap();
        let name = "localhost".try_into().unwrap();
        let mut stream = connector.connect(name, stream).await.unwrap();
        stream.write_all(GET.as_bytes()).await.unwrap();
        assert!(matches!(server.event().await, Event::Begun(Some(_))));
        if is_polite {
            stream.shutdown().await.unwrap();
        } else {
            drop(stream);
        }
        assert_eq!(server.event().await, Event::Cancelled, "{is_polite}");
    }
}

#[tokio::test]
async fn api_7_a_client_that_ends_http_2_cancels_its_requests() {
    use hyper_util::rt::{TokioExecutor, TokioIo};

    let mut server = Server::start(None, None).await;
    for closes_stream_only in [true, false] {
        let stream = TcpStream::connect(server.address).await.unwrap();
        let stream = stream.into_std().unwrap();
        let other = stream.try_clone().unwrap();
        let stream = TcpStream::from_std(stream).unwrap();
        let (mut sender, connection) =
            hyper::client::conn::http2::handshake(TokioExecutor::new(), TokioIo::new(stream))
                .await
                .unwrap();
        tokio::spawn(connection);
        let request = Request::get("http://server/").body(Full::<Bytes>::default()).unwrap();
        let answer = tokio::spawn(sender.send_request(request));
        assert!(matches!(server.event().await, Event::Begun(Some(_))));
        if closes_stream_only {
            answer.abort();
        } else {
            other.shutdown(Shutdown::Write).unwrap();
        }
        assert_eq!(server.event().await, Event::Cancelled);
    }
}
