use std::borrow::Cow;
use std::fmt;

use super::error::DecodeError;

/// The length in bytes from which the vectorised check is faster.
const LONG: usize = 128;

/// The bytes of a `string` field, which may not be valid text.
///
/// ```
/// use portreeve::game::Text;
///
/// let text = Text::from_bytes(b"caf\xe9");
/// assert!(text.to_str().is_err());
/// assert_eq!(text.to_string_lossy(), "caf\u{fffd}");
/// assert_eq!(text.as_bytes(), b"caf\xe9");
/// assert_eq!(Text::from("café").to_str(), Ok("café"));
/// ```
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Text<'a>(&'a [u8]);

impl<'a> Text<'a> {
    /// Any bytes: proto2 does not require UTF-8.
    #[inline]
    pub const fn from_bytes(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    /// The bytes.
    #[inline]
    pub const fn as_bytes(self) -> &'a [u8] {
        self.0
    }

    /// The text, if it is valid.
    ///
    /// # Errors
    /// [`DecodeError`] if it is not UTF-8.
    #[inline]
    pub fn to_str(self) -> Result<&'a str, DecodeError> {
        check(self.0)
    }

    /// Whether it is valid, for code that has no use for the error.
    #[inline]
    pub(crate) fn is_valid(self) -> bool {
        is_short_ascii(self.0) || check_any(self.0).is_some()
    }

    /// The text, with U+FFFD in place of invalid parts.
    pub fn to_string_lossy(self) -> Cow<'a, str> {
        String::from_utf8_lossy(self.0)
    }
}

impl<'a> From<&'a str> for Text<'a> {
    #[inline]
    fn from(text: &'a str) -> Self {
        Self(text.as_bytes())
    }
}

impl<'a> From<&'a String> for Text<'a> {
    #[inline]
    fn from(text: &'a String) -> Self {
        Self(text.as_bytes())
    }
}

impl fmt::Debug for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.to_string_lossy(), f)
    }
}

impl fmt::Display for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.to_string_lossy(), f)
    }
}

/// `str::from_utf8` with a fast path for short ASCII text, such as names, addresses and dates.
#[inline]
#[allow(unsafe_code)]
fn check(bytes: &[u8]) -> Result<&str, DecodeError> {
    if is_short_ascii(bytes) {
        // SAFETY: every byte was just found to be below 0x80, and such bytes are UTF-8.
        return Ok(unsafe { str::from_utf8_unchecked(bytes) });
    }
    check_any(bytes).ok_or_else(|| DecodeError::of_text(bytes))
}

#[inline(never)]
fn check_any(bytes: &[u8]) -> Option<&str> {
    simdutf8::basic::from_utf8(bytes).ok()
}

/// `[u8]::is_ascii` in few instructions for less than [`LONG`] bytes: a chunk from the start and one
/// that ends with the text, which may overlap.
#[inline]
fn is_short_ascii(bytes: &[u8]) -> bool {
    const HIGH: u64 = 0x8080_8080_8080_8080;
    let seen = if let Some(last) = bytes.last_chunk() {
        if bytes.len() >= LONG {
            return false;
        }
        let chunks = bytes.as_chunks().0.iter();
        let seen = chunks
            .fold(u128::from_ne_bytes(*last), |seen, chunk| seen | u128::from_ne_bytes(*chunk));
        seen as u64 | (seen >> 64) as u64
    } else if let (Some(first), Some(last)) = (bytes.first_chunk(), bytes.last_chunk()) {
        u64::from_ne_bytes(*first) | u64::from_ne_bytes(*last)
    } else if let (Some(first), Some(last)) = (bytes.first_chunk(), bytes.last_chunk()) {
        u64::from(u32::from_ne_bytes(*first) | u32::from_ne_bytes(*last))
    } else if let [first, .., last] = bytes {
        u64::from(first | bytes[bytes.len() / 2] | last)
    } else {
        bytes.first().copied().unwrap_or_default().into()
    };
    seen & HIGH == 0
}
