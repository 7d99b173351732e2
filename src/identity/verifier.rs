//! The seam between the gateway and an identity provider.

use std::error::Error as StdError;
use std::fmt;
use std::future::Future;
use std::sync::Arc;

use zeroize::Zeroizing;

use super::Caller;

/// The token of an `Authorization: Bearer` field, as received.
///
/// It holds the `b64token` of RFC 6750 section 2.1 and nothing else, is wiped from memory when
/// dropped, and shows nothing of itself in `Debug`.
///
/// ```
/// use portreeve::identity::BearerToken;
///
/// let token = BearerToken::new("mF_9.B5f-4.1JqM").unwrap();
/// assert_eq!(token.expose(), "mF_9.B5f-4.1JqM");
/// assert_eq!(format!("{token:?}"), "BearerToken(***)");
/// assert!(BearerToken::new("two words").is_none());
/// ```
#[derive(Clone)]
pub struct BearerToken(Zeroizing<Box<str>>);

impl BearerToken {
    /// The token, where `text` is a `b64token`: one or more letters, digits or `-._~+/`, then any
    /// number of `=`.
    pub fn new(text: &str) -> Option<Self> {
        let body = text.trim_end_matches('=');
        // Without an early exit, so that it is done many bytes at a time: each request pays it.
        let fits = body
            .bytes()
            .fold(true, |fits, byte| fits & is_b64token(byte));
        (!body.is_empty() && fits).then(|| Self(Zeroizing::new(text.into())))
    }

    /// The characters of the token, for a verifier's eyes alone.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

/// A letter, a digit or one of `-._~+/`; `-`, `.`, `/` and the digits follow one another in ASCII.
const fn is_b64token(byte: u8) -> bool {
    ((byte | 0x20).wrapping_sub(b'a') < 26)
        | (byte.wrapping_sub(b'-') < 13)
        | (byte == b'_')
        | (byte == b'~')
        | (byte == b'+')
}

impl fmt::Debug for BearerToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("BearerToken(***)")
    }
}

/// Tells which user a bearer token stands for.
///
/// Implement it to bring your own identity provider; the gateway takes any verifier. The future
/// owns what it needs, as the future of a `tower::Service` does, so that a check which is
/// answered from memory costs no allocation ([`std::future::Ready`]).
///
/// ```
/// use std::future::{Ready, ready};
/// use portreeve::identity::{BearerToken, Caller, TokenVerifier, VerifyError};
///
/// /// Takes one token, for tests of your own.
/// struct Only(&'static str);
///
/// impl TokenVerifier for Only {
///     type Future = Ready<Result<Caller, VerifyError>>;
///
///     fn verify(&self, token: BearerToken) -> Self::Future {
///         ready(match token.expose() == self.0 {
///             true => Ok(Caller::new("alice")),
///             false => Err(VerifyError::NotAccepted),
///         })
///     }
/// }
/// ```
pub trait TokenVerifier: Send + Sync + 'static {
    /// The check under way.
    type Future: Future<Output = Result<Caller, VerifyError>> + Send + 'static;

    /// Checks `token` and names its user.
    fn verify(&self, token: BearerToken) -> Self::Future;
}

impl<V: TokenVerifier + ?Sized> TokenVerifier for Arc<V> {
    type Future = V::Future;

    fn verify(&self, token: BearerToken) -> Self::Future {
        (**self).verify(token)
    }
}

/// Why a token was not taken.
///
/// The first three are the caller's doing (401); `Unavailable` is not (500), and never lets
/// anybody in.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum VerifyError {
    /// The token is not of a form this verifier reads.
    #[error("the token is malformed")]
    Malformed,
    /// The token was valid once, or its time has not come.
    #[error("the token has expired or is not valid yet")]
    Expired,
    /// The token is unknown, revoked, not signed by a trusted key, or not meant for this service.
    #[error("the token was not accepted")]
    NotAccepted,
    /// The check itself could not be made: the identity provider did not answer, or a file could
    /// not be read.
    #[error("the token could not be checked")]
    Unavailable(#[source] Box<dyn StdError + Send + Sync>),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_b64token_is_made_of_the_bytes_of_rfc_6750_section_2_1() {
        for byte in 0..=u8::MAX {
            let fits = byte.is_ascii_alphanumeric() || b"-._~+/".contains(&byte);
            assert_eq!(is_b64token(byte), fits, "{byte}");
        }
        for bad in ["", "=", "==", "a=b", "a b", "a,b", "a\n", "\u{e9}"] {
            assert!(BearerToken::new(bad).is_none(), "{bad:?}");
        }
        assert!(BearerToken::new("a==").is_some());
    }
}
