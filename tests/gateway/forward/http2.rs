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

use crate::support::gateway::TestGateway;

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
