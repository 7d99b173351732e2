//! Standard Webhooks, version 1 (standardwebhooks.com): how a delivery is signed, and how its receiver verifies that.

use std::io;
use std::str::FromStr;
use std::time::{Duration, SystemTime};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit as _, Mac as _};
use http::HeaderMap;
use http::header::HeaderName;
use sha2::Sha256;
use zeroize::Zeroizing;

use crate::headers::only;
use crate::opaque::opaque_debug;
use crate::random;

/// The id of a delivery, the same at each attempt.
pub(crate) const ID: HeaderName = HeaderName::from_static("webhook-id");
/// The time of the attempt, in seconds since 1970.
pub(crate) const TIMESTAMP: HeaderName = HeaderName::from_static("webhook-timestamp");
/// One signature for each secret, separated by blanks.
pub(crate) const SIGNATURE: HeaderName = HeaderName::from_static("webhook-signature");

const PREFIX: &str = "whsec_";
/// HMAC-SHA256; `v1a`, which is ed25519, is not used here.
const VERSION: &str = "v1,";
/// How far the clocks of sender and receiver may differ: a delivery that somebody recorded is worthless afterwards.
const TOLERANCE: Duration = Duration::from_secs(300);

/// The secret that the deliveries to one receiver are signed with: 24 to 64 bytes, written as `whsec_` and their base64.
///
/// ```
/// use portreeve::groupware::WebhookSecret;
///
/// let secret: WebhookSecret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw".parse().unwrap();
/// let signed = secret.sign("msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330, br#"{"test": 2432232314}"#);
/// assert_eq!(signed, "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
/// ```
#[derive(Clone)]
pub struct WebhookSecret(Zeroizing<Vec<u8>>);

/// Why a text is not a [`WebhookSecret`]. It never quotes the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a webhook secret is whsec_ and the base64 of 24 to 64 bytes")]
pub struct WebhookSecretError;

/// Why a delivery is not accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SignatureError {
    /// `webhook-id`, `webhook-timestamp` or `webhook-signature` is missing, malformed, or there twice.
    #[error("webhook-id, webhook-timestamp or webhook-signature is missing or malformed")]
    Fields,
    /// It was signed more than five minutes ago, or is signed for a time more than five minutes ahead.
    #[error("webhook-timestamp is more than five minutes from the time here: compare the clocks")]
    Time,
    /// No signature is that of one of the secrets.
    #[error(
        "no signature in webhook-signature is right: compare the secret, and verify the body as received"
    )]
    Signature,
}

impl WebhookSecret {
    /// A new one, of 32 random bytes.
    ///
    /// # Errors
    /// The system has no random numbers.
    pub fn generate() -> io::Result<Self> {
        let mut bytes = Zeroizing::new(vec![0; 32]);
        random::fill(&mut bytes)?;
        Ok(Self(bytes))
    }

    /// As text, to be shown to the owner of the receiver.
    pub fn expose(&self) -> Zeroizing<String> {
        let encoded = Zeroizing::new(STANDARD.encode(&*self.0));
        Zeroizing::new([PREFIX, &encoded].concat())
    }

    /// The signature of one attempt: `v1,` and base64. `timestamp` is in seconds since 1970.
    pub fn sign(&self, id: &str, timestamp: u64, body: &[u8]) -> String {
        let mac = self.mac(id, &timestamp.to_string(), body).finalize();
        [VERSION, &STANDARD.encode(mac.into_bytes())].concat()
    }

    /// Verifies that `headers` and `body` were signed with one of `secrets`, at about the time `now`.
    ///
    /// The body has to be the bytes that were received, not JSON that was written anew. A receiver that must
    /// not act twice also remembers `webhook-id`: each attempt of a delivery has the same.
    ///
    /// # Errors
    /// They were not, or not then.
    pub fn verify(
        secrets: &[Self],
        headers: &HeaderMap,
        body: &[u8],
        now: SystemTime,
    ) -> Result<(), SignatureError> {
        let field = |name| only(headers, name).and_then(|field| field.to_str().ok());
        let fields = (field(ID), field(TIMESTAMP), field(SIGNATURE));
        let (Some(id), Some(timestamp), Some(signatures)) = fields else {
            return Err(SignatureError::Fields);
        };
        // A dot in the id could move the border between the parts of the signed text.
        if id.is_empty() || id.contains('.') {
            return Err(SignatureError::Fields);
        }
        let seconds = timestamp.parse().map_err(|_| SignatureError::Fields)?;
        let time = SystemTime::UNIX_EPOCH.checked_add(Duration::from_secs(seconds));
        let signed_at = time.ok_or(SignatureError::Time)?;
        let apart = now.duration_since(signed_at).unwrap_or_else(|ahead| ahead.duration());
        // The timestamp has no fraction of a second.
        if apart.as_secs() > TOLERANCE.as_secs() {
            return Err(SignatureError::Time);
        }
        let decode = |one: &str| STANDARD.decode(one.strip_prefix(VERSION)?).ok();
        let given: Vec<_> = signatures.split(' ').filter_map(decode).collect();
        let is_right = secrets.iter().any(|secret| {
            let mac = secret.mac(id, timestamp, body);
            // It compares the whole value in constant time; others compared a prefix (RUSTSEC-2024-0010).
            let is_one = |given: &Vec<u8>| mac.clone().verify_slice(given).is_ok();
            given.iter().any(is_one)
        });
        if is_right { Ok(()) } else { Err(SignatureError::Signature) }
    }

    fn mac(&self, id: &str, timestamp: &str, body: &[u8]) -> Hmac<Sha256> {
        let mut mac = Hmac::new_from_slice(&self.0).expect("HMAC takes a key of any length");
        for part in [id.as_bytes(), b".", timestamp.as_bytes(), b".", body] {
            mac.update(part);
        }
        mac
    }
}

impl FromStr for WebhookSecret {
    type Err = WebhookSecretError;

    /// With or without the prefix.
    fn from_str(text: &str) -> Result<Self, WebhookSecretError> {
        let encoded = text.strip_prefix(PREFIX).unwrap_or(text);
        let decoded = STANDARD.decode(encoded).map_err(|_| WebhookSecretError)?;
        let bytes = Zeroizing::new(decoded);
        if (24..=64).contains(&bytes.len()) { Ok(Self(bytes)) } else { Err(WebhookSecretError) }
    }
}

opaque_debug!(WebhookSecret);
