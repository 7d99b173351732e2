//! The checks before anything is opened or created: `check-config` shows all of them, `serve` only starts if there
//! is no fault, and a reload with a fault changes nothing.

mod exposure;
mod files;
mod ports;
mod vault;

use std::fmt;
use std::time::Duration;

use clap::ArgMatches;
use portreeve::gateway::Endpoint;

use super::sockets::Inherited;
use super::{Failure, logging, process};
use crate::config::setting::{
    ALL, DELIVERIES_KEEP, DELIVERY_NETWORKS, ENCRYPTION_KEYS, GROUPWARE_URL, MCP_SERVER_API_KEY,
    METRICS_LISTEN, PUBLIC_URL, Setting, USER_CLAIM, WEBHOOK_SECRET,
};
use crate::config::{Config, ConfigError, DeliveriesConfig, Faults, Notation, Sources};

/// The length in bytes below which a secret can be guessed.
const SHORT: usize = 16;

#[derive(Clone, Copy)]
pub(super) enum Purpose<'a> {
    /// The start of a gateway, with these sockets of systemd.
    Start(&'a [Inherited]),
    Reload,
    Report,
}

pub(super) struct Preflight<'m> {
    /// `None` if the configuration file cannot be read.
    pub(super) sources: Option<Sources<'m>>,
    /// `None` if a setting is invalid.
    pub(super) config: Option<Config>,
    pub(super) verdicts: Verdicts,
}

#[derive(Default)]
pub(super) struct Verdicts(pub(super) Vec<Verdict>);

pub(super) enum Verdict {
    Fine(String),
    /// It works, but is dangerous.
    Warning(String),
    /// It prevents the start of a gateway.
    Fault(ConfigError),
}

/// The input of a check. Each check reads the settings that it needs, so that a fault in others hides nothing.
struct CheckInput<'a, 'm> {
    sources: &'a Sources<'m>,
    purpose: Purpose<'a>,
}

/// A check that asks a server.
pub(super) type Question = fn(&Config, &mut Verdicts) -> Result<(), ConfigError>;

/// The checks besides those of the settings themselves.
const CHECKS: &[fn(&CheckInput<'_, '_>, &mut Verdicts)] = &[
    secrets,
    claim,
    metrics,
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
            return Self { sources: None, config: None, verdicts: Verdicts::of_settings(faults) };
        };
        let config = Config::read(&sources);
        let config = config.map_err(|more| more.0.into_iter().for_each(|it| faults.add(it))).ok();
        faults.keep(logging::filter(&sources));
        let mut verdicts = Verdicts::of_settings(faults);
        let input = CheckInput { sources: &sources, purpose };
        CHECKS.iter().for_each(|check| check(&input, &mut verdicts));
        Self { sources: Some(sources), config, verdicts }
    }

    /// The settings if all checks have passed, and a line for each thing that works but is dangerous.
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

impl Verdicts {
    fn of_settings(faults: Faults) -> Self {
        let mut verdicts = Self::default();
        if faults.is_empty() {
            verdicts.fine("settings: all are valid");
        }
        faults.0.into_iter().for_each(|fault| verdicts.fault(fault));
        verdicts
    }

    pub(super) fn fine(&mut self, line: impl Into<String>) {
        self.0.push(Verdict::Fine(line.into()));
    }

    pub(super) fn warning(&mut self, line: impl Into<String>) {
        self.0.push(Verdict::Warning(line.into()));
    }

    fn warn(&mut self, setting: &Setting, danger: impl fmt::Display) {
        self.warning(format!("{}: {danger}", setting.key));
    }

    /// Adds a fault, unless it is there already.
    pub(super) fn fault(&mut self, fault: ConfigError) {
        let is_same = |it: &Verdict| matches!(it, Verdict::Fault(known) if *known == fault);
        if !self.0.iter().any(is_same) {
            self.0.push(Verdict::Fault(fault));
        }
    }

    pub(super) fn ask(&mut self, config: &Config, question: Question) {
        if let Err(fault) = question(config, self) {
            self.fault(fault);
        }
    }

    pub(super) fn add(&mut self, result: Result<impl Into<String>, ConfigError>) {
        match result {
            Ok(line) => self.fine(line),
            Err(fault) => self.fault(fault),
        }
    }
}

/// Warns of short secrets, and of webhooks without one.
fn secrets(input: &CheckInput<'_, '_>, verdicts: &mut Verdicts) {
    if let (Ok(None), Ok(Some(_))) =
        (input.sources.raw(WEBHOOK_SECRET), input.sources.raw(GROUPWARE_URL))
    {
        verdicts.warn(
            WEBHOOK_SECRET,
            "is not set, so webhooks are registered without a credential, and a receiver cannot tell their deliveries \
             from forged ones; put the output of `openssl rand -base64 32` in a file that webhook_secret_file names",
        );
    }
    if let Ok(Some(written)) = input.sources.raw(MCP_SERVER_API_KEY) {
        verdicts.warning(format!(
            "{}: the front end Astrolabe never sends this key, so all of its calls get 401; unset it if you use that \
             app",
            written.origin.name
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

/// Warns of a claim that says whom to call, and that the caller may be able to choose.
fn claim(input: &CheckInput<'_, '_>, verdicts: &mut Verdicts) {
    if let Ok(Some(claim)) = input.sources.get_opt(USER_CLAIM)
        && ["email", "preferred_username"].contains(&claim.as_str())
    {
        let danger = format_args!(
            "at many providers users can change their {claim}, and would be taken for the account of that name; make \
             sure that yours does not let them, or use sub with account = \"bound\""
        );
        verdicts.warn(USER_CLAIM, danger);
    }
}

/// Warns of metrics that everybody can read.
fn metrics(input: &CheckInput<'_, '_>, verdicts: &mut Verdicts) {
    if let Ok(Some(address)) = input.sources.get_opt(METRICS_LISTEN)
        && address.ip().to_canonical().is_unspecified()
    {
        let danger = "is every address of this machine, and asks for no token; name one that only the operator reaches";
        verdicts.warn(METRICS_LISTEN, format_args!("{address} {danger}"));
    }
}

fn public_url(input: &CheckInput<'_, '_>, verdicts: &mut Verdicts) {
    let Ok(Some(url)) = input.sources.get_opt(PUBLIC_URL) else {
        return;
    };
    if !url.is_https() && !url.is_loopback() {
        let danger = "is plain http, so callers would send their tokens unencrypted; RFC 9728 requires https";
        verdicts.warn(PUBLIC_URL, format_args!("{url} {danger}"));
    }
    let text = url.to_string();
    let appended = ["/api/v1", Endpoint::ReceiveDelivery.as_str()];
    if let Some(path) = appended.iter().find(|path| text.ends_with(*path)) {
        let end = "which is appended to this address: give it without";
        verdicts.warn(PUBLIC_URL, format_args!("{url} ends with {path}, {end}"));
    }
}

/// Warns of deliveries that no preset can name as `self`, and of those that are removed before all their tries.
fn deliveries(input: &CheckInput<'_, '_>, verdicts: &mut Verdicts) {
    let Ok(Some(config)) = DeliveriesConfig::read(input.sources) else {
        return;
    };
    if let Ok(None) = input.sources.raw(PUBLIC_URL) {
        verdicts.warn(
            PUBLIC_URL,
            "is not set, so presets cannot be enabled with {\"uri\": \"self\"}; set it to the address at which \
             Nextcloud reaches the gateway",
        );
    }
    if let Ok(Some(networks)) = input.sources.get_opt(DELIVERY_NETWORKS)
        && let Some(all) = networks.iter().find(|net| net.prefix_len() == 0)
    {
        let danger = format_args!(
            "{all} has every address in it, this machine and its network included: whoever may make a target sends to \
             them; list the networks that targets are in"
        );
        verdicts.warn(DELIVERY_NETWORKS, danger);
    }
    // What the attempts of one delivery take, without what they vary by.
    if config.keep < Duration::from_hours(75) {
        verdicts.warn(
            DELIVERIES_KEEP,
            "is shorter than the retries (about 76 h): deliveries to a target that is down are removed before the last \
             attempt",
        );
    }
}
