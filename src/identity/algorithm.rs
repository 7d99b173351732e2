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

    pub(super) fn implementation(self) -> jsonwebtoken::Algorithm {
        match self {
            Self::Rs256 => jsonwebtoken::Algorithm::RS256,
            Self::Rs384 => jsonwebtoken::Algorithm::RS384,
            Self::Rs512 => jsonwebtoken::Algorithm::RS512,
            Self::Ps256 => jsonwebtoken::Algorithm::PS256,
            Self::Ps384 => jsonwebtoken::Algorithm::PS384,
            Self::Ps512 => jsonwebtoken::Algorithm::PS512,
            Self::Es256 => jsonwebtoken::Algorithm::ES256,
            Self::Es384 => jsonwebtoken::Algorithm::ES384,
            Self::EdDsa => jsonwebtoken::Algorithm::EdDSA,
        }
    }

    /// The type of key that the algorithm needs.
    pub(super) fn key_type(self) -> KeyType {
        match self {
            Self::Rs256 | Self::Rs384 | Self::Rs512 => KeyType::Rsa,
            Self::Ps256 | Self::Ps384 | Self::Ps512 => KeyType::Rsa,
            Self::Es256 => KeyType::P256,
            Self::Es384 => KeyType::P384,
            Self::EdDsa => KeyType::Ed25519,
        }
    }
}

impl FromStr for Algorithm {
    type Err = UnknownAlgorithm;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        Ok(match name {
            "RS256" => Self::Rs256,
            "RS384" => Self::Rs384,
            "RS512" => Self::Rs512,
            "PS256" => Self::Ps256,
            "PS384" => Self::Ps384,
            "PS512" => Self::Ps512,
            "ES256" => Self::Es256,
            "ES384" => Self::Es384,
            "EdDSA" | "Ed25519" => Self::EdDsa,
            _ => return Err(UnknownAlgorithm),
        })
    }
}

/// The name in RFC 7518 and RFC 8037.
impl fmt::Display for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Rs256 => "RS256",
            Self::Rs384 => "RS384",
            Self::Rs512 => "RS512",
            Self::Ps256 => "PS256",
            Self::Ps384 => "PS384",
            Self::Ps512 => "PS512",
            Self::Es256 => "ES256",
            Self::Es384 => "ES384",
            Self::EdDsa => "EdDSA",
        })
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
