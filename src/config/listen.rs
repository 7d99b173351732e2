//! The settings of the sockets that callers reach.

use std::fmt;
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;

use super::fault::ConfigError;
use super::parse;
use super::setting::{LISTEN, METRICS_LISTEN, TLS_CERT, TLS_CLIENT_CA, TLS_KEY, UNIX_SOCKET_MODE};
use super::sources::Sources;

const UNIX: &str = "unix:";

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Listen {
    Tcp(SocketAddr),
    /// The file of a unix socket.
    Unix(PathBuf),
}

#[derive(Debug)]
pub(crate) struct ListenConfig {
    /// The addresses, at least one.
    pub(crate) addresses: Vec<Listen>,
    pub(crate) unix_mode: u32,
    /// `None` for plain HTTP.
    pub(crate) tls: Option<TlsFiles>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TlsFiles {
    pub(crate) cert: PathBuf,
    pub(crate) key: PathBuf,
    /// The authorities for client certificates, which are required then.
    pub(crate) client_ca: Option<PathBuf>,
}

// === impl Listen ===

impl Listen {
    pub(crate) fn tcp(&self) -> Option<&SocketAddr> {
        match self {
            Self::Tcp(address) => Some(address),
            Self::Unix(_) => None,
        }
    }

    /// Whether listeners on both addresses would conflict.
    pub(super) fn overlaps(&self, other: &Self) -> bool {
        let (Some(own), Some(other)) = (self.tcp(), other.tcp()) else {
            return self == other;
        };
        if own.port() != other.port() || own.port() == 0 {
            return false;
        }
        let (own, other) = (own.ip(), other.ip());
        // A listener on all IPv6 addresses also takes those of IPv4.
        let takes =
            |one: IpAddr, other: IpAddr| one.is_unspecified() && (one.is_ipv6() || other.is_ipv4());
        own == other || takes(own, other) || takes(other, own)
    }
}

impl fmt::Display for Listen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tcp(address) => address.fmt(f),
            Self::Unix(path) => write!(f, "{UNIX}{}", path.display()),
        }
    }
}

// === impl ListenConfig ===

impl ListenConfig {
    pub(crate) fn read(sources: &Sources<'_>) -> Result<Self, ConfigError> {
        Ok(Self {
            addresses: sources.get(LISTEN)?,
            unix_mode: sources.get(UNIX_SOCKET_MODE)?,
            tls: TlsFiles::read(sources)?,
        })
    }
}

// === impl TlsFiles ===

impl TlsFiles {
    pub(super) fn read(sources: &Sources<'_>) -> Result<Option<Self>, ConfigError> {
        let cert = sources.get_opt(TLS_CERT)?;
        let key = sources.get_opt(TLS_KEY)?;
        let client_ca = sources.get_opt(TLS_CLIENT_CA)?;
        match (cert, key) {
            (Some(cert), Some(key)) => Ok(Some(Self { cert, key, client_ca })),
            (Some(_), None) => Err(ConfigError::of(
                TLS_KEY,
                "is needed, as tls_cert is set; name the file of its private key",
            )),
            (None, Some(_)) => Err(ConfigError::of(
                TLS_CERT,
                "is needed, as tls_key is set; name the file of its certificate",
            )),
            (None, None) if client_ca.is_some() => Err(ConfigError::of(
                TLS_CERT,
                "is needed, as tls_client_ca is set; set tls_cert and tls_key",
            )),
            (None, None) => Ok(None),
        }
    }
}

/// The address of the listener for operators; `None` without one.
pub(crate) fn metrics_address(
    sources: &Sources<'_>,
    listen: &[Listen],
) -> Result<Option<SocketAddr>, ConfigError> {
    let address = sources.get_opt(METRICS_LISTEN)?;
    let taken = |own: &SocketAddr| listen.iter().find(|it| it.overlaps(&Listen::Tcp(*own)));
    match address.as_ref().and_then(taken) {
        Some(listen) => Err(sources.error(
            METRICS_LISTEN,
            format!("conflicts with {listen} in listen; name another port"),
        )),
        None => Ok(address),
    }
}

/// Parses `listen`, which must contain at least one address.
pub(super) fn addresses(text: &str) -> Result<Vec<Listen>, String> {
    let mut addresses = Vec::new();
    for item in parse::items(text) {
        let address = match item.strip_prefix(UNIX) {
            Some(path) if path.starts_with('/') => Some(Listen::Unix(path.into())),
            Some(_) => None,
            None => item.parse().ok().map(Listen::Tcp),
        };
        let Some(address) = address else {
            return Err(format!(
                "{item:?} must be an IP address and a port, such as 127.0.0.1:8000 or [::]:8000, or \
                 unix: and an absolute path, such as unix:/run/portreeve/portreeve.sock"
            ));
        };
        if let Some(other) = addresses.iter().find(|it| address.overlaps(it)) {
            return Err(if *other == address {
                format!("{item:?} is listed twice; remove one")
            } else {
                format!("{item:?} and {other} conflict; remove one of them")
            });
        }
        addresses.push(address);
    }
    if addresses.is_empty() {
        return Err("has no address; set one, such as 127.0.0.1:8000".into());
    }
    Ok(addresses)
}
