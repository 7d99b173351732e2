//! The settings of the vault.

use std::fmt;
use std::path::{Path, PathBuf};

#[cfg(feature = "postgres")]
use portreeve::vault::PostgresOptions;
use secrecy::SecretString;

use super::parse;
use super::setting::{self, DATABASE, KEYS, Setting};
use super::sources::{ConfigError, Sources, Written};

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
        let (database, database_set_by) = match sources.find(setting::DATABASE_URL)? {
            Some(url) => (Database::parse(sources, &url)?, setting::DATABASE_URL),
            None => (
                Database::Sqlite(data_dir(sources)?.join(DATABASE)),
                setting::DATA_DIR,
            ),
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

// === impl Database ===

impl Database {
    /// The database of a URL, with the settings beside it.
    pub(crate) fn parse(sources: &Sources<'_>, url: &Written) -> Result<Self, ConfigError> {
        match is_postgres(&url.text) {
            true => Self::parse_postgres(sources, url),
            false => parse::sqlite_url(url).map(Self::Sqlite),
        }
    }

    #[cfg(feature = "postgres")]
    fn parse_postgres(sources: &Sources<'_>, url: &Written) -> Result<Self, ConfigError> {
        let options: PostgresOptions =
            url.text
                .parse()
                .map_err(|error: portreeve::vault::PostgresUrlError| {
                    let hint = match error {
                        portreeve::vault::PostgresUrlError::Password => format!(
                            ": by {}, a file that {}_FILE names, or the file that PGPASSFILE names",
                            setting::DATABASE_PASSWORD.env,
                            setting::DATABASE_PASSWORD.env,
                        ),
                        _ => String::new(),
                    };
                    url.error(format!("{error}{hint}"))
                })?;
        let expected = "must be a number from 1 to 1000";
        let fits = |connections: &usize| (1..=1000).contains(connections);
        let pass_file = sources.foreign("PGPASSFILE").map(PathBuf::from);
        let in_home = || Some(PathBuf::from(sources.foreign("HOME")?).join(".pgpass"));
        let options = options
            .password(parse::secret(sources, setting::DATABASE_PASSWORD)?)
            .pass_file(pass_file.or_else(in_home))
            .connections(parse::checked(
                sources,
                setting::DATABASE_CONNECTIONS,
                fits,
                expected,
            )?)
            .timeout(parse::duration(sources, setting::DATABASE_TIMEOUT)?);
        Ok(Self::Postgres(Box::new(options)))
    }

    #[cfg(not(feature = "postgres"))]
    fn parse_postgres(_: &Sources<'_>, url: &Written) -> Result<Self, ConfigError> {
        Err(url.error("this portreeve was built without PostgreSQL (feature postgres)"))
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
