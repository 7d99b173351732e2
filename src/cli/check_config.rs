//! `portreeve check-config`: the settings in force, and the source of each.

use std::error::Error as _;
use std::io::{self, Write};

use clap::{Arg, ArgAction, ArgMatches, Command};
use portreeve::groupware::{BaseUrl, GroupwareError, ServerStatus};

use super::identity::{Found, Identity};
use super::output::print;
use super::{Failure, block_on, check_token, logging, open, precautions, sources, tls};
use crate::config::setting::{ALL, DATABASE_URL, GROUPWARE_URL, Kind};
use crate::config::{
    self, Config, ConfigError, IdentityConfig, Listen, LogFormat, Sources, with_settings,
};
#[cfg(feature = "postgres")]
use portreeve::vault::{PostgresOptions, PostgresStore};

#[cfg(feature = "postgres")]
use crate::config::Database;

pub(super) fn command() -> Command {
    let command = Command::new("check-config").about(
        "Check the settings as `serve` would read them, and print them as a configuration file, without the secrets; changes nothing",
    );
    let online = Arg::new("online")
        .long("online")
        .action(ArgAction::SetTrue)
        .help("Also ask the identity provider, the groupware server and a PostgreSQL database, and say what they answer");
    let token = Arg::new("token-stdin")
        .long("token-stdin")
        .action(ArgAction::SetTrue)
        .requires("online")
        .help("Read a bearer token from standard input, and say which account it would be and why; the token is not shown");
    with_settings(command, ALL).arg(online).arg(token)
}

pub(super) fn run(matches: &ArgMatches) -> Result<(), Failure> {
    let sources = sources(matches)?;
    // Printed first, so that they are seen also if one of them turns out to be wrong.
    print(&in_force(&sources)?)?;
    LogFormat::read(&sources)?;
    logging::filter(&sources)?;
    let config = Config::read(&sources)?;
    config.groupware.as_ref().map(open::groupware).transpose()?;
    open::check_keys(&config.vault)?;
    let identity = Identity::open(&config.identity)?;
    let mut out = Vec::new();
    config.listen.tls.as_ref().map(tls::read).transpose()?;
    let plain_http = precautions::plain_http(
        config.listen.addresses.iter().filter_map(Listen::tcp),
        config.listen.tls.is_some(),
    );
    let warnings = precautions::warnings(&sources, &config)?;
    for warning in warnings.iter().chain(&plain_http) {
        writeln!(out, "# warning: {}", one_line(warning))?;
    }
    print(&out)?;
    if matches.get_flag("online") {
        let found = block_on(async { identity.ask().await })?;
        out.clear();
        report(&mut out, &config.identity, &found)?;
        print(&out)?;
        #[cfg(feature = "postgres")]
        if let Database::Postgres(options) = &config.vault.database {
            let options = PostgresOptions::clone(options);
            let version = block_on(async {
                let asked = PostgresStore::schema_version(options).await;
                asked.map_err(|error| ConfigError::of(DATABASE_URL, error.to_string()).into())
            })?;
            let database = &config.vault.database;
            out.clear();
            match version {
                Some(version) => writeln!(
                    out,
                    "# online: {database} can be written to, and has schema version {version}"
                )?,
                None => writeln!(
                    out,
                    "# online: {database} can be written to, and is empty: `serve` makes its tables"
                )?,
            }
            print(&out)?;
        }
        if let Some(config) = &config.groupware {
            let groupware = open::groupware(config)?;
            let status = block_on(async { Ok(groupware.status().await.map_err(unanswered)?) })?;
            out.clear();
            report_server(&mut out, groupware.url(), &status)?;
            print(&out)?;
        }
        if matches.get_flag("token-stdin") {
            out.clear();
            let said = block_on(async { check_token::report(&mut out, &config).await });
            print(&out)?;
            said?;
        }
    }
    Ok(())
}

/// Every setting with its value and the value's source, as TOML that means the same: it can be given
/// to `--config`, with the secrets given beside it.
fn in_force(sources: &Sources<'_>) -> Result<Vec<u8>, Failure> {
    let mut out = Vec::new();
    let data_dir = config::data_dir(sources).map(|dir| dir.display().to_string());
    let data_dir = data_dir.ok();
    for setting in ALL {
        let key = match setting.is_in_toml() {
            true => setting.key,
            false => setting.env,
        };
        match (sources.find(setting)?, setting.kind) {
            (None, _) => {
                let default = setting.default(data_dir.as_deref());
                writeln!(out, "# {key}: {} (default)", one_line(&default))?;
            }
            // No line of a file that is made of this: what stands for a secret would become one.
            (Some(found), Kind::Secret) => {
                let origin = one_line(&found.origin.to_string());
                writeln!(out, "# {key}: set, not shown  # {origin}")?;
            }
            (Some(found), _) => {
                let text = match setting.key == DATABASE_URL.key {
                    true => toml_string(&config::shown(&found.text)),
                    false => toml_string(&found.text),
                };
                let origin = one_line(&found.origin.to_string());
                writeln!(out, "{key} = {text}  # {origin}")?;
            }
        }
    }
    Ok(out)
}

/// What the identity provider said, as comments of the TOML above.
fn report(out: &mut impl Write, config: &IdentityConfig, found: &Found) -> io::Result<()> {
    if let (Some(issuer), Some(discovered)) = (&config.issuer, &found.discovered) {
        let (keys, url) = (discovered.keys, &discovered.jwks_url);
        writeln!(
            out,
            "# online: {issuer} has {keys} keys that check signatures at {url}"
        )?;
        match &discovered.introspection_url {
            Some(url) => writeln!(out, "# online: {issuer} introspects tokens at {url}")?,
            None => writeln!(out, "# online: {issuer} tells no introspection endpoint")?,
        }
    }
    match (&found.discovered, found.introspects) {
        (None, false) => writeln!(out, "# online: no identity provider is configured"),
        (Some(_), false) => Ok(()),
        (_, true) => writeln!(out, "# online: introspection took the client's credentials"),
    }
}

/// What the groupware server said, as comments of the TOML above.
fn report_server(out: &mut impl Write, url: &BaseUrl, status: &ServerStatus) -> io::Result<()> {
    let version = status.version.as_deref().unwrap_or("of unknown version");
    writeln!(out, "# online: {url} is a groupware server, {version}")?;
    match status.webhooks {
        true => writeln!(out, "# online: its app webhook_listeners is enabled")?,
        false => writeln!(
            out,
            "# online: its app webhook_listeners is disabled, so the webhook routes answer 500; \
             `occ app:enable webhook_listeners` there enables it"
        )?,
    }
    Ok(())
}

/// Why the groupware server gave no usable answer, with every cause.
fn unanswered(error: GroupwareError) -> ConfigError {
    let mut line = error.to_string();
    let mut source = error.source();
    while let Some(error) = source {
        line = format!("{line}: {error}");
        source = error.source();
    }
    ConfigError::of(GROUPWARE_URL, line)
}

/// `text` without what would end its comment: a path may have a line break.
fn one_line(text: &str) -> String {
    text.replace(char::is_control, "\u{fffd}")
}

/// A TOML basic string.
fn toml_string(text: &str) -> String {
    toml::Value::from(text).to_string()
}
