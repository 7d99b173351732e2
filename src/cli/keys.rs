//! `portreeve keys`: adds and removes keys of the vault. A running gateway follows each change of the key file.

use std::path::Path;

use clap::{ArgMatches, Command};
use portreeve::audit::Action;
use portreeve::vault::Keyring;

use super::commands::Row;
use super::output::say;
use super::{Failure, audit, block_on, open};
use crate::config::setting::{ENCRYPTION_KEYS, Group};
use crate::config::{ConfigError, Keys, Sources, VaultConfig};

const SETTINGS: &[Group] = &[Group::Vault, Group::Audit];

pub(super) const COMMANDS: &[Row] = &[
    Row::WithSettings(new_command, SETTINGS, new),
    Row::WithSettings(prune_command, SETTINGS, prune),
];

pub(super) fn command() -> Command {
    Command::new("keys").about("Add a new key for the stored app passwords, and remove old ones")
}

fn new_command() -> Command {
    Command::new("new")
        .about("Add a new first key to the key file, which keeps its owner and mode; the old keys stay")
        .after_help(
            "A missing file is created. Then `portreeve credentials rotate-keys` re-encrypts all records with \
             the new key, and `portreeve keys prune` removes the old ones.",
        )
}

fn new(_: &ArgMatches, sources: &Sources<'_>) -> Result<(), Failure> {
    let config = VaultConfig::read(sources)?;
    let path = key_file(&config)?;
    audit::audited(sources, Action::RotateKeys, |_| {
        // Without its file, the records need the keys that it had, not a new one.
        if open::existing_keys(&config)?.is_none() && config.database.file().is_some() {
            open::check_keys(&config, None, open::inspect_file(&config)?.as_ref())?;
        }
        let added = Keyring::add_key(path);
        let id = added.map_err(|error| ConfigError::of(config.keys_set_by, error))?;
        say(format_args!(
            "added the key {id} to {}, before all others",
            path.display()
        ));
        Ok(())
    })
}

fn prune_command() -> Command {
    Command::new("prune")
        .about("Remove the keys that no record in the database needs, except the first, from the key file")
        .after_help("Backups still need the keys that they were made with: keep a copy of those with them.")
}

fn prune(_: &ArgMatches, sources: &Sources<'_>) -> Result<(), Failure> {
    let config = open::existing(sources)?;
    let path = key_file(&config)?;
    audit::audited(sources, Action::RotateKeys, |_| {
        let found = block_on(async { Ok(open::inspect(&config).await?) })?;
        let needed = found.map(|found| found.sealed_with).unwrap_or_default();
        let removed = Keyring::remove_keys(path, |id| needed.contains_key(&id));
        let removed = removed.map_err(|error| ConfigError::of(config.keys_set_by, error))?;
        for id in &removed {
            say(format_args!("removed the key {id} from {}", path.display()));
        }
        if removed.is_empty() {
            say(format_args!("{}: every key is needed", path.display()));
            let ids = open::existing_keys(&config)?.map(|keys| keys.key_ids());
            for id in ids.iter().flatten().skip(1) {
                let records = needed.get(id).unwrap_or(&0);
                say(format_args!(
                    "{records} records still need the key {id}: `portreeve credentials rotate-keys` re-encrypts \
                     them, except the events of deliveries, which are removed after deliveries_keep"
                ));
            }
        }
        Ok(())
    })
}

fn key_file(config: &VaultConfig) -> Result<&Path, ConfigError> {
    match &config.keys {
        Keys::File(path) => Ok(path),
        Keys::Given(_) => Err(ConfigError::of(
            ENCRYPTION_KEYS,
            "is set and overrides the key file: put a key from `openssl rand -base64 32` before the others in it",
        )),
    }
}
