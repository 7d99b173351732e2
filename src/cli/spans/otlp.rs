//! Spans of requests for a collector, by OTLP over gRPC.
//!
//! A span is created when its request has ended, from the data of its log line, so that it costs nothing while the
//! request is in flight. It is added to a queue that a thread of the SDK sends from: with a dead or slow collector
//! spans are lost, but no request is delayed.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use opentelemetry::trace::{
    Span as _, SpanBuilder, SpanContext, SpanId, SpanKind, Status, TraceContextExt as _,
    TraceFlags, TraceId, TraceState, Tracer as _, TracerProvider as _,
};
use opentelemetry::{Context, KeyValue};
use opentelemetry_otlp::{SpanExporter, WithExportConfig as _};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::error::OTelSdkResult;
use opentelemetry_sdk::trace::{SdkTracer, SdkTracerProvider, SpanData};
use portreeve::gateway::{EndedRequest, RequestObserver, TraceParent};
use portreeve::groupware::{CallOutcome, EndedCall};
use tokio::sync::oneshot;
use tokio::time::timeout;

use crate::cli::Failure;
use crate::config::ConfigError;
use crate::config::setting::OTLP_ENDPOINT;

/// The time limit for one delivery to the collector.
const DELIVERY: Duration = Duration::from_secs(5);
/// How long the end of the process waits for the collector at most.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(5);
/// The minimum interval between log lines about a failing collector.
const INTERVAL: Duration = Duration::from_secs(60);

/// Creates and sends spans. Must be [ended](Self::end).
pub(in crate::cli) struct Spans {
    provider: SdkTracerProvider,
    tracer: SdkTracer,
}

/// An exporter whose failures are logged at a limited rate.
#[derive(Debug)]
struct LoggedExporter {
    exporter: SpanExporter,
    lost: AtomicU64,
    at: Mutex<Option<Instant>>,
}

/// Converts instants, which are what a record has, to times of day.
struct Clock {
    instant: Instant,
    time: SystemTime,
}

// === impl Clock ===

impl Clock {
    fn now() -> Self {
        Self {
            instant: Instant::now(),
            time: SystemTime::now(),
        }
    }

    /// The time of day at `instant`, which is not in the future.
    fn time(&self, instant: Instant) -> SystemTime {
        let ago = self.instant.saturating_duration_since(instant);
        self.time.checked_sub(ago).unwrap_or(self.time)
    }
}

// === impl Spans ===

impl Spans {
    /// Sends to the collector at `endpoint`, which may start later. Must be called in a runtime.
    ///
    /// # Errors
    /// The endpoint is invalid.
    pub(in crate::cli) fn start(endpoint: &str) -> Result<Self, Failure> {
        let exporter = SpanExporter::builder()
            .with_tonic()
            .with_endpoint(endpoint)
            .with_timeout(DELIVERY)
            .build()
            .map_err(|error| ConfigError::of(OTLP_ENDPOINT, format!("{endpoint}: {error}")))?;
        let exporter = LoggedExporter {
            exporter,
            lost: AtomicU64::new(0),
            at: Mutex::new(None),
        };
        let version = KeyValue::new("service.version", env!("CARGO_PKG_VERSION"));
        let mut resource = Resource::builder().with_attributes([version]);
        // Otherwise the SDK has read the name from there.
        if std::env::var_os("OTEL_SERVICE_NAME").is_none() {
            resource = resource.with_service_name("portreeve");
        }
        let provider = SdkTracerProvider::builder()
            .with_resource(resource.build())
            .with_batch_exporter(exporter)
            .build();
        Ok(Self {
            tracer: provider.tracer("portreeve"),
            provider,
        })
    }

    /// Sends the queued spans, for at most [`SHUTDOWN_TIMEOUT`].
    pub(in crate::cli) async fn end(&self) {
        let provider = self.provider.clone();
        let (sender, ended) = oneshot::channel();
        // A separate thread, since the end of a runtime waits for its blocking tasks.
        std::thread::spawn(move || {
            sender
                .send(provider.shutdown_with_timeout(SHUTDOWN_TIMEOUT))
                .ok()
        });
        match timeout(SHUTDOWN_TIMEOUT, ended).await {
            Ok(Ok(Ok(()))) => {}
            _ => tracing::warn!("the last spans may not have reached the collector"),
        }
    }
}

impl RequestObserver for Spans {
    fn uses_calls(&self) -> bool {
        true
    }

    fn request_ended(&self, request: &EndedRequest<'_>) {
        if request.endpoint.is_probe() {
            return;
        }
        let parent = Context::new();
        let parent = match request.trace.and_then(remote) {
            Some(remote) => parent.with_remote_span_context(remote),
            None => parent,
        };
        let clock = Clock::now();
        let builder = of_request(request).with_start_time(clock.time(request.began));
        let mut span = self.tracer.build_with_context(builder, &parent);
        if !span.is_recording() {
            return;
        }
        if request.status >= 500 {
            span.set_status(Status::error(""));
        }
        let here = Context::new().with_remote_span_context(span.span_context().clone());
        for call in request.calls {
            let builder = of_call(call).with_start_time(clock.time(call.began));
            let mut child = self.tracer.build_with_context(builder, &here);
            if call.outcome != CallOutcome::Ok {
                child.set_status(Status::error(""));
            }
            child.end_with_timestamp(clock.time(call.began + call.time));
        }
        span.end_with_timestamp(clock.time(request.began + request.time));
    }
}

impl fmt::Debug for Spans {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Spans").finish_non_exhaustive()
    }
}

/// The attributes of the semantic conventions for HTTP servers that the log line has: no path, no address.
fn of_request(request: &EndedRequest<'_>) -> SpanBuilder {
    let (method, route) = (request.method.as_str(), request.endpoint.as_str());
    let is_known = route != "other";
    let mut attributes = vec![KeyValue::new(
        "http.request.method",
        if method == "other" { "_OTHER" } else { method },
    )];
    let method = if method == "other" { "HTTP" } else { method };
    let name = match is_known {
        true => {
            attributes.push(KeyValue::new("http.route", route));
            format!("{method} {route}")
        }
        false => method.to_owned(),
    };
    match request.status {
        // No answer was sent.
        499 => attributes.push(KeyValue::new("error.type", "client_gone")),
        status => {
            attributes.push(KeyValue::new(
                "http.response.status_code",
                i64::from(status),
            ));
            if status >= 500 {
                attributes.push(KeyValue::new("error.type", status.to_string()));
            }
        }
    }
    if let Some(id) = request.request_id {
        attributes.push(KeyValue::new("portreeve.request_id", id.to_owned()));
    }
    SpanBuilder::from_name(name)
        .with_kind(SpanKind::Server)
        .with_attributes(attributes)
}

fn of_call(call: &EndedCall) -> SpanBuilder {
    let (route, outcome) = (call.route.as_str(), call.outcome.as_str());
    let mut attributes = vec![
        KeyValue::new("portreeve.groupware.route", route),
        KeyValue::new("portreeve.groupware.outcome", outcome),
    ];
    if call.outcome != CallOutcome::Ok {
        attributes.push(KeyValue::new("error.type", outcome));
    }
    SpanBuilder::from_name(format!("groupware {route}"))
        .with_kind(SpanKind::Client)
        .with_attributes(attributes)
}

/// The span of the caller, from its `traceparent`.
fn remote(parent: &TraceParent) -> Option<SpanContext> {
    let flags = match parent.is_sampled() {
        true => TraceFlags::SAMPLED,
        false => TraceFlags::default(),
    };
    Some(SpanContext::new(
        TraceId::from_hex(parent.trace_id()).ok()?,
        SpanId::from_hex(parent.parent_id()).ok()?,
        flags,
        true,
        TraceState::default(),
    ))
}

// === impl LoggedExporter ===

impl opentelemetry_sdk::trace::SpanExporter for LoggedExporter {
    async fn export(&self, batch: Vec<SpanData>) -> OTelSdkResult {
        let spans = batch.len() as u64;
        let exported = self.exporter.export(batch).await;
        if let Err(error) = &exported {
            let lost = self.lost.fetch_add(spans, Ordering::Relaxed) + spans;
            let mut at = self.at.lock().unwrap_or_else(PoisonError::into_inner);
            if at.is_none_or(|at| at.elapsed() >= INTERVAL) {
                *at = Some(Instant::now());
                tracing::warn!(%error, lost, "the collector at otlp_endpoint does not accept spans");
            }
        }
        exported
    }

    fn shutdown_with_timeout(&self, timeout: Duration) -> OTelSdkResult {
        self.exporter.shutdown_with_timeout(timeout)
    }

    fn force_flush(&self) -> OTelSdkResult {
        self.exporter.force_flush()
    }

    fn set_resource(&mut self, resource: &Resource) {
        self.exporter.set_resource(resource);
    }
}
