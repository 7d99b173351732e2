//! Addresses to listen on.

use std::fmt;
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;

use super::parse;

const UNIX: &str = "unix:";

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Listen {
    Tcp(SocketAddr),
    /// The file of a unix socket.
    Unix(PathBuf),
}

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
