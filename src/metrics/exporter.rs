//! The answer to a scrape.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use prometheus::TextEncoder;
use prometheus::proto::{MetricFamily, MetricType};

use super::family::of_now;
use super::{Metrics, names, process};
use crate::gateway::Shared;
use crate::server::Connections;
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
}

// === impl Exporter ===

impl Exporter {
    /// Exports `metrics` and the metrics of the process.
    pub fn new(metrics: Arc<Metrics>) -> Self {
        Self {
            metrics,
            vault: None,
            shared: None,
            connections: None,
            lost_audit_lines: None,
        }
    }

    /// The metrics, in the text format of Prometheus ([`CONTENT_TYPE`](super::CONTENT_TYPE)).
    ///
    /// If the store fails, the error is logged and its metric left out.
    pub async fn text(&self) -> String {
        // First, so that this store operation is counted too.
        let credentials = self.credentials().await;
        let mut families = self.metrics.registry.gather();
        families.extend(process::families());
        let connections = self.connection_families(&mut families);
        families.extend(connections);
        families.extend(self.login_families());
        families.extend(credentials);
        families.extend(self.lost_audit_lines.as_ref().map(|lost| {
            let lost = [("", lost.load(Ordering::Relaxed) as f64)];
            of_now(names::LOST_AUDIT_LINES, MetricType::COUNTER, None, &lost)
        }));
        families.sort_by(|one, other| one.name().cmp(other.name()));
        // A family without values cannot be encoded.
        families.retain(|family| !family.get_metric().is_empty());
        let text = TextEncoder::new().encode_to_string(&families);
        text.expect("families have names and values")
    }

    fn connection_families(&self, families: &mut [MetricFamily]) -> Option<MetricFamily> {
        let counts = self.connections.as_ref()?.counts();
        // Counted by the server, but exported in the gateway's family.
        let refused = [
            ("connections_of_address", counts.refused as f64),
            ("delayed_connections", counts.delayed as f64),
            ("idle_connections", counts.dismissed as f64),
            ("tls_handshake", counts.failed_handshakes as f64),
        ];
        let refused = of_now(
            names::TURNED_AWAY,
            MetricType::COUNTER,
            Some("kind"),
            &refused,
        );
        if let Some(family) = families.iter_mut().find(|it| it.name() == refused.name()) {
            let mut metrics = family.take_metric();
            metrics.extend(refused.get_metric().iter().cloned());
            family.set_metric(metrics);
        }
        Some(of_now(
            names::CONNECTIONS,
            MetricType::GAUGE,
            Some("protocol"),
            &[
                ("http1", counts.http1 as f64),
                ("http2", counts.http2 as f64),
                ("new", counts.new as f64),
            ],
        ))
    }

    fn login_families(&self) -> Vec<MetricFamily> {
        let Some(shared) = &self.shared else {
            return Vec::new();
        };
        let logins = shared.refused_logins();
        let permits = [
            ("free", logins.permits_free as f64),
            ("in_flight", logins.permits_in_flight as f64),
            ("spent", logins.permits_spent as f64),
        ];
        let refused = [
            ("basic", logins.by_basic as f64),
            ("bearer", logins.by_bearer as f64),
        ];
        vec![
            of_now(
                names::REFUSED_LOGINS,
                MetricType::COUNTER,
                Some("by"),
                &refused,
            ),
            of_now(
                names::LOGIN_PERMITS,
                MetricType::GAUGE,
                Some("state"),
                &permits,
            ),
        ]
    }

    async fn credentials(&self) -> Option<MetricFamily> {
        let counts = match self.vault.as_ref()?.count().await {
            Ok(counts) => counts,
            Err(error) => {
                tracing::warn!(%error, "the credentials could not be counted for the metrics");
                return None;
            }
        };
        let values = [
            ("active", counts.active as f64),
            ("suspended", counts.suspended as f64),
        ];
        let kind = MetricType::GAUGE;
        Some(of_now(names::CREDENTIALS, kind, Some("state"), &values))
    }
}
