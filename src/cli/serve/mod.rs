//! `portreeve serve`: the gateway.

mod certificates;
mod monitoring;
mod parts;
mod reload;
mod supervisor;

use std::convert::Infallible;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use clap::{ArgMatches, Command};
use http::{Request, Response};
use hyper::body::Incoming;
use portreeve::deliveries::QueueError;
use portreeve::gateway::AnswerBody;
use portreeve::metrics::Build;
use portreeve::server::{self, Bounds, Drained, Listeners, replaceable};
use tokio::sync::oneshot;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;
use tower::Service;

use self::certificates::{Certificates, Loaded};
use self::parts::Parts;
use self::reload::{Reloader, Snapshot};
use super::logging::{self, Levels};
use super::preflight::{Preflight, Purpose};
use super::signals::{self, Shutdown};
use super::sockets::{self, Inherited, Sockets};
use super::{Failure, block_on, precautions};
use crate::config::setting::{ALL, ENCRYPTION_KEYS, LOG_FORMAT, MAX_CONNECTIONS, MAX_IN_FLIGHT};
use crate::config::{Config, Keys, Listen, Notation, with_settings};

const BUILD: Build<'_> =
    Build { version: env!("CARGO_PKG_VERSION"), revision: env!("BUILT_FROM_REVISION") };

pub(super) fn command() -> Command {
    let secrets = ALL.iter().filter(|it| it.notation == Notation::Secret);
    let secrets: Vec<_> = secrets.map(|setting| setting.env).collect();
    let (last, others) = secrets.split_last().expect("there are secrets");
    let command = Command::new("serve").about("Serve the management API").after_help(format!(
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
    block_on(serve(config, inherited, matches.clone(), settings, levels))
}

/// The first thing an operator looks for in a log.
fn say_what_starts(config: &Config, file: Option<&Path>) {
    let keys = match &config.vault.keys {
        Keys::File(path) => path.display().to_string(),
        Keys::Given(_) => ENCRYPTION_KEYS.env.to_owned(),
    };
    let server = config.groupware.as_ref().map(|it| it.url.to_string());
    let server = server.unwrap_or_else(|| "none".to_owned());
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

async fn serve(
    config: Config,
    inherited: Vec<Inherited>,
    matches: ArgMatches,
    settings: Snapshot,
    levels: Levels,
) -> Result<(), Failure> {
    // Before anything else, so that a signal during the start is not missed.
    let shutdown = Shutdown::catch()?;
    let hangup = signals::hangup()?;
    let certificates = config.listen.tls.as_ref().map(Loaded::read).transpose()?;
    let certificates = certificates.map(Certificates::new);
    let tls = certificates.as_ref().map(|certificates| &certificates.tls);
    // Otherwise what comes meanwhile waits for the next start.
    let leaves = inherited.is_empty();
    let (mut parts, verifier, groupware) = Parts::open(&config).await?;
    let sockets = Sockets::open(&config.listen, inherited, tls)?;
    // Those of systemd may be others than the settings say.
    parts.addresses = sockets.addresses;
    parts.has_tls = tls.is_some();
    let parts = Arc::new(parts);
    let gateway = parts.complete(config.gateway)?;
    let monitoring = match config.metrics_listen.zip(parts.metrics.clone()) {
        Some((address, metrics)) => Some(monitoring::start(address, metrics, &parts).await?),
        None => None,
    };
    let (service, replace) =
        replaceable(parts.service(verifier.clone(), groupware.clone(), gateway));
    let stop_deliveries = CancellationToken::new();
    if let Some(worker) = parts.worker.clone() {
        parts.tasks.spawn(worker.run(stop_deliveries.clone()));
    }
    for address in &parts.addresses {
        match address {
            Listen::Tcp(_) => tracing::info!(%address, tls = parts.has_tls, "listening"),
            Listen::Unix(_) => tracing::info!(%address, "listening"),
        }
    }
    // They end with the requests.
    let mut background = JoinSet::new();
    if let Some(certificates) = certificates.clone() {
        background.spawn(certificates.follow());
    }
    let built = parts.clone();
    let reloader = Reloader {
        matches,
        settings,
        levels,
        verifier,
        groupware,
        certificates,
        parts: parts.clone(),
        apply: Box::new(move |verifier, groupware, settings| {
            replace(built.service(verifier, groupware, settings));
        }),
    };
    background.spawn(reloader.follow(hangup));
    supervisor::ready();
    let files = sockets.files;
    let stopped = async {
        shutdown.requested(None).await;
        parts.shared.stop_waits();
        stop_deliveries.cancel();
        if let Some(worker) = parts.worker.clone() {
            parts.tasks.spawn(async move {
                let deliveries = worker.deliveries();
                // So that what was refused last is known.
                deliveries.queue().sign_of_life(deliveries.limits().keep).await?;
                if leaves {
                    deliveries.queue().leave().await?;
                }
                Ok::<_, QueueError>(())
            });
        }
        // A process that replaces this one may use them now.
        drop(files);
        background.abort_all();
        supervisor::stopping();
    };
    let drained = serve_until(&parts, sockets.listeners, service, config.bounds, stopped).await;
    // Until here it showed the progress of the drain.
    drop(monitoring);
    parts.close().await;
    match drained {
        Drained::Completely => tracing::info!("all requests are answered; bye"),
        Drained::Cut(connections) => tracing::warn!(connections, "connections were cut off; bye"),
    }
    // Closing the database syncs it, which never ends on a disk that hangs: not in this thread.
    tokio::task::spawn_blocking(move || drop(parts));
    Ok(())
}

/// Serves until `stopped`, and then until the requests in flight are answered, or have had the time that one may take.
async fn serve_until<S>(
    parts: &Parts,
    mut listeners: Listeners,
    service: S,
    mut bounds: Bounds,
    stopped: impl Future<Output = ()>,
) -> Drained
where
    S: Service<
            Request<Incoming>,
            Response = Response<AnswerBody>,
            Error = Infallible,
            Future: Send,
        > + Clone
        + Send
        + 'static,
{
    // The drain is limited here, by the settings at that time.
    bounds.drain_timeout = Duration::MAX;
    listeners.connections = parts.connections.clone();
    let (begin_drain, drain_began) = oneshot::channel();
    let stopped = async {
        stopped.await;
        begin_drain.send(()).ok();
    };
    let cut = async {
        drain_began.await.ok();
        tokio::time::sleep(parts.request_timeout()).await;
        Drained::Cut(parts.connections.counts().open())
    };
    tokio::select! {
        drained = server::serve(listeners, service.clone(), bounds, stopped) => drained,
        drained = cut => drained,
        // In the same task, so that it only reports life while connections are accepted.
        never = supervisor::keep_alive(service) => match never {},
    }
}
