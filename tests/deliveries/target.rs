//! Targets of deliveries, over HTTP and HTTPS.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use http::request::Parts;
use http::{Request, Response, StatusCode};
use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;

use crate::support::certificates::Authority;

/// A server on a free port of loopback, until the test ends.
#[derive(Clone)]
pub(crate) struct Target {
    pub(crate) address: SocketAddr,
    /// Requests in the order in which they came.
    requests: Arc<Mutex<Vec<(Parts, Bytes)>>>,
    connections: Arc<AtomicUsize>,
}

impl Target {
    /// Answers every request with `answer`.
    pub(crate) async fn answering(
        answer: impl Fn() -> Response<Full<Bytes>> + Clone + Send + Sync + 'static,
    ) -> Self {
        Self::serving(move |target, stream| target.http(stream, answer.clone())).await
    }

    pub(crate) async fn ok() -> Self {
        Self::always(StatusCode::OK).await
    }

    pub(crate) async fn always(code: StatusCode) -> Self {
        Self::answering(move || status(code)).await
    }

    /// Answers with 200, and has a certificate for `names`.
    pub(crate) async fn with_tls(authority: &Authority, names: &[&str]) -> Self {
        let acceptor = TlsAcceptor::from(authority.naming(names, 1).server());
        Self::serving(move |target, stream| {
            let acceptor = acceptor.clone();
            async move {
                if let Ok(stream) = acceptor.accept(stream).await {
                    target.http(stream, || status(StatusCode::OK)).await;
                }
            }
        })
        .await
    }

    /// Treats each connection as `serve` does.
    pub(crate) async fn serving<F>(serve: impl Fn(Self, TcpStream) -> F + Send + 'static) -> Self
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let target = Self {
            address: listener.local_addr().unwrap(),
            requests: Arc::default(),
            connections: Arc::default(),
        };
        let served = target.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                served.connections.fetch_add(1, Ordering::SeqCst);
                tokio::spawn(serve(served.clone(), stream));
            }
        });
        target
    }

    pub(crate) async fn http(
        self,
        stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
        answer: impl Fn() -> Response<Full<Bytes>> + Send + Sync + 'static,
    ) {
        let service = service_fn(|request: Request<Incoming>| {
            let (requests, answer) = (self.requests.clone(), answer());
            async move {
                let (head, body) = request.into_parts();
                let body = body.collect().await.unwrap().to_bytes();
                requests.lock().unwrap().push((head, body));
                Ok::<_, Infallible>(answer)
            }
        });
        http1::Builder::new().serve_connection(TokioIo::new(stream), service).await.ok();
    }

    pub(crate) fn uri(&self) -> String {
        format!("http://{}/hook", self.address)
    }

    pub(crate) fn requests(&self) -> Vec<(Parts, Bytes)> {
        self.requests.lock().unwrap().clone()
    }

    /// How many.
    pub(crate) fn received(&self) -> usize {
        self.requests.lock().unwrap().len()
    }

    pub(crate) fn connections(&self) -> usize {
        self.connections.load(Ordering::SeqCst)
    }
}

/// Waits until `is_so`, for two minutes: other tests may keep the machine busy.
pub(crate) async fn until(what: &str, mut is_so: impl AsyncFnMut() -> bool) {
    let waited = tokio::time::timeout(Duration::from_mins(2), async {
        while !is_so().await {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    });
    waited.await.unwrap_or_else(|_| panic!("{what}"));
}

pub(crate) fn status(status: StatusCode) -> Response<Full<Bytes>> {
    let mut answer = Response::new(Full::default());
    *answer.status_mut() = status;
    answer
}
