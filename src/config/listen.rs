//! The settings of the sockets that callers reach.

use std::net::SocketAddr;
use std::path::PathBuf;

use super::address::Listen;
use super::fault::ConfigError;
use super::setting::{LISTEN, METRICS_LISTEN, TLS_CERT, TLS_CLIENT_CA, TLS_KEY, UNIX_SOCKET_MODE};
use super::sources::Sources;

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
            (Some(cert), Some(key)) => Ok(Some(Self {
                cert,
                key,
                client_ca,
            })),
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
