//! The settings of the vault.

use std::path::PathBuf;

use secrecy::SecretString;

use super::database::Database;
use super::fault::ConfigError;
use super::setting::{self, DATABASE, KEYS, Setting};
use super::sources::Sources;

#[derive(Debug)]
pub(crate) struct VaultConfig {
    pub(crate) database: Database,
    /// The setting to change if the database cannot be used where it is.
    pub(crate) database_set_by: &'static Setting,
    pub(crate) keys: Keys,
    /// The setting to change if the keys cannot be used.
    pub(crate) keys_set_by: &'static Setting,
}

#[derive(Debug)]
pub(crate) enum Keys {
    /// Given directly, in base64.
    Given(SecretString),
    /// In this file, which is created if it is missing.
    File(PathBuf),
}

impl VaultConfig {
    pub(crate) fn read(sources: &Sources<'_>) -> Result<Self, ConfigError> {
        let (database, database_set_by): (_, &'static Setting) =
            match sources.get_opt(setting::DATABASE_URL)? {
                Some(database) => (database.with_settings(sources)?, setting::DATABASE_URL),
                None => (Database::Sqlite(data_dir(sources)?.join(DATABASE)), setting::DATA_DIR),
            };
        let keys = sources.get_opt(setting::ENCRYPTION_KEYS)?;
        let (keys, keys_set_by): (_, &'static Setting) = match keys {
            Some(keys) => (Keys::Given(keys), setting::ENCRYPTION_KEYS),
            None => match sources.get_opt(setting::KEY_FILE)? {
                Some(path) => (Keys::File(path), setting::KEY_FILE),
                None => (Keys::File(data_dir(sources)?.join(KEYS)), setting::DATA_DIR),
            },
        };
        Ok(Self { database, database_set_by, keys, keys_set_by })
    }
}

impl Database {
    /// Applies the settings besides the URL.
    #[cfg_attr(
        not(feature = "postgres"),
        expect(unused_variables, reason = "a file has no settings beside its path")
    )]
    pub(crate) fn with_settings(self, sources: &Sources<'_>) -> Result<Self, ConfigError> {
        match self {
            Self::Sqlite(path) => Ok(Self::Sqlite(path)),
            #[cfg(feature = "postgres")]
            Self::Postgres(mut options) => {
                // Conventions, not settings.
                let pass_file = sources.variable_value("PGPASSFILE").map(PathBuf::from);
                let home = || sources.variable_value("HOME").map(PathBuf::from);
                let in_home = || Some(home()?.join(".pgpass"));
                options.password = sources.get_opt(setting::DATABASE_PASSWORD)?;
                // That of the URL comes first.
                options.pass_file = options.pass_file.or(pass_file).or_else(in_home);
                options.connections = sources.get(setting::DATABASE_CONNECTIONS)?;
                options.timeout = sources.get(setting::DATABASE_TIMEOUT)?;
                Ok(Self::Postgres(options))
            }
        }
    }
}

pub(crate) fn data_dir(sources: &Sources<'_>) -> Result<PathBuf, ConfigError> {
    use etcetera::{AppStrategy, AppStrategyArgs};

    if let Some(dir) = sources.get_opt(setting::DATA_DIR)? {
        return Ok(dir);
    }
    let app = AppStrategyArgs { app_name: "portreeve".into(), ..AppStrategyArgs::default() };
    let problem =
        "there is no home directory to derive the default from; name a directory for the data";
    let strategy = etcetera::choose_app_strategy(app)
        .map_err(|_| ConfigError::of(setting::DATA_DIR, problem))?;
    Ok(strategy.state_dir().unwrap_or_else(|| strategy.data_dir()))
}
