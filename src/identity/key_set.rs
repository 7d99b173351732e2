//! The public keys of an issuer (RFC 7517).

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jsonwebtoken::crypto::aws_lc;
use jsonwebtoken::{Algorithm, DecodingKey};
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;
use tokio::task::yield_now;

use super::refusal::{RefusalReason, TokenRefusal, refusal};

const MAX_KEYS: usize = 128;

/// Maximum number of signatures checked for a token that names no key.
const MAX_TRIES: usize = 3;

/// The keys of a JWK set that can check signatures.
#[derive(Debug)]
pub(super) struct KeySet(Vec<Key>);

#[derive(Debug)]
struct Key {
    id: Option<Box<str>>,
    algorithms: &'static [Algorithm],
    /// The only one of them for which the issuer uses it.
    algorithm: Option<Algorithm>,
    decoding: DecodingKey,
}

// === impl KeySet ===

impl KeySet {
    /// Parses a JWK set, skipping keys that are for another use, malformed or of an unsupported type:
    /// one such key must not lock out the users of the others.
    pub(super) fn parse(json: &[u8]) -> Result<Self, String> {
        let set: RawSet<'_> = serde_json::from_slice(json)
            .map_err(|error| format!("it is not a JWK set: {error}"))?;
        if set.keys.len() > MAX_KEYS {
            return Err(format!("it has more than {MAX_KEYS} keys"));
        }
        let key = |raw: &&RawValue| serde_json::from_str::<Jwk<'_>>(raw.get()).ok()?.key();
        let keys: Vec<Key> = set.keys.iter().filter_map(key).collect();
        if keys.is_empty() {
            return Err(format!(
                "none of its {} keys can check signatures (RSA, P-256, P-384 or Ed25519)",
                set.keys.len()
            ));
        }
        Ok(Self(keys))
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// Checks `signature` over `message` with the key named `id`, or without a name with each that fits `algorithm`.
    ///
    /// It waits only to let others run before each of several keys, which take a thread for longer than one caller may.
    pub(super) async fn check(
        &self,
        id: Option<&str>,
        algorithm: Algorithm,
        message: &[u8],
        signature: &Vec<u8>,
    ) -> Result<(), TokenRefusal> {
        let mut reason = RefusalReason::Key;
        let fitting = self.0.iter().filter(|key| {
            key.algorithms.contains(&algorithm)
                && key.algorithm.is_none_or(|only| only == algorithm)
                && id.is_none_or(|id| key.id.as_deref() == Some(id))
        });
        let are_several = fitting.clone().nth(1).is_some();
        for (tried, key) in fitting.enumerate() {
            if tried == MAX_TRIES {
                let clause = format_args!(
                    "it names no key (`kid`), and the first {MAX_TRIES} keys of the issuer that fit have not \
                     signed it; have the issuer name the key"
                );
                return Err(refusal(RefusalReason::Key, clause));
            }
            if are_several {
                yield_now().await;
            }
            // Not the process-wide default: that panics if another crate of the program enables a second one.
            let factory = aws_lc::DEFAULT_PROVIDER.verifier_factory;
            let verifier = factory(&algorithm, &key.decoding);
            if verifier.is_ok_and(|verifier| verifier.verify(message, signature).is_ok()) {
                return Ok(());
            }
            reason = RefusalReason::Signature;
        }
        Err(reason.into())
    }
}

#[derive(Deserialize)]
struct RawSet<'a> {
    #[serde(borrow)]
    keys: Vec<&'a RawValue>,
}

/// The members of a JWK that are read; `jku`, `x5u` and `x5c` are ignored.
#[derive(Deserialize)]
struct Jwk<'a> {
    kty: &'a str,
    kid: Option<String>,
    #[serde(rename = "use")]
    usage: Option<&'a str>,
    key_ops: Option<Vec<&'a str>>,
    alg: Option<&'a str>,
    crv: Option<&'a str>,
    n: Option<&'a str>,
    e: Option<&'a str>,
    x: Option<&'a str>,
    y: Option<&'a str>,
    d: Option<IgnoredAny>,
}

// === impl Jwk ===

impl Jwk<'_> {
    fn key(self) -> Option<Key> {
        let signs = self.usage.is_none_or(|usage| usage == "sig")
            && self.key_ops.as_ref().is_none_or(|ops| ops.contains(&"verify"));
        // It contains the private key, so anyone can sign with it.
        if !signs || self.d.is_some() {
            return None;
        }
        let (algorithms, decoding): (&'static [Algorithm], _) = match (self.kty, self.crv) {
            ("RSA", _) => (&[Algorithm::RS256, Algorithm::PS256], rsa(self.n?, self.e?)?),
            ("EC", Some("P-256")) => (&[Algorithm::ES256], point(self.x?, self.y?, 32)?),
            ("EC", Some("P-384")) => (&[Algorithm::ES384], point(self.x?, self.y?, 48)?),
            ("OKP", Some("Ed25519")) => (&[Algorithm::EdDSA], edwards(self.x?)?),
            _ => return None,
        };
        let algorithm = match self.alg {
            Some(name) => Some(algorithm(name)?),
            None => None,
        };
        Some(Key { id: self.kid.map(Into::into), algorithms, algorithm, decoding })
    }
}

/// The asymmetric signature algorithm of RFC 7518 or RFC 8037 with this name.
///
/// Neither `none` nor HMAC is one: an unsigned token is never accepted, and a public key cannot be mistaken for a
/// shared secret (RFC 8725, section 2.1).
pub(super) fn algorithm(name: &str) -> Option<Algorithm> {
    Some(match name {
        "RS256" => Algorithm::RS256,
        "PS256" => Algorithm::PS256,
        "ES256" => Algorithm::ES256,
        "ES384" => Algorithm::ES384,
        // The second name is that of RFC 9864.
        "EdDSA" | "Ed25519" => Algorithm::EdDSA,
        _ => return None,
    })
}

fn rsa(n: &str, e: &str) -> Option<DecodingKey> {
    let (n, e) = (bytes(n)?, bytes(e)?);
    let bits = 8 * n.iter().skip_while(|byte| **byte == 0).count();
    // Larger keys are too costly to check, smaller ones are insecure (RFC 7518, section 3.3).
    ((2048..=8192).contains(&bits) && e.len() <= 8)
        .then(|| DecodingKey::from_rsa_raw_components(&n, &e))
}

fn point(x: &str, y: &str, size: usize) -> Option<DecodingKey> {
    let fits = |part: &str| bytes(part).is_some_and(|part| part.len() == size);
    (fits(x) && fits(y)).then(|| DecodingKey::from_ec_components(x, y).ok())?
}

fn edwards(x: &str) -> Option<DecodingKey> {
    bytes(x).filter(|x| x.len() == 32).map(|x| DecodingKey::from_ed_der(&x))
}

fn bytes(text: &str) -> Option<Vec<u8>> {
    URL_SAFE_NO_PAD.decode(text).ok()
}
