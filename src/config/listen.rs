//! The settings of the sockets that callers reach.

use std::fmt;
use std::net::SocketAddr;
use std::path::PathBuf;

use super::parse;
use super::setting::{LISTEN, TLS_CERT, TLS_CLIENT_CA, TLS_KEY, UNIX_SOCKET_MODE};
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
            addresses: addresses(sources)?,
            unix_mode: unix_mode(sources)?,
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
    fn read(sources: &Sources<'_>) -> Result<Option<Self>, ConfigError> {
        let cert = parse::path(sources, TLS_CERT)?;
        let key = parse::path(sources, TLS_KEY)?;
        let client_ca = parse::path(sources, TLS_CLIENT_CA)?;
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

fn addresses(sources: &Sources<'_>) -> Result<Vec<Listen>, ConfigError> {
    let written = sources.find_or_default(LISTEN)?;
    let mut addresses = Vec::new();
    for item in parse::items(&written) {
        let address = match item.strip_prefix(UNIX) {
            Some(path) if path.starts_with('/') => Some(Listen::Unix(path.into())),
            Some(_) => None,
            None => item.parse().ok().map(Listen::Tcp),
        };
        let Some(address) = address else {
            return Err(written.error(format!(
                "{item:?} must be an IP address and a port, such as 127.0.0.1:8000 or [::]:8000, or \
                 unix: and an absolute path, such as unix:/run/portreeve/portreeve.sock"
            )));
        };
        let any_port = matches!(address, Listen::Tcp(address) if address.port() == 0);
        if addresses.contains(&address) && !any_port {
            return Err(written.error(format!("{item:?} stands there twice; name it once")));
        }
        addresses.push(address);
    }
    match addresses.is_empty() {
        true => Err(written.error("names no address; name one, such as 127.0.0.1:8000")),
        false => Ok(addresses),
    }
}

fn unix_mode(sources: &Sources<'_>) -> Result<u32, ConfigError> {
    let written = sources.find_or_default(UNIX_SOCKET_MODE)?;
    let text = written.text.trim();
    let digits = text.strip_prefix("0o").unwrap_or(text);
    let mode = u32::from_str_radix(digits, 8).ok();
    mode.filter(|mode| *mode <= 0o777 && mode & 0o600 == 0o600)
        .ok_or_else(|| {
            written.error(format!(
                "{text:?} must be an octal mode that lets its owner read and write, such as 0660; in a \
                 file of settings it stands in quotes"
            ))
        })
}
