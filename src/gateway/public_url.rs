//! The public address of the gateway.

use std::fmt;
use std::str::FromStr;

use crate::groupware::{BaseUrl, BaseUrlError};

/// The address at which callers reach the gateway, through any proxies: the identifier of the protected
/// resource (RFC 9728, section 1.2).
///
/// ```
/// use portreeve::gateway::PublicUrl;
///
/// let url: PublicUrl = "https://Hooks.example.org/gate/".parse().unwrap();
/// assert_eq!(url.to_string(), "https://hooks.example.org/gate");
/// assert!("https://hooks.example.org?a=b".parse::<PublicUrl>().is_err());
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PublicUrl(BaseUrl);

/// Why a text is not a valid address of the gateway.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PublicUrlError {
    /// Not an absolute address.
    #[error(
        "not an address: write how callers reach this gateway, such as https://hooks.example.org"
    )]
    Malformed,
    /// A scheme other than `http` and `https`.
    #[error("the scheme must be http or https, as in https://hooks.example.org")]
    Scheme,
    /// An address with a user, query or fragment.
    #[error(transparent)]
    Url(BaseUrlError),
    /// A character in the path that must be percent-encoded (RFC 3986, section 3.3).
    #[error("the path must hold only the characters of RFC 3986: percent-encode all others")]
    Path,
}

// === impl PublicUrl ===

impl PublicUrl {
    /// Whether its scheme is `https`.
    pub fn is_https(&self) -> bool {
        self.0.is_https()
    }

    /// Whether it is an address of this machine.
    pub fn is_loopback(&self) -> bool {
        self.0.is_loopback()
    }

    /// Its path: empty, or with a leading slash and no trailing one.
    pub(super) fn path(&self) -> &str {
        self.0.path()
    }

    /// The address of `path` on the same server, whatever the path of this address.
    pub(super) fn at_root(&self, path: &str) -> String {
        format!("{}{path}", self.0.origin())
    }
}

impl FromStr for PublicUrl {
    type Err = PublicUrlError;

    fn from_str(text: &str) -> Result<Self, PublicUrlError> {
        let url: BaseUrl = text.parse().map_err(|error| match error {
            BaseUrlError::Malformed => PublicUrlError::Malformed,
            BaseUrlError::Scheme => PublicUrlError::Scheme,
            error => PublicUrlError::Url(error),
        })?;
        // It appears in a quoted string in a header field.
        let fits =
            |byte: u8| byte.is_ascii_alphanumeric() || b"/-._~!$&'()*+,;=:@%".contains(&byte);
        match url.path().bytes().all(fits) {
            true => Ok(Self(url)),
            false => Err(PublicUrlError::Path),
        }
    }
}

impl fmt::Display for PublicUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_holds_nothing_that_ends_a_quoted_string() {
        for path in ["a\"b", "a\\b", "a{b", "\u{e9}"] {
            let url = format!("https://hooks.example.org/{path}");
            assert!(url.parse::<PublicUrl>().is_err(), "{path}");
        }
        let url: PublicUrl = "https://h.example:8443/a%22b".parse().unwrap();
        assert_eq!(url.at_root("/x"), "https://h.example:8443/x");
        assert_eq!(url.path(), "/a%22b");
    }
}
