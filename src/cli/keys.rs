//! `portreeve keys`: adds and removes keys of the vault. A running gateway follows each change of the key file.

use std::path::Path;

use clap::{ArgMatches, Command};
use portreeve::audit::Action;
use portreeve::vault::{KeyId, Keyring};

use super::commands::{CHANGES, Row};
use super::output::{count, say};
use super::{Failure, audit, block_on, open};
use crate::config::setting::ENCRYPTION_KEYS;
use crate::config::{ConfigError, Keys, Sources, VaultConfig};

pub(super) const COMMANDS: &[Row] = &[
    Row::WithSettings(new_command, CHANGES, new),
    Row::WithSettings(prune_command, CHANGES, prune),
];

pub(super) fn command() -> Command {
    Command::new("keys").about("Add a new key for the stored app passwords, and remove old ones")
}

fn new_command() -> Command {
    Command::new("new")
        .about("Add a new first key to the key file, which keeps its owner and mode; the old keys stay")
        .after_help(
            "A missing file is created. The new key encrypts nothing yet: copy the file to all gateways first. Then \
             `portreeve credentials rotate-keys` re-encrypts all records with it, and `portreeve keys prune` removes \
             the old ones.",
        )
}

fn new(_: &ArgMatches, sources: &Sources<'_>) -> Result<(), Failure> {
    let config = VaultConfig::read(sources)?;
    let path = key_file(&config)?;
    audit::audited(sources, Action::RotateKeys, |_| {
        // Without its file, or with another one, the records need the keys that it had, not a new one.
        let keyring = open::existing_keys(&config)?;
        if config.database.file().is_some() {
            open::check_keys(&config, keyring.as_ref(), open::inspect_file(&config)?.as_ref())?;
        }
        let fault = |error| ConfigError::of(config.keys_set_by, error);
        let id = Keyring::add_key(path).map_err(fault)?;
        say(format_args!("added the key {id} to {}, before all others", path.display()));
        Ok(())
    })
}

fn prune_command() -> Command {
    Command::new("prune")
        .about("Remove the keys that no record in the database needs from the key file")
        .after_help("A key that encrypted until less than ten minutes ago stays, and one that has not yet. Backups still need the keys that they were made with: keep a copy of those with them.")
}

fn prune(_: &ArgMatches, sources: &Sources<'_>) -> Result<(), Failure> {
    let config = open::existing(sources)?;
    let path = key_file(&config)?;
    audit::audited(sources, Action::RotateKeys, |_| {
        let (removable, needed) = block_on(removable(&config))?;
        let fault = |error| ConfigError::of(config.keys_set_by, error);
        let removed = Keyring::remove_keys(path, |id| removable.contains(&id)).map_err(fault)?;
        let path = path.display();
        for id in &removed {
            say(format_args!("removed the key {id} from {path}"));
        }
        if removed.is_empty() {
            let needed_all = "every key is needed, or encrypted until less than ten minutes ago";
            say(format_args!("{path}: {needed_all}"));
            for (id, records) in needed {
                say(format_args!(
                    "the key {id} is still that of {}: `portreeve credentials rotate-keys` re-encrypts all but \
                     the events of deliveries, which are removed after deliveries_keep",
                    count(records, "record")
                ));
            }
        }
        Ok(())
    })
}

/// The keys that can be removed, and those that records need, with how many these are.
async fn removable(config: &VaultConfig) -> Result<(Vec<KeyId>, Vec<(KeyId, u64)>), Failure> {
    let deliveries = open::deliveries(config).await?;
    let mut taken = deliveries.take_keys_away().await?;
    // What was sealed with them, and will ever be stored, is stored now.
    let found = open::inspect(config).await.map(Option::unwrap_or_default);
    let found = found.map_err(Failure::from).and_then(|found| match found.without_deliveries {
        Some(problem) => Err(Failure::new(problem)),
        None => Ok(found.sealed_with),
    });
    let mut needed = match found {
        Ok(needed) => needed,
        Err(failure) => {
            deliveries.give_back_keys(&taken).await?;
            return Err(failure);
        }
    };
    needed.retain(|id, _| taken.contains(id));
    taken.retain(|id| !needed.contains_key(id));
    let back: Vec<_> = needed.keys().copied().collect();
    deliveries.give_back_keys(&back).await?;
    Ok((taken, needed.into_iter().collect()))
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
