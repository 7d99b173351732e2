//! Varints of more than two bytes.
//!
//! These functions take and return the bytes by value: a cursor passed by reference would have to
//! live in memory, not in registers.

use super::tag::Tag;
use crate::game::runtime::error::Fault;

#[cold]
#[inline(never)]
pub(super) fn long_tag(bytes: &[u8]) -> Result<(Tag, usize), Fault> {
    let (value, length) = long::<5>(bytes);
    if length == 0 {
        return Err(unterminated(bytes, 5, Fault::TagTooLong));
    }
    let tag = u32::try_from(value).map_err(|_| Fault::TagTooLong)?;
    Ok((Tag::from_encoded(tag), length))
}

/// A length, and how many bytes it takes.
#[cold]
#[inline(never)]
pub(super) fn long_length(bytes: &[u8]) -> Result<(usize, usize), Fault> {
    let (value, length) = long::<5>(bytes);
    if length == 0 {
        return Err(unterminated(bytes, 5, Fault::LengthTooLong));
    }
    let value = usize::try_from(value).map_err(|_| Fault::LengthPastEnd)?;
    Ok((value, length))
}

/// The varint at `position` and how many bytes it takes: none if it has no end.
///
/// Not marked as cold: timestamps are such numbers. Arguments and result fit in registers.
#[inline(never)]
pub(super) fn long_varint(bytes: &[u8], position: usize) -> (u64, usize) {
    const ENDS: u64 = 0x8080_8080_8080_8080;
    let bytes = bytes.get(position..).unwrap_or_default();
    if let Some(chunk) = bytes.first_chunk() {
        let chunk = u64::from_le_bytes(*chunk);
        let ends = !chunk & ENDS;
        if ends != 0 {
            // The bytes up to the first end, then seven bits of each pushed together.
            let value = chunk & (ends ^ (ends - 1)) & !ENDS;
            let value = value & 0x007f_007f_007f_007f | (value & 0x7f00_7f00_7f00_7f00) >> 1;
            let value = value & 0x0000_3fff_0000_3fff | (value & 0x3fff_0000_3fff_0000) >> 2;
            let value = value & 0x0000_0000_0fff_ffff | (value & 0x0fff_ffff_0000_0000) >> 4;
            return (value, ends.trailing_zeros() as usize / 8 + 1);
        }
    }
    long::<10>(bytes)
}

/// What is wrong with a varint that has no end within `limit` bytes.
#[cold]
#[inline(never)]
pub(super) fn unterminated(bytes: &[u8], limit: usize, too_long: Fault) -> Fault {
    if bytes.len() < limit {
        Fault::Truncated
    } else {
        too_long
    }
}

/// A varint of up to `LIMIT` bytes and how many it takes: none if it has no end.
#[inline(always)]
fn long<const LIMIT: usize>(bytes: &[u8]) -> (u64, usize) {
    let mut value = 0;
    for (index, &byte) in bytes.iter().take(LIMIT).enumerate() {
        value |= u64::from(byte & 0x7f) << (7 * index);
        if byte < 0x80 {
            return (value, index + 1);
        }
    }
    (0, 0)
}
