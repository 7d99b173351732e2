//! The credential that authenticates a delivery to its receiver (docs/API.md, section 4.5).

use std::fmt;
use std::str::FromStr;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit as _, Mac as _};
use secrecy::{ExposeSecret as _, SecretString};
use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq as _;
use zeroize::Zeroizing;

use crate::opaque::opaque_debug;
use crate::outbound::{HttpUrl, PlainHttp, has_only_uri_characters};

/// Derives the credentials of deliveries from one secret.
///
/// If a global secret were sent to any address that a caller chooses, the first delivery would reveal
/// it to that caller's host. So each address gets its own value, derived from the secret and the
/// address; the secret itself is sent only to origins that are listed for it.
///
/// ```
/// use portreeve::groupware::DeliveryAuth;
///
/// let auth = DeliveryAuth::derived("key".into()).unwrap();
/// let sent = auth.authorization_for("The quick brown fox jumps over the lazy dog");
/// assert_eq!(sent.expose(), "Bearer 97yD9DBThCSxMpjmqm-xQ-9NWaFJRhdZl0edvC0aPNg");
/// ```
#[derive(Clone, Debug)]
pub struct DeliveryAuth {
    secret: SecretString,
    previous: Option<SecretString>,
    shared_with: Vec<SharedOrigin>,
}

// === impl DeliveryAuth ===

impl DeliveryAuth {
    /// Every address gets a derived value: base64url without padding (RFC 4648, section 5) of
    /// HMAC-SHA256 with the secret's bytes as the key over the address in UTF-8.
    ///
    /// # Errors
    /// An empty secret.
    pub fn derived(secret: SecretString) -> Result<Self, DeliveryAuthError> {
        if secret.expose_secret().is_empty() {
            return Err(DeliveryAuthError::Empty);
        }
        Ok(Self { secret, previous: None, shared_with: Vec::new() })
    }

    /// As [`derived`](Self::derived), but addresses at `origins`, whose receivers compare it, get the secret itself.
    ///
    /// # Errors
    /// A secret that is empty, or has characters that cannot be sent in a header field.
    pub fn shared(
        secret: SecretString,
        origins: Vec<SharedOrigin>,
    ) -> Result<Self, DeliveryAuthError> {
        let text = secret.expose_secret();
        if !text.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(DeliveryAuthError::NotVisible);
        }
        Ok(Self { shared_with: origins, ..Self::derived(secret)? })
    }

    /// Also [accepts](Self::accepts) what was sent with a former secret, unless that is empty.
    #[must_use]
    pub fn or_previous(mut self, secret: SecretString) -> Self {
        self.previous = Some(secret).filter(|secret| !secret.expose_secret().is_empty());
        self
    }

    /// The value of the `Authorization` field of deliveries to `uri`, as the receiver sees it.
    pub fn authorization_for(&self, uri: &str) -> DeliveryCredential {
        self.authorization(&self.secret, uri)
    }

    /// Whether `value` is that of deliveries to `uri`, with the secret or the former one. It takes the same time for all
    /// values of one length.
    pub fn accepts(&self, uri: &str, value: &[u8]) -> bool {
        let secrets = [Some(&self.secret), self.previous.as_ref()];
        let is_of = |secret| {
            let expected = self.authorization(secret, uri);
            bool::from(value.ct_eq(expected.expose().as_bytes()))
        };
        secrets.into_iter().flatten().any(is_of)
    }

    fn authorization(&self, secret: &SecretString, uri: &str) -> DeliveryCredential {
        let shared = has_only_uri_characters(uri) && self.shared_with.iter().any(|o| o.covers(uri));
        if shared {
            DeliveryCredential::bearer(secret.expose_secret())
        } else {
            derive(secret, uri)
        }
    }
}

/// The secret value of the `Authorization` field of deliveries.
#[derive(Clone)]
pub struct DeliveryCredential(Zeroizing<String>);

// === impl DeliveryCredential ===

impl DeliveryCredential {
    /// The value.
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// What tells it from another one, and does not reveal it.
    pub(crate) fn digest(&self) -> [u8; 32] {
        Sha256::digest(self.0.as_bytes()).into()
    }

    pub(super) fn bearer(token: &str) -> Self {
        Self(Zeroizing::new(["Bearer ", token].concat()))
    }
}

opaque_debug!(DeliveryCredential);

/// An origin whose receivers get the secret itself: `http` or `https`, a host, and a port unless it is
/// the default. It is compared byte for byte.
///
/// ```
/// use portreeve::groupware::{DeliveryAuth, SharedOrigin};
///
/// let origin: SharedOrigin = "https://hooks.example.org".parse().unwrap();
/// let auth = DeliveryAuth::shared("key".into(), vec![origin]).unwrap();
/// let sent = auth.authorization_for("https://hooks.example.org/files");
/// assert_eq!(sent.expose(), "Bearer key");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SharedOrigin(Box<str>);

// === impl SharedOrigin ===

impl SharedOrigin {
    /// Compares text, not parsed origins: of `http://good:8080\@evil.example/` one parser takes `good`
    /// for the host, while the groupware server's client connects to `evil.example`.
    fn covers(&self, uri: &str) -> bool {
        uri.strip_prefix(&*self.0)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with(['/', '?', '#']))
    }
}

impl FromStr for SharedOrigin {
    type Err = DeliveryAuthError;

    fn from_str(text: &str) -> Result<Self, DeliveryAuthError> {
        // The two of the scheme.
        let has_form = text.matches('/').count() == 2 && text.starts_with("http");
        let is_origin = has_form && HttpUrl::base(text, PlainHttp::Anywhere).is_ok();
        is_origin.then(|| Self(text.into())).ok_or(DeliveryAuthError::Origin)
    }
}

impl fmt::Display for SharedOrigin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Why deliveries cannot be authenticated with this secret or origin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DeliveryAuthError {
    /// The secret is empty.
    #[error("the delivery secret must not be empty")]
    Empty,
    /// The secret cannot be sent as it is.
    #[error("a delivery secret that is shared must be visible ASCII characters without blanks")]
    NotVisible,
    /// Not an origin.
    #[error(
        "a shared origin is a scheme, a host and where needed a port, without a slash at the end, \
         as in https://hooks.example.org"
    )]
    Origin,
}

pub(super) fn derive(secret: &SecretString, uri: &str) -> DeliveryCredential {
    let mut mac = Hmac::<Sha256>::new_from_slice(secret.expose_secret().as_bytes())
        .expect("HMAC takes a key of any length");
    mac.update(uri.as_bytes());
    let code = Zeroizing::new(<[u8; 32]>::from(mac.finalize().into_bytes()));
    let token = Zeroizing::new(URL_SAFE_NO_PAD.encode(*code));
    DeliveryCredential::bearer(&token)
}
