//! `portreeve serve`: the gateway.

use std::net::SocketAddr;

use clap::{ArgMatches, Command};
use portreeve::gateway::Gateway;
use portreeve::gateway::layer::probes::ProbeLayer;
use portreeve::groupware::Groupware;
use portreeve::server::{self, Drained};
use tokio::net::TcpListener;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio_util::task::TaskTracker;
use tower::ServiceBuilder;

use super::identity::Identity;
use super::{Failure, block_on, logging, open, precautions, sources};
use crate::config::setting::ALL;
use crate::config::{Config, LogFormat, with_settings};

pub(super) fn command() -> Command {
    let command = Command::new("serve").about("Serve the management API").after_help(
        "Each setting is also an environment variable and a key of the TOML file; a flag beats the \
         variable, the variable beats the file. WEBHOOK_SECRET, MCP_SERVER_API_KEY, \
         PORTREEVE_INTROSPECTION_CLIENT_SECRET and PORTREEVE_ENCRYPTION_KEYS have no flag; with _FILE appended they name a file that holds \
         the value. SIGTERM lets requests under way end, then exits.",
    );
    with_settings(command, ALL)
}

pub(super) fn run(matches: &ArgMatches) -> Result<(), Failure> {
    // Before the first secret is read.
    let hidden = precautions::hide_memory();
    let sources = sources(matches)?;
    let format = LogFormat::read(&sources)?;
    let config = Config::read(&sources)?;
    let warnings = precautions::warnings(&sources, &config)?;
    logging::start(format)?;
    if let Err(error) = hidden {
        tracing::warn!(%error, "the memory of this process can be read in core dumps and by debuggers");
    }
    if let Err(error) = precautions::raise_open_files() {
        tracing::warn!(%error, "the limit of open files stays as it is");
    }
    for warning in warnings {
        tracing::warn!("{warning}");
    }
    block_on(serve(
        config,
        |address| tracing::info!(%address, "listening"),
    ))
}

/// Serves until a signal; `started` gets the address once the gateway listens.
pub(super) async fn serve(config: Config, started: impl FnOnce(SocketAddr)) -> Result<(), Failure> {
    // Before anything else, so that a signal during the start is not missed.
    let shutdown = Shutdown::listen()?;
    let vault = open::vault(&config.vault).await?;
    let verifier = Identity::open(&config.identity)?.start().await?;
    let groupware = config.groupware.as_ref().map(open::groupware).transpose()?;
    if groupware.is_none() {
        tracing::warn!("groupware_url is not set: the endpoints that need it answer 500");
    }
    if let Some(groupware) = groupware.clone() {
        tokio::spawn(say_what_refusals_cost(groupware));
    }
    let limits = config.limits;
    let tasks = TaskTracker::new();
    let gateway = Gateway::new(verifier, vault.clone())
        .groupware(groupware)
        .groupware_public_url(config.groupware_public_url)
        .logins(config.logins)
        .administrators(config.administrators)
        .delivery(config.delivery)
        .shared_key(config.shared_key)
        .client_address(config.client_address)
        .event_classes(config.event_classes)
        .public_url(config.public_url)
        .public_status(config.public_status)
        .issuer(config.identity.issuer.map(Into::into))
        .scopes(config.scopes)
        .limits(limits)
        .tasks(tasks.clone());
    let service = ServiceBuilder::new()
        .layer(ProbeLayer::new(vault))
        .service(gateway.into_service());

    let listener = TcpListener::bind(config.listen).await.map_err(|error| {
        Failure::new(format_args!(
            "cannot listen on {}: {error}; --listen takes another address",
            config.listen
        ))
    })?;
    started(listener.local_addr()?);
    let bounds = config.bounds.drain(limits.request_timeout);
    let drained = server::serve(listener, service, bounds, shutdown.requested()).await;
    // Work that goes on after its caller has disconnected ends first as well: the groupware server
    // hands a granted password out once.
    tasks.close();
    if tokio::time::timeout(limits.request_timeout, tasks.wait())
        .await
        .is_err()
    {
        tracing::warn!(tasks = tasks.len(), "work that nobody waits for was cut");
    }
    match drained {
        Drained::Completely => tracing::info!("all requests are answered; bye"),
        Drained::Cut(connections) => tracing::warn!(connections, "connections were cut; bye"),
    }
    Ok(())
}

/// SIGTERM and SIGINT.
struct Shutdown {
    terminate: Signal,
    interrupt: Signal,
}

impl Shutdown {
    /// Catches both from now on.
    fn listen() -> Result<Self, Failure> {
        Ok(Self {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
        })
    }

    /// Ready at the first signal. A second one ends the process without waiting.
    async fn requested(mut self) {
        self.any().await;
        tracing::info!("shutting down: requests under way are answered first");
        tokio::spawn(async move {
            self.any().await;
            tracing::warn!("second signal: not waiting any longer");
            std::process::exit(1);
        });
    }

    async fn any(&mut self) {
        tokio::select! {
            _ = self.terminate.recv() => {}
            _ = self.interrupt.recv() => {}
        }
    }
}

/// Asks the groupware server, without credentials, whether refused logins from this address can shut
/// everybody out, and logs what it says. Nothing waits for it.
async fn say_what_refusals_cost(groupware: Groupware) {
    match groupware.is_allow_listed().await {
        Ok(true) => tracing::info!(
            "refused logins shut nobody out: the groupware server has this address on its allow-list"
        ),
        Ok(false) => tracing::info!(
            "the groupware server counts the refused logins of all users together; to allow-list \
             this address there: occ config:app:set bruteForce whitelist_1 --value=ADDRESS/32"
        ),
        // It may start later than the gateway.
        Err(error) => tracing::info!(
            %error,
            "the groupware server does not say whether it counts the refused logins of this address"
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::setting::Kind;

    #[test]
    fn the_help_names_the_variable_of_every_secret() {
        let help = command().get_after_help().unwrap().to_string();
        for setting in ALL.iter().filter(|setting| setting.kind == Kind::Secret) {
            let is_named = help.split([' ', ',']).any(|word| word == setting.env);
            assert!(is_named, "{}: {help}", setting.env);
        }
    }
}
