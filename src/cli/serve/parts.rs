//! The parts of a running gateway that survive a reload, and the service built from them and the settings.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use http::{Request, Response};
use hyper::body::Incoming;
use parking_lot::Mutex;
use portreeve::audit::{Actor, AuditObserver, Auditor};
use portreeve::deliveries::{ATTEMPT_TIMEOUT, Deliveries, Limits, Networks, Worker};
use portreeve::gateway::layer::probes::ProbeLayer;
use portreeve::gateway::{AnswerBody, Gateway, Settings, Shared};
use portreeve::groupware::Groupware;
use portreeve::identity::Verifiers;
use portreeve::metrics::Metrics;
use portreeve::server::Connections;
use portreeve::vault::Vault;
use tokio_util::task::TaskTracker;
use tower::{Service, ServiceBuilder};

use super::BUILD;
use crate::cli::audit::AuditWriter;
use crate::cli::identity::Identity;
use crate::cli::{Failure, open};
use crate::config::{Config, ConfigError, Listen, own_address, setting};

/// The parts that stay when the settings change.
pub(super) struct Parts {
    pub(super) vault: Vault,
    pub(super) shared: Shared,
    pub(super) metrics: Option<Arc<Metrics>>,
    pub(super) audit: Option<Arc<AuditWriter>>,
    /// `None` if deliveries are switched off.
    pub(super) worker: Option<Worker>,
    pub(super) connections: Connections,
    /// Work that continues after its caller has disconnected, and the attempts of deliveries.
    pub(super) tasks: TaskTracker,
    pub(super) addresses: Vec<Listen>,
    pub(super) has_tls: bool,
    /// Of connections, and so of what is forwarded.
    stall_timeout: Duration,
    /// How long a request may take, by the settings that allow most.
    request_timeout: Mutex<Duration>,
}

impl Parts {
    /// Opens the files and the database, and reaches for the servers. The addresses follow.
    pub(super) async fn open(
        config: &Config,
    ) -> Result<(Self, Arc<Verifiers>, Option<Groupware>), Failure> {
        let audit = config.audit_log.clone().map(AuditWriter::open).transpose()?.map(Arc::new);
        let metrics = config.metrics_listen.map(|_| Arc::new(Metrics::new(BUILD)));
        // Before the vault, so that a refusal creates neither a database nor keys.
        let identity = Identity::open(&config.identity)?;
        let (vault, queue) = open::vault_of_gateway(&config.vault, metrics.as_ref()).await?;
        let worker = config.deliveries.as_ref().map(|it| {
            let mut limits = Limits::default();
            (limits.keep, limits.max) = (it.keep, it.max);
            let mut auditor = Auditor::new(Actor::Gateway);
            auditor.observer = audit.clone().map(|log| log as Arc<dyn AuditObserver>);
            let deliveries = Deliveries::new(vault.clone(), queue, limits).auditor(auditor);
            Worker::new(deliveries, Networks::new(it.networks.iter().copied()))
        });
        let verifier = Arc::new(identity.start(metrics.as_ref()).await?);
        let groupware = open::groupware_if_set(config.groupware.as_ref(), metrics.as_ref())?;
        if groupware.is_none() {
            tracing::warn!("groupware_url is not set: the endpoints that need it answer 500");
        }
        let tasks = TaskTracker::new();
        let parts = Self {
            shared: Shared::new(vault.clone(), &config.gateway, tasks.clone()),
            vault,
            metrics,
            audit,
            worker,
            connections: Connections::default(),
            tasks,
            addresses: Vec::new(),
            has_tls: false,
            stall_timeout: config.bounds.stall_timeout,
            request_timeout: Mutex::default(),
        };
        Ok((parts, verifier, groupware))
    }

    /// Completes `settings` with those that need a restart and, if deliveries, which do, can be received with them, with
    /// the gateway's own address.
    pub(super) fn complete(&self, mut settings: Settings) -> Result<Settings, ConfigError> {
        if self.worker.is_some() {
            if settings.delivery.is_none() {
                let fault = "is needed until the gateway has restarted without deliveries";
                return Err(ConfigError::of(setting::WEBHOOK_SECRET, fault));
            }
            let public_url = settings.public_url.clone();
            settings.receives_at = Some(own_address(public_url, &self.addresses, self.has_tls)?);
        }
        if let Some(forward) = &mut settings.forward {
            forward.stall_timeout = self.stall_timeout;
        }
        Ok(settings)
    }

    /// The management API and its probes, with settings that are complete.
    pub(super) fn service(
        &self,
        verifier: Arc<Verifiers>,
        groupware: Option<Groupware>,
        settings: Settings,
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
        {
            let mut longest = self.request_timeout.lock();
            *longest = settings.request_timeout.max(*longest);
        }
        let provider = verifier.provider().cloned();
        let mut gateway = Gateway::new(verifier, self.vault.clone())
            .provider(provider)
            .groupware(groupware)
            .shared(self.shared.clone())
            .settings(settings)
            .deliveries(self.worker.clone());
        if let Some(audit) = &self.audit {
            gateway = gateway.audit(audit.clone());
        }
        let mut probes = ProbeLayer::new(self.vault.clone());
        (probes.root, probes.shared) = (true, Some(self.shared.clone()));
        if let Some(metrics) = &self.metrics {
            gateway = gateway.observer(metrics.clone());
            probes.observer = Some(metrics.clone());
        }
        let gateway = gateway.into_service();
        let gateway = gateway.expect("what it needs is in the configuration, or from `complete`");
        ServiceBuilder::new().layer(probes).service(gateway)
    }

    /// How long to wait for requests and work in flight.
    pub(super) fn request_timeout(&self) -> Duration {
        *self.request_timeout.lock()
    }

    /// Completes what has begun, and lets other gateways have what this one has.
    pub(super) async fn close(&self) {
        // The groupware server returns a granted password only once.
        self.tasks.close();
        // An attempt that is not noted is made again.
        let longest = self.request_timeout().max(ATTEMPT_TIMEOUT + Duration::from_secs(1));
        if tokio::time::timeout(longest, self.tasks.wait()).await.is_err() {
            let tasks = self.tasks.len();
            tracing::warn!(
                tasks,
                "background work was cut off: a password may not be destroyed, or a delivery come twice"
            );
        }
        self.shared.close();
        if let Some(audit) = &self.audit {
            audit.close().await;
        }
    }
}
