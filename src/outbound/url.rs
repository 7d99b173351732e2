//! The URLs of servers.

use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;

use http::Uri;

use super::host::Host;
use crate::opaque::opaque_debug;

/// An absolute `http` or `https` URL in canonical form, which every URL parser reads alike.
///
/// In the host, letter case, a trailing dot, a default port and the many ways to write an IP address make no
/// difference. There is no user information and no fragment.
///
/// ```
/// use portreeve::outbound::{HttpUrl, HttpUrlError};
///
/// let url: HttpUrl = "HTTPS://Cloud.Example.org.:443/nextcloud/".parse().unwrap();
/// assert_eq!(url.to_string(), "https://cloud.example.org/nextcloud");
/// assert_eq!(url.host(), "cloud.example.org");
/// let refused = |text: &str| text.parse::<HttpUrl>().unwrap_err();
/// assert_eq!(refused("https://admin:secret@cloud.example.org"), HttpUrlError::UserInfo);
/// assert_eq!(refused("http://cloud.example.org"), HttpUrlError::PlainHttp);
/// ```
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct HttpUrl {
    uri: Uri,
    host: Host,
    port: u16,
}

/// The machines to which `http` without TLS is allowed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum PlainHttp {
    /// Only this machine; see [`HttpUrl::is_loopback`].
    #[default]
    Loopback,
    /// Any machine: passwords, tokens and client secrets may then be intercepted.
    Anywhere,
}

impl HttpUrl {
    /// Parses the address of a server, with a path prefix unless it is at the root. Slashes at the end do not matter.
    ///
    /// # Errors
    /// `text` is not such a URL, or plain `http` to a machine to which `plain_http` does not allow it.
    pub fn base(text: &str, plain_http: PlainHttp) -> Result<Self, HttpUrlError> {
        let url = Self::endpoint(text.trim_end_matches('/'), plain_http)?;
        if text.contains('?') {
            return Err(HttpUrlError::Query);
        }
        let is_plain = |segment: &str| !matches!(segment, "" | "." | "..");
        url.path().split('/').skip(1).all(is_plain).then_some(url).ok_or(HttpUrlError::Path)
    }

    /// Parses the address of one resource, whose path and query are kept as they are.
    ///
    /// # Errors
    /// As for [`base`](Self::base).
    pub fn endpoint(text: &str, plain_http: PlainHttp) -> Result<Self, HttpUrlError> {
        if !has_only_uri_characters(text) {
            return Err(HttpUrlError::Characters);
        }
        // `http::Uri` drops it silently.
        if text.contains('#') {
            return Err(HttpUrlError::Fragment);
        }
        let uri: Uri = text.parse().map_err(|_| HttpUrlError::Malformed)?;
        let (Some(scheme), Some(authority)) = (uri.scheme_str(), uri.authority()) else {
            return Err(HttpUrlError::Malformed);
        };
        let default_port = match scheme {
            "https" => 443,
            "http" => 80,
            _ => return Err(HttpUrlError::Scheme),
        };
        if authority.as_str().contains('@') {
            return Err(HttpUrlError::UserInfo);
        }
        let port = match &authority.as_str()[authority.host().len()..] {
            "" => default_port,
            // After a colon without digits, the port was probably forgotten.
            port => port[1..].parse().unwrap_or_default(),
        };
        if port == 0 {
            return Err(HttpUrlError::Port);
        }
        let host = Host::parse(authority.host()).ok_or(HttpUrlError::Host)?;
        let authority =
            if port == default_port { host.to_string() } else { format!("{host}:{port}") };
        let mut parts = uri.into_parts();
        parts.authority = Some(authority.parse().map_err(|_| HttpUrlError::Host)?);
        let uri = Uri::from_parts(parts).map_err(|_| HttpUrlError::Malformed)?;
        let url = Self { uri, host, port };
        url.check(plain_http).map(|()| url)
    }

    /// Checks that `plain_http` allows calls to it.
    ///
    /// # Errors
    /// It is plain `http` to another machine, and only this one is allowed.
    pub fn check(&self, plain_http: PlainHttp) -> Result<(), HttpUrlError> {
        let is_safe = self.is_https() || self.is_loopback() || plain_http == PlainHttp::Anywhere;
        is_safe.then_some(()).ok_or(HttpUrlError::PlainHttp)
    }

    /// Whether connections to it are encrypted.
    pub fn is_https(&self) -> bool {
        self.uri.scheme_str() == Some("https")
    }

    /// Whether it is on this machine: `localhost`, a subdomain of it, a loopback address, or the
    /// unspecified address, to which connections stay on this machine as well.
    pub fn is_loopback(&self) -> bool {
        self.host.is_loopback()
    }

    /// Whether both are on the same server, as far as can be seen without a DNS lookup.
    ///
    /// Wider than the same-origin rule of RFC 6454, since a secret must not reach a server by mistake: all hosts of this
    /// machine are the same, and so are ports 80 and 443 of a host, which one web server serves, whatever the scheme.
    ///
    /// ```
    /// # use portreeve::outbound::HttpUrl;
    /// let url = |text: &str| text.parse::<HttpUrl>().unwrap();
    /// let cloud = url("https://cloud.example.org/apps");
    /// assert!(cloud.is_same_server(&url("https://CLOUD.example.org.:80")));
    /// assert!(url("http://localhost:8080").is_same_server(&url("http://127.1:8080")));
    /// assert!(!url("http://localhost:8080").is_same_server(&url("http://localhost:8081")));
    /// ```
    pub fn is_same_server(&self, other: &Self) -> bool {
        let is_web = |port| matches!(port, 80 | 443);
        let one_host = self.host == other.host || (self.is_loopback() && other.is_loopback());
        one_host && (self.port == other.port || (is_web(self.port) && is_web(other.port)))
    }

    pub(crate) fn address(&self) -> Option<IpAddr> {
        match self.host {
            Host::Address(address) => Some(address),
            Host::Name(_) => None,
        }
    }

    /// The host as certificates and resolvers name it.
    pub(crate) fn server_name(&self) -> String {
        self.host().trim_matches(['[', ']']).to_owned()
    }

    /// The host, in canonical form; an IPv6 address is in brackets.
    pub fn host(&self) -> &str {
        self.uri.host().unwrap_or_default()
    }

    /// The path: empty, or with a leading and no trailing slash.
    pub fn path(&self) -> &str {
        self.uri.path().trim_end_matches('/')
    }

    pub(crate) fn origin(&self) -> String {
        let scheme = self.uri.scheme_str().unwrap_or_default();
        let authority = self.uri.authority().map_or("", |it| it.as_str());
        format!("{scheme}://{authority}")
    }

    pub(crate) fn uri(&self) -> &Uri {
        &self.uri
    }

    /// The address of `path_and_query`, which begins with a slash, below the path.
    pub(crate) fn join(&self, path_and_query: &str) -> Result<Uri, http::Error> {
        let mut parts = self.uri.clone().into_parts();
        parts.path_and_query = Some(format!("{}{path_and_query}", self.path()).try_into()?);
        Ok(Uri::from_parts(parts)?)
    }
}

/// As [`HttpUrl::base`], with plain `http` only to this machine.
impl FromStr for HttpUrl {
    type Err = HttpUrlError;

    fn from_str(text: &str) -> Result<Self, HttpUrlError> {
        Self::base(text, PlainHttp::Loopback)
    }
}

/// The address without its query, which may contain data that must not be logged.
impl fmt::Display for HttpUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.uri.path();
        let path = if path == "/" { "" } else { path };
        write!(f, "{}{path}", self.origin())
    }
}

opaque_debug!(HttpUrl, |it| format_args!("{it}"));

/// Why a text is not a URL that may be called. It never quotes the text, which may contain a password.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum HttpUrlError {
    /// It is not an absolute URL.
    #[error("it is not an absolute URL: write it as https://host.example.org")]
    Malformed,
    /// A character that RFC 3986 does not allow, and that servers may read differently: a backslash, a blank.
    #[error("it must hold only the characters of RFC 3986: percent-encode all others")]
    Characters,
    /// A scheme other than `http` and `https`.
    #[error("the scheme must be http or https, as in https://host.example.org")]
    Scheme,
    /// A user name, or a user name and a password.
    #[error("a user name or password has no place in the URL: remove what stands before the @")]
    UserInfo,
    /// An invalid host, or one that URL parsers disagree about.
    #[error(
        "the host must be a name, an IPv4 address as 192.0.2.1 or an IPv6 address as [2001:db8::1]"
    )]
    Host,
    /// A port that is not a number from 1 to 65535.
    #[error("the port must be a number from 1 to 65535")]
    Port,
    /// Empty, `.` or `..` segments.
    #[error("the path must not hold empty, . or .. segments")]
    Path,
    /// A query, where there must be none.
    #[error("a query has no place in the URL: remove what stands from the ? on")]
    Query,
    /// A fragment.
    #[error("a fragment has no place in the URL: remove what stands from the # on")]
    Fragment,
    /// Unencrypted to another machine, which is not allowed.
    #[error(
        "with plain http to another machine, passwords and tokens can be read in transit and keys forged: use \
         https, or allow it with allow_plain_http"
    )]
    PlainHttp,
}

/// Whether a text has only characters that RFC 3986 allows, with `%` only before two hexadecimal digits.
pub(crate) fn has_only_uri_characters(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.iter().enumerate().all(|(at, &byte)| match byte {
        b'%' => {
            let digits = bytes.get(at + 1..at + 3);
            digits.is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit))
        }
        _ => byte.is_ascii_alphanumeric() || b"-._~:/?#[]@!$&'()*+,;=".contains(&byte),
    })
}
