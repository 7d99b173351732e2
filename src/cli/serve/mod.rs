//! `portreeve serve`: the gateway.

mod certificates;
mod monitoring;
mod parts;
mod reload;
mod sockets;
mod supervisor;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use clap::{ArgMatches, Command};
use portreeve::deliveries::Worker;
use portreeve::gateway::Shared;
use portreeve::metrics::{Build, Exporter, Metrics};
use portreeve::server::{self, Connections, Drained, replaceable};
use tokio::sync::{oneshot, watch};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use self::certificates::{Certificates, Loaded};
use self::parts::Parts;
use self::reload::{InForce, Reloader, Snapshot};
use self::sockets::Sockets;
pub(super) use self::sockets::{Inherited, check_socket, tcp_addresses};
use super::audit::AuditWriter;
use super::identity::Identity;
use super::preflight::{Preflight, Purpose};
use super::signals::{self, Shutdown};
use super::{Failure, block_on, logging, open, precautions};
use crate::config::setting::{ALL, ENCRYPTION_KEYS, LOG_FORMAT, MAX_CONNECTIONS, MAX_IN_FLIGHT};
use crate::config::{Config, Keys, Listen, Notation, own_address, with_settings};

const BUILD: Build<'_> = Build {
    version: env!("CARGO_PKG_VERSION"),
    revision: env!("BUILT_FROM_REVISION"),
};

pub(super) fn command() -> Command {
    let secrets = ALL
        .iter()
        .filter(|setting| setting.notation == Notation::Secret);
    let secrets: Vec<_> = secrets.map(|setting| setting.env).collect();
    let (last, others) = secrets.split_last().expect("there are secrets");
    let command = Command::new("serve")
        .about("Serve the management API")
        .after_help(format!(
            "Each setting is also an environment variable and a key of the TOML file; a flag \
             overrides the variable, and the variable overrides the file. {} and {last} have no \
             flag; with _FILE appended they name a file that contains the value. On SIGTERM, \
             requests in flight are answered, then the process exits. On SIGHUP, the settings are \
             reloaded.",
            others.join(", ")
        ));
    with_settings(command, ALL.iter().copied())
}

pub(super) fn run(matches: &ArgMatches) -> Result<(), Failure> {
    // Before any secret is read.
    let hidden = precautions::hide_memory();
    // Before any other thread exists.
    let inherited = sockets::inherited()?;
    let checked = Preflight::run(matches, Purpose::Start(&inherited));
    let (sources, config, warnings) = checked.passed()?;
    let settings = Snapshot::take(&sources, &config)?;
    let levels = logging::start(sources.get(LOG_FORMAT)?, logging::filter(&sources)?);
    say_what_starts(&config, sources.file());
    if let Err(error) = hidden {
        tracing::warn!(%error, "the memory of this process can be read in core dumps and by debuggers");
    }
    if let Err(error) = precautions::raise_open_files() {
        tracing::warn!(%error, "the limit of open files stays as it is");
    }
    let (connections, in_flight) = (sources.get(MAX_CONNECTIONS)?, sources.get(MAX_IN_FLIGHT)?);
    if let Some((limit, needed)) = precautions::too_few_open_files(connections, in_flight) {
        tracing::warn!(
            limit,
            needed,
            "too few open files for max_connections and max_in_flight: raise LimitNOFILE= (ulimit -n), or lower \
             max_connections"
        );
    }
    for warning in warnings {
        tracing::warn!("{warning}");
    }
    let in_force = InForce {
        matches: matches.clone(),
        settings,
        levels,
    };
    block_on(serve(config, inherited, in_force))
}

/// The first thing an operator looks for in a log.
fn say_what_starts(config: &Config, file: Option<&Path>) {
    let keys = match &config.vault.keys {
        Keys::File(path) => path.display().to_string(),
        Keys::Given(_) => ENCRYPTION_KEYS.env.to_owned(),
    };
    let server = config.groupware.as_ref();
    let server = server.map_or_else(|| "none".to_owned(), |server| server.url.to_string());
    tracing::info!(
        version = BUILD.version,
        revision = BUILD.revision,
        database = %config.vault.database,
        keys,
        server,
        config = %file.unwrap_or(Path::new("none")).display(),
        "starting"
    );
    if let Some(deliveries) = &config.deliveries {
        tracing::info!(
            keep = %humantime::format_duration(deliveries.keep),
            max = %bytesize::ByteSize(deliveries.max),
            networks = ?deliveries.networks,
            "deliveries are received"
        );
    }
}

/// Serves until a signal.
async fn serve(
    config: Config,
    inherited: Vec<Inherited>,
    in_force: InForce,
) -> Result<(), Failure> {
    // Before anything else, so that a signal during the start is not missed.
    let shutdown = Shutdown::catch()?;
    let mut hangup = signals::hangup()?;
    let certificates = config.listen.tls.as_ref().map(Loaded::read).transpose()?;
    let certificates = certificates.map(Certificates::new);
    let audit = config
        .audit_log
        .clone()
        .map(AuditWriter::open)
        .transpose()?;
    let audit = audit.map(Arc::new);
    let metrics = config.metrics_listen.map(|_| Arc::new(Metrics::new(BUILD)));
    // Before the vault, so that a refusal creates neither a database nor keys.
    let identity = Identity::open(&config.identity)?;
    let with = match config.deliveries {
        Some(_) => &[open::With::Changes, open::With::Queue][..],
        None => &[open::With::Changes],
    };
    let opened = open::observed_vault(&config.vault, metrics.as_ref(), with);
    let (vault, queue) = opened.await?;
    let deliveries = match (&config.deliveries, queue) {
        (Some(deliveries), Some(queue)) => Some(deliveries.open(vault.clone(), queue)?),
        _ => None,
    };
    let verifier = Arc::new(identity.start(metrics.as_ref()).await?);
    let groupware = config
        .groupware
        .as_ref()
        .map(|groupware| open::groupware(groupware, metrics.as_ref()))
        .transpose()?;
    if groupware.is_none() {
        tracing::warn!("groupware_url is not set: the endpoints that need it answer 500");
    }
    let tls = certificates.as_ref().map(Certificates::tls);
    let sockets = Sockets::open(&config.listen, inherited, tls.as_ref())?;
    if deliveries.is_some() {
        // Those of systemd may be others than the settings say.
        let public_url = config.gateway.public_url.clone();
        own_address(public_url, &sockets.addresses, tls.is_some())?;
    }
    // The drain is limited here, since its time limit can change: see `cut`.
    let mut bounds = config.bounds;
    bounds.drain = Duration::MAX;
    let (longest, request_timeout) = watch::channel(config.gateway.request_timeout);
    let tasks = TaskTracker::new();
    let parts = Arc::new(Parts {
        shared: Shared::new(vault.clone(), &config.gateway, tasks.clone()),
        vault,
        metrics: metrics.clone(),
        audit: audit.clone(),
        deliveries: deliveries.clone(),
        local_address: own_address(None, &sockets.addresses, tls.is_some()).ok(),
    });
    let shared = parts.shared.clone();
    let connections = Connections::new();
    let listeners = sockets.listeners.counted(connections.clone());
    let monitoring = match (config.metrics_listen, &metrics) {
        (Some(address), Some(metrics)) => {
            let mut exporter = Exporter::new(metrics.clone());
            exporter.vault = Some(parts.vault.clone());
            exporter.shared = Some(parts.shared.clone());
            exporter.connections = Some(connections.clone());
            exporter.lost_audit_lines = audit.as_ref().map(|audit| audit.lost());
            exporter.deliveries = deliveries.clone().map(|(deliveries, _)| deliveries);
            let vault = parts.vault.clone();
            Some(monitoring::start(address, vault, &parts.shared, exporter).await?)
        }
        _ => None,
    };
    // One of the tasks: it ends with the attempts that are under way.
    let stop_deliveries = CancellationToken::new();
    let worker = deliveries.map(|(deliveries, sender)| {
        Worker::new(deliveries, sender, config.gateway.event_classes.clone())
    });
    if let Some(worker) = &worker {
        tasks.spawn(worker.clone().run(stop_deliveries.clone()));
    }
    let (service, replace) =
        replaceable(parts.service(verifier.clone(), groupware.clone(), config.gateway));
    for address in &sockets.addresses {
        match address {
            Listen::Tcp(_) => tracing::info!(%address, tls = tls.is_some(), "listening"),
            Listen::Unix(_) => tracing::info!(%address, "listening"),
        }
    }

    // The background tasks, which end with the requests.
    let mut beside = JoinSet::new();
    if let Some(certificates) = certificates.clone() {
        beside.spawn(certificates.follow());
    }
    let mut reloader = Reloader {
        in_force,
        verifier,
        groupware,
        certificates,
        parts: parts.clone(),
        apply: Box::new(move |verifier, groupware, settings| {
            let new = settings.request_timeout;
            longest.send_modify(|longest| *longest = new.max(*longest));
            if let Some(worker) = &worker {
                worker.set_event_classes(settings.event_classes.clone());
            }
            replace(parts.service(verifier, groupware, settings));
        }),
    };
    beside.spawn(async move {
        while hangup.recv().await.is_some() {
            supervisor::reloading();
            reloader.reload().await;
            supervisor::ready();
        }
    });
    supervisor::ready();
    let files = sockets.files;
    let (begin_drain, drain_began) = oneshot::channel();
    let requested = async {
        shutdown.requested(None).await;
        begin_drain.send(()).ok();
        shared.stop_waits();
        stop_deliveries.cancel();
        // A process that replaces this one may use them now.
        drop(files);
        beside.abort_all();
        supervisor::stopping();
    };
    // As long as a request may take, by the settings at that time.
    let cut = async {
        drain_began.await.ok();
        let within = *request_timeout.borrow();
        tokio::time::sleep(within).await;
        Drained::Cut(connections.counts().open())
    };
    let drained = tokio::select! {
        drained = server::serve(listeners, service.clone(), bounds, requested) => drained,
        drained = cut => drained,
        // In the same task, so that it only reports life while connections are accepted.
        never = supervisor::keep_alive(service) => match never {},
    };
    // It logged the progress of the drain until here.
    drop(monitoring);
    // Work that continues after its caller has disconnected is completed first as well: the groupware server
    // returns a granted password only once.
    tasks.close();
    let within = *request_timeout.borrow();
    if tokio::time::timeout(within, tasks.wait()).await.is_err() {
        tracing::warn!(tasks = tasks.len(), "background work was cut off");
    }
    shared.close();
    if let Some(audit) = audit {
        audit.close().await;
    }
    match drained {
        Drained::Completely => tracing::info!("all requests are answered; bye"),
        Drained::Cut(connections) => tracing::warn!(connections, "connections were cut off; bye"),
    }
    // Closing the database syncs it, which never ends on a disk that hangs: not in this thread.
    tokio::task::spawn_blocking(move || drop(shared));
    Ok(())
}
