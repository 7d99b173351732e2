//! Finds and checks the strings of a JSON text before anything else is parsed.

use wide::u8x16;

use super::JsonFault;

const BLOCK: usize = 64;

/// The quotes that begin and end the strings of a text, one bit per byte.
///
/// Most of a text is short strings, and a loop that searches for the end of each one would take most of the time of
/// parsing. So all quotes are found first, 64 bytes at a time, while escapes, control characters and UTF-8 are checked.
pub(crate) struct Quotes(Vec<u64>);

// === impl Quotes ===

impl Quotes {
    pub(crate) fn find(text: &[u8]) -> Result<Self, JsonFault> {
        let mut quotes = vec![0; text.len().div_ceil(BLOCK)];
        let mut state = State { text, at: 0, parity: 0, escaped: 0, beyond_ascii: u8x16::ZERO };
        let (blocks, rest) = text.as_chunks();
        let mut found = quotes.iter_mut();
        for (block, quotes) in blocks.iter().zip(&mut found) {
            *quotes = state.block(block)?;
        }
        if let Some(quotes) = found.next() {
            // Padded with spaces, which contain neither a quote nor an error.
            let mut block = [b' '; BLOCK];
            block[..rest.len()].copy_from_slice(rest);
            *quotes = state.block(&block)?;
        }
        if state.beyond_ascii.to_bitmask() != 0
            && let Err(error) = std::str::from_utf8(text)
        {
            return Err(JsonFault { at: error.valid_up_to(), reason: "not UTF-8" });
        }
        Ok(Self(quotes))
    }

    /// The position of the first quote from `at` on.
    #[inline(always)]
    pub(crate) fn next(&self, at: usize) -> Option<usize> {
        let mut block = at / BLOCK;
        let mut ahead = self.0.get(block)? & u64::MAX << (at % BLOCK);
        while ahead == 0 {
            block += 1;
            ahead = *self.0.get(block)?;
        }
        Some(block * BLOCK + ahead.trailing_zeros() as usize)
    }
}

/// The state carried from block to block.
struct State<'a> {
    text: &'a [u8],
    at: usize,
    /// The XOR of the quotes of all blocks: it has an odd number of ones if a string is open.
    parity: u64,
    /// One if the next block's first byte is escaped, else zero.
    escaped: u64,
    /// The OR of all bytes so far: a lane's highest bit is set if a byte is not ASCII.
    beyond_ascii: u8x16,
}

// === impl State ===

impl State<'_> {
    #[inline(always)]
    fn block(&mut self, block: &[u8; BLOCK]) -> Result<u64, JsonFault> {
        let (parts, _) = block.as_chunks();
        let (mut quotes, backslashes) = (equal(parts, b'"'), equal(parts, b'\\'));
        let mut lowest = u8x16::splat(u8::MAX);
        for part in parts {
            let part = u8x16::new(*part);
            lowest = lowest.min(part);
            self.beyond_ascii |= part;
        }
        let escaped = if backslashes == 0 {
            std::mem::take(&mut self.escaped)
        } else {
            self.escaped(backslashes)
        };
        if escaped != 0 {
            // Most escapes are of these three; the others are looked at one by one.
            let mut others = escaped & !(quotes | backslashes | equal(parts, b'/'));
            while others != 0 {
                self.check_escape(self.at + others.trailing_zeros() as usize)?;
                others &= others - 1;
            }
        }
        quotes &= !escaped;
        if bits(controls(lowest)) != 0 {
            self.check_controls(parts, quotes)?;
        }
        self.parity ^= quotes;
        self.at += BLOCK;
        Ok(quotes)
    }

    /// The bytes of a block that are escaped, if these are its backslashes.
    #[inline(always)]
    fn escaped(&mut self, backslashes: u64) -> u64 {
        const ODD: u64 = 0xaaaa_aaaa_aaaa_aaaa;
        // In a run of backslashes every second one is escaped, and the byte after a run of an odd length. Where a run
        // begins, the subtraction borrows through it: its bits are then those of its even or of its odd positions.
        let first = backslashes & !self.escaped;
        let ends = (first << 1 | ODD).wrapping_sub(first) ^ ODD;
        let escaped = ends ^ (backslashes | self.escaped);
        self.escaped = (ends & backslashes) >> 63;
        escaped
    }

    /// Refuses control characters within strings. Between them some are white space; the cursor refuses the others.
    #[cold]
    fn check_controls(&self, parts: &[[u8; 16]], quotes: u64) -> Result<(), JsonFault> {
        let parts = parts.iter().zip([0, 16, 32, 48]);
        let found = parts.map(|(part, shift)| bits(controls(u8x16::new(*part))) << shift);
        let found = found.fold(0, |all, part| all | part);
        // Each bit becomes the parity of the quotes up to it: one within a string, unless one was open before.
        let mut within = quotes;
        for distance in [1, 2, 4, 8, 16, 32] {
            within ^= within << distance;
        }
        if self.parity.count_ones() % 2 == 1 {
            within = !within;
        }
        match (found & within).trailing_zeros() as usize {
            BLOCK => Ok(()),
            first => {
                Err(JsonFault { at: self.at + first, reason: "a control character in a string" })
            }
        }
    }

    /// Refuses what JSON does not escape; `at` is the byte after the backslash.
    #[inline]
    fn check_escape(&self, at: usize) -> Result<(), JsonFault> {
        match self.text.get(at..).unwrap_or_default() {
            [b'b' | b'f' | b'n' | b'r' | b't', ..] => Ok(()),
            [b'u', digits @ ..] if hexadecimal(digits) => Ok(()),
            _ => Err(JsonFault { at: at - 1, reason: "an unknown escape" }),
        }
    }
}

fn hexadecimal(text: &[u8]) -> bool {
    text.first_chunk::<4>().is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit))
}

/// Which bytes of a block are this one, one bit per byte.
#[inline(always)]
fn equal(parts: &[[u8; 16]], byte: u8) -> u64 {
    let parts = parts.iter().zip([0, 16, 32, 48]);
    let found =
        parts.map(|(part, shift)| bits(u8x16::new(*part).simd_eq(u8x16::splat(byte))) << shift);
    found.fold(0, |all, part| all | part)
}

#[inline(always)]
fn controls(bytes: u8x16) -> u8x16 {
    bytes.simd_eq(bytes.min(u8x16::splat(0x1f)))
}

#[inline(always)]
fn bits(lanes: u8x16) -> u64 {
    u64::from(lanes.to_bitmask())
}
