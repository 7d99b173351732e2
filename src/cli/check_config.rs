//! `portreeve check-config`: the settings in force, and where each comes from.

use std::io::{self, Write};

use clap::{ArgMatches, Command};

use super::{Failure, open, sources, with_settings};
use crate::config::setting::{ALL, Kind};
use crate::config::{Config, LogFormat};

pub(super) fn command() -> Command {
    let command = Command::new("check-config").about(
        "Check the settings as `serve` would read them, and print them with secrets masked; changes nothing",
    );
    with_settings(command, ALL)
}

pub(super) fn run(matches: &ArgMatches) -> Result<(), Failure> {
    let sources = sources(matches)?;
    let mut out = io::stdout().lock();
    for setting in ALL {
        let found = sources.find(setting)?;
        let key = match setting.in_file {
            true => setting.key,
            false => setting.env,
        };
        match (found, setting.kind) {
            (None, _) => writeln!(out, "# {key}: {} (default)", setting.default)?,
            (Some(found), Kind::Secret) => writeln!(out, "{key} = \"***\"  # {}", found.place)?,
            (Some(found), _) => {
                writeln!(
                    out,
                    "{key} = {}  # {}",
                    toml_string(found.text.trim()),
                    found.place
                )?;
            }
        }
    }
    LogFormat::read(&sources)?;
    let config = Config::read(&sources)?;
    config.groupware.as_ref().map(open::groupware).transpose()?;
    Ok(())
}

/// A TOML basic string.
fn toml_string(text: &str) -> String {
    toml::Value::from(text).to_string()
}
