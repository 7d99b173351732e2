//! `portreeve check-config`: the settings in force, and where each comes from.

use std::io::{self, Write};

use clap::{Arg, ArgAction, ArgMatches, Command};

use super::identity::{Found, Identity};
use super::output::is_closed;
use super::{Failure, block_on, open, sources, with_settings};
use crate::config::setting::{ALL, DATA_DIR, Kind};
use crate::config::{self, Config, IdentityConfig, LogFormat, Sources};

pub(super) fn command() -> Command {
    let command = Command::new("check-config").about(
        "Check the settings as `serve` would read them, and print them with secrets masked; changes nothing",
    );
    let online = Arg::new("online")
        .long("online")
        .action(ArgAction::SetTrue)
        .help("Also ask the identity provider, and say what it answers");
    with_settings(command, ALL).arg(online)
}

pub(super) fn run(matches: &ArgMatches) -> Result<(), Failure> {
    let sources = sources(matches)?;
    // Shown also where one of them turns out to be wrong.
    print(&in_force(&sources)?)?;
    LogFormat::read(&sources)?;
    let config = Config::read(&sources)?;
    config.groupware.as_ref().map(open::groupware).transpose()?;
    open::check_keys(&config.vault)?;
    let identity = Identity::open(&config.identity)?;
    if matches.get_flag("online") {
        let found = block_on(async { identity.ask().await })?;
        let mut out = Vec::new();
        report(&mut out, &config.identity, &found)?;
        print(&out)?;
    }
    Ok(())
}

/// Every setting in its place, as TOML.
fn in_force(sources: &Sources<'_>) -> Result<Vec<u8>, Failure> {
    let mut out = Vec::new();
    let data_dir = config::data_dir(sources).map(|dir| dir.display().to_string());
    for setting in ALL {
        let key = match setting.in_file {
            true => setting.key,
            false => setting.env,
        };
        match (sources.find(setting)?, setting.kind) {
            (None, _) => {
                let default = match &data_dir {
                    Ok(dir) if std::ptr::eq(*setting, DATA_DIR) => dir.clone(),
                    Ok(dir) => setting.default.replace("<data_dir>", dir),
                    Err(_) => setting.default.to_owned(),
                };
                writeln!(out, "# {key}: {default} (default)")?;
            }
            (Some(found), Kind::Secret) => writeln!(out, "{key} = \"***\"  # {}", found.place)?,
            (Some(found), _) => {
                let text = toml_string(found.text.trim());
                writeln!(out, "{key} = {text}  # {}", found.place)?;
            }
        }
    }
    Ok(out)
}

/// A reader that went away is no failure of the settings.
fn print(text: &[u8]) -> Result<(), Failure> {
    is_closed(io::stdout().write_all(text)).map(drop)
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

/// A TOML basic string.
fn toml_string(text: &str) -> String {
    toml::Value::from(text).to_string()
}
