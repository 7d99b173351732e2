//! The checks before anything is opened or created: `check-config` shows all of them, `serve` only starts if there
//! is no fault, and a reload with a fault changes nothing.

mod exposure;
mod files;
mod ports;
mod vault;

use std::time::Duration;

use clap::ArgMatches;
use portreeve::gateway::Endpoint;

use super::serve::Inherited;
use super::{Failure, logging, process};
use crate::config::setting::{
    ALL, DELIVERIES_KEEP, ENCRYPTION_KEYS, GROUPWARE_URL, PUBLIC_URL, Setting, WEBHOOK_SECRET,
};
use crate::config::{Config, ConfigError, DeliveriesConfig, Faults, Notation, Sources};

/// The length in bytes below which a secret can be guessed.
const SHORT: usize = 16;

/// The purpose of the checks.
#[derive(Clone, Copy)]
pub(super) enum Purpose<'a> {
    /// The start of a gateway, with these sockets of systemd.
    Start(&'a [Inherited]),
    /// The reload of a running gateway.
    Reload,
    /// Only a report.
    Report,
}

/// The result of the checks.
pub(super) struct Preflight<'m> {
    /// `None` if the configuration file cannot be read.
    pub(super) sources: Option<Sources<'m>>,
    /// `None` if a setting is invalid.
    pub(super) config: Option<Config>,
    pub(super) verdicts: Verdicts,
}

/// The verdicts, in the order of the checks.
#[derive(Default)]
pub(super) struct Verdicts(Vec<Verdict>);

/// The verdict of one check.
pub(super) enum Verdict {
    /// All is well.
    Fine(String),
    /// It works, but is dangerous.
    Warning(String),
    /// It prevents the start of a gateway.
    Fault(ConfigError),
}

/// The input of a check. Each check reads the settings that it needs by itself, so that a fault in other settings
/// hides nothing.
struct CheckInput<'a, 'm> {
    sources: &'a Sources<'m>,
    purpose: Purpose<'a>,
}

/// The checks besides those of the settings themselves.
const CHECKS: &[fn(&CheckInput<'_, '_>, &mut Verdicts)] = &[
    secrets,
    public_url,
    deliveries,
    files::others,
    files::certificates,
    files::authorities,
    files::tokens,
    files::audit_log,
    vault::keys_and_database,
    ports::listeners,
];

impl<'m> Preflight<'m> {
    pub(super) fn run(matches: &'m ArgMatches, purpose: Purpose<'_>) -> Self {
        let read_file = match purpose {
            Purpose::Reload => crate::files::read_text,
            Purpose::Start(_) | Purpose::Report => crate::files::read_text_or_pipe,
        };
        let (sources, mut faults) = process::all_sources(matches, read_file);
        let Some(sources) = sources else {
            return Self {
                sources: None,
                config: None,
                verdicts: Verdicts::of_settings(faults),
            };
        };
        let config = match Config::read(&sources) {
            Ok(config) => Some(config),
            Err(more) => {
                more.into_iter().for_each(|fault| faults.add(fault));
                None
            }
        };
        faults.keep(logging::filter(&sources));
        let mut verdicts = Verdicts::of_settings(faults);
        let input = CheckInput {
            sources: &sources,
            purpose,
        };
        CHECKS.iter().for_each(|check| check(&input, &mut verdicts));
        Self {
            sources: Some(sources),
            config,
            verdicts,
        }
    }

    /// The settings if all checks have passed, and a line for each thing that works but is dangerous.
    ///
    /// # Errors
    /// All faults.
    pub(super) fn passed(self) -> Result<(Sources<'m>, Config, Vec<String>), Failure> {
        let (mut faults, mut warnings) = (Vec::new(), Vec::new());
        for verdict in self.verdicts.0 {
            match verdict {
                Verdict::Fine(_) => {}
                Verdict::Warning(line) => warnings.push(line),
                Verdict::Fault(fault) => faults.push(fault),
            }
        }
        match (self.sources, self.config) {
            (Some(sources), Some(config)) if faults.is_empty() => Ok((sources, config, warnings)),
            _ => Err(Failure::all(faults)),
        }
    }
}

// === impl Verdicts ===

impl Verdicts {
    fn of_settings(faults: Faults) -> Self {
        let mut verdicts = Self::default();
        if faults.is_empty() {
            verdicts.fine("settings: all are valid");
        }
        faults.into_iter().for_each(|fault| verdicts.fault(fault));
        verdicts
    }

    pub(super) fn fine(&mut self, line: impl Into<String>) {
        self.0.push(Verdict::Fine(line.into()));
    }

    pub(super) fn warning(&mut self, line: impl Into<String>) {
        self.0.push(Verdict::Warning(line.into()));
    }

    /// Adds a fault, unless it is there already.
    pub(super) fn fault(&mut self, fault: ConfigError) {
        let is_same = |it: &Verdict| matches!(it, Verdict::Fault(known) if *known == fault);
        if !self.0.iter().any(is_same) {
            self.0.push(Verdict::Fault(fault));
        }
    }

    /// Adds `result`: a line, or a fault.
    pub(super) fn add(&mut self, result: Result<impl Into<String>, ConfigError>) {
        match result {
            Ok(line) => self.fine(line),
            Err(fault) => self.fault(fault),
        }
    }

    /// Takes the verdicts so far.
    pub(super) fn drain(&mut self) -> impl Iterator<Item = Verdict> {
        self.0.drain(..)
    }
}

/// Warns of short secrets, and of webhooks without one.
fn secrets(input: &CheckInput<'_, '_>, verdicts: &mut Verdicts) {
    if let (Ok(None), Ok(Some(_))) = (
        input.sources.raw(WEBHOOK_SECRET),
        input.sources.raw(GROUPWARE_URL),
    ) {
        verdicts.warning(format!(
            "{0}: is not set, so webhooks are registered without a credential, and a receiver cannot tell their \
             deliveries from forged ones; put the output of `openssl rand -base64 32` in a file that {0}_file names",
            WEBHOOK_SECRET.key
        ));
    }
    // The keys of the vault have a fixed length, which is checked when they are read.
    let is_free = |it: &&&Setting| it.notation == Notation::Secret && it.key != ENCRYPTION_KEYS.key;
    for setting in ALL.iter().filter(is_free) {
        if let Ok(Some(written)) = input.sources.raw(setting)
            // An empty one is a fault.
            && (1..SHORT).contains(&written.text.len())
        {
            verdicts.warning(format!(
                "{}: the secret is shorter than {SHORT} bytes and can be guessed; generate one with \
                 `openssl rand -base64 32`",
                written.origin.name
            ));
        }
    }
}

fn public_url(input: &CheckInput<'_, '_>, verdicts: &mut Verdicts) {
    let Ok(Some(url)) = input.sources.get_opt(PUBLIC_URL) else {
        return;
    };
    let key = PUBLIC_URL.key;
    if !url.is_https() && !url.is_loopback() {
        verdicts.warning(format!(
            "{key}: {url} is plain http, so callers would send their tokens unencrypted; RFC 9728 requires https"
        ));
    }
    let text = url.to_string();
    let appended = ["/api/v1", Endpoint::ReceiveDelivery.as_str()];
    if let Some(path) = appended.iter().find(|path| text.ends_with(*path)) {
        verdicts.warning(format!(
            "{key}: {url} ends with {path}, which is appended to this address: give it without"
        ));
    }
}

/// Warns of deliveries that no preset can name as `self`, and of those that are removed before all their tries.
fn deliveries(input: &CheckInput<'_, '_>, verdicts: &mut Verdicts) {
    let Ok(Some(config)) = DeliveriesConfig::read(input.sources) else {
        return;
    };
    if let Ok(None) = input.sources.raw(PUBLIC_URL) {
        verdicts.warning(format!(
            "{}: is not set, so presets cannot be enabled with {{\"uri\": \"self\"}}; set it to the address at which \
             Nextcloud reaches the gateway",
            PUBLIC_URL.key
        ));
    }
    // What the attempts of one delivery take, without what they vary by.
    if config.keep < Duration::from_hours(75) {
        verdicts.warning(format!(
            "{}: is shorter than the retries (about 76 h): deliveries to a target that is down are removed before \
             the last attempt",
            DELIVERIES_KEEP.key
        ));
    }
}
