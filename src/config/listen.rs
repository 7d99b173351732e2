//! The settings of the sockets that callers reach.

use std::fmt;
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;

use super::parse;
use super::setting::{LISTEN, METRICS_LISTEN, TLS_CERT, TLS_CLIENT_CA, TLS_KEY, UNIX_SOCKET_MODE};
use super::sources::{ConfigError, Sources};

/// What a unix socket's address begins with.
const UNIX: &str = "unix:";

/// The sockets, and TLS on them.
#[derive(Debug)]
pub(crate) struct ListenConfig {
    /// At least one.
    pub(crate) addresses: Vec<Listen>,
    /// The mode of the files of unix sockets.
    pub(crate) unix_mode: u32,
    /// `None` for plain HTTP.
    pub(crate) tls: Option<TlsFiles>,
}

/// An address to listen on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Listen {
    Tcp(SocketAddr),
    /// The file of a unix socket.
    Unix(PathBuf),
}

/// The files of TLS.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TlsFiles {
    pub(crate) cert: PathBuf,
    pub(crate) key: PathBuf,
    /// The authorities of which clients must have a certificate.
    pub(crate) client_ca: Option<PathBuf>,
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

impl From<SocketAddr> for ListenConfig {
    /// Plain HTTP on this address alone.
    fn from(address: SocketAddr) -> Self {
        Self {
            addresses: vec![Listen::Tcp(address)],
            unix_mode: 0o660,
            tls: None,
        }
    }
}

// === impl Listen ===

impl Listen {
    pub(crate) fn tcp(&self) -> Option<&SocketAddr> {
        match self {
            Self::Tcp(address) => Some(address),
            Self::Unix(_) => None,
        }
    }

    /// Whether listeners on both would be in each other's way.
    fn overlaps(&self, other: &Self) -> bool {
        let (Some(own), Some(other)) = (self.tcp(), other.tcp()) else {
            return self == other;
        };
        if own.port() != other.port() || own.port() == 0 {
            return false;
        }
        let (own, other) = (own.ip(), other.ip());
        // One on all addresses of IPv6 takes those of IPv4 as well.
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

// === impl TlsFiles ===

impl TlsFiles {
    pub(super) fn read(sources: &Sources<'_>) -> Result<Option<Self>, ConfigError> {
        let cert = sources.find_value(TLS_CERT)?;
        let key = sources.find_value(TLS_KEY)?;
        let client_ca = sources.find_value(TLS_CLIENT_CA)?;
        match (cert, key) {
            (Some(cert), Some(key)) => Ok(Some(Self {
                cert,
                key,
                client_ca,
            })),
            (Some(_), None) => Err(ConfigError::of(
                TLS_KEY,
                "tls_cert is set; name the file of its private key as well",
            )),
            (None, Some(_)) => Err(ConfigError::of(
                TLS_CERT,
                "tls_key is set; name the file of its certificate as well",
            )),
            (None, None) if client_ca.is_some() => Err(ConfigError::of(
                TLS_CERT,
                "tls_client_ca is set, but there is no TLS to ask a client on; set tls_cert and tls_key",
            )),
            (None, None) => Ok(None),
        }
    }
}

/// The addresses of `listen`, of which there is at least one.
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
                format!("{item:?} stands there twice; name it once")
            } else {
                format!("{item:?} and {other} are in each other's way; name one of them")
            });
        }
        addresses.push(address);
    }
    match addresses.is_empty() {
        true => Err("names no address; name one, such as 127.0.0.1:8000".into()),
        false => Ok(addresses),
    }
}

/// The address of the operator's listener; `None` without one.
pub(crate) fn metrics_address(
    sources: &Sources<'_>,
    listen: &[Listen],
) -> Result<Option<SocketAddr>, ConfigError> {
    let address = sources.find_value(METRICS_LISTEN)?;
    let taken = |own: &SocketAddr| listen.iter().find(|it| it.overlaps(&Listen::Tcp(*own)));
    match address.as_ref().and_then(taken) {
        Some(listen) => Err(sources.error(
            METRICS_LISTEN,
            format!("callers are served at {listen} (listen); name another port"),
        )),
        None => Ok(address),
    }
}

/// An IP address and a port.
pub(super) fn metrics(text: &str) -> Result<SocketAddr, String> {
    let expected = "must be an IP address and a port, such as 127.0.0.1:9090";
    parse::checked(text, |_| true, expected)
}

pub(super) fn unix_mode(text: &str) -> Result<u32, String> {
    let text = text.trim();
    let digits = text.strip_prefix("0o").unwrap_or(text);
    let mode = u32::from_str_radix(digits, 8).ok();
    mode.filter(|mode| *mode <= 0o777 && mode & 0o600 == 0o600)
        .ok_or_else(|| {
            format!(
                "{text:?} must be an octal mode that lets its owner read and write, such as 0660; in a \
                 file of settings it stands in quotes"
            )
        })
}
