//! Scheme, host and port, however they are spelled.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr};

use http::Uri;

use super::BaseUrlError;

/// Scheme, host and port in one spelling.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Origin {
    https: bool,
    host: Host,
    port: u16,
}

impl Origin {
    /// The origin of an absolute address; user info in it is of no account.
    pub(super) fn of(uri: &Uri) -> Result<Self, BaseUrlError> {
        let https = match uri.scheme_str() {
            Some("https") => true,
            Some("http") => false,
            Some(_) => return Err(BaseUrlError::Scheme),
            None => return Err(BaseUrlError::Malformed),
        };
        let authority = uri.authority().ok_or(BaseUrlError::Malformed)?;
        let host = authority.host();
        let user_info = authority.as_str().rfind('@').map_or(0, |at| at + 1);
        // `port_u16` is silent about a port it cannot read.
        let port = match authority.as_str()[user_info + host.len()..].strip_prefix(':') {
            None | Some("") => Self::default_port(https),
            Some(digits) => match digits.parse() {
                Ok(port) if port != 0 => port,
                _ => return Err(BaseUrlError::Port),
            },
        };
        let host = Host::parse(host).ok_or(BaseUrlError::Host)?;
        Ok(Self { https, host, port })
    }

    const fn default_port(https: bool) -> u16 {
        if https { 443 } else { 80 }
    }

    fn has_default_port(&self) -> bool {
        self.port == Self::default_port(self.https)
    }

    pub(super) fn is_https(&self) -> bool {
        self.https
    }

    pub(super) fn is_loopback(&self) -> bool {
        self.host.is_loopback()
    }

    /// Whether both lead to one server; see [`BaseUrl::same_origin`](super::BaseUrl::same_origin).
    pub(super) fn leads_where(&self, other: &Self) -> bool {
        let one_host =
            self.host == other.host || (self.host.is_loopback() && other.host.is_loopback());
        let both_default = self.has_default_port() && other.has_default_port();
        one_host && (self.port == other.port || both_default)
    }

    /// Host and, where it is not the default, port.
    pub(super) fn authority(&self) -> String {
        match self.has_default_port() {
            true => self.host.to_string(),
            false => format!("{}:{}", self.host, self.port),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Host {
    Address(IpAddr),
    Name(Box<str>),
}

impl Host {
    fn parse(text: &str) -> Option<Self> {
        if let Some(inner) = text.strip_prefix('[') {
            let address: IpAddr = inner.strip_suffix(']')?.parse().ok()?;
            return Some(Self::Address(address.to_canonical()));
        }
        let name = text.strip_suffix('.').unwrap_or(text).to_ascii_lowercase();
        if let Some(address) = ipv4(&name) {
            return address.map(|address| Self::Address(address.into()));
        }
        let fits = |label: &str| {
            let byte = |b: u8| b.is_ascii_alphanumeric() || b == b'-' || b == b'_';
            !label.is_empty() && label.bytes().all(byte)
        };
        name.split('.').all(fits).then(|| Self::Name(name.into()))
    }

    fn is_loopback(&self) -> bool {
        match self {
            Self::Address(address) => address.is_loopback(),
            Self::Name(name) => &**name == "localhost" || name.ends_with(".localhost"),
        }
    }
}

impl fmt::Display for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Address(IpAddr::V6(address)) => write!(f, "[{address}]"),
            Self::Address(address) => write!(f, "{address}"),
            Self::Name(name) => f.write_str(name),
        }
    }
}

/// Reads a host whose last label is a number, as resolvers do: one to four parts, each decimal,
/// octal or hexadecimal, the last one filling the rest of the address. `None` where it is a name,
/// `Some(None)` where it is neither.
fn ipv4(host: &str) -> Option<Option<Ipv4Addr>> {
    let number = |part: &str| match part.strip_prefix("0x") {
        Some("") => Some(0),
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None if part.len() > 1 && part.starts_with('0') => u64::from_str_radix(part, 8).ok(),
        None => part.parse().ok(),
    };
    let last = host.rsplit('.').next()?;
    if !last.bytes().all(|b| b.is_ascii_digit())
        && (!last.starts_with("0x") || number(last).is_none())
    {
        return None;
    }
    let read = || {
        let parts: Vec<u64> = host.split('.').map(number).collect::<Option<_>>()?;
        let (last, leading) = parts.split_last()?;
        if leading.len() > 3 || leading.iter().any(|&part| part > 255) {
            return None;
        }
        let rest = 8 * (4 - leading.len() as u32);
        if *last >= 1_u64 << rest {
            return None;
        }
        let leading = leading
            .iter()
            .zip([24, 16, 8])
            .map(|(part, shift)| part << shift);
        u32::try_from(leading.sum::<u64>() + last)
            .ok()
            .map(Ipv4Addr::from)
    };
    Some(read())
}
