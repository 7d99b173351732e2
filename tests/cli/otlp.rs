//! Spans of requests, received over gRPC as a collector would (docs/OPERATIONS.md, "Traces").

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use opentelemetry_proto::tonic::collector::trace::v1::trace_service_server::{
    TraceService, TraceServiceServer,
};
use opentelemetry_proto::tonic::collector::trace::v1::{
    ExportTraceServiceRequest, ExportTraceServiceResponse,
};
use opentelemetry_proto::tonic::common::v1::any_value::Value;
use opentelemetry_proto::tonic::trace::v1::Span;
use opentelemetry_proto::tonic::trace::v1::span::SpanKind;
use tonic::{Request, Response, Status};

use crate::support::binary::{
    Served, assert_contains, credentials, failure, http, serve_in, token,
};
use crate::support::gateway::PASSWORD;
use crate::support::nextcloud::Nextcloud;

const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
const PARENT: &str = "00f067aa0ba902b7";

/// A collector that keeps what it gets.
#[derive(Clone, Default)]
struct Collector(Arc<Mutex<Vec<ExportTraceServiceRequest>>>);

#[tonic::async_trait]
impl TraceService for Collector {
    async fn export(
        &self,
        request: Request<ExportTraceServiceRequest>,
    ) -> Result<Response<ExportTraceServiceResponse>, Status> {
        self.0.lock().unwrap().push(request.into_inner());
        Ok(Response::new(ExportTraceServiceResponse::default()))
    }
}

impl Collector {
    /// Starts it and returns its address, too.
    async fn start() -> (Self, SocketAddr) {
        let collector = Self::default();
        let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let address = free.local_addr().unwrap();
        drop(free);
        let service = TraceServiceServer::new(collector.clone());
        let server = tonic::transport::Server::builder().add_service(service);
        tokio::spawn(server.serve(address));
        while tokio::net::TcpStream::connect(address).await.is_err() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        (collector, address)
    }

    fn spans(&self) -> Vec<Span> {
        let received = self.0.lock().unwrap();
        received
            .iter()
            .flat_map(|request| &request.resource_spans)
            .flat_map(|of_resource| &of_resource.scope_spans)
            .flat_map(|of_scope| of_scope.spans.clone())
            .collect()
    }
}

fn attribute(span: &Span, key: &str) -> Option<String> {
    let found = span.attributes.iter().find(|it| it.key == key)?;
    match found.value.as_ref()?.value.as_ref()? {
        Value::StringValue(text) => Some(text.clone()),
        Value::IntValue(number) => Some(number.to_string()),
        other => panic!("{other:?}"),
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn request(path: &str, token: &str, more: &str) -> String {
    format!(
        "GET {path} HTTP/1.1\r\nHost: g\r\nConnection: close\r\nAuthorization: Bearer {token}\r\n\
         {more}\r\n"
    )
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_and_their_calls_are_spans_of_the_callers_trace() {
    let (collector, address) = Collector::start().await;
    let nextcloud = Nextcloud::start().await;
    nextcloud.answer("webhooks-list-empty-admin");
    let dir = tempfile::tempdir().unwrap();
    let token = token(dir.path(), "admin");
    credentials(
        dir.path(),
        &["put", "--user", "admin", "--unchecked"],
        PASSWORD,
    );
    let mut serve = serve_in(dir.path());
    serve.args(["--groupware-url", nextcloud.url(), "--otlp-endpoint"]);
    let mut served = Served::start(serve.arg(format!("http://{address}")));

    let sampled = format!("traceparent: 00-{TRACE}-{PARENT}-01\r\nX-Request-Id: r-1\r\n");
    let path = "/api/v1/webhooks?secret=hush";
    let answer = http(served.address, &request(path, &token, &sampled));
    assert_eq!(answer.status, 200, "{answer:?}");
    // A request with a trace of its own, which fails at the server.
    nextcloud.answer_with("webhooks-list-empty-admin", 503, "away");
    let answer = http(served.address, &request("/api/v1/webhooks", &token, ""));
    assert_eq!(answer.status, 500, "{answer:?}");
    // The caller does not sample, so nothing is recorded; nor is a probe.
    let unsampled = format!("traceparent: 00-{TRACE}-{PARENT}-00\r\n");
    http(
        served.address,
        &request("/api/v1/webhooks", &token, &unsampled),
    );
    http(served.address, &request("/healthz", &token, ""));
    let answer = http(
        served.address,
        &request("/files/alice", "a-token-of-nobody", ""),
    );
    assert_eq!(answer.status, 401);
    // Shutdown exports the spans that are still queued.
    served.terminate();
    assert!(served.wait().success());

    let spans = collector.spans();
    let of_kind = |kind: SpanKind| {
        let of_kind = spans.iter().filter(move |span| span.kind == kind as i32);
        of_kind.collect::<Vec<_>>()
    };
    let (servers, calls) = (of_kind(SpanKind::Server), of_kind(SpanKind::Client));
    let names: Vec<_> = servers.iter().map(|span| &*span.name).collect();
    assert_eq!(
        names,
        ["GET /api/v1/webhooks", "GET /api/v1/webhooks", "GET"]
    );
    let [listed, failed, refused] = servers[..] else {
        panic!("{servers:#?}");
    };
    assert_eq!(hex(&listed.trace_id), TRACE);
    assert_eq!(hex(&listed.parent_span_id), PARENT);
    assert!(failed.parent_span_id.is_empty() && hex(&failed.trace_id) != TRACE);
    for (span, expected) in [
        (listed, ["GET", "/api/v1/webhooks", "200", "-", "r-1"]),
        (failed, ["GET", "/api/v1/webhooks", "500", "500", "*"]),
        (refused, ["GET", "-", "401", "-", "*"]),
    ] {
        let keys = [
            "http.request.method",
            "http.route",
            "http.response.status_code",
            "error.type",
            "portreeve.request_id",
        ];
        for (key, expected) in keys.into_iter().zip(expected) {
            let found = attribute(span, key).unwrap_or_else(|| "-".into());
            assert!(found == expected || expected == "*", "{key}: {span:#?}");
        }
        assert!(span.attributes.len() <= keys.len(), "{span:#?}");
        assert!(span.end_time_unix_nano >= span.start_time_unix_nano);
    }
    assert_eq!(failed.status.as_ref().unwrap().code, 2, "an error");
    // Each call is a child, within the time of its request.
    let of_parent = |parent: &Span| {
        let children = calls
            .iter()
            .filter(move |it| it.parent_span_id == parent.span_id);
        children.collect::<Vec<_>>()
    };
    for (parent, outcome) in [(listed, "ok"), (failed, "server_error")] {
        let children = of_parent(parent);
        assert!(!children.is_empty(), "{spans:#?}");
        let outcomes: Vec<_> = children
            .iter()
            .filter(|child| child.name == "groupware webhooks")
            .map(|child| attribute(child, "portreeve.groupware.outcome").unwrap())
            .collect();
        assert_eq!(outcomes, [outcome], "{children:#?}");
        for child in children {
            assert_eq!(child.trace_id, parent.trace_id);
            assert!(child.start_time_unix_nano + 1_000_000 >= parent.start_time_unix_nano);
            assert!(child.end_time_unix_nano <= parent.end_time_unix_nano + 1_000_000);
        }
    }
    assert!(of_parent(refused).is_empty());
    let received = collector.0.lock().unwrap();
    let resource = received[0].resource_spans[0].resource.as_ref().unwrap();
    let shown = format!("{received:?}");
    assert!(
        format!("{resource:?}").contains("portreeve"),
        "{resource:?}"
    );
    for secret in [&*token, PASSWORD, "a-token-of-nobody", "hush", "alice"] {
        assert!(!shown.contains(secret), "{secret}: {shown}");
    }
}

/// One that refuses connections, and one that accepts them and never answers.
#[tokio::test(flavor = "multi_thread")]
async fn a_dead_or_hanging_collector_delays_neither_requests_nor_shutdown() {
    let hanging = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let dead = {
        let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        free.local_addr().unwrap()
    };
    for collector in [dead, hanging.local_addr().unwrap()] {
        let dir = tempfile::tempdir().unwrap();
        let token = token(dir.path(), "alice");
        let mut serve = serve_in(dir.path());
        serve
            .arg("--otlp-endpoint")
            .arg(format!("http://{collector}"));
        // A short delay, so that many exports fail.
        let mut served = Served::start(serve.env("OTEL_BSP_SCHEDULE_DELAY", "50"));
        let began = Instant::now();
        for _ in 0..60 {
            let status = "/api/v1/background-sync/status";
            let answer = http(served.address, &request(status, &token, ""));
            assert_eq!(answer.status, 200);
        }
        assert!(
            began.elapsed() < Duration::from_secs(15),
            "{:?}",
            began.elapsed()
        );
        let asked_to_end = Instant::now();
        served.terminate();
        assert!(served.wait().success());
        let took = asked_to_end.elapsed();
        assert!(took < Duration::from_secs(20), "{took:?}");
        let lines = served.rest();
        let reports = lines
            .iter()
            .filter(|line| line.contains("does not accept spans"));
        assert!(reports.count() <= 1);
    }
}

#[test]
fn an_invalid_endpoint_prevents_startup() {
    let dir = tempfile::tempdir().unwrap();
    token(dir.path(), "alice");
    for endpoint in [
        "127.0.0.1:4317",
        "https://collector.example",
        "http://",
        "ftp://a",
    ] {
        let line = failure(serve_in(dir.path()).args(["--otlp-endpoint", endpoint]), 2);
        assert_contains(&line, &["--otlp-endpoint", "http://"]);
    }
}
