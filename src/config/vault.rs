//! The settings of the vault.

use std::path::PathBuf;

use secrecy::SecretString;

use super::parse;
use super::setting::{self, DATABASE, KEYS, Setting};
use super::sources::{ConfigError, Sources};

/// The database of the credentials, and the keys that open them.
#[derive(Debug)]
pub(crate) struct VaultConfig {
    pub(crate) database: PathBuf,
    /// The setting to change if the database cannot be used where it is.
    pub(crate) database_set_by: &'static Setting,
    pub(crate) keys: Keys,
    /// The setting to change if the keys cannot be used.
    pub(crate) keys_set_by: &'static Setting,
}

/// The keys of the vault.
#[derive(Debug)]
pub(crate) enum Keys {
    /// Given as they are, in base64.
    Given(SecretString),
    /// In this file, which is made if it is missing.
    File(PathBuf),
}

impl VaultConfig {
    pub(crate) fn read(sources: &Sources<'_>) -> Result<Self, ConfigError> {
        let (database, database_set_by) = match sources.find(setting::DATABASE_URL)? {
            Some(url) => (parse::sqlite_url(&url)?, setting::DATABASE_URL),
            None => (data_dir(sources)?.join(DATABASE), setting::DATA_DIR),
        };
        let (keys, keys_set_by) = match sources.find(setting::ENCRYPTION_KEYS)? {
            Some(keys) => (
                Keys::Given(SecretString::from(keys.text.as_str())),
                setting::ENCRYPTION_KEYS,
            ),
            None => match sources.find(setting::KEY_FILE)? {
                Some(path) => (
                    Keys::File(PathBuf::from(path.text.as_str())),
                    setting::KEY_FILE,
                ),
                None => (Keys::File(data_dir(sources)?.join(KEYS)), setting::DATA_DIR),
            },
        };
        Ok(Self {
            database,
            database_set_by,
            keys,
            keys_set_by,
        })
    }
}

/// The directory for what is kept between runs.
pub(crate) fn data_dir(sources: &Sources<'_>) -> Result<PathBuf, ConfigError> {
    use etcetera::AppStrategy;

    if let Some(dir) = sources.find(setting::DATA_DIR)? {
        return Ok(PathBuf::from(dir.text.as_str()));
    }
    let app = etcetera::AppStrategyArgs {
        top_level_domain: String::new(),
        author: String::new(),
        app_name: "portreeve".into(),
    };
    let strategy = etcetera::choose_app_strategy(app).map_err(|_| {
        ConfigError::of(
            setting::DATA_DIR,
            "there is no home directory; name a directory to keep data in",
        )
    })?;
    Ok(strategy.state_dir().unwrap_or_else(|| strategy.data_dir()))
}
