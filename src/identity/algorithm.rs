//! The signature algorithms of access tokens.

use jsonwebtoken::Algorithm::{ES256, ES384, EdDSA, PS256, RS256};

/// An asymmetric signature algorithm of RFC 7518 or RFC 8037.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Algorithm {
    pub(super) implementation: jsonwebtoken::Algorithm,
    /// The type of key that it needs.
    pub(super) key_type: KeyType,
}

/// The type of a public key, with its curve.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum KeyType {
    Rsa,
    P256,
    P384,
    Ed25519,
}

// === impl Algorithm ===

impl Algorithm {
    /// The algorithm with this name.
    ///
    /// Neither `none` nor HMAC is one: an unsigned token is never accepted, and a public key cannot be mistaken
    /// for a shared secret (RFC 8725, section 2.1).
    pub(super) fn named(name: &str) -> Option<Self> {
        let (implementation, key_type) = match name {
            "RS256" => (RS256, KeyType::Rsa),
            "PS256" => (PS256, KeyType::Rsa),
            "ES256" => (ES256, KeyType::P256),
            "ES384" => (ES384, KeyType::P384),
            // The second name is that of RFC 9864.
            "EdDSA" | "Ed25519" => (EdDSA, KeyType::Ed25519),
            _ => return None,
        };
        Some(Self {
            implementation,
            key_type,
        })
    }
}
