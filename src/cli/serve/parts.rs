//! The parts of a running gateway that survive a reload, and the service built from them and the settings.

use std::convert::Infallible;
use std::sync::Arc;

use http::{Request, Response};
use hyper::body::Incoming;
use portreeve::audit::AuditObserver;
use portreeve::deliveries::{Deliveries, Sender};
use portreeve::gateway::layer::probes::ProbeLayer;
use portreeve::gateway::{AnswerBody, Gateway, Settings, Shared};
use portreeve::groupware::Groupware;
use portreeve::identity::Verifiers;
use portreeve::metrics::Metrics;
use portreeve::outbound::HttpUrl;
use portreeve::vault::Vault;
use tower::{Service, ServiceBuilder};

use crate::cli::audit::AuditWriter;
use crate::config::setting;
use crate::config::{ConfigError, own_address};

/// The parts that stay when the settings change.
pub(super) struct Parts {
    pub(super) vault: Vault,
    pub(super) shared: Shared,
    pub(super) metrics: Option<Arc<Metrics>>,
    pub(super) audit: Option<Arc<AuditWriter>>,
    /// `None` if they are switched off.
    pub(super) deliveries: Option<(Deliveries, Sender)>,
    /// Where deliveries are sent if there is no `public_url`.
    pub(super) local_address: Option<HttpUrl>,
}

// === impl Parts ===

impl Parts {
    /// Whether deliveries, which need a restart to be switched off, can be received with `settings`.
    pub(super) fn check(&self, settings: &Settings) -> Result<(), ConfigError> {
        if self.deliveries.is_none() {
            return Ok(());
        }
        if settings.delivery.is_none() {
            let fault = "is needed until the gateway has restarted without deliveries";
            return Err(ConfigError::of(setting::WEBHOOK_SECRET, fault));
        }
        let address = settings
            .public_url
            .clone()
            .or_else(|| self.local_address.clone());
        own_address(address, &[], false).map(drop)
    }

    /// The management API and its probes, with these settings.
    pub(super) fn service(
        &self,
        verifier: Arc<Verifiers>,
        groupware: Option<Groupware>,
        mut settings: Settings,
    ) -> impl Service<
        Request<Incoming>,
        Response = Response<AnswerBody>,
        Error = Infallible,
        Future: Send + 'static,
    >
    + Clone
    + Send
    + Sync
    + 'static
    + use<> {
        if settings.public_url.is_none() {
            settings.receives_at = self.local_address.clone();
        }
        let gateway = Gateway::new(verifier, self.vault.clone())
            .groupware(groupware)
            .shared(self.shared.clone())
            .settings(settings)
            .deliveries(self.deliveries.clone())
            .audit(self.audit.clone().map(|log| log as Arc<dyn AuditObserver>));
        let probes = ProbeLayer::new(self.vault.clone());
        let probes = probes.deliveries(&self.shared).root();
        let (gateway, probes) = match &self.metrics {
            Some(metrics) => (
                gateway.observer(metrics.clone()),
                probes.observer(metrics.clone()),
            ),
            None => (gateway, probes),
        };
        ServiceBuilder::new()
            .layer(probes)
            .service(gateway.into_service())
    }
}
