//! Varints of more than two bytes, and the faults of invalid ones.
//!
//! These functions take and return everything by value: a cursor passed by reference would have to be in memory,
//! not in registers.

use super::tag::Tag;
use crate::game::runtime::fault::Fault;

/// The maximum length of a tag or a length, in bytes.
const LIMIT: usize = 5;
/// The maximum length of any other varint, in bytes.
const VARINT_LIMIT: usize = 10;

/// The tag at the start of these bytes, and its length in bytes.
#[cold]
#[inline(never)]
pub(super) fn long_tag(bytes: &[u8]) -> Option<(Tag, usize)> {
    let (value, length) = long::<LIMIT>(bytes)?;
    let tag = u32::try_from(value).ok()?;
    Some((Tag::from_encoded(tag), length))
}

/// The length at the start of these bytes, and the number of bytes that encode it: 0 if it cannot be read.
#[inline(never)]
pub(super) fn long_length(bytes: &[u8]) -> (u64, usize) {
    varint_3_to_5(bytes).unwrap_or_else(|| long::<LIMIT>(bytes).unwrap_or_default())
}

/// The varint at the start of these bytes, and its length in bytes: 0 if it does not end. The caller has
/// checked that it has more than two bytes, or too few.
///
/// Not marked as cold, since ids and timestamps are such numbers.
#[inline(never)]
pub(super) fn long_varint(bytes: &[u8]) -> (u64, usize) {
    varint_3_to_5(bytes).unwrap_or_else(|| longest_varint(bytes))
}

/// The varint at the start of these bytes, which has more than two bytes, if it has at most five and five bytes
/// are available. For the ids and timestamps that servers send, this takes fewer instructions than combining the
/// bits of eight bytes, and it needs fewer bytes after the number.
#[inline(always)]
pub(super) fn varint_3_to_5(bytes: &[u8]) -> Option<(u64, usize)> {
    let &[a, b, c, d, e] = bytes.first_chunk()?;
    // The sum of the shifted bytes, minus the continuation bits.
    const MORE: u64 = 0x80;
    let value = u64::from(a) + (u64::from(b) << 7) + (u64::from(c) << 14) - MORE - (MORE << 7);
    if c < 0x80 {
        return Some((value, 3));
    }
    let value = value + (u64::from(d) << 21) - (MORE << 14);
    if d < 0x80 {
        return Some((value, 4));
    }
    let value = value + (u64::from(e) << 28) - (MORE << 21);
    (e < 0x80).then_some((value, 5))
}

/// Any varint, byte by byte.
#[inline(never)]
pub(super) fn longest_varint(bytes: &[u8]) -> (u64, usize) {
    long::<VARINT_LIMIT>(bytes).unwrap_or_default()
}

/// A varint of up to `LIMIT` bytes, and its length in bytes.
#[inline(always)]
fn long<const LIMIT: usize>(bytes: &[u8]) -> Option<(u64, usize)> {
    let mut value = 0;
    for (index, &byte) in bytes.iter().take(LIMIT).enumerate() {
        value |= u64::from(byte & 0x7f) << (7 * index);
        if byte < 0x80 {
            return Some((value, index + 1));
        }
    }
    None
}

/// The fault of the invalid tag at the start of these bytes.
#[cold]
#[inline(never)]
pub(super) fn tag_fault(bytes: &[u8]) -> Fault {
    match long::<LIMIT>(bytes) {
        Some(_) => Fault::TagTooLong,
        None => unterminated(bytes, LIMIT, Fault::TagTooLong),
    }
}

/// The fault of the invalid varint at the start of these bytes.
#[cold]
#[inline(never)]
pub(super) fn varint_fault(bytes: &[u8]) -> Fault {
    unterminated(bytes, VARINT_LIMIT, Fault::VarintTooLong)
}

/// The fault of the invalid length, or of too few bytes after it, at the start of these bytes.
#[cold]
#[inline(never)]
pub(super) fn length_fault(bytes: &[u8]) -> Fault {
    match long::<LIMIT>(bytes) {
        Some(_) => Fault::LengthPastEnd,
        None => unterminated(bytes, LIMIT, Fault::LengthTooLong),
    }
}

/// The fault of a varint that does not end within `limit` bytes.
fn unterminated(bytes: &[u8], limit: usize, too_long: Fault) -> Fault {
    if bytes.len() < limit { Fault::Truncated } else { too_long }
}
