//! The signature algorithms of access tokens.

use std::fmt;
use std::str::FromStr;

/// An asymmetric signature algorithm of RFC 7518 or RFC 8037.
///
/// Neither `none` nor HMAC exists: an unsigned token is never accepted, and a public key cannot be
/// mistaken for a shared secret (RFC 8725, section 2.1).
///
/// ```
/// use portreeve::identity::Algorithm;
///
/// assert_eq!("ES256".parse(), Ok(Algorithm::Es256));
/// assert!("HS256".parse::<Algorithm>().is_err() && "none".parse::<Algorithm>().is_err());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Algorithm {
    /// RSASSA-PKCS1-v1_5 with SHA-256.
    Rs256,
    /// RSASSA-PKCS1-v1_5 with SHA-384.
    Rs384,
    /// RSASSA-PKCS1-v1_5 with SHA-512.
    Rs512,
    /// RSASSA-PSS with SHA-256.
    Ps256,
    /// RSASSA-PSS with SHA-384.
    Ps384,
    /// RSASSA-PSS with SHA-512.
    Ps512,
    /// ECDSA on P-256 with SHA-256.
    Es256,
    /// ECDSA on P-384 with SHA-384.
    Es384,
    /// EdDSA on Ed25519, also named `Ed25519` (RFC 9864).
    EdDsa,
}

// === impl Algorithm ===

impl Algorithm {
    /// The algorithms allowed by default.
    pub const DEFAULT: [Self; 5] = [
        Self::Rs256,
        Self::Ps256,
        Self::Es256,
        Self::Es384,
        Self::EdDsa,
    ];

    const ALL: [Self; 9] = [
        Self::Rs256,
        Self::Rs384,
        Self::Rs512,
        Self::Ps256,
        Self::Ps384,
        Self::Ps512,
        Self::Es256,
        Self::Es384,
        Self::EdDsa,
    ];

    /// The name in RFC 7518 and RFC 8037, the implementation, and the type of key that it needs.
    fn properties(self) -> (&'static str, jsonwebtoken::Algorithm, KeyType) {
        use jsonwebtoken::Algorithm;

        match self {
            Self::Rs256 => ("RS256", Algorithm::RS256, KeyType::Rsa),
            Self::Rs384 => ("RS384", Algorithm::RS384, KeyType::Rsa),
            Self::Rs512 => ("RS512", Algorithm::RS512, KeyType::Rsa),
            Self::Ps256 => ("PS256", Algorithm::PS256, KeyType::Rsa),
            Self::Ps384 => ("PS384", Algorithm::PS384, KeyType::Rsa),
            Self::Ps512 => ("PS512", Algorithm::PS512, KeyType::Rsa),
            Self::Es256 => ("ES256", Algorithm::ES256, KeyType::P256),
            Self::Es384 => ("ES384", Algorithm::ES384, KeyType::P384),
            Self::EdDsa => ("EdDSA", Algorithm::EdDSA, KeyType::Ed25519),
        }
    }

    pub(super) fn implementation(self) -> jsonwebtoken::Algorithm {
        self.properties().1
    }

    /// The type of key that the algorithm needs.
    pub(super) fn key_type(self) -> KeyType {
        self.properties().2
    }
}

impl FromStr for Algorithm {
    type Err = UnknownAlgorithm;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        let name = if name == "Ed25519" { "EdDSA" } else { name };
        let mut all = Self::ALL.into_iter();
        let found = all.find(|algorithm| algorithm.properties().0 == name);
        found.ok_or(UnknownAlgorithm)
    }
}

/// The name in RFC 7518 and RFC 8037.
impl fmt::Display for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.properties().0)
    }
}

/// A text that does not name an [`Algorithm`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "it is not one of the signature algorithms RS256, RS384, RS512, PS256, PS384, PS512, ES256, ES384 \
     and EdDSA"
)]
pub struct UnknownAlgorithm;

/// The type of a public key, with its curve.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum KeyType {
    Rsa,
    P256,
    P384,
    Ed25519,
}
