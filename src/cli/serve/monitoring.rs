//! The listener for operators: metrics, probes and the description of the API.

use std::convert::Infallible;
use std::future::pending;
use std::net::SocketAddr;
use std::sync::Arc;

use bytes::Bytes;
use http::header::{ALLOW, CACHE_CONTROL, CONTENT_TYPE, HeaderValue};
use http::{Method, Request, Response, StatusCode};
use hyper::body::Incoming;
use portreeve::gateway::layer::probes::ProbeLayer;
use portreeve::gateway::{AnswerBody, OPENAPI};
use portreeve::metrics::{self, Exporter, Metrics};
use portreeve::server::{self, Bounds, Drained};
use tokio::net::TcpListener;
use tokio_util::task::AbortOnDropHandle;
use tower::util::BoxCloneService;
use tower::{ServiceBuilder, service_fn};

use super::parts::Parts;
use crate::cli::Failure;

/// The maximum number of connections: Prometheus, and a supervisor that uses the probes here.
const CONNECTIONS: usize = 64;

/// Listens on `address` from now on, until what it returns is dropped; that closes the connections, too.
pub(super) async fn start(
    address: SocketAddr,
    metrics: Arc<Metrics>,
    parts: &Parts,
) -> Result<AbortOnDropHandle<Drained>, Failure> {
    let listener = TcpListener::bind(address).await.map_err(|error| {
        Failure::new(format_args!(
            "cannot listen on {address}: {error}; --metrics-listen takes another address"
        ))
    })?;
    tracing::info!(address = %listener.local_addr()?, "serving metrics");
    let mut bounds = Bounds::default();
    bounds.max_connections = CONNECTIONS;
    let mut exporter = Exporter::new(metrics);
    exporter.vault = Some(parts.vault.clone());
    exporter.shared = Some(parts.shared.clone());
    exporter.connections = Some(parts.connections.clone());
    exporter.lost_audit_lines = parts.audit.as_ref().map(|audit| audit.lost.clone());
    exporter.deliveries = parts.worker.as_ref().map(|it| it.deliveries().clone());
    let metrics = service_fn(move |request: Request<Incoming>| {
        let exporter = exporter.clone();
        async move { Ok::<_, Infallible>(answer(&request, &exporter).await) }
    });
    let mut probes = ProbeLayer::new(parts.vault.clone());
    probes.shared = Some(parts.shared.clone());
    // Boxed as those of the demo, so that serving is compiled once.
    let service = BoxCloneService::new(ServiceBuilder::new().layer(probes).service(metrics));
    let serving = server::serve(listener, service, bounds, pending());
    Ok(AbortOnDropHandle::new(tokio::spawn(serving)))
}

/// Answers `/metrics` and `/openapi.json`; the layer of probes has answered `/healthz` and `/readyz`.
async fn answer(request: &Request<Incoming>, exporter: &Exporter) -> Response<AnswerBody> {
    let is_read = matches!(*request.method(), Method::GET | Method::HEAD);
    let (mut status, mut kind) = (StatusCode::OK, "text/plain");
    let body: Bytes = match request.uri().path() {
        "/metrics" if is_read => {
            kind = metrics::CONTENT_TYPE;
            exporter.text().await.into()
        }
        "/openapi.json" if is_read => {
            kind = "application/json";
            OPENAPI.into()
        }
        "/metrics" | "/openapi.json" => {
            status = StatusCode::METHOD_NOT_ALLOWED;
            "only GET and HEAD\n".into()
        }
        _ => {
            status = StatusCode::NOT_FOUND;
            "the paths are /metrics, /openapi.json, /healthz and /readyz\n".into()
        }
    };
    let mut response = Response::new(AnswerBody::from(body));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    if status == StatusCode::METHOD_NOT_ALLOWED {
        headers.insert(ALLOW, HeaderValue::from_static("GET, HEAD"));
    }
    response
}
