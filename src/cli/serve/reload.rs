//! SIGHUP: reloads the settings that can change without a restart.
//!
//! Everything is read and checked before anything is applied, so that a faulty file changes nothing.

use std::sync::Arc;
use std::time::Duration;

use clap::ArgMatches;
use portreeve::gateway::Settings;
use portreeve::groupware::Groupware;
use portreeve::identity::Verifiers;
use portreeve::metrics::Metrics;
use portreeve::vault::Keyring;
use tokio::signal::unix::Signal;
use tokio::task::spawn_blocking;
use tokio::time::timeout;
use tracing_subscriber::EnvFilter;
use zeroize::Zeroizing;

use super::certificates::{Certificates, Loaded};
use super::parts::Parts;
use super::supervisor;
use crate::cli::identity::Identity;
use crate::cli::logging::{self, Levels};
use crate::cli::preflight::{Preflight, Purpose};
use crate::cli::{Failure, open, tls};
use crate::config::setting::{
    self, ALL, ENCRYPTION_KEYS, Effect, GROUPWARE_CA, GROUPWARE_URL, Group, LOG_LEVEL, Setting,
};
use crate::config::{Config, ConfigError, Sources};

/// How long all files may take. Most have a limit of their own, but not the certificates of the system, and the search
/// for a configuration file that nothing names.
const READ_TIMEOUT: Duration = Duration::from_secs(20);
const NOT_READ: &str =
    "the files were not read within 20 seconds; check the disks or mounts that they are on";

/// Applies settings: the verifier, the client of the groupware server, and the rest.
pub(super) type Apply = Box<dyn Fn(Arc<Verifiers>, Option<Groupware>, Settings) + Send + Sync>;

pub(super) struct Reloader {
    pub(super) matches: ArgMatches,
    pub(super) settings: Snapshot,
    pub(super) levels: Levels,
    pub(super) verifier: Arc<Verifiers>,
    pub(super) groupware: Option<Groupware>,
    /// `None` for plain HTTP.
    pub(super) certificates: Option<Certificates>,
    pub(super) parts: Arc<Parts>,
    pub(super) apply: Apply,
}

/// The settings as they were written.
pub(in crate::cli) struct Snapshot {
    /// In the order of [`ALL`].
    texts: Vec<Option<Zeroizing<String>>>,
    /// The certificates of `groupware_ca`, whose file may change while its name does not.
    ca: Option<Zeroizing<Vec<u8>>>,
}

struct Reading {
    config: Config,
    identity: Identity,
    filter: EnvFilter,
    snapshot: Snapshot,
    groupware: Option<Groupware>,
    /// `None` if their source has changed.
    keyring: Option<Keyring>,
    tls: Option<Loaded>,
    warnings: Vec<String>,
}

// === impl Reloader ===

impl Reloader {
    /// Reloads the settings at each `hangup`.
    pub(super) async fn follow(mut self, mut hangup: Signal) {
        while hangup.recv().await.is_some() {
            supervisor::reloading();
            self.reload().await;
            supervisor::ready();
        }
    }

    async fn reload(&mut self) {
        // Even if the settings turn out to be faulty: whoever rotated the file waits for it.
        if let Some(audit) = &self.parts.audit {
            audit.reopen();
        }
        match self.try_reload().await {
            Ok((taken_up, waiting)) => {
                if taken_up.is_empty() {
                    tracing::info!(
                        "reloaded the settings: none that apply without a restart were changed"
                    );
                } else {
                    tracing::info!(changed = taken_up.join(","), "reloaded the settings");
                }
                if !waiting.is_empty() {
                    let settings = waiting.join(",");
                    tracing::warn!(
                        settings,
                        "changed settings that need a restart stay as they were"
                    );
                }
            }
            Err(failure) => {
                let faults = failure.line.replace('\n', "; ");
                tracing::error!("the settings were not reloaded: {faults}");
            }
        }
    }

    /// Returns the keys of the changed settings that have been applied, and of those that need a restart.
    async fn try_reload(&mut self) -> Result<(Vec<&'static str>, Vec<&'static str>), Failure> {
        let (matches, metrics) = (self.matches.clone(), self.parts.metrics.clone());
        // Reads files.
        let reading = spawn_blocking(move || Reading::read(&matches, metrics.as_ref()));
        let reading = timeout(READ_TIMEOUT, reading).await;
        let mut reading = reading.map_err(|_| Failure::new(NOT_READ))???;
        let settings = &self.settings;
        let changed = settings.changed(&reading.snapshot);
        let is_changed = |setting: &Setting| changed.iter().any(|other| other.key == setting.key);
        // No token may reach the groupware server: the settings of providers were checked against its new
        // address, but the old one remains in use.
        if is_changed(GROUPWARE_URL) {
            return Err(Failure::new(
                "groupware_url was changed, which needs a restart; none of the settings were reloaded",
            ));
        }
        let gateway = self.parts.complete(reading.config.gateway)?;
        let moves_keys = settings.is_set(ENCRYPTION_KEYS)
            != reading.snapshot.is_set(ENCRYPTION_KEYS)
            || is_changed(setting::KEY_FILE)
            || is_changed(setting::DATA_DIR);
        let switches_tls = self.certificates.is_some() != reading.tls.is_some();
        let (taken_up, waiting): (Vec<_>, Vec<_>) = changed.iter().partition(|setting| {
            setting.takes_effect == Effect::AtReload
                && !(moves_keys && setting.key == ENCRYPTION_KEYS.key)
                && !(switches_tls && setting.is_in(Group::Tls))
        });
        // A verifier that stays keeps the keys of the provider, which may be unavailable right now.
        let mut verifier = self.verifier.clone();
        if changed.iter().any(|it| it.is_in(Group::Verifiers)) || settings.ca != reading.snapshot.ca
        {
            reading.identity.ask().await?;
            verifier = Arc::new(reading.identity.start(self.parts.metrics.as_ref()).await?);
        }
        let credential = [
            setting::PUBLIC_URL.key,
            setting::WEBHOOK_SECRET.key,
            setting::WEBHOOK_AUTH.key,
            setting::WEBHOOK_SHARED_ORIGINS.key,
        ];
        let cut_off = taken_up.iter().map(|it: &&&Setting| it.key);
        let cut_off: Vec<_> = cut_off.filter(|key| credential.contains(key)).collect();
        if reading.config.deliveries.is_some() && !cut_off.is_empty() {
            tracing::warn!(
                settings = cut_off.join(","),
                "deliveries of webhooks that were registered before this change are refused with 401, and lost, until each preset is enabled again by PUT; deliveries with the former secret are accepted as long as that is webhook_secret_previous"
            );
        }
        // Nothing can fail from here on.
        self.groupware = reading.groupware.take();
        if let (Some(keyring), false) = (reading.keyring, moves_keys) {
            self.parts.vault.keyring().adopt(keyring);
        }
        if let (Some(certificates), Some(loaded)) = (&self.certificates, reading.tls) {
            certificates.replace(loaded);
        }
        // Replacing a filter by an equal one would make each callsite evaluate it again.
        if is_changed(LOG_LEVEL) {
            self.levels.replace(reading.filter);
            if logging::rust_log().is_some() {
                tracing::warn!("RUST_LOG is set and overrides log_level");
            }
        }
        self.verifier = verifier.clone();
        (self.apply)(verifier, self.groupware.clone(), gateway);
        for warning in reading.warnings {
            tracing::warn!("{warning}");
        }
        self.settings.take_up(reading.snapshot, &taken_up);
        let keys =
            |settings: Vec<&&'static Setting>| settings.iter().map(|setting| setting.key).collect();
        Ok((keys(taken_up), keys(waiting)))
    }
}

// === impl Snapshot ===

impl Snapshot {
    pub(super) fn take(sources: &Sources<'_>, config: &Config) -> Result<Self, ConfigError> {
        let text = |setting| Ok(sources.raw(setting)?.map(|raw| raw.text.clone()));
        let read = |path| tls::read_file(GROUPWARE_CA, path);
        let ca = config.identity.ca.as_deref().map(read).transpose()?;
        Ok(Self { texts: ALL.iter().copied().map(text).collect::<Result<_, _>>()?, ca })
    }

    fn changed(&self, new: &Self) -> Vec<&'static Setting> {
        let pairs = ALL.iter().zip(self.texts.iter().zip(&new.texts));
        pairs.filter(|(_, (old, new))| old != new).map(|(setting, _)| *setting).collect()
    }

    fn is_set(&self, setting: &Setting) -> bool {
        let mut pairs = ALL.iter().zip(&self.texts);
        pairs.any(|(it, text)| it.key == setting.key && text.is_some())
    }

    /// Keeps those that need a restart, so that the next reload reports them again.
    fn take_up(&mut self, new: Self, taken_up: &[&&'static Setting]) {
        for ((setting, old), new) in ALL.iter().zip(&mut self.texts).zip(new.texts) {
            if taken_up.iter().any(|other| other.key == setting.key) {
                *old = new;
            }
        }
        self.ca = new.ca;
    }
}

// === impl Reading ===

impl Reading {
    fn read(matches: &ArgMatches, metrics: Option<&Arc<Metrics>>) -> Result<Self, Failure> {
        let (sources, config, warnings) = Preflight::run(matches, Purpose::Reload).passed()?;
        let filter = logging::filter(&sources)?;
        // It also opens the tokens file, which the current verifier follows by itself.
        let identity = Identity::open(&config.identity)?;
        // Missing keys would be created at a start.
        let keyring = open::existing_keys(&config.vault)?;
        Ok(Self {
            identity,
            filter,
            snapshot: Snapshot::take(&sources, &config)?,
            groupware: open::groupware_if_set(config.groupware.as_ref(), metrics)?,
            keyring,
            tls: config.listen.tls.as_ref().map(Loaded::read).transpose()?,
            warnings,
            config,
        })
    }
}
