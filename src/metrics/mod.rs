//! Metrics for Prometheus (docs/OPERATIONS.md, "Metrics"): counts what other modules report, and exports it.
//!
//! Counting takes one or two atomic operations: the values of labels are known beforehand, so that a counter is found by
//! its index. Only that of a request is looked up, as its status can be any. No label is a user, a path or an address.
//!
//! [`Metrics`] implements the observers, of which an application with another metrics library has its own. docs/EMBEDDING.md
//! shows how a gateway gets it, and how it is scraped.

mod exporter;
mod family;
mod names;

use prometheus::{IntCounterVec, IntGauge, Registry};

use self::family::{Counters, Histograms};
use crate::gateway::{EndedRequest, Endpoint, RejectionReason, RequestObserver};
use crate::groupware::{CallObserver, CallOutcome, Effect, EndedCall, Route};
use crate::identity::{CheckObserver, CheckOutcome, RefusalReason, VerifierKind};
use crate::opaque::opaque_debug;
use crate::vault::StoreObserver;

pub use exporter::Exporter;
pub use prometheus::TEXT_FORMAT as CONTENT_TYPE;

/// The upper bounds, in seconds, of the buckets of both duration histograms.
///
/// They range from a quarter of a millisecond, since a request that does not call the groupware server
/// takes less, to the minute of [`request_timeout`](crate::gateway::Settings::request_timeout), and are
/// the same for both, so that they can be compared bucket by bucket.
pub const BUCKETS: [f64; 17] = [
    0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0,
    10.0, 30.0, 60.0,
];

/// The program that exports the metrics.
#[derive(Clone, Copy, Debug)]
pub struct Build<'a> {
    /// Its version.
    pub version: &'a str,
    /// The commit that it was built from.
    pub revision: &'a str,
}

/// The counters and duration histograms.
pub struct Metrics {
    registry: Registry,
    requests: IntCounterVec,
    request_times: Histograms,
    in_flight: IntGauge,
    rejected: Counters,
    /// By route and outcome.
    calls: Counters,
    call_times: Histograms,
    /// By route and effect.
    writes: Counters,
    /// By verifier and outcome.
    checks: Counters,
    /// By reason.
    refusals: Counters,
    store_operations: IntCounterVec,
}

impl Metrics {
    /// All at zero.
    pub fn new(build: Build<'_>) -> Self {
        let registry = Registry::new();
        let routes = Endpoint::ALL.iter().map(|it| it.as_str());
        let route = &routes.collect::<Vec<_>>();
        let call_route = texts(Route::ALL);
        let write = ("route", texts(&Route::WRITES));
        let effect = ("effect", texts(Effect::ALL));
        let call = ("outcome", texts(CallOutcome::ALL));
        let check = ("outcome", texts(CheckOutcome::ALL));
        let verifier = ("verifier", texts(VerifierKind::ALL));
        let rejection = ("kind", texts(RejectionReason::ALL));
        let refusal = ("reason", texts(RefusalReason::ALL));
        let all = |name, labels: &[(&str, Vec<&str>)]| Counters::all(&registry, name, labels);
        let counters = |name, labels: &[&str]| family::counters(&registry, name, labels);
        let metrics = Self {
            requests: counters(names::REQUESTS, &["route", "method", "status"]),
            request_times: Histograms::new(&registry, names::REQUEST_TIME, route),
            in_flight: family::gauge(&registry, names::IN_FLIGHT),
            rejected: all(names::REJECTED, &[rejection]),
            call_times: Histograms::new(&registry, names::CALL_TIME, &call_route),
            calls: all(names::CALLS, &[("route", call_route), call]),
            writes: all(names::WRITES, &[write, effect]),
            checks: all(names::TOKEN_CHECKS, &[verifier, check]),
            refusals: all(names::TOKEN_REFUSALS, &[refusal]),
            store_operations: counters(names::STORE_OPERATIONS, &["operation", "outcome"]),
            registry,
        };
        // A rate needs a value from before the first one, and these are lost.
        for endpoint in [Endpoint::ReceiveDelivery, Endpoint::ReceiveCallback] {
            metrics.requests.with_label_values(&[endpoint.as_str(), "POST", "503"]);
        }
        family::build(&metrics.registry, build);
        metrics
    }
}

fn texts<L: Copy + Into<&'static str>>(labels: &[L]) -> Vec<&'static str> {
    labels.iter().map(|label| (*label).into()).collect()
}

impl RequestObserver for Metrics {
    fn request_began(&self) {
        self.in_flight.inc();
    }

    fn request_ended(&self, request: &EndedRequest<'_>) {
        self.in_flight.dec();
        let status = request.status.to_string();
        let labels = [request.endpoint.as_str(), request.method.as_str(), &status];
        self.requests.with_label_values(&labels).inc();
        self.request_times.observe(request.endpoint as usize, request.time);
        if let Some(reason) = request.rejection {
            self.rejected.add_one(reason as usize);
        }
        if let Some(reason) = request.refusal {
            self.refusals.add_one(reason as usize);
        }
    }
}

impl CallObserver for Metrics {
    fn call_ended(&self, call: &EndedCall) {
        let row = call.route as usize * CallOutcome::ALL.len();
        self.calls.add_one(row + call.outcome as usize);
        self.call_times.observe(call.route as usize, call.time);
        let write = Route::WRITES.iter().position(|route| *route == call.route);
        if let (Some(row), Some(effect)) = (write, call.effect) {
            self.writes.add_one(row * Effect::ALL.len() + effect as usize);
        }
    }
}

impl CheckObserver for Metrics {
    fn token_checked(&self, verifier: VerifierKind, outcome: CheckOutcome) {
        let row = verifier as usize * CheckOutcome::ALL.len();
        self.checks.add_one(row + outcome as usize);
    }
}

impl StoreObserver for Metrics {
    fn store_operation(&self, action: &'static str, succeeded: bool) {
        let operation = action.replace([' ', '-'], "_");
        // Looking the counters up by name is cheap compared with the operation itself. Both exist from
        // the first operation on: a rate needs a value from before the first error.
        let [ok, error] = ["ok", "error"].map(|outcome| {
            let labels = [operation.as_str(), outcome];
            self.store_operations.with_label_values(&labels)
        });
        if succeeded { ok.inc() } else { error.inc() }
    }
}

opaque_debug!(Metrics);
