//! Opens what the settings name: the vault and the groupware server.

use std::fmt;
use std::path::Path;
use std::pin::pin;

use futures_util::StreamExt;
use portreeve::groupware::Groupware;
use portreeve::vault::{Keyring, KeyringError, SqliteStore, Vault};
use secrecy::ExposeSecret;

use super::Failure;
use super::output::say;
use crate::config::setting::GROUPWARE_CA;
use crate::config::{ConfigError, GroupwareConfig, Keys, VaultConfig};

/// What an operator is told whose key file was lost.
const LOST_KEY: &str = "the key file is new, but the database holds credentials that it cannot \
     open: put the former key file back, or have their users provision again";

/// The vault; its key file, its database and their directories are made if they are missing.
pub(super) async fn vault(config: &VaultConfig) -> Result<Vault<SqliteStore>, Failure> {
    let keyring = keyring(config, Keyring::read_or_create)?;
    let is_new = keyring.is_new();
    let store = SqliteStore::open(&config.database)
        .await
        .map_err(|error| ConfigError::of(config.database_set_by, error.to_string()))?;
    let vault = Vault::new(keyring, store);
    if is_new && pin!(vault.list()).next().await.is_some() {
        // The commands that look after the vault do not log.
        if tracing::dispatcher::has_been_set() {
            tracing::warn!("{LOST_KEY}");
        } else {
            say(format_args!("portreeve: {LOST_KEY}"));
        }
    }
    Ok(vault)
}

/// Checks the keys without making any.
pub(super) fn check_keys(config: &VaultConfig) -> Result<(), Failure> {
    match &config.keys {
        Keys::File(path) if !path.exists() => Ok(()),
        _ => Ok(keyring(config, Keyring::read).map(drop)?),
    }
}

/// The keys; `read` gets them from a key file.
pub(super) fn keyring<'a>(
    config: &'a VaultConfig,
    read: impl FnOnce(&'a Path) -> Result<Keyring, KeyringError>,
) -> Result<Keyring, ConfigError> {
    match &config.keys {
        Keys::Given(keys) => Keyring::from_base64_keys(keys.expose_secret().split(',')),
        Keys::File(path) => read(path),
    }
    .map_err(|error| ConfigError::of(config.keys_set_by, error.to_string()))
}

/// The client of the groupware server.
pub(super) fn groupware(config: &GroupwareConfig) -> Result<Groupware, Failure> {
    let mut builder = Groupware::builder(config.url.clone())
        .timeout(config.timeout)
        .allow_plain_http(config.allow_plain_http);
    if let Some(path) = &config.ca {
        let pem = std::fs::read(path).map_err(|error| ca_error(path, error))?;
        builder = builder
            .extra_ca(&pem)
            .map_err(|error| ca_error(path, error))?;
    }
    builder.build().map_err(Failure::new)
}

/// An error of the file of further certificates.
pub(super) fn ca_error(path: &Path, problem: impl fmt::Display) -> ConfigError {
    ConfigError::of(GROUPWARE_CA, format!("{}: {problem}", path.display()))
}
