//! The listener for operators: metrics, probes and the description of the API.

use std::convert::Infallible;
use std::future::pending;
use std::net::SocketAddr;

use bytes::Bytes;
use http::header::{ALLOW, CACHE_CONTROL, CONTENT_TYPE, HeaderValue};
use http::{Method, Request, Response, StatusCode};
use http_body_util::Full;
use hyper::body::Incoming;
use portreeve::gateway::layer::probes::ProbeLayer;
use portreeve::gateway::{OPENAPI, Shared};
use portreeve::metrics::{self, Exporter};
use portreeve::server::{self, Bounds, Drained};
use portreeve::vault::Vault;
use tokio::net::TcpListener;
use tokio_util::task::AbortOnDropHandle;
use tower::{ServiceBuilder, service_fn};

use crate::cli::Failure;

/// The maximum number of connections: Prometheus, and a supervisor that uses the probes here.
const CONNECTIONS: usize = 64;

/// Listens on `address` from now on, until what it returns is dropped; that closes the connections, too.
pub(super) async fn start(
    address: SocketAddr,
    vault: Vault,
    shared: &Shared,
    exporter: Exporter,
) -> Result<AbortOnDropHandle<Drained>, Failure> {
    let listener = TcpListener::bind(address).await.map_err(|error| {
        Failure::new(format_args!(
            "cannot listen on {address}: {error}; --metrics-listen takes another address"
        ))
    })?;
    tracing::info!(address = %listener.local_addr()?, "serving metrics");
    let mut bounds = Bounds::default();
    bounds.connections = CONNECTIONS;
    let metrics = service_fn(move |request: Request<Incoming>| {
        let exporter = exporter.clone();
        async move { Ok::<_, Infallible>(answer(&request, &exporter).await) }
    });
    let service = ServiceBuilder::new()
        .layer(ProbeLayer::new(vault).deliveries(shared))
        .service(metrics);
    let serving = server::serve(listener, service, bounds, pending());
    Ok(AbortOnDropHandle::new(tokio::spawn(serving)))
}

/// Answers `/metrics` and `/openapi.json`; the layer of probes has answered `/healthz` and `/readyz`.
async fn answer(request: &Request<Incoming>, exporter: &Exporter) -> Response<Full<Bytes>> {
    let is_read = matches!(*request.method(), Method::GET | Method::HEAD);
    let (status, kind, body) = match request.uri().path() {
        "/metrics" if is_read => {
            let text = exporter.text().await;
            (StatusCode::OK, metrics::CONTENT_TYPE, text.into())
        }
        "/openapi.json" if is_read => (
            StatusCode::OK,
            "application/json",
            Bytes::from_static(OPENAPI.as_bytes()),
        ),
        "/metrics" | "/openapi.json" | "/healthz" | "/readyz" => (
            StatusCode::METHOD_NOT_ALLOWED,
            "text/plain",
            Bytes::from_static(b"only GET and HEAD\n"),
        ),
        _ => (
            StatusCode::NOT_FOUND,
            "text/plain",
            Bytes::from_static(b"the paths are /metrics, /openapi.json, /healthz and /readyz\n"),
        ),
    };
    let mut response = Response::new(Full::from(body));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    if status == StatusCode::METHOD_NOT_ALLOWED {
        headers.insert(ALLOW, HeaderValue::from_static("GET, HEAD"));
    }
    response
}
