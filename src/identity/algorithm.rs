//! The signature algorithms of access tokens.

use std::str::FromStr;

use crate::labels::labels;

labels! {
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
    #[non_exhaustive]
    pub enum Algorithm {
        /// RSASSA-PKCS1-v1_5 with SHA-256.
        Rs256 = "RS256",
        /// RSASSA-PKCS1-v1_5 with SHA-384.
        Rs384 = "RS384",
        /// RSASSA-PKCS1-v1_5 with SHA-512.
        Rs512 = "RS512",
        /// RSASSA-PSS with SHA-256.
        Ps256 = "PS256",
        /// RSASSA-PSS with SHA-384.
        Ps384 = "PS384",
        /// RSASSA-PSS with SHA-512.
        Ps512 = "PS512",
        /// ECDSA on P-256 with SHA-256.
        Es256 = "ES256",
        /// ECDSA on P-384 with SHA-384.
        Es384 = "ES384",
        /// EdDSA on Ed25519, also named `Ed25519` (RFC 9864).
        EdDsa = "EdDSA",
    }
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
        let known = self.as_str().parse();
        known.expect("it is named as in RFC 7518 and RFC 8037")
    }

    /// The type of key that the algorithm needs.
    pub(super) fn key_type(self) -> KeyType {
        match self {
            Self::Es256 => KeyType::P256,
            Self::Es384 => KeyType::P384,
            Self::EdDsa => KeyType::Ed25519,
            _ => KeyType::Rsa,
        }
    }
}

impl FromStr for Algorithm {
    type Err = UnknownAlgorithm;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        let name = if name == "Ed25519" { "EdDSA" } else { name };
        let mut all = Self::ALL.into_iter();
        let found = all.find(|algorithm| algorithm.as_str() == name);
        found.ok_or(UnknownAlgorithm)
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
