//! The database of credentials.

use std::fmt;
use std::path::{Path, PathBuf};

#[cfg(feature = "postgres")]
use portreeve::vault::{PostgresOptions, PostgresUrlError};

/// Where the password of a PostgreSQL database can be provided.
#[cfg(feature = "postgres")]
pub(crate) const PASSWORD: &str = "in PORTREEVE_DATABASE_PASSWORD, in a file that \
     PORTREEVE_DATABASE_PASSWORD_FILE names, or in ~/.pgpass or the file that PGPASSFILE names";

#[derive(Clone, Debug)]
pub(crate) enum Database {
    Sqlite(PathBuf),
    /// A server that several gateways may share.
    #[cfg(feature = "postgres")]
    Postgres(Box<PostgresOptions>),
}

impl Database {
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

pub(crate) fn parse(url: &str) -> Result<Database, String> {
    if url.starts_with("postgres:") || url.starts_with("postgresql:") {
        postgres(url)
    } else {
        sqlite(url).map(Database::Sqlite)
    }
}

#[cfg(feature = "postgres")]
fn postgres(url: &str) -> Result<Database, String> {
    let options = url.parse::<PostgresOptions>().map_err(|error| match error {
        PostgresUrlError::Password => format!("{error}: {PASSWORD}"),
        _ => error.to_string(),
    })?;
    Ok(Database::Postgres(Box::new(options)))
}

#[cfg(not(feature = "postgres"))]
fn postgres(_: &str) -> Result<Database, String> {
    Err("this binary was built without PostgreSQL; build one with `--features postgres`".into())
}

/// The path in `sqlite:<path>`; `sqlite://<path>` is common as well.
fn sqlite(url: &str) -> Result<PathBuf, String> {
    let name = url.strip_prefix("sqlite:");
    let path = name.map(|name| name.strip_prefix("//").unwrap_or(name));
    // SQLite interprets names that begin with a colon.
    let file = path.filter(|path| !path.is_empty() && !path.starts_with(':'));
    let expected = "must be sqlite: and the path of a file, such as sqlite:/var/lib/portreeve/portreeve.db, or \
                    postgres://user@host/database";
    file.map(PathBuf::from).ok_or_else(|| expected.into())
}
