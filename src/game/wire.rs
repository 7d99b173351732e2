//! The primitives of the protobuf encoding: tags, varints, lengths, and how to pass over a field.
//!
//! `quick_protobuf::BytesReader` does the same work, but its methods are not inlined into other
//! crates, and it lets field number 0, over-long tags and lengths and a mismatched end of a group
//! pass. `benches/decode.rs` measures both.

use super::error::Fault;

/// A field's number, shifted by three, and its wire type in the three low bits.
pub type Tag = u32;

/// Wire type of integers, booleans and enums.
pub const VARINT: u32 = 0;
/// Wire type of `double`, `fixed64` and `sfixed64`.
pub const FIXED64: u32 = 1;
/// Wire type of text, bytes, sub-messages and packed numbers.
pub const DELIMITED: u32 = 2;
/// Wire type of the start of a group.
pub const START_GROUP: u32 = 3;
/// Wire type of the end of a group.
pub const END_GROUP: u32 = 4;
/// Wire type of `float`, `fixed32` and `sfixed32`.
pub const FIXED32: u32 = 5;

/// The tag of a field.
pub const fn tag(number: u32, wire_type: u32) -> Tag {
    number << 3 | wire_type
}

/// A cursor over the bytes of one message.
///
/// A method that fails leaves the cursor where the item begins.
#[derive(Clone, Copy, Debug)]
pub struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    /// A cursor at the start of `bytes`.
    #[inline(always)]
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    /// What has not been read yet.
    #[inline(always)]
    pub fn rest(&self) -> &'a [u8] {
        self.rest
    }

    /// Whether everything has been read.
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    /// A tag of at most five bytes. Whether it makes sense is not looked at: [`skip`](Self::skip)
    /// does, for the tags that a caller does not know.
    ///
    /// # Errors
    /// [`Fault::Truncated`], [`Fault::TagTooLong`].
    #[inline(always)]
    pub fn tag(&mut self) -> Result<Tag, Fault> {
        match *self.rest {
            [a, ref rest @ ..] if a < 0x80 => {
                self.rest = rest;
                Ok(u32::from(a))
            }
            [a, b, ref rest @ ..] if b < 0x80 => {
                self.rest = rest;
                Ok(u32::from(a & 0x7f) | u32::from(b) << 7)
            }
            _ => {
                let (tag, rest) = long_tag(self.rest)?;
                self.rest = rest;
                Ok(tag)
            }
        }
    }

    /// Passes over this tag, if it is the next one and takes one byte.
    #[inline(always)]
    pub(crate) fn take_tag(&mut self, tag: Tag) -> bool {
        match *self.rest {
            [a, ref rest @ ..] if u32::from(a) == tag && tag < 0x80 => {
                self.rest = rest;
                true
            }
            _ => false,
        }
    }

    /// A varint of at most ten bytes; what exceeds 64 bits in the tenth is lost.
    ///
    /// # Errors
    /// [`Fault::Truncated`], [`Fault::VarintTooLong`].
    #[inline(always)]
    pub fn varint(&mut self) -> Result<u64, Fault> {
        match *self.rest {
            [a, ref rest @ ..] if a < 0x80 => {
                self.rest = rest;
                Ok(u64::from(a))
            }
            [a, b, ref rest @ ..] if b < 0x80 => {
                self.rest = rest;
                Ok(u64::from(a & 0x7f) | u64::from(b) << 7)
            }
            _ => {
                let (value, length) = long_varint(self.rest);
                match self.rest.get(length..) {
                    Some(rest) if length != 0 => {
                        self.rest = rest;
                        Ok(value)
                    }
                    _ => Err(bad_varint(self.rest)),
                }
            }
        }
    }

    /// Eight bytes, little-endian.
    ///
    /// # Errors
    /// [`Fault::Truncated`].
    #[inline(always)]
    pub fn fixed64(&mut self) -> Result<u64, Fault> {
        let (value, rest) = self.rest.split_first_chunk().ok_or(Fault::Truncated)?;
        self.rest = rest;
        Ok(u64::from_le_bytes(*value))
    }

    /// Four bytes, little-endian.
    ///
    /// # Errors
    /// [`Fault::Truncated`].
    #[inline(always)]
    pub fn fixed32(&mut self) -> Result<u32, Fault> {
        let (value, rest) = self.rest.split_first_chunk().ok_or(Fault::Truncated)?;
        self.rest = rest;
        Ok(u32::from_le_bytes(*value))
    }

    /// A length of at most five bytes, then that many bytes.
    ///
    /// # Errors
    /// [`Fault::Truncated`], [`Fault::LengthTooLong`], [`Fault::LengthPastEnd`].
    #[inline(always)]
    pub fn delimited(&mut self) -> Result<&'a [u8], Fault> {
        let (length, rest) = match *self.rest {
            [a, ref rest @ ..] if a < 0x80 => (usize::from(a), rest),
            [a, b, ref rest @ ..] if b < 0x80 => {
                (usize::from(a & 0x7f) | usize::from(b) << 7, rest)
            }
            _ => long_length(self.rest)?,
        };
        let Some((value, rest)) = rest.split_at_checked(length) else {
            return Err(Fault::LengthPastEnd);
        };
        self.rest = rest;
        Ok(value)
    }

    /// Passes over the value of the field whose tag was just read, a whole group included.
    ///
    /// `depth` is how many levels of groups may be open at once.
    ///
    /// # Errors
    /// Every [`Fault`] of the encoding, those of the tag itself included.
    #[inline(always)]
    pub fn skip(&mut self, tag: Tag, depth: u32) -> Result<(), Fault> {
        match tag & 7 {
            DELIMITED if tag >= 8 => self.delimited().map(drop),
            VARINT if tag >= 8 => self.varint().map(drop),
            _ => {
                self.rest = skip_rare(self.rest, tag, depth)?;
                Ok(())
            }
        }
    }
}

// What is rare is kept out of the way. These functions take and return the bytes by value: a
// cursor handed on by reference would have to live in memory, not in registers.

#[cold]
#[inline(never)]
fn skip_rare(rest: &[u8], tag: Tag, depth: u32) -> Result<&[u8], Fault> {
    let mut reader = Reader::new(rest);
    match tag & 7 {
        _ if tag < 8 => return Err(Fault::FieldNumberZero),
        FIXED64 => drop(reader.fixed64()?),
        FIXED32 => drop(reader.fixed32()?),
        START_GROUP => skip_group(&mut reader, tag, depth)?,
        END_GROUP => return Err(Fault::EndGroup),
        _ => return Err(Fault::WireType),
    }
    Ok(reader.rest)
}

fn skip_group(reader: &mut Reader<'_>, start: Tag, depth: u32) -> Result<(), Fault> {
    let depth = depth.checked_sub(1).ok_or(Fault::TooDeep)?;
    while !reader.is_empty() {
        let tag = reader.tag()?;
        if tag == start + (END_GROUP - START_GROUP) {
            return Ok(());
        }
        reader.skip(tag, depth)?;
    }
    Err(Fault::Truncated)
}

#[cold]
#[inline(never)]
fn long_tag(bytes: &[u8]) -> Result<(Tag, &[u8]), Fault> {
    let (value, rest) = long(bytes, 5, Fault::TagTooLong)?;
    let tag = u32::try_from(value).map_err(|_| Fault::TagTooLong)?;
    Ok((tag, rest))
}

#[cold]
#[inline(never)]
fn long_length(bytes: &[u8]) -> Result<(usize, &[u8]), Fault> {
    let (value, rest) = long(bytes, 5, Fault::LengthTooLong)?;
    let length = usize::try_from(value).map_err(|_| Fault::LengthPastEnd)?;
    Ok((length, rest))
}

/// A varint and how many bytes it has; none where it has no end. Both fit in registers.
#[inline(never)]
fn long_varint(bytes: &[u8]) -> (u64, usize) {
    let mut value = 0;
    if let Some(bytes) = bytes.first_chunk::<10>() {
        for (index, &byte) in bytes.iter().enumerate() {
            value |= u64::from(byte & 0x7f) << (7 * index);
            if byte < 0x80 {
                return (value, index + 1);
            }
        }
    } else {
        for (index, &byte) in bytes.iter().enumerate() {
            value |= u64::from(byte & 0x7f) << (7 * index);
            if byte < 0x80 {
                return (value, index + 1);
            }
        }
    }
    (0, 0)
}

#[cold]
#[inline(never)]
fn bad_varint(bytes: &[u8]) -> Fault {
    if bytes.len() < 10 {
        Fault::Truncated
    } else {
        Fault::VarintTooLong
    }
}

/// A varint of up to `limit` bytes, and what follows it.
#[inline(always)]
fn long(bytes: &[u8], limit: usize, too_long: Fault) -> Result<(u64, &[u8]), Fault> {
    let mut value = 0;
    for (index, &byte) in bytes.iter().take(limit).enumerate() {
        value |= u64::from(byte & 0x7f) << (7 * index);
        if byte < 0x80 {
            return Ok((value, &bytes[index + 1..]));
        }
    }
    Err(if bytes.len() < limit {
        Fault::Truncated
    } else {
        too_long
    })
}
