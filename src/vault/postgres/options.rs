//! The URL of the database, as libpq reads it.

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use percent_encoding::percent_decode_str;
use secrecy::{ExposeSecret as _, SecretString};
use tokio_postgres::Config;
use tokio_postgres::config::{Host, SslMode as Negotiation, TargetSessionAttrs};

use crate::labels::labels;
use crate::opaque::opaque_debug;

/// Connections for statements, by default.
const CONNECTIONS: usize = 8;
/// Time for one operation, by default.
const TIMEOUT: Duration = Duration::from_secs(5);
/// Time to reach one address, unless the URL says otherwise.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(2);
/// How long a connection may be silent before the system asks whether the other side is there, and between two such questions.
const KEEPALIVE: Duration = Duration::from_secs(10);
const PORT: u16 = 5432;

/// How a [`PostgresStore`](super::PostgresStore) reaches its database. It is parsed from a URL
/// (<https://www.postgresql.org/docs/current/libpq-connect.html>, section 34.1.1):
///
/// ```
/// use portreeve::vault::PostgresOptions;
///
/// let options: PostgresOptions =
///     "postgres://portreeve@db1.example.org,db2.example.org/portreeve?sslmode=verify-full"
///         .parse()
///         .unwrap();
/// assert_eq!(
///     options.to_string(),
///     "postgres://portreeve@db1.example.org,db2.example.org/portreeve"
/// );
/// // A URL is displayed, logged and copied.
/// assert!("postgres://portreeve:secret@db1/portreeve".parse::<PostgresOptions>().is_err());
/// ```
///
/// | parameter | meaning |
/// |---|---|
/// | `sslmode` | `disable`, `prefer`, `require`, `verify-ca`, `verify-full`; without it `verify-full`, and `prefer` if all hosts are on this machine |
/// | `sslrootcert` | a PEM file of the authorities to trust, in place of the system's |
/// | `sslcert`, `sslkey` | PEM files of a client certificate |
/// | `passfile` | [`pass_file`](Self::pass_file) |
/// | `host`, `hostaddr`, `port`, `connect_timeout`, `keepalives…`, `options`, `application_name`, `channel_binding`, `sslnegotiation`, `tcp_user_timeout` | as in libpq |
#[derive(Clone)]
pub struct PostgresOptions {
    pub(super) addresses: Arc<[Address]>,
    pub(super) tls: Tls,
    /// The password.
    pub password: Option<SecretString>,
    /// A file of passwords, which is used without `password`: a line `host:port:database:user:password` each, `*` for
    /// any (<https://www.postgresql.org/docs/current/libpq-pgpass.html>). It is read at each connection. One that
    /// others can read is not used.
    pub pass_file: Option<PathBuf>,
    /// The most connections for statements (8 by default, at least one), besides the one that listens.
    pub connections: usize,
    /// The time of one operation (5 seconds by default), including the wait for a free connection.
    pub timeout: Duration,
    /// Whether the store listens for changes by others, which the cache needs. On by default; a command that reads once
    /// and ends does not need it.
    pub listen: bool,
}

/// One of the addresses of the database, with everything else that the URL says.
#[derive(Clone, Debug)]
pub(super) struct Address(pub(super) Config);

#[derive(Clone, Debug)]
pub(super) struct Tls {
    pub(super) mode: SslMode,
    pub(super) roots: Option<PathBuf>,
    pub(super) certificate: Option<(PathBuf, PathBuf)>,
}

labels! {
    /// `sslmode`, as libpq means it.
    pub(super) enum SslMode {
        Disable = "disable",
        Prefer = "prefer",
        Require = "require",
        VerifyCa = "verify-ca",
        VerifyFull = "verify-full",
    }
}

/// Why a text is not the URL of a database. It contains nothing of a password.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PostgresUrlError {
    /// It cannot be read, lacks something, or has a parameter that is not known or allowed.
    #[error(
        "{0}; it must be like postgres://user@host/database?sslmode=verify-full, or for a unix socket \
         postgres://user@/database?host=/run/postgresql (percent-encode special characters)"
    )]
    Form(Box<str>),
    /// It has a password in it.
    #[error(
        "it contains a password, but a URL is displayed and logged; give the password separately"
    )]
    Password,
}

// === impl PostgresOptions ===

impl PostgresOptions {
    /// Why the file of passwords is not used although it is there: others can read it.
    pub fn unused_pass_file(&self) -> Option<String> {
        match self.password {
            Some(_) => None,
            None => super::pass_file::exposed(self.pass_file.as_deref()?),
        }
    }

    /// The files of TLS: the private key, and those that say whom to trust.
    pub fn tls_files(&self) -> impl Iterator<Item = &Path> {
        let own = self.tls.certificate.iter().flat_map(|(certificate, key)| [key, certificate]);
        own.chain(&self.tls.roots).map(PathBuf::as_path)
    }

    /// A warning about attacks on the connection to the database, if any are possible.
    pub fn exposure(&self) -> Option<&'static str> {
        let is_local = self.addresses.iter().all(Address::is_local);
        match self.tls.mode {
            _ if is_local => None,
            SslMode::VerifyFull => None,
            SslMode::VerifyCa => Some(
                "sslmode=verify-ca takes any server with a certificate of the authority for the \
                 database; sslmode=verify-full also compares its name",
            ),
            SslMode::Require => Some(
                "sslmode=require takes any server for the database; sslmode=verify-full does not",
            ),
            SslMode::Prefer | SslMode::Disable => Some(
                "the connection to the database may be unencrypted, so that others can read and \
                 change the records on the way; set sslmode=verify-full",
            ),
        }
    }

    /// The name of the database: by default that of the user.
    fn database(&self) -> &str {
        self.addresses[0].0.get_dbname().unwrap_or(self.user())
    }

    fn user(&self) -> &str {
        self.addresses[0].0.get_user().unwrap_or_default()
    }

    /// The password for `address`, as it is now; or why the file of passwords has none, if there is such a file.
    pub(super) async fn password_for(
        &self,
        address: &Address,
    ) -> Result<SecretString, Option<String>> {
        if let Some(password) = &self.password {
            return Ok(password.expose_secret().into());
        }
        let path = self.pass_file.clone().ok_or(None)?;
        let host = match address.host() {
            Host::Tcp(host) => host.as_str(),
            Host::Unix(_) => "localhost",
        };
        let port = address.port().to_string();
        let wanted = [host, &port, self.database(), self.user()].map(str::to_owned);
        // Reads a file.
        let find = move || super::pass_file::find(&path, &wanted);
        let found = tokio::task::spawn_blocking(find).await;
        found.unwrap_or_else(|ended| Err(Some(ended.to_string())))
    }
}

impl FromStr for PostgresOptions {
    type Err = PostgresUrlError;

    fn from_str(url: &str) -> Result<Self, PostgresUrlError> {
        let (base, query) = url.split_once('?').unwrap_or((url, ""));
        let (mut mode, mut roots, mut certificate, mut key_file) = (None, None, None, None);
        let mut pass_file = None;
        // What is ours is left out; and what says where the database is.
        let (mut all, mut common) = (String::from("?"), String::from("?"));
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            let (key, value) =
                pair.split_once('=').ok_or_else(|| form("a parameter has no value"))?;
            let decoded = || {
                let decoded = percent_decode_str(value).decode_utf8();
                decoded.map(String::from).map_err(|_| form("a value is not UTF-8"))
            };
            match key {
                "sslmode" => {
                    let problem = "sslmode is disable, prefer, require, verify-ca or verify-full";
                    mode = Some(SslMode::named(&decoded()?).ok_or_else(|| form(problem))?);
                }
                "sslrootcert" => roots = Some(decoded()?),
                "sslcert" => certificate = Some(decoded()?.into()),
                "sslkey" => key_file = Some(decoded()?.into()),
                "passfile" => pass_file = Some(decoded()?.into()),
                "load_balance_hosts" => return Err(form("load_balance_hosts is not supported")),
                _ => {
                    all += &format!("{pair}&");
                    if !matches!(key, "host" | "hostaddr" | "port") {
                        common += &format!("{pair}&");
                    }
                }
            }
        }
        // The error names the parameter and shows no value.
        let parse = |url: String| {
            let config = url.parse::<Config>();
            config.map_err(|error| form(&error.to_string()))
        };
        let config = parse(format!("{base}{all}"))?;
        if config.get_password().is_some() {
            return Err(PostgresUrlError::Password);
        }
        check(config.get_user().is_some_and(|user| !user.is_empty()), "it names no user")?;
        let targets_standby = config.get_target_session_attrs() == TargetSessionAttrs::ReadOnly
            || all.contains("target_session_attrs=any");
        let problem = "target_session_attrs must be read-write: a standby may answer with old data";
        check(!targets_standby, problem)?;
        check(certificate.is_some() == key_file.is_some(), "sslcert and sslkey belong together")?;
        // A configuration has no way to take its addresses away.
        let (user, rest) = base.split_once('@').unwrap_or((base, ""));
        let path = rest.find('/').map_or("", |at| &rest[at..]);
        let mut common = parse(format!("{user}@{path}{common}"))?;
        set_defaults(&mut common);
        let mut addresses = addresses(&config, &common)?;
        let is_local = addresses.iter().all(Address::is_local);
        let default = if is_local { SslMode::Prefer } else { SslMode::VerifyFull };
        let mode = mode.unwrap_or(default);
        for Address(config) in &mut addresses {
            config.ssl_mode(match (mode, &config.get_hosts()[0]) {
                (SslMode::Disable, _) | (_, Host::Unix(_)) => Negotiation::Disable,
                (SslMode::Prefer, Host::Tcp(_)) => Negotiation::Prefer,
                _ => Negotiation::Require,
            });
        }
        Ok(Self {
            addresses: addresses.into(),
            tls: Tls {
                mode,
                roots: roots.filter(|path| path != "system").map(PathBuf::from),
                certificate: certificate.zip(key_file),
            },
            password: None,
            pass_file,
            connections: CONNECTIONS,
            timeout: TIMEOUT,
            listen: true,
        })
    }
}

impl fmt::Display for PostgresOptions {
    /// The URL without its parameters.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "postgres://{}@", self.user())?;
        for (at, address) in self.addresses.iter().enumerate() {
            let comma = if at > 0 { "," } else { "" };
            write!(f, "{comma}{address}")?;
        }
        write!(f, "/{}", self.database())
    }
}

opaque_debug!(PostgresOptions, |it| format_args!("{it}"));

fn form(problem: &str) -> PostgresUrlError {
    PostgresUrlError::Form(problem.into())
}

/// Fails with `problem`, unless it `is_fine`.
fn check(is_fine: bool, problem: &str) -> Result<(), PostgresUrlError> {
    is_fine.then_some(()).ok_or_else(|| form(problem))
}

/// What the gateway needs unless the URL says otherwise.
fn set_defaults(config: &mut Config) {
    if config.get_application_name().is_none() {
        config.application_name("portreeve");
    }
    config.keepalives_idle(config.get_keepalives_idle().min(KEEPALIVE));
    config.keepalives_interval(config.get_keepalives_interval().unwrap_or(KEEPALIVE));
    config.keepalives_retries(config.get_keepalives_retries().unwrap_or(3));
    let sending = config.get_tcp_user_timeout().copied();
    config.tcp_user_timeout(sending.unwrap_or(3 * KEEPALIVE));
    let connecting = config.get_connect_timeout().copied();
    config.connect_timeout(connecting.unwrap_or(CONNECT_TIMEOUT));
}

fn addresses(all: &Config, common: &Config) -> Result<Vec<Address>, PostgresUrlError> {
    let (hosts, at, ports) = (all.get_hosts(), all.get_hostaddrs(), all.get_ports());
    let count = hosts.len().max(at.len());
    check(count > 0, "it names no host")?;
    let are_pairs = at.is_empty() || hosts.is_empty() || at.len() == hosts.len();
    check(are_pairs, "host and hostaddr differ in number")?;
    check(ports.len() <= 1 || ports.len() == count, "hosts and ports differ in number")?;
    let address = |index: usize| {
        let mut config = common.clone();
        let at = at.get(index).copied();
        match hosts.get(index) {
            Some(Host::Tcp(host)) => config.host(host),
            Some(Host::Unix(path)) => config.host_path(path),
            None => config.host(at.map(|it| it.to_string()).unwrap_or_default()),
        };
        if let Some(at) = at {
            config.hostaddr(at);
        }
        config.port(*ports.get(index).or(ports.first()).unwrap_or(&PORT));
        Address(config)
    };
    Ok((0..count).map(address).collect())
}

// === impl Address ===

impl Address {
    /// Its name, or the directory of its unix socket.
    fn host(&self) -> &Host {
        &self.0.get_hosts()[0]
    }

    fn port(&self) -> u16 {
        self.0.get_ports()[0]
    }

    fn is_local(&self) -> bool {
        match (self.host(), self.0.get_hostaddrs().first()) {
            (Host::Unix(_), _) => true,
            (_, Some(at)) => at.is_loopback(),
            (Host::Tcp(host), None) => {
                let address = host.parse::<std::net::IpAddr>();
                host == "localhost" || address.is_ok_and(|address| address.is_loopback())
            }
        }
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.host() {
            Host::Tcp(host) if host.contains(':') => write!(f, "[{host}]")?,
            Host::Tcp(host) => f.write_str(host)?,
            Host::Unix(path) => f.write_str(&Path::display(path).to_string())?,
        }
        match self.port() {
            PORT => Ok(()),
            port => write!(f, ":{port}"),
        }
    }
}
