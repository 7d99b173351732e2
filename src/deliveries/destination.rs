//! The address of a target.

use std::fmt;
use std::str::FromStr;

use http::Uri;

use crate::outbound::{HttpUrl, HttpUrlError, PlainHttp};

/// Maximum length of an address, in bytes.
const MAX_LEN: usize = 2048;

/// Where deliveries go: an [`HttpUrl`] of at most 2,048 bytes, with or without a query.
///
/// Whether deliveries may go there is decided by [`Sender::check`](super::Sender::check), and again at each attempt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Destination(HttpUrl);

/// Why deliveries cannot go to an address. It never quotes the address, whose path may be a secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DestinationError {
    /// It is not such a URL.
    #[error("{0}")]
    Url(#[from] HttpUrlError),
    /// It is longer than 2,048 bytes.
    #[error("it is longer than 2048 bytes")]
    TooLong,
    /// It is plain `http` to a network that is not listed in `delivery_networks`.
    #[error("it must be https: http is for the operator's delivery_networks alone")]
    PlainHttp,
    /// The host has no address, or one that deliveries may not go to. These are not told apart: whoever may create a
    /// target would learn which names exist in a private network.
    #[error(
        "it does not resolve here, or is not on the public internet and not in the operator's delivery_networks"
    )]
    NoAddress,
    /// It is not known: so many names are being looked up, for this account above all, that it got no turn.
    #[error("too many names are being looked up: try again")]
    Busy,
}

impl Destination {
    /// The URL.
    pub(super) fn url(&self) -> &HttpUrl {
        &self.0
    }

    /// Whether it has the scheme, host and port of `uri`.
    pub(crate) fn is_at(&self, uri: &str) -> bool {
        let uri: Option<Uri> = uri.parse().ok();
        uri.is_some_and(|uri| {
            uri.scheme() == self.uri().scheme() && uri.authority() == self.uri().authority()
        })
    }

    /// Scheme, host and port.
    pub(super) fn origin(&self) -> Box<str> {
        let uri = self.uri();
        let authority = uri.authority().map_or("", |it| it.as_str());
        format!("{}://{authority}", uri.scheme_str().unwrap_or_default()).into()
    }

    pub(super) fn uri(&self) -> &Uri {
        self.0.uri()
    }
}

impl FromStr for Destination {
    type Err = DestinationError;

    fn from_str(text: &str) -> Result<Self, DestinationError> {
        if text.len() > MAX_LEN {
            return Err(DestinationError::TooLong);
        }
        // Which networks may be reached without TLS is not known here.
        Ok(Self(HttpUrl::endpoint(text, PlainHttp::Anywhere)?))
    }
}

impl fmt::Display for Destination {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.uri().fmt(f)
    }
}
