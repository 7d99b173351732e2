//! Compares the keys of the vault with its database. Nothing is created or changed.

use std::path::{Path, PathBuf};

use portreeve::vault::Inspection;

use super::files::{self, can_be_changed, can_be_made};
use super::{CheckInput, Purpose, Verdicts};
use crate::cli::open;
use crate::cli::output::count;
#[cfg(feature = "postgres")]
use crate::config::Database;
use crate::config::setting::DATABASE_URL;
use crate::config::{ConfigError, Keys, VaultConfig};

/// Checks the key file, the database file, and whether the keys open its records; PostgreSQL would need the network.
pub(super) fn keys_and_database(input: &CheckInput<'_, '_>, verdicts: &mut Verdicts) {
    let Ok(config) = VaultConfig::read(input.sources) else {
        return;
    };
    let database = config.database.file().into_iter();
    let database: Vec<_> = database.flat_map(files::of_database).collect();
    let mut opened: Vec<_> = database.iter().map(PathBuf::as_path).collect();
    if let Keys::File(path) = &config.keys {
        opened.push(path);
    }
    if files::is_suspect(opened) {
        return;
    }
    // A gateway that serves has opened its database.
    let is_open = matches!(input.purpose, Purpose::Reload);
    let found = match config.database.file().filter(|_| !is_open) {
        Some(path) => usable(path)
            .map_err(|problem| ConfigError::of(config.database_set_by, problem))
            .and_then(|()| open::inspect_file(&config)),
        None => Ok(None),
    };
    let keys = open::existing_keys(&config).and_then(|keys| {
        if let (None, Keys::File(path)) = (&keys, &config.keys) {
            can_be_made(path).map_err(|problem| {
                let path = path.display();
                let problem = format!("cannot create the key file {path}: {problem}");
                ConfigError::of(config.keys_set_by, problem)
            })?;
        }
        Ok(keys)
    });
    #[cfg(feature = "postgres")]
    if let Database::Postgres(options) = &config.database {
        let exposure = options.exposure().map(str::to_owned);
        for warning in exposure.into_iter().chain(options.unused_pass_file()) {
            verdicts.warning(format!("{}: {warning}", DATABASE_URL.key));
        }
    }
    let (keys, found) = match (keys, found) {
        (Ok(keys), Ok(found)) => (keys, found),
        (keys, found) => {
            let faults = keys.err().into_iter().chain(found.err());
            return faults.for_each(|fault| verdicts.fault(fault));
        }
    };
    match open::check_keys(&config, keys.as_ref(), found.as_ref()) {
        Err(fault) => verdicts.fault(fault),
        // Opening it reports that.
        Ok(Some(_)) if matches!(input.purpose, Purpose::Start(_)) => {}
        Ok(Some(warning)) => verdicts.warning(warning),
        Ok(None) => verdicts.fine(in_words(&config, keys.is_some(), found.as_ref())),
    }
}

/// Whether a database file can be used, or created.
fn usable(path: &Path) -> Result<(), String> {
    let (does, usable) = if open::is_missing(path) {
        ("create", can_be_made(path))
    } else {
        ("use", can_be_changed(path))
    };
    usable.map_err(|problem| format!("cannot {does} the database {}: {problem}", path.display()))
}

fn in_words(config: &VaultConfig, has_keys: bool, found: Option<&Inspection>) -> String {
    let database = &config.database;
    let is_file = database.file().is_some();
    let holds = match found {
        Some(found) => {
            let records: u64 = found.sealed_with.values().sum();
            let records = count(records, "record");
            format!("{database} with {records}, decrypted by the keys")
        }
        None if is_file => format!("{database}, created at the first start"),
        None => format!("{database}, only checked with --online"),
    };
    let keys = match &config.keys {
        Keys::Given(_) => "keys from the environment".to_owned(),
        Keys::File(path) if has_keys => format!("keys in {}", path.display()),
        Keys::File(path) => format!("keys in {}, created at the first start", path.display()),
    };
    format!("{}: {holds}; {keys}", DATABASE_URL.key)
}
