//! Addresses of identity providers, and whether two addresses are one server.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::str::FromStr;

use http::Uri;

/// An address of an identity provider that may be called.
///
/// It is `https`, or `http` where that was allowed or stays on this machine, without user
/// information, so that what is written is what is called.
#[derive(Clone, PartialEq, Eq)]
pub struct ProviderUrl(Uri);

impl ProviderUrl {
    /// Reads `text`; `http` is taken only to a loopback address unless `plain_http` allows it.
    ///
    /// # Errors
    ///
    /// Where `text` is not such an address; the error says what would be.
    pub fn parse(text: &str, plain_http: PlainHttp) -> Result<Self, UrlError> {
        if text.contains('#') {
            return Err(UrlError::Fragment);
        }
        let uri: Uri = text.parse().map_err(|_| UrlError::Syntax)?;
        let authority = uri.authority().ok_or(UrlError::Syntax)?;
        if authority.as_str().contains('@') {
            return Err(UrlError::UserInformation);
        }
        if !matches!(uri.scheme_str(), Some("https" | "http")) {
            return Err(UrlError::Scheme);
        }
        let origin = Origin::of(&uri).ok_or(UrlError::Syntax)?;
        let is_plain = uri.scheme_str() == Some("http");
        if is_plain && plain_http == PlainHttp::Loopback && !origin.host.is_loopback() {
            return Err(UrlError::PlainHttp);
        }
        Ok(Self(uri))
    }

    /// Reads an issuer, which has no query either, and makes the address of its discovery document
    /// (OpenID Connect Discovery 1.0, section 4.1): a `/` at the end is taken off first.
    ///
    /// # Errors
    ///
    /// As for [`parse`](Self::parse).
    pub fn parse_issuer(issuer: &str, plain_http: PlainHttp) -> Result<Self, UrlError> {
        if issuer.contains('?') {
            return Err(UrlError::Query);
        }
        let base = issuer.strip_suffix('/').unwrap_or(issuer);
        Self::parse(
            &format!("{base}/.well-known/openid-configuration"),
            plain_http,
        )
    }

    /// The server that the address names.
    pub fn origin(&self) -> Origin {
        Origin::of(&self.0).expect("checked when it was read")
    }

    pub(super) fn uri(&self) -> &Uri {
        &self.0
    }
}

/// The address without its query, which may hold more than a log should.
impl fmt::Display for ProviderUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scheme = self.0.scheme_str().unwrap_or_default();
        let authority = self
            .0
            .authority()
            .map_or("", |authority| authority.as_str());
        write!(f, "{scheme}://{authority}{}", self.0.path())
    }
}

impl fmt::Debug for ProviderUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ProviderUrl({self})")
    }
}

/// Where `http` without TLS is taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PlainHttp {
    /// To `localhost` and loopback addresses only.
    #[default]
    Loopback,
    /// To any address: tokens and client secrets may then be read on the way.
    Anywhere,
}

/// Why an address of an identity provider was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum UrlError {
    /// It is no absolute URL.
    #[error("it is not an absolute URL such as https://id.example.org/realm")]
    Syntax,
    /// It is neither `https` nor `http`.
    #[error("it is neither https nor http")]
    Scheme,
    /// It is plain `http` to another machine.
    #[error("it is plain http to another machine; use https or allow plain http")]
    PlainHttp,
    /// It names a user or a password.
    #[error("it holds a user name or password")]
    UserInformation,
    /// It has a query, which an issuer has not (OpenID Connect Core 1.0, section 2).
    #[error("it has a query (`?`)")]
    Query,
    /// It has a fragment.
    #[error("it has a fragment (`#`)")]
    Fragment,
}

/// The server an address leads to, whichever way it is spelled.
///
/// Letter case, a dot at the end of the host, default ports and the many ways to write an IP
/// address make no difference; all loopback hosts are one, and so are the ports 80 and 443 of a
/// host, which the same web server serves.
///
/// ```
/// use portreeve::identity::Origin;
///
/// let origin = |url: &str| url.parse::<Origin>().unwrap();
/// assert!(origin("https://cloud.example.org/apps").is_same_server(&origin("http://CLOUD.example.org.:80")));
/// assert!(origin("http://localhost:8080").is_same_server(&origin("http://127.1:8080")));
/// assert!(!origin("http://localhost:8080").is_same_server(&origin("http://localhost:8081")));
/// ```
#[derive(Clone, Debug)]
pub struct Origin {
    host: Host,
    port: u16,
}

impl Origin {
    /// Whether both lead to one server, as far as that shows without asking a name server.
    pub fn is_same_server(&self, other: &Self) -> bool {
        let is_web = |port| matches!(port, 80 | 443);
        self.host == other.host
            && (self.port == other.port || (is_web(self.port) && is_web(other.port)))
    }

    fn of(uri: &Uri) -> Option<Self> {
        let port = match (uri.port(), uri.scheme_str()) {
            (Some(port), _) => port.as_u16(),
            (None, Some("https")) => 443,
            (None, Some("http")) => 80,
            _ => return None,
        };
        // `http://host:/` and `http://host:x/` have a colon and no port.
        let authority = uri.authority()?.as_str();
        let after_host = authority.rsplit('@').next()?.strip_prefix(uri.host()?)?;
        if uri.port().is_none() && !after_host.is_empty() {
            return None;
        }
        Some(Self {
            host: Host::parse(uri.host()?)?,
            port,
        })
    }
}

impl FromStr for Origin {
    type Err = UrlError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let uri: Uri = text.parse().map_err(|_| UrlError::Syntax)?;
        Self::of(&uri).ok_or(UrlError::Syntax)
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Host {
    Loopback,
    Address(IpAddr),
    Name(Box<str>),
}

impl Host {
    fn parse(text: &str) -> Option<Self> {
        let text = text.strip_suffix('.').unwrap_or(text);
        let address = match text
            .strip_prefix('[')
            .and_then(|rest| rest.strip_suffix(']'))
        {
            Some(inner) => Some(inner.parse::<Ipv6Addr>().ok()?.to_canonical()),
            None => classic_ipv4(text).map(IpAddr::V4),
        };
        Some(match address {
            // Connecting to the unspecified address reaches this machine.
            Some(ip) if ip.is_loopback() || ip.is_unspecified() => Self::Loopback,
            Some(ip) => Self::Address(ip),
            None if text.eq_ignore_ascii_case("localhost") => Self::Loopback,
            None if text.is_empty() || text.contains('%') => return None,
            None => Self::Name(text.to_ascii_lowercase().into()),
        })
    }

    fn is_loopback(&self) -> bool {
        *self == Self::Loopback
    }
}

/// An IPv4 address as `inet_aton` reads it, and so what a connection is made to: one to four
/// numbers, each decimal, octal or hexadecimal, the last one filling the rest.
fn classic_ipv4(text: &str) -> Option<Ipv4Addr> {
    let number = |part: &str| {
        let (digits, radix) = match part.strip_prefix("0x").or(part.strip_prefix("0X")) {
            Some(digits) => (digits, 16),
            None if part.len() > 1 && part.starts_with('0') => (&part[1..], 8),
            None => (part, 10),
        };
        let plain = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        u32::from_str_radix(digits, radix).ok().filter(|_| plain)
    };
    let parts: Vec<u32> = text.split('.').map(number).collect::<Option<_>>()?;
    let (last, leading) = parts.split_last()?;
    let room = 32_u32.checked_sub(8 * u32::try_from(leading.len()).ok()?)?;
    if room == 0 || (room < 32 && *last >= 1 << room) || leading.iter().any(|part| *part > 255) {
        return None;
    }
    let high = leading
        .iter()
        .enumerate()
        .fold(0, |address, (index, part)| {
            address | part << (24 - 8 * index)
        });
    Some(Ipv4Addr::from(high | last))
}
