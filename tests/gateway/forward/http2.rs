//! Callers, and servers, that speak HTTP/2.

use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::Bytes;
use http::{Request, Response, request};
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt as _, Empty};
use hyper::body::{Body, Frame, Incoming};
use hyper::client::conn::http2::{SendRequest, handshake};
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::net::TcpStream;
use tokio::sync::mpsc;
use tower::BoxError;

use super::FILE;
use super::wire::Wire;
use crate::support::gateway::TestGateway;

pub(super) const DATA: u8 = 0;
pub(super) const HEADERS: u8 = 1;
pub(super) const RST_STREAM: u8 = 3;
const SETTINGS: u8 = 4;
pub(super) const GOAWAY: u8 = 7;
pub(super) const END_STREAM: u8 = 1;
const END_HEADERS: u8 = 4;

/// What a request says of itself; `None` instead of a value for a field that is left out.
pub(super) type Fields<'a> = &'a [(&'a [u8], Option<&'a [u8]>)];

/// A frame of the first request on a connection.
pub(super) fn frame(kind: u8, flags: u8, payload: &[u8]) -> Vec<u8> {
    frame_of(1, kind, flags, payload)
}

fn frame_of(stream: u32, kind: u8, flags: u8, payload: &[u8]) -> Vec<u8> {
    let length = (payload.len() as u32).to_be_bytes();
    [&length[1..], &[kind, flags], &stream.to_be_bytes(), payload].concat()
}

/// A field as it is, in no table (RFC 7541, section 6.2.2).
fn literal(name: &[u8], value: &[u8]) -> Vec<u8> {
    let length = |text: &[u8]| match text.len() {
        length @ ..127 => vec![length as u8],
        length => vec![127, (length - 127) as u8 | 128, ((length - 127) >> 7) as u8],
    };
    [&[0], &*length(name), name, &*length(value), value].concat()
}

/// Begins a request of alice frame by frame, with `fields` instead of or beside those of an upload. Its body follows,
/// unless the head `ends` it.
pub(super) async fn begin(gateway: &TestGateway, fields: Fields<'_>, ends: bool) -> Wire {
    let token = format!("Bearer {}", gateway.token("alice"));
    let usual: [(&[u8], &[u8]); 5] = [
        (b":method", b"PUT"),
        (b":scheme", b"http"),
        (b":path", FILE.as_bytes()),
        (b":authority", b"gateway"),
        (b"authorization", token.as_bytes()),
    ];
    let replaced = |name: &[u8]| fields.iter().find(|(known, _)| *known == name).map(|(_, it)| *it);
    let mut block = Vec::new();
    for (name, value) in usual {
        if let Some(value) = replaced(name).unwrap_or(Some(value)) {
            block.extend(literal(name, value));
        }
    }
    let is_usual = |name: &[u8]| usual.iter().any(|(known, _)| *known == name);
    for (name, value) in fields.iter().filter(|(name, _)| !is_usual(name)) {
        block.extend(literal(name, value.unwrap()));
    }
    let mut bytes = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_vec();
    bytes.extend(frame_of(0, SETTINGS, 0, b""));
    bytes.extend(frame(HEADERS, END_HEADERS | if ends { END_STREAM } else { 0 }, &block));
    let mut wire = Wire::to(gateway.address).await;
    wire.send(bytes).await;
    wire
}

pub(super) type AnyBody = UnsyncBoxBody<Bytes, BoxError>;

/// A connection over HTTP/2.
pub(super) async fn connect(address: SocketAddr) -> SendRequest<AnyBody> {
    let stream = TcpStream::connect(address).await.unwrap();
    let handshake = handshake(TokioExecutor::new(), TokioIo::new(stream));
    let (sender, connection) = handshake.await.unwrap();
    tokio::spawn(connection);
    sender
}

/// A request with the token of `user`.
pub(super) fn request(
    gateway: &TestGateway,
    user: &str,
    method: &str,
    path: &str,
) -> request::Builder {
    Request::builder()
        .method(method)
        .uri(format!("http://gateway{path}"))
        .header("authorization", format!("Bearer {}", gateway.token(user)))
}

pub(super) fn empty() -> AnyBody {
    Empty::new().map_err(|never| match never {}).boxed_unsync()
}

/// A body whose frames, or fault, a test sends one by one. It ends when the sender is dropped.
pub(super) fn channel() -> (mpsc::Sender<Result<Frame<Bytes>, BoxError>>, AnyBody) {
    let (sender, frames) = mpsc::channel(1);
    (sender, Frames(frames).boxed_unsync())
}

struct Frames(mpsc::Receiver<Result<Frame<Bytes>, BoxError>>);

impl Body for Frames {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        self.0.poll_recv(cx)
    }
}

/// A server reached by TLS, which speaks either version. Returns its address, and the certificate of its authority in PEM.
pub(super) async fn server<F>(
    answer: impl Fn(Request<Incoming>) -> F + Send + Sync + 'static,
) -> (String, String)
where
    F: Future<Output = Response<AnyBody>> + Send + 'static,
{
    use hyper::service::service_fn;
    use hyper_util::server::conn::auto;

    let (acceptor, ca_pem) = crate::support::nextcloud::tls_acceptor(true);
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("https://{}", listener.local_addr().unwrap());
    let answer = Arc::new(answer);
    tokio::spawn(async move {
        loop {
            let stream = listener.accept().await.unwrap().0;
            let stream = acceptor.accept(stream).await.unwrap();
            let answer = answer.clone();
            let service = service_fn(move |request| {
                let answer = answer.clone();
                async move { Ok::<_, std::convert::Infallible>(answer(request).await) }
            });
            tokio::spawn(async move {
                let builder = auto::Builder::new(TokioExecutor::new());
                let _ = builder.serve_connection(TokioIo::new(stream), service).await;
            });
        }
    });
    (url, ca_pem)
}
