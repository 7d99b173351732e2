//! The SHA-256 digest that is kept in place of a token.

use std::fmt;
use std::hash::{Hash, Hasher};

use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq as _;

use super::BearerToken;
use crate::hex::hex;
use crate::opaque::opaque_debug;

/// The SHA-256 digest of a token, which files and caches keep in its place.
///
/// Equality takes constant time, so that it reveals nothing about a stored digest. `Debug` shows nothing.
#[derive(Clone, Copy, Eq)]
pub(super) struct TokenDigest([u8; 32]);

impl TokenDigest {
    pub(super) fn of(token: &BearerToken) -> Self {
        Self(Sha256::digest(token.expose()).into())
    }

    /// Parses 64 hexadecimal digits, in either case.
    pub(super) fn from_hex(text: &str) -> Option<Self> {
        let text: &[u8; 64] = text.as_bytes().try_into().ok()?;
        let mut bytes = [0; 32];
        for (byte, pair) in bytes.iter_mut().zip(text.as_chunks::<2>().0) {
            let high = char::from(pair[0]).to_digit(16)?;
            let low = char::from(pair[1]).to_digit(16)?;
            *byte = (high << 4 | low) as u8;
        }
        Some(Self(bytes))
    }

    /// What is compared: single bytes would take six times as long.
    fn words(&self) -> [u64; 4] {
        std::array::from_fn(|at| u64::from_ne_bytes(self.0.as_chunks().0[at]))
    }

    pub(super) fn hex(&self) -> impl fmt::Display {
        hex(&self.0)
    }
}

impl PartialEq for TokenDigest {
    fn eq(&self, other: &Self) -> bool {
        self.words().ct_eq(&other.words()).into()
    }
}

impl Hash for TokenDigest {
    fn hash<H: Hasher>(&self, state: &mut H) {
        // Eight bytes of a digest are distributed as evenly as all of them.
        state.write_u64(self.words()[0]);
    }
}

opaque_debug!(TokenDigest);
