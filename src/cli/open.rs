//! Opens what the settings name: the vault and the groupware server.

use std::fmt;
use std::path::Path;
use std::pin::pin;
use std::sync::Arc;

use futures_util::StreamExt;
use portreeve::groupware::Groupware;
use portreeve::metrics::Metrics;
use portreeve::vault::{Keyring, KeyringError, SqliteStore, Vault};
#[cfg(feature = "postgres")]
use portreeve::vault::{PostgresOptions, PostgresStore};
use secrecy::ExposeSecret;

use super::Failure;
use super::output::say;
use super::store::AnyStore;
use crate::config::setting::{GROUPWARE_CA, Setting};
use crate::config::{ConfigError, Database, GroupwareConfig, Keys, VaultConfig};

/// What names the database of the commands about a vault.
pub(super) const NAMED_BY: &str = "--data-dir or --database-url";

/// What an operator is told whose key file was lost.
const LOST_KEY: &str = "the key file is new, but the database holds credentials that it cannot \
     open: put the former key file back, or have their users provision again";

/// The vault; its key file, its database and their directories are made if they are missing.
pub(super) async fn vault(config: &VaultConfig) -> Result<Vault<AnyStore>, Failure> {
    let keyring = keyring(config, Keyring::read_or_create)?;
    let store = store(&config.database, of(config.database_set_by)).await?;
    Ok(with_keys(keyring, store).await)
}

/// As [`vault`]; `metrics` counts what is done in it.
pub(super) async fn observed_vault(
    config: &VaultConfig,
    metrics: Option<&Arc<Metrics>>,
) -> Result<Vault<AnyStore>, Failure> {
    let keyring = keyring(config, Keyring::read_or_create)?;
    let store = open_store(&config.database, of(config.database_set_by), true).await?;
    let store = match metrics {
        Some(metrics) => store.observed(metrics.clone()),
        None => store,
    };
    Ok(with_keys(keyring, store).await)
}

/// The store, for a command that ends soon: it does not listen for changes by others. `fault` says of a
/// problem what named the store.
pub(super) async fn store(
    database: &Database,
    fault: impl Fn(String) -> ConfigError,
) -> Result<AnyStore, Failure> {
    open_store(database, fault, false).await
}

/// Says of a problem that `setting` named what has it.
pub(super) fn of(setting: &'static Setting) -> impl Fn(String) -> ConfigError {
    move |problem| ConfigError::of(setting, problem)
}

async fn open_store(
    database: &Database,
    fault: impl Fn(String) -> ConfigError,
    listens: bool,
) -> Result<AnyStore, Failure> {
    #[cfg(not(feature = "postgres"))]
    let _ = listens;
    Ok(match database {
        Database::Sqlite(path) => {
            let store = SqliteStore::open(path).await;
            AnyStore::Sqlite(store.map_err(|error| fault(error.to_string()))?)
        }
        #[cfg(feature = "postgres")]
        Database::Postgres(options) => {
            let options = PostgresOptions::clone(options).listen(listens);
            let store = PostgresStore::open(options).await;
            AnyStore::Postgres(store.map_err(|error| fault(error.to_string()))?)
        }
    })
}

/// A mistyped path must not look like an empty vault.
///
/// `named_by` is what a user names it by.
pub(super) fn must_exist(database: &Database, named_by: &str) -> Result<(), Failure> {
    match database.file() {
        Some(path) if !path.exists() => Err(Failure::new(format_args!(
            "{}: there is no database; {named_by} names the one to use",
            path.display()
        ))),
        _ => Ok(()),
    }
}

/// The vault of both; says so if the keys are new and the records are not.
async fn with_keys(keyring: Keyring, store: AnyStore) -> Vault<AnyStore> {
    let is_new = keyring.is_new();
    let vault = Vault::new(keyring, store);
    if is_new && pin!(vault.list()).next().await.is_some() {
        // The commands that look after the vault do not log.
        if tracing::dispatcher::has_been_set() {
            tracing::warn!("{LOST_KEY}");
        } else {
            say(format_args!("portreeve: {LOST_KEY}"));
        }
    }
    vault
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
    observed_groupware(config, None)
}

/// As [`groupware`]; `metrics` counts its calls.
pub(super) fn observed_groupware(
    config: &GroupwareConfig,
    metrics: Option<&Arc<Metrics>>,
) -> Result<Groupware, Failure> {
    let mut builder = Groupware::builder(config.url.clone())
        .timeout(config.timeout)
        .allow_plain_http(config.allow_plain_http);
    if let Some(metrics) = metrics {
        builder = builder.observer(metrics.clone());
    }
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
