//! The settings of the vault.

use std::fmt;
use std::path::{Path, PathBuf};

use portreeve::vault::Keyring;
#[cfg(feature = "postgres")]
use portreeve::vault::{PostgresOptions, PostgresUrlError};
use secrecy::SecretString;

use super::setting::{self, DATABASE, KEYS, Setting};
use super::sources::{ConfigError, Sources};

/// Where the password of a PostgreSQL database may stand.
#[cfg(feature = "postgres")]
pub(crate) const PASSWORD: &str = "by PORTREEVE_DATABASE_PASSWORD, a file that \
     PORTREEVE_DATABASE_PASSWORD_FILE names, or a line of ~/.pgpass or the file that PGPASSFILE names";

/// The database of the credentials, and the keys that open them.
#[derive(Debug)]
pub(crate) struct VaultConfig {
    pub(crate) database: Database,
    /// The setting to change if the database cannot be used where it is.
    pub(crate) database_set_by: &'static Setting,
    pub(crate) keys: Keys,
    /// The setting to change if the keys cannot be used.
    pub(crate) keys_set_by: &'static Setting,
}

/// Where the credentials are.
#[derive(Clone, Debug)]
pub(crate) enum Database {
    /// In this file.
    Sqlite(PathBuf),
    /// On a server that several gateways may share.
    #[cfg(feature = "postgres")]
    Postgres(Box<PostgresOptions>),
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
        let (database, database_set_by): (_, &'static Setting) =
            match sources.find_value(setting::DATABASE_URL)? {
                Some(database) => (database.with_settings(sources)?, setting::DATABASE_URL),
                None => (
                    Database::Sqlite(data_dir(sources)?.join(DATABASE)),
                    setting::DATA_DIR,
                ),
            };
        let keys = sources.find_value(setting::ENCRYPTION_KEYS)?;
        let (keys, keys_set_by): (_, &'static Setting) = match keys {
            Some(keys) => (Keys::Given(keys), setting::ENCRYPTION_KEYS),
            None => match sources.find_value(setting::KEY_FILE)? {
                Some(path) => (Keys::File(path), setting::KEY_FILE),
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

// === impl Database ===

impl Database {
    /// Reached as the settings beside the URL say.
    #[cfg_attr(
        not(feature = "postgres"),
        expect(unused_variables, reason = "a file has no settings beside its path")
    )]
    pub(crate) fn with_settings(self, sources: &Sources<'_>) -> Result<Self, ConfigError> {
        match self {
            Self::Sqlite(path) => Ok(Self::Sqlite(path)),
            #[cfg(feature = "postgres")]
            Self::Postgres(options) => {
                let pass_file = sources.foreign("PGPASSFILE").map(PathBuf::from);
                let in_home = || Some(PathBuf::from(sources.foreign("HOME")?).join(".pgpass"));
                let options = options
                    .password(sources.find_value(setting::DATABASE_PASSWORD)?)
                    .pass_file(pass_file.or_else(in_home))
                    .connections(sources.get(setting::DATABASE_CONNECTIONS)?)
                    .timeout(sources.get(setting::DATABASE_TIMEOUT)?);
                Ok(Self::Postgres(Box::new(options)))
            }
        }
    }

    /// The file, if it is one.
    pub(crate) fn file(&self) -> Option<&Path> {
        match self {
            Self::Sqlite(path) => Some(path),
            #[cfg(feature = "postgres")]
            Self::Postgres(_) => None,
        }
    }
}

impl fmt::Display for Database {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sqlite(path) => path.display().fmt(f),
            #[cfg(feature = "postgres")]
            Self::Postgres(options) => options.fmt(f),
        }
    }
}

/// The database of a URL.
pub(crate) fn database(url: &str) -> Result<Database, String> {
    match is_postgres(url) {
        true => postgres(url),
        false => sqlite(url).map(Database::Sqlite),
    }
}

#[cfg(feature = "postgres")]
fn postgres(url: &str) -> Result<Database, String> {
    let options = url
        .parse::<PostgresOptions>()
        .map_err(|error| match error {
            PostgresUrlError::Password => format!("{error}: {PASSWORD}"),
            _ => error.to_string(),
        })?;
    Ok(Database::Postgres(Box::new(options)))
}

#[cfg(not(feature = "postgres"))]
fn postgres(_: &str) -> Result<Database, String> {
    Err("this portreeve was built without PostgreSQL (feature postgres)".into())
}

/// The path in `sqlite:<path>`; `sqlite://<path>` is common as well.
fn sqlite(url: &str) -> Result<PathBuf, String> {
    let path = url
        .strip_prefix("sqlite:")
        .map(|path| path.strip_prefix("//").unwrap_or(path));
    // SQLite takes what begins with a colon for something else than a file.
    let path = path.filter(|path| !path.is_empty() && !path.starts_with(':'));
    path.map(PathBuf::from).ok_or_else(|| {
        "must be sqlite: and the path of a file, such as sqlite:/var/lib/portreeve/portreeve.db, or \
         postgres://user@host/database"
            .into()
    })
}

/// Keys that can be used, as they were written.
pub(super) fn keys(text: &str) -> Result<SecretString, String> {
    match Keyring::from_base64_keys(text.split(',')) {
        Ok(_) => Ok(text.into()),
        Err(error) => Err(error.to_string()),
    }
}

fn is_postgres(url: &str) -> bool {
    url.starts_with("postgres:") || url.starts_with("postgresql:")
}

/// `url` as it may be shown: what may be a password is not, also if the URL cannot be used.
pub(crate) fn shown(url: &str) -> String {
    if !is_postgres(url) {
        return url.to_owned();
    }
    let (base, query) = url
        .split_once('?')
        .map_or((url, None), |(base, query)| (base, Some(query)));
    let base = match base.rsplit_once('@') {
        Some((before, hosts)) => match before.split_once("//") {
            Some((scheme, user)) => {
                let user = user.split_once(':').map_or(user, |(user, _)| user);
                format!("{scheme}//{user}@{hosts}")
            }
            None => "postgres:".to_owned(),
        },
        None => base.to_owned(),
    };
    let query = query.map(|query| {
        let is_shown = |pair: &&str| !pair.starts_with("password");
        query
            .split('&')
            .filter(is_shown)
            .collect::<Vec<_>>()
            .join("&")
    });
    match query {
        Some(query) if !query.is_empty() => format!("{base}?{query}"),
        _ => base,
    }
}

/// The directory for what is kept between runs.
pub(crate) fn data_dir(sources: &Sources<'_>) -> Result<PathBuf, ConfigError> {
    use etcetera::AppStrategy;

    if let Some(dir) = sources.find_value(setting::DATA_DIR)? {
        return Ok(dir);
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
