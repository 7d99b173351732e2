//! Opens what the settings name.

use std::pin::pin;

use futures_util::StreamExt;
use portreeve::groupware::Groupware;
use portreeve::vault::{Keyring, SqliteStore, Vault};
use secrecy::ExposeSecret;

use super::Failure;
use crate::config::setting::{DATABASE_URL, ENCRYPTION_KEYS, GROUPWARE_CA, KEY_FILE};
use crate::config::{ConfigError, GroupwareConfig, Keys, VaultConfig};

/// The vault; its key file, its database and their directories are made where there are none.
pub(super) async fn vault(config: &VaultConfig) -> Result<Vault<SqliteStore>, Failure> {
    let keyring = match &config.keys {
        Keys::Given(keys) => Keyring::from_base64_keys(keys.expose_secret().split(','))
            .map_err(|error| ConfigError::of(ENCRYPTION_KEYS, error.to_string()))?,
        Keys::File(path) => Keyring::read_or_create(path)
            .map_err(|error| ConfigError::of(KEY_FILE, error.to_string()))?,
    };
    let is_new = keyring.is_new();
    let store = SqliteStore::open(&config.database)
        .await
        .map_err(|error| ConfigError::of(DATABASE_URL, error.to_string()))?;
    let vault = Vault::new(keyring, store);
    if is_new && pin!(vault.list()).next().await.is_some() {
        // The commands that look after the vault do not log.
        if tracing::dispatcher::has_been_set() {
            tracing::warn!("{LOST_KEY}");
        } else {
            eprintln!("portreeve: {LOST_KEY}");
        }
    }
    Ok(vault)
}

const LOST_KEY: &str = "the key file is new, but the database holds credentials that it cannot \
     open: put the former key file back, or have their users provision again";

/// Checks the keys without making any.
pub(super) fn check_keys(config: &VaultConfig) -> Result<(), Failure> {
    match &config.keys {
        Keys::Given(keys) => Keyring::from_base64_keys(keys.expose_secret().split(','))
            .map(drop)
            .map_err(|error| ConfigError::of(ENCRYPTION_KEYS, error.to_string()).into()),
        Keys::File(path) if path.exists() => Keyring::read(path)
            .map(drop)
            .map_err(|error| ConfigError::of(KEY_FILE, error.to_string()).into()),
        Keys::File(_) => Ok(()),
    }
}

pub(super) fn groupware(config: &GroupwareConfig) -> Result<Groupware, Failure> {
    let mut builder = Groupware::builder(config.url.clone())
        .timeout(config.timeout)
        .allow_plain_http(config.allow_plain_http);
    if let Some(path) = &config.ca {
        let pem = std::fs::read(path).map_err(|error| {
            ConfigError::of(GROUPWARE_CA, format!("{}: {error}", path.display()))
        })?;
        builder = builder.extra_ca(&pem).map_err(|error| {
            ConfigError::of(GROUPWARE_CA, format!("{}: {error}", path.display()))
        })?;
    }
    builder.build().map_err(Failure::new)
}
