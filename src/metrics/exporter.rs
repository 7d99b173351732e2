//! The answer to a scrape.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use metrics_process::collector::collect;
use prometheus::TextEncoder;
use prometheus::proto::MetricFamily;
use prometheus::proto::MetricType::{COUNTER, GAUGE};

use super::family::{of_now, one};
use super::{Metrics, names};
use crate::deliveries::{AttemptOutcome, Deliveries, TargetState};
use crate::gateway::Shared;
use crate::server::{ConnectionCounts, Connections};
use crate::vault::Vault;

/// Exports all metrics: those that were counted, and those that are looked up at each scrape.
///
/// A source that is not set has no metrics: without a vault there is no `portreeve_credentials`.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Exporter {
    /// What was counted.
    pub metrics: Arc<Metrics>,
    /// Whose credentials are counted.
    pub vault: Option<Vault>,
    /// The gateways whose refused logins are exported.
    pub shared: Option<Shared>,
    /// The connections of a server.
    pub connections: Option<Connections>,
    /// How many lines could not be written to the audit log.
    pub lost_audit_lines: Option<Arc<AtomicU64>>,
    /// Whose receipts, attempts and waiting deliveries are exported.
    pub deliveries: Option<Deliveries>,
}

impl Exporter {
    /// Exports `metrics` and the metrics of the process.
    pub fn new(metrics: Arc<Metrics>) -> Self {
        Self {
            metrics,
            vault: None,
            shared: None,
            connections: None,
            lost_audit_lines: None,
            deliveries: None,
        }
    }

    /// The metrics, in the text format of Prometheus ([`CONTENT_TYPE`](super::CONTENT_TYPE)).
    ///
    /// If the store fails, the error is logged and its metric left out.
    pub async fn text(&self) -> String {
        // First, so that this store operation is counted too.
        let credentials = self.credentials().await;
        let mut families = self.metrics.registry.gather();
        families.extend(process_families());
        if let Some(connections) = &self.connections {
            add_connections(&mut families, connections.counts());
        }
        if let Some(shared) = &self.shared {
            let logins = shared.refused_logins();
            let refused = [("basic", logins.by_basic as f64), ("bearer", logins.by_bearer as f64)];
            let permits = [
                ("free", logins.permits_free as f64),
                ("in_flight", logins.permits_in_flight as f64),
                ("spent", logins.permits_spent as f64),
            ];
            families.extend([
                of_now(names::REFUSED_LOGINS, COUNTER, Some("by"), &refused),
                of_now(names::LOGIN_PERMITS, GAUGE, Some("state"), &permits),
            ]);
        }
        families.extend(credentials);
        families.extend(self.delivery_families().await);
        if let Some(lost) = &self.lost_audit_lines {
            let lost = lost.load(Ordering::Relaxed);
            families.push(one(names::LOST_AUDIT_LINES, COUNTER, lost));
        }
        families.sort_by(|one, other| one.name().cmp(other.name()));
        // A family without values cannot be encoded.
        families.retain(|family| !family.get_metric().is_empty());
        TextEncoder::new().encode_to_string(&families).expect("families have names and values")
    }

    async fn credentials(&self) -> Option<MetricFamily> {
        let counts = match self.vault.as_ref()?.count().await {
            Ok(counts) => counts,
            Err(error) => {
                tracing::warn!(%error, "the credentials could not be counted for the metrics");
                return None;
            }
        };
        let values = [("active", counts.active as f64), ("suspended", counts.suspended as f64)];
        Some(of_now(names::CREDENTIALS, GAUGE, Some("state"), &values))
    }

    async fn delivery_families(&self) -> Vec<MetricFamily> {
        let Some(deliveries) = &self.deliveries else {
            return Vec::new();
        };
        let counted = |it: &AttemptOutcome| (it.as_str(), deliveries.attempts(*it) as f64);
        let attempts: Vec<_> = AttemptOutcome::ALL.iter().map(counted).collect();
        let mut families = vec![
            one(names::RECEIVED, COUNTER, deliveries.received()),
            of_now(names::ATTEMPTS, COUNTER, Some("outcome"), &attempts),
            one(names::GIVEN_UP, COUNTER, deliveries.given_up()),
            one(names::EXPIRED, COUNTER, deliveries.queue().expired()),
            one(names::KEPT_MAX, GAUGE, deliveries.limits().max),
        ];
        match deliveries.queue().counts().await {
            Ok(counts) => {
                let age = counts.oldest_pending.and_then(|at| at.elapsed().ok());
                let age = [("", age.unwrap_or_default().as_secs_f64())];
                let states = TargetState::ALL.iter().map(|state| state.as_str());
                let targets = counts.targets.map(|it| it as f64);
                let suspended = ("suspended", counts.suspended as f64);
                let targets: Vec<_> = states.zip(targets).chain([suspended]).collect();
                families.extend([
                    of_now(names::TARGETS, GAUGE, Some("state"), &targets),
                    one(names::PENDING, GAUGE, counts.pending),
                    one(names::KEPT, GAUGE, counts.bytes),
                    of_now(names::OLDEST_PENDING, GAUGE, None, &age),
                ]);
            }
            Err(error) => {
                tracing::warn!(%error, "the deliveries could not be counted for the metrics");
            }
        }
        families
    }
}

fn add_connections(families: &mut Vec<MetricFamily>, counts: ConnectionCounts) {
    // Counted by the server, but exported in the gateway's family.
    let refused = [
        ("connections_of_address", counts.refused as f64),
        ("delayed_connections", counts.delayed as f64),
        ("idle_connections", counts.dismissed as f64),
        ("tls_handshake", counts.failed_handshakes as f64),
    ];
    let mut refused = of_now(names::REJECTED, COUNTER, Some("kind"), &refused);
    if let Some(family) = families.iter_mut().find(|it| it.name() == refused.name()) {
        let mut metrics = family.take_metric();
        metrics.extend(refused.take_metric());
        family.set_metric(metrics);
    }
    let open = [
        ("http1", counts.http1 as f64),
        ("http2", counts.http2 as f64),
        ("new", counts.new as f64),
    ];
    families.push(of_now(names::CONNECTIONS, GAUGE, Some("protocol"), &open));
}

/// The kernel's figures of the process that it provides, under the names that Prometheus defines for all programs.
fn process_families() -> Vec<MetricFamily> {
    let process = collect();
    let seconds = process.cpu_seconds_total;
    let time = seconds.map(|time| of_now(names::CPU, COUNTER, None, &[("", time)]));
    let gauges = [
        (names::OPEN_FDS, process.open_fds),
        (names::MAX_FDS, process.max_fds),
        (names::RESIDENT_MEMORY, process.resident_memory_bytes),
        (names::VIRTUAL_MEMORY, process.virtual_memory_bytes),
        (names::START_TIME, process.start_time_seconds),
        (names::THREADS, process.threads),
    ];
    let known = |(name, value): (_, Option<u64>)| Some(one(name, GAUGE, value?));
    let gauges = gauges.into_iter().filter_map(known);
    time.into_iter().chain(gauges).collect()
}
