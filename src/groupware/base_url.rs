//! The address of the groupware server.

use std::fmt;
use std::str::FromStr;

use http::Uri;
use http::uri::Scheme;

use crate::outbound::{Origin, OriginError};

/// The address of a groupware server: `http` or `https`, a host, and a path prefix if the server
/// is not at the root of its host.
///
/// ```
/// use portreeve::groupware::BaseUrl;
///
/// let url: BaseUrl = "https://Cloud.example.org:443/nextcloud/".parse().unwrap();
/// assert_eq!(url.to_string(), "https://cloud.example.org/nextcloud");
/// assert!("https://admin:secret@cloud.example.org".parse::<BaseUrl>().is_err());
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct BaseUrl {
    origin: Origin,
    /// Empty, or begins with a slash and does not end with one.
    prefix: Box<str>,
}

// === impl BaseUrl ===

impl BaseUrl {
    /// Scheme, host and port, without the path prefix.
    ///
    /// ```
    /// # use portreeve::groupware::BaseUrl;
    /// let url: BaseUrl = "https://cloud.example.org/nextcloud".parse().unwrap();
    /// assert!(url.origin().is_same_server(&"https://CLOUD.example.org.:443".parse().unwrap()));
    /// ```
    pub fn origin(&self) -> &Origin {
        &self.origin
    }

    /// Whether connections to it are encrypted.
    pub fn is_https(&self) -> bool {
        self.origin.is_https()
    }

    /// Whether it is on this machine; see [`Origin::is_loopback`].
    pub fn is_loopback(&self) -> bool {
        self.origin.is_loopback()
    }

    /// The path prefix: empty, or with a leading and no trailing slash.
    pub fn path(&self) -> &str {
        &self.prefix
    }

    /// The address of `path_and_query`, which begins with a slash, below the prefix.
    pub(super) fn join(&self, path_and_query: &str) -> Result<Uri, http::Error> {
        Uri::builder()
            .scheme(if self.origin.is_https() {
                Scheme::HTTPS
            } else {
                Scheme::HTTP
            })
            .authority(self.origin.authority())
            .path_and_query(format!("{}{path_and_query}", self.prefix))
            .build()
    }
}

impl FromStr for BaseUrl {
    type Err = BaseUrlError;

    fn from_str(text: &str) -> Result<Self, BaseUrlError> {
        // `http::Uri` drops a fragment silently.
        if text.contains(['?', '#']) {
            return Err(BaseUrlError::QueryOrFragment);
        }
        let uri: Uri = text.parse().map_err(|_| BaseUrlError::Malformed)?;
        let origin = Origin::try_from(&uri)?;
        if !origin.has_usual_host() {
            return Err(BaseUrlError::Host);
        }
        if uri
            .authority()
            .is_some_and(|authority| authority.as_str().contains('@'))
        {
            return Err(BaseUrlError::UserInfo);
        }
        let prefix = uri.path().trim_end_matches('/');
        let plain = |segment: &str| !matches!(segment, "" | "." | "..");
        if !prefix.split('/').skip(1).all(plain) {
            return Err(BaseUrlError::Path);
        }
        Ok(Self {
            origin,
            prefix: prefix.into(),
        })
    }
}

impl fmt::Display for BaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.origin, self.prefix)
    }
}

/// Why a text is not the address of a groupware server. It never quotes the text, which may contain a
/// password.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BaseUrlError {
    /// Not an absolute address.
    #[error("not an address: write it as https://cloud.example.org")]
    Malformed,
    /// A scheme other than `http` and `https`.
    #[error("the scheme must be http or https, as in https://cloud.example.org")]
    Scheme,
    /// A user name, or a user name and a password.
    #[error("a user name or password has no place in the address: remove what stands before the @")]
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
    /// A query or a fragment.
    #[error(
        "a query or fragment has no place in the address: remove what stands from the ? or # on"
    )]
    QueryOrFragment,
    /// Unencrypted to another machine, which is not allowed.
    #[error(
        "plain http to another machine shows every password to the network: use https, or allow \
         it with allow_plain_http"
    )]
    PlainHttp,
}

// === impl BaseUrlError ===

impl From<OriginError> for BaseUrlError {
    fn from(error: OriginError) -> Self {
        match error {
            OriginError::Malformed => Self::Malformed,
            OriginError::Scheme => Self::Scheme,
            OriginError::Host => Self::Host,
            OriginError::Port => Self::Port,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<String, BaseUrlError> {
        text.parse::<BaseUrl>().map(|url| url.to_string())
    }

    #[test]
    fn one_spelling() {
        for (given, kept) in [
            ("http://127.0.0.1:8180", "http://127.0.0.1:8180"),
            (
                "HTTPS://Cloud.Example.ORG.:443/",
                "https://cloud.example.org",
            ),
            (
                "https://cloud.example.org/a/b//",
                "https://cloud.example.org/a/b",
            ),
            ("http://[0:0::1]:80/x", "http://[::1]/x"),
            ("http://2130706433:81", "http://127.0.0.1:81"),
        ] {
            assert_eq!(parse(given).as_deref(), Ok(kept), "{given}");
        }
    }

    #[test]
    fn refused_with_what_is_right() {
        use BaseUrlError::*;
        for (given, fault) in [
            ("", Malformed),
            ("cloud.example.org", Malformed),
            ("/cloud", Malformed),
            ("https://", Malformed),
            ("https://cloud example.org", Malformed),
            ("ftp://cloud.example.org", Scheme),
            ("https://me:secret@cloud.example.org", UserInfo),
            ("https://@cloud.example.org", UserInfo),
            ("https://cloud.example.org:0", Port),
            ("https://cloud.example.org:70000", Port),
            ("https://a..b", Host),
            ("https://1.2.3.4.5", Host),
            ("https://256.1.1.1", Host),
            ("https://cloud.example.org/a/../b", Path),
            ("https://cloud.example.org/a//b", Path),
            ("https://cloud.example.org?x=1", QueryOrFragment),
            ("https://cloud.example.org/#x", QueryOrFragment),
        ] {
            assert_eq!(parse(given), Err(fault), "{given}");
            assert!(!fault.to_string().contains("secret"));
        }
    }
}
