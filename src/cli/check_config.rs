//! `portreeve check-config`: the settings in force with the source of each, and whether a gateway would start with them.

use std::borrow::Cow;
use std::io::Write;

use clap::{ArgMatches, Command};
use portreeve::groupware::GroupwareError;

use super::commands::switch;
use super::identity::Identity;
use super::output::{print, say};
use super::preflight::{Preflight, Purpose, Question, Verdict, Verdicts};
use super::terminal::{escape, json_line};
use super::{Failure, block_on, check_token, current_thread, open};
use crate::causes::with_causes;
#[cfg(feature = "postgres")]
use crate::config::Database;
use crate::config::setting::{ALL, DATABASE_URL, GROUPWARE_URL, WEBHOOK_AUTH, WEBHOOK_SECRET};
use crate::config::{self, Config, ConfigError, Faults, Notation, Sources, with_settings};

const QUESTIONS: &[Question] = &[
    provider,
    #[cfg(feature = "postgres")]
    database,
    groupware,
];

pub(super) fn command() -> Command {
    let command = Command::new("check-config")
        .about(
            "Check everything that could keep `serve` from starting, and print the settings as a \
         configuration file, without secrets; changes nothing",
        )
        .after_help(
            "A tick marks a check that passed, an exclamation mark something that works but is \
         dangerous. A cross marks a fault that keeps `serve` from starting; these lines go to \
         standard error. Run it as the gateway's user, since file permissions are checked for the \
         current user.",
        );
    let online = "Also query the identity provider, Nextcloud and a PostgreSQL database, and print the results";
    let token = "Read a bearer token from standard input, and print which account it belongs to and why; the token is \
                 not shown";
    with_settings(command, ALL.iter().copied())
        .arg(switch("online", online))
        .arg(switch("token-stdin", token).requires("online"))
}

pub(super) fn run(matches: &ArgMatches) -> Result<(), Failure> {
    let mut checked = Preflight::run(matches, Purpose::Report);
    // First, so that they are shown even if one of them is wrong.
    if let Some(sources) = &checked.sources {
        print(&in_force(sources)?)?;
    }
    let mut faults = Faults::default();
    let verdicts = &mut checked.verdicts;
    show(verdicts, &mut faults)?;
    if let Some(config) = checked.config.filter(|_| matches.get_flag("online")) {
        for question in QUESTIONS {
            verdicts.ask(&config, *question);
            show(verdicts, &mut faults)?;
        }
        if matches.get_flag("token-stdin") {
            let mut out = Vec::new();
            let said = block_on(check_token::report(&mut out, &config));
            print(&out)?;
            said?;
        }
    }
    if faults.is_empty() {
        return Ok(());
    }
    Err(Failure::silent(Failure::all(faults.0).code))
}

/// Prints the verdicts: good ones as TOML comments, faults to standard error.
fn show(verdicts: &mut Verdicts, faults: &mut Faults) -> Result<(), Failure> {
    for verdict in verdicts.0.drain(..) {
        match verdict {
            Verdict::Fine(line) => print(format!("# \u{2713} {}\n", escape(&line)).as_bytes())?,
            Verdict::Warning(line) => {
                print(format!("# ! warning: {}\n", escape(&line)).as_bytes())?;
            }
            Verdict::Fault(fault) => {
                say(format_args!("\u{2717} {fault}"));
                faults.add(fault);
            }
        }
    }
    Ok(())
}

/// Prints every setting with its value and source, as TOML for `--config`, which lacks only the secrets.
fn in_force(sources: &Sources<'_>) -> Result<Vec<u8>, Failure> {
    let mut out = Vec::new();
    let data_dir = config::data_dir(sources).map(|dir| dir.display().to_string()).ok();
    let has_secret = !matches!(sources.raw(WEBHOOK_SECRET), Ok(None));
    for setting in ALL {
        let key = if setting.is_in_toml() { setting.key } else { setting.env };
        match sources.raw(setting) {
            // The fault itself is reported below.
            Err(_) => writeln!(out, "# {key}: cannot be used")?,
            Ok(None) if setting.key == WEBHOOK_AUTH.key && !has_secret => {
                writeln!(out, "# {key}: none, since webhook_secret is not set")?;
            }
            Ok(None) => {
                let default = setting.default(data_dir.as_deref());
                writeln!(out, "# {key}: {} (default)", escape(&default))?;
            }
            Ok(Some(found)) => {
                let origin = escape(&found.origin.name);
                if setting.notation == Notation::Secret {
                    // A comment: otherwise the placeholder would become the secret in a file made from this.
                    writeln!(out, "# {key}: set, not shown  # {origin}")?;
                    continue;
                }
                // One that is refused may contain a password.
                let is_hidden =
                    setting.key == DATABASE_URL.key && (setting.check)(&found.text).is_err();
                let text = toml_string(if is_hidden { "…" } else { &found.text });
                writeln!(out, "{key} = {text}  # {origin}")?;
            }
        }
    }
    Ok(out)
}

pub(super) fn provider(config: &Config, verdicts: &mut Verdicts) -> Result<(), ConfigError> {
    let discovered = ask(Identity::open(&config.identity)?.ask())?;
    let introspection = config.identity.introspection.as_ref();
    if let (Some(issuer), Some(discovered)) = (&config.identity.issuer, &discovered) {
        let (keys, url) = (discovered.keys, &discovered.jwks_url);
        verdicts.fine(format!("online: {issuer} has {keys} signature keys at {url}"));
        // Another one, or none, may be in use.
        if let Some(url) = &discovered.introspection_url
            && introspection.is_some_and(|settings| settings.url.is_none())
        {
            verdicts.fine(format!("online: {issuer} introspects tokens at {url}"));
        }
    }
    if introspection.is_some() {
        verdicts.fine("online: the introspection endpoint accepted the client's credentials");
    } else if discovered.is_none() {
        verdicts.fine("online: no identity provider is configured");
    }
    Ok(())
}

/// Queries a PostgreSQL database. A database file has been checked offline.
#[cfg(feature = "postgres")]
fn database(config: &Config, verdicts: &mut Verdicts) -> Result<(), ConfigError> {
    let config = &config.vault;
    let Database::Postgres(options) = &config.database else {
        return Ok(());
    };
    let database = &config.database;
    let (checked, found) = ask(async {
        let checked = open::check(options).await;
        let fault = |problem| ConfigError::of(config.database_set_by, problem);
        Ok::<_, ConfigError>((checked.map_err(fault)?, open::inspect(config).await?))
    })?;
    let tables = match &found {
        Some(found) => format!("has schema version {}", found.schema_version),
        None => "has no tables: `serve` will create them".into(),
    };
    if checked.is_writable {
        verdicts.fine(format!("online: {database} is writable and {tables}"));
    } else {
        verdicts.warning(format!(
            "online: {database} accepts only reads at present, and {tables}: make room if its disk is full, or wait \
             for the end of a failover"
        ));
    }
    if checked.is_notified {
        verdicts.fine("online: it sends notifications of changes");
    } else {
        verdicts.warning(
            "online: it sends no notifications of changes, as behind a pooler that passes connections from client to \
             client: each use of a credential will ask the database, and gateways will log in by bearer token alone. \
             Set pool_mode = session in pgbouncer, or connect to PostgreSQL itself",
        );
    }
    let keys = open::existing_keys(config)?;
    match open::check_keys(config, keys.as_ref(), found.as_ref())? {
        None => verdicts.fine("online: the keys decrypt its records"),
        Some(warning) => verdicts.warning(warning),
    }
    Ok(())
}

pub(super) fn groupware(config: &Config, verdicts: &mut Verdicts) -> Result<(), ConfigError> {
    let Some(config) = &config.groupware else {
        return Ok(());
    };
    let status = ask(open::groupware(config, None)?.status()).map_err(|error| {
        let advice = match error {
            GroupwareError::InFront { .. }
            | GroupwareError::Unreadable { .. }
            | GroupwareError::TooLarge { .. }
            | GroupwareError::Unexpected(_) => {
                "; this does not look like a Nextcloud: check the address, with its path prefix if it has one"
            }
            _ => "",
        };
        ConfigError::of(GROUPWARE_URL, format_args!("{}{advice}", with_causes(&error)))
    })?;
    let (url, version) = (&config.url, status.version.as_deref());
    let version = version.unwrap_or("of unknown version");
    verdicts.fine(format!("online: {url} is a groupware server, {version}"));
    if status.webhooks {
        verdicts.fine("online: its app webhook_listeners is enabled");
    } else {
        verdicts.warning(
            "online: its app webhook_listeners is disabled, so the webhook routes answer 500; `occ \
             app:enable webhook_listeners` there enables it",
        );
    }
    Ok(())
}

fn ask<T>(question: impl Future<Output = T>) -> T {
    current_thread().expect("a runtime of this thread alone").block_on(question)
}

fn toml_string(text: &str) -> String {
    match escape(text) {
        Cow::Borrowed(_) => toml::Value::from(text).to_string(),
        // The escapes of JSON are also those of TOML.
        Cow::Owned(_) => json_line(&text.into()),
    }
}
