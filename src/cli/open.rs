//! Opens the vault and the client of the groupware server, as configured.

use std::io;
use std::path::Path;
use std::sync::Arc;

use portreeve::deliveries::{Deliveries, Limits, Queue};
use portreeve::gateway::BearerLogins;
use portreeve::groupware::{Access, Account, CallObserver, ClientSettings, Groupware};
use portreeve::metrics::Metrics;
use portreeve::vault::{
    AppPassword, Inspection, Keyring, KeyringError, Records, SqliteOpenError, SqliteStore, Store,
    StoreObserver, Vault, is_unfinished_copy,
};
#[cfg(feature = "postgres")]
use portreeve::vault::{PostgresCheck, PostgresOpenError, PostgresOptions, PostgresStore};
use secrecy::ExposeSecret;

use super::Failure;
use super::output::{count, say};
use super::tls;
use super::vault::UNFINISHED;
#[cfg(feature = "postgres")]
use crate::config::PASSWORD;
use crate::config::setting::{ENCRYPTION_KEYS, GROUPWARE_URL};
use crate::config::{ConfigError, Database, GroupwareConfig, Keys, Sources, VaultConfig};
use crate::files;

/// How a user names the database of the commands on a vault.
pub(super) const NAMED_BY: &str = "--data-dir or --database-url";

#[derive(Clone, Copy, PartialEq, Eq)]
enum For {
    /// What works without the keys.
    Listing,
    /// What needs keys that open some of its records, if it has any.
    Storing,
    /// A gateway, which also hears of changes by others.
    Serving,
}

/// Opens the vault for storing, unless it has records of which no key opens any. Its key file, its database and their
/// directories are created if they are missing.
pub(super) async fn vault(config: &VaultConfig) -> Result<Vault, Failure> {
    Ok(open_vault(config, None, For::Storing).await?.0)
}

/// Like [`vault`], for listing and removing records, which works without the keys.
pub(super) async fn vault_as_it_is(config: &VaultConfig) -> Result<Vault, Failure> {
    Ok(open_vault(config, None, For::Listing).await?.0)
}

/// The deliveries in the same database, for a short-lived command.
pub(super) async fn deliveries(config: &VaultConfig) -> Result<Deliveries, Failure> {
    let (vault, queue) = open_vault(config, None, For::Listing).await?;
    Ok(Deliveries::new(vault, queue, Limits::default()))
}

/// Like [`vault`], for a gateway.
pub(super) async fn vault_of_gateway(
    config: &VaultConfig,
    metrics: Option<&Arc<Metrics>>,
) -> Result<(Vault, Queue), Failure> {
    let opened = open_vault(config, metrics, For::Serving).await?;
    // From here on the database says which key seals, whatever is added to the keys. It is asked again for each record.
    let _ = opened.0.sealing_key().await;
    Ok(opened)
}

async fn open_vault(
    config: &VaultConfig,
    metrics: Option<&Arc<Metrics>>,
    purpose: For,
) -> Result<(Vault, Queue), Failure> {
    let needs_keys = purpose != For::Listing;
    let keyring = existing_keys(config)?;
    let judge = |keyring: Option<&Keyring>, found: Option<&Inspection>| {
        match check_keys(config, keyring, found) {
            Err(fault) if keyring.is_none() || needs_keys => return Err(fault),
            Ok(Some(warning)) if needs_keys => warn(&warning),
            _ => {}
        }
        Ok(())
    };
    // A file is checked before anything is created or opened, so that a refusal changes nothing.
    let is_file = config.database.file().is_some();
    let mut is_empty = false;
    if is_file || keyring.is_none() {
        let found = inspect_file(config)?;
        judge(keyring.as_ref(), found.as_ref())?;
        is_empty =
            found.is_some_and(|it| it.sealed_with.is_empty() && it.without_deliveries.is_none());
    }
    let keyring = keyring.map_or_else(|| read_keys(config, Keyring::read_or_create), Ok)?;
    let fault = |problem| ConfigError::of(config.database_set_by, problem);
    let (store, queue, _) = open_store(&config.database, &fault, metrics, purpose).await?;
    if is_unfinished_copy(store.as_ref()).await? {
        return Err(fault(UNFINISHED.to_owned()).into());
    }
    if !is_file {
        judge(Some(&keyring), inspect(config).await?.as_ref())?;
    }
    let vault = Vault::with_shared_store(keyring, store);
    if is_empty && needs_keys {
        // The key that sealed nothing is not missed.
        vault.replace_missing_sealing_key().await?;
    }
    Ok((vault, queue))
}

/// The commands that maintain the vault do not log.
fn warn(warning: &str) {
    if tracing::dispatcher::has_been_set() {
        tracing::warn!("{warning}");
    } else {
        say(format_args!("portreeve: {warning}"));
    }
}

/// Compares the keys, `None` if their file is missing, with the records that were `found` in the database.
/// Returns a warning if some of the records do not open.
pub(super) fn check_keys(
    config: &VaultConfig,
    keyring: Option<&Keyring>,
    found: Option<&Inspection>,
) -> Result<Option<String>, ConfigError> {
    let fault = |problem| ConfigError::of(config.keys_set_by, problem);
    let ids = keyring.map(Keyring::key_ids).unwrap_or_default();
    let sealed_with = found.iter().flat_map(|found| &found.sealed_with);
    let (mut opened, mut unopened, mut lost) = (0, 0, Vec::new());
    for (id, count) in sealed_with {
        if ids.contains(id) {
            opened += count;
        } else {
            unopened += count;
            lost.push(id.to_string());
        }
    }
    let (all, database, lost) = (opened + unopened, &config.database, lost.join(", "));
    let keys = match &config.keys {
        Keys::File(path) => format!("the key file {}", path.display()),
        Keys::Given(_) => ENCRYPTION_KEYS.env.to_owned(),
    };
    let start_over = "If it is lost, the records are lost as well: move the database away, and users \
         provision again (docs/OPERATIONS.md, \"A key is lost\")";
    match keyring {
        None if unopened > 0 => Err(fault(format!(
            "{keys} is missing, and {database} has {} that need it: restore it from your backup. \
             {start_over}",
            count(unopened, "record")
        ))),
        // Each gateway would create a different one.
        None if database.file().is_none() => Err(fault(format!(
            "{keys} is missing, and all gateways on one database need the same keys: copy it from \
             another gateway, or create it once with `portreeve keys new`"
        ))),
        None => Ok(None),
        Some(_) if unopened > 0 && opened == 0 => Err(fault(format!(
            "none of the keys in {keys} decrypts anything in {database}, which has {} of the key {lost}: \
             add that key again. {start_over}",
            count(all, "record")
        ))),
        Some(_) if unopened > 0 => Ok(Some(format!(
            "{}: {unopened} of the {all} records in {database} were encrypted with the key {lost}, \
             which is not among the keys: their users get 500. Add it again; `portreeve credentials \
             list` and `portreeve accounts list` name these users",
            config.keys_set_by.key
        ))),
        Some(_) => Ok(found.and_then(|it| it.without_deliveries.as_ref()).map(|problem| {
            format!("{problem}. Until then deliveries are refused; everything else goes on")
        })),
    }
}

/// Inspects the files of a database; `None` if they do not exist yet, and for other databases.
pub(super) fn inspect_file(config: &VaultConfig) -> Result<Option<Inspection>, ConfigError> {
    match config.database.file() {
        Some(path) => SqliteStore::inspect_blocking(path)
            .map_err(|error| ConfigError::of(config.database_set_by, error)),
        None => Ok(None),
    }
}

#[cfg_attr(
    not(feature = "postgres"),
    expect(clippy::unused_async, reason = "PostgreSQL is asked over the network")
)]
pub(super) async fn inspect(config: &VaultConfig) -> Result<Option<Inspection>, ConfigError> {
    #[cfg(feature = "postgres")]
    if let Database::Postgres(options) = &config.database {
        let found = PostgresStore::inspect(PostgresOptions::clone(options)).await;
        return found.map_err(|error| ConfigError::of(config.database_set_by, unopened(&error)));
    }
    inspect_file(config)
}

#[cfg(feature = "postgres")]
pub(super) async fn check(options: &PostgresOptions) -> Result<PostgresCheck, String> {
    PostgresStore::check(options.clone()).await.map_err(|error| unopened(&error))
}

/// Why a PostgreSQL database cannot be opened, and which settings help.
#[cfg(feature = "postgres")]
fn unopened(error: &PostgresOpenError) -> String {
    match error {
        PostgresOpenError::NoPassword { .. } => format!("{error}; provide it {PASSWORD}"),
        _ => error.to_string(),
    }
}

/// Opens the store, and all that is in the database, for a short-lived command: it does not listen for changes by others.
/// `fault` adds the source of the database to a problem.
pub(super) async fn store_and_records(
    database: &Database,
    fault: impl Fn(String) -> ConfigError,
) -> Result<(Arc<dyn Store>, Records), Failure> {
    let (store, _, records) = open_store(database, fault, None, For::Listing).await?;
    Ok((store, records))
}

async fn open_store(
    database: &Database,
    fault: impl Fn(String) -> ConfigError,
    metrics: Option<&Arc<Metrics>>,
    #[cfg_attr(not(feature = "postgres"), expect(unused_variables))] purpose: For,
) -> Result<(Arc<dyn Store>, Queue, Records), Failure> {
    Ok(match database {
        Database::Sqlite(path) => {
            let unopened = |error: SqliteOpenError| fault(error.to_string());
            let mut store = SqliteStore::open(path).await.map_err(unopened)?;
            store.observer = metrics.map(|metrics| metrics.clone() as Arc<dyn StoreObserver>);
            let queue = Queue::in_sqlite(&store);
            let records = store.records();
            (Arc::new(store), queue, records)
        }
        #[cfg(feature = "postgres")]
        Database::Postgres(options) => {
            let mut options = PostgresOptions::clone(options);
            options.listen = purpose == For::Serving;
            let unopened = |error| fault(unopened(&error));
            let mut store = PostgresStore::open(options).await.map_err(unopened)?;
            store.observer = metrics.map(|metrics| metrics.clone() as Arc<dyn StoreObserver>);
            let queue = Queue::in_postgres(&store);
            let records = store.records();
            (Arc::new(store), queue, records)
        }
    })
}

/// Checks that the configured vault exists: a mistyped path must not look like an empty vault.
pub(super) fn existing(sources: &Sources<'_>) -> Result<VaultConfig, Failure> {
    let config = VaultConfig::read(sources)?;
    must_exist(&config.database, NAMED_BY).map_err(|failure| Failure {
        settings: vec![Some(config.database_set_by.key)],
        ..failure
    })?;
    Ok(config)
}

/// `named_by` is how the user named it.
pub(super) fn must_exist(database: &Database, named_by: &str) -> Result<(), Failure> {
    let Some(path) = database.file() else {
        return Ok(());
    };
    let problem = match path.try_exists() {
        Ok(true) => return Ok(()),
        Err(error) if !is_missing(path) => format!("{error}; run this as the gateway's user;"),
        _ => "the database does not exist;".to_owned(),
    };
    Err(Failure::new(format_args!("{}: {problem} {named_by} names the one to use", path.display())))
}

/// Whether there is no such file; one in a directory that may not be searched is not missing.
pub(super) fn is_missing(path: &Path) -> bool {
    let missing = [io::ErrorKind::NotFound, io::ErrorKind::NotADirectory];
    files::metadata(path).is_err_and(|error| missing.contains(&error.kind()))
}

/// The keys; `None` if their file is missing.
pub(super) fn existing_keys(config: &VaultConfig) -> Result<Option<Keyring>, ConfigError> {
    match &config.keys {
        Keys::File(path) if is_missing(path) => Ok(None),
        _ => read_keys(config, Keyring::read).map(Some),
    }
}

fn read_keys<'a>(
    config: &'a VaultConfig,
    read: impl FnOnce(&'a Path) -> Result<Keyring, KeyringError>,
) -> Result<Keyring, ConfigError> {
    match &config.keys {
        Keys::Given(keys) => Keyring::from_base64_keys(keys.expose_secret().split(',')),
        Keys::File(path) => read(path),
    }
    .map_err(|error| ConfigError::of(config.keys_set_by, error))
}

/// Access to an account at the groupware server with an app password: as a bearer token if the server may take these, as
/// it does not count wrong ones. Then the first use tries the login name.
pub(super) fn access(
    config: &GroupwareConfig,
    bearer: BearerLogins,
    user: &str,
    login_name: &str,
    password: &AppPassword,
) -> Result<Access, Failure> {
    let account = match bearer {
        BearerLogins::Off => Account::new(user, login_name, password.expose()),
        _ => Account::bearer(user, password.expose()),
    }?;
    Ok(groupware(config, None)?.access(account))
}

pub(super) fn groupware_if_set(
    config: Option<&GroupwareConfig>,
    metrics: Option<&Arc<Metrics>>,
) -> Result<Option<Groupware>, ConfigError> {
    config.map(|config| groupware(config, metrics)).transpose()
}

/// The client of the groupware server; `metrics` counts its calls.
pub(super) fn groupware(
    config: &GroupwareConfig,
    metrics: Option<&Arc<Metrics>>,
) -> Result<Groupware, ConfigError> {
    let mut settings = ClientSettings::default();
    settings.timeout = config.timeout;
    settings.observer = metrics.map(|metrics| metrics.clone() as Arc<dyn CallObserver>);
    let ca = config.ca.as_deref().map(tls::authorities).transpose()?;
    settings.extra_ca = ca.unwrap_or_default();
    let built = Groupware::new(config.url.clone(), settings);
    built.map_err(|error| ConfigError::of(GROUPWARE_URL, error))
}
