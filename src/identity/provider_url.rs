//! Addresses of identity providers.

use std::fmt;

use http::Uri;

use crate::outbound::Origin;

/// An address of an identity provider that may be called.
///
/// It is `https`, or `http` if that is allowed or stays on this machine, and has no user information,
/// so that the server called is the one that a reader sees.
///
/// ```
/// use portreeve::identity::{PlainHttp, ProviderUrl, UrlError};
///
/// let parse = |text| ProviderUrl::parse(text, PlainHttp::Loopback);
/// assert!(parse("https://id.example.org/introspect").is_ok());
/// assert!(parse("http://localhost:8080/introspect").is_ok());
/// assert_eq!(parse("http://id.example.org/introspect"), Err(UrlError::PlainHttp));
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct ProviderUrl {
    uri: Uri,
    origin: Origin,
}

// === impl ProviderUrl ===

impl ProviderUrl {
    /// Parses `text`; `http` is accepted only to this machine unless `plain_http` allows it.
    ///
    /// # Errors
    /// `text` is not such an address.
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
        // After a colon, the port was probably forgotten.
        if authority.as_str().ends_with(':') {
            return Err(UrlError::Syntax);
        }
        let origin = Origin::try_from(&uri).map_err(|_| UrlError::Syntax)?;
        let is_safe = origin.is_https() || origin.is_loopback();
        if !is_safe && plain_http == PlainHttp::Loopback {
            return Err(UrlError::PlainHttp);
        }
        Ok(Self { uri, origin })
    }

    /// Parses an issuer, which has no query either, and returns the address of its discovery document
    /// (OpenID Connect Discovery 1.0, section 4.1). A trailing `/` is removed first.
    ///
    /// # Errors
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

    /// The scheme, host and port of the address.
    pub fn origin(&self) -> &Origin {
        &self.origin
    }

    pub(super) fn uri(&self) -> &Uri {
        &self.uri
    }
}

/// The address without its query, which may contain data that must not be logged.
impl fmt::Display for ProviderUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let uri = &self.uri;
        let scheme = uri.scheme_str().unwrap_or_default();
        let authority = uri.authority().map_or("", |authority| authority.as_str());
        write!(f, "{scheme}://{authority}{}", uri.path())
    }
}

impl fmt::Debug for ProviderUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ProviderUrl({self})")
    }
}

/// The machines to which `http` without TLS is allowed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PlainHttp {
    /// Only this machine; see [`Origin::is_loopback`].
    #[default]
    Loopback,
    /// Any machine: tokens and client secrets may then be intercepted.
    Anywhere,
}

/// Why an address of an identity provider was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum UrlError {
    /// It is not an absolute URL.
    #[error("it is not an absolute URL such as https://id.example.org/realm")]
    Syntax,
    /// It is neither `https` nor `http`.
    #[error("it is neither https nor http")]
    Scheme,
    /// It is plain `http` to another machine.
    #[error("it is plain http to another machine; use https or allow plain http")]
    PlainHttp,
    /// It contains a user name or password.
    #[error("it contains a user name or password")]
    UserInformation,
    /// It has a query, which an issuer must not have (OpenID Connect Core 1.0, section 2).
    #[error("it has a query (`?`)")]
    Query,
    /// It has a fragment.
    #[error("it has a fragment (`#`)")]
    Fragment,
}
