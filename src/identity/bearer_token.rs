//! The token of a request.

use zeroize::Zeroizing;

use crate::opaque::opaque_debug;

/// The token of an `Authorization: Bearer` field, as received.
///
/// It is a `b64token` of RFC 6750 section 2.1, is wiped from memory when dropped, and does not appear in `Debug`.
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
    /// The token, if `text` is a `b64token`: one or more letters, digits or `-._~+/`, then any number of `=`.
    pub fn new(text: &str) -> Option<Self> {
        let padding = text.bytes().rev().take_while(|byte| *byte == b'=');
        let body = &text.as_bytes()[..text.len() - padding.count()];
        // Sixteen bytes at once, some of them twice in the end: every request does this.
        let fit = |fits, byte: &u8| fits & is_b64token(*byte);
        let mut parts = body.as_chunks::<16>().0.iter().chain(body.last_chunk());
        let fits = parts.all(|part| part.iter().fold(true, fit))
            && (body.len() >= 16 || body.iter().fold(true, fit));
        (!body.is_empty() && fits).then(|| Self(Zeroizing::new(text.into())))
    }

    /// The characters of the token. Reveal them only to the provider that issued it.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

opaque_debug!(BearerToken);

/// A letter, a digit or one of `-._~+/`; `-`, `.`, `/` and the digits are consecutive in ASCII.
const fn is_b64token(byte: u8) -> bool {
    ((byte | 0x20).wrapping_sub(b'a') < 26)
        | (byte.wrapping_sub(b'-') < 13)
        | (byte == b'_')
        | (byte == b'~')
        | (byte == b'+')
}
