//! Where the strings of a JSON text are.

use wide::u8x16;

use super::json::JsonFault;

/// The quotes that begin and end the strings of a text, a bit for each byte.
///
/// They are found 64 bytes at a time, before anything else is read: strings are most of a text,
/// and short, so that looking for the end of each by itself is what takes the time. All strings are
/// checked on the way, for escapes, control characters and UTF-8.
pub(super) struct Quotes(Vec<u64>);

impl Quotes {
    /// Finds the quotes of `text`.
    pub(super) fn of(text: &[u8]) -> Result<Self, JsonFault> {
        let mut quotes = Vec::with_capacity(text.len().div_ceil(BLOCK));
        let mut state = State {
            text,
            at: 0,
            in_string: 0,
            escaped: 0,
            ascii: true,
        };
        let (blocks, rest) = text.as_chunks();
        for block in blocks {
            quotes.push(state.block(block)?);
        }
        if !rest.is_empty() {
            // A blank is no part of a string that ends, and no fault in one that does not.
            let mut block = [b' '; BLOCK];
            block[..rest.len()].copy_from_slice(rest);
            quotes.push(state.block(&block)?);
        }
        if !state.ascii
            && let Err(error) = std::str::from_utf8(text)
        {
            return Err(JsonFault::new(error.valid_up_to(), "not UTF-8"));
        }
        Ok(Self(quotes))
    }

    /// Where the first quote is, from `at` on.
    #[inline]
    pub(super) fn next(&self, at: usize) -> Option<usize> {
        let mut block = at / BLOCK;
        let mut ahead = self.0.get(block)? >> (at % BLOCK) << (at % BLOCK);
        while ahead == 0 {
            block += 1;
            ahead = *self.0.get(block)?;
        }
        Some(block * BLOCK + ahead.trailing_zeros() as usize)
    }
}

const BLOCK: usize = 64;

/// What one block hands to the next.
struct State<'a> {
    text: &'a [u8],
    /// Where the next block begins.
    at: usize,
    /// All bits where it begins within a string, else none.
    in_string: u64,
    /// One where its first byte belongs to an escape, else zero.
    escaped: u64,
    ascii: bool,
}

impl State<'_> {
    #[inline]
    fn block(&mut self, block: &[u8; BLOCK]) -> Result<u64, JsonFault> {
        let (mut quotes, mut backslashes, mut controls, mut beyond_ascii) = (0, 0, 0, 0);
        let (parts, _) = block.as_chunks();
        for (part, shift) in parts.iter().zip([0, 16, 32, 48]) {
            let part = u8x16::new(*part);
            let bits = |lanes: u8x16| u64::from(lanes.to_bitmask()) << shift;
            quotes |= bits(part.simd_eq(u8x16::splat(b'"')));
            backslashes |= bits(part.simd_eq(u8x16::splat(b'\\')));
            controls |= bits(part.simd_eq(part.min(u8x16::splat(0x1f))));
            beyond_ascii |= part.to_bitmask();
        }
        self.ascii &= beyond_ascii == 0;
        let mut escaped = std::mem::take(&mut self.escaped);
        backslashes &= !escaped;
        while backslashes != 0 {
            let backslash = backslashes.trailing_zeros();
            self.check_escape(self.at + backslash as usize)?;
            match 2_u64.checked_shl(backslash).unwrap_or(0) {
                0 => self.escaped = 1,
                next => escaped |= next,
            }
            // Neither this one nor one that it escapes begins an escape.
            backslashes &= !(3 << backslash);
        }
        quotes &= !escaped;
        // Each bit becomes the parity of the quotes up to it, which is set within strings.
        let mut within = quotes;
        for distance in [1, 2, 4, 8, 16, 32] {
            within ^= within << distance;
        }
        within ^= self.in_string;
        if controls & within != 0 {
            let at = self.at + (controls & within).trailing_zeros() as usize;
            return Err(JsonFault::new(at, "a control character in a string"));
        }
        self.in_string = ((within as i64) >> 63) as u64;
        self.at += BLOCK;
        Ok(quotes)
    }

    #[inline]
    fn check_escape(&self, at: usize) -> Result<(), JsonFault> {
        match self.text[at..] {
            [
                _,
                b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't',
                ..,
            ] => Ok(()),
            [_, b'u', a, b, c, d, ..] if [a, b, c, d].iter().all(u8::is_ascii_hexdigit) => Ok(()),
            _ => Err(JsonFault::new(at, "an unknown escape")),
        }
    }
}
