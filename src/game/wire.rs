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
    bytes: &'a [u8],
    // Counted from the start, so that one register changes on the way and not two.
    place: usize,
}

impl<'a> Reader<'a> {
    /// A cursor at the start of `bytes`.
    #[inline(always)]
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, place: 0 }
    }

    /// What has not been read yet.
    #[inline(always)]
    pub fn rest(&self) -> &'a [u8] {
        self.bytes.get(self.place..).unwrap_or_default()
    }

    /// Whether everything has been read.
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.place >= self.bytes.len()
    }

    /// A tag of at most five bytes. Whether it makes sense is not looked at: [`skip`](Self::skip)
    /// does, for the tags that a caller does not know.
    ///
    /// # Errors
    /// [`Fault::Truncated`], [`Fault::TagTooLong`].
    #[inline(always)]
    pub fn tag(&mut self) -> Result<Tag, Fault> {
        match self.short() {
            Some((tag, end)) => {
                self.place = end;
                Ok(tag)
            }
            None => {
                let (tag, length) = long_tag(self.rest())?;
                self.place += length;
                Ok(tag)
            }
        }
    }

    /// Passes over this tag, if it is the next one and takes one byte.
    #[inline(always)]
    pub(crate) fn take_tag(&mut self, tag: Tag) -> bool {
        let taken = tag < 0x80 && self.bytes.get(self.place) == Some(&(tag as u8));
        if taken {
            self.place += 1;
        }
        taken
    }

    /// A varint of at most ten bytes; what exceeds 64 bits in the tenth is lost.
    ///
    /// # Errors
    /// [`Fault::Truncated`], [`Fault::VarintTooLong`].
    #[inline(always)]
    pub fn varint(&mut self) -> Result<u64, Fault> {
        match self.short() {
            Some((value, end)) => {
                self.place = end;
                Ok(u64::from(value))
            }
            None => match long_varint(self.bytes, self.place) {
                (_, 0) => Err(endless(self.rest(), 10, Fault::VarintTooLong)),
                (value, length) => {
                    self.place += length;
                    Ok(value)
                }
            },
        }
    }

    /// Eight bytes, little-endian.
    ///
    /// # Errors
    /// [`Fault::Truncated`].
    #[inline(always)]
    pub fn fixed64(&mut self) -> Result<u64, Fault> {
        let value = *self.rest().first_chunk().ok_or(Fault::Truncated)?;
        self.place += 8;
        Ok(u64::from_le_bytes(value))
    }

    /// Four bytes, little-endian.
    ///
    /// # Errors
    /// [`Fault::Truncated`].
    #[inline(always)]
    pub fn fixed32(&mut self) -> Result<u32, Fault> {
        let value = *self.rest().first_chunk().ok_or(Fault::Truncated)?;
        self.place += 4;
        Ok(u32::from_le_bytes(value))
    }

    /// A length of at most five bytes, then that many bytes.
    ///
    /// # Errors
    /// [`Fault::Truncated`], [`Fault::LengthTooLong`], [`Fault::LengthPastEnd`].
    #[inline(always)]
    pub fn delimited(&mut self) -> Result<&'a [u8], Fault> {
        let (length, start) = match self.short() {
            Some((length, start)) => (length as usize, start),
            None => {
                let (value, length) = long_length(self.rest())?;
                (value, self.place + length)
            }
        };
        let end = start.wrapping_add(length);
        let value = self.bytes.get(start..end).ok_or(Fault::LengthPastEnd)?;
        self.place = end;
        Ok(value)
    }

    /// A varint of one byte or two, as nearly all are, and the place after it.
    #[inline(always)]
    fn short(&self) -> Option<(u32, usize)> {
        let first = u32::from(*self.bytes.get(self.place)?);
        if first < 0x80 {
            return Some((first, self.place + 1));
        }
        let second = u32::from(*self.bytes.get(self.place + 1)?);
        (second < 0x80).then_some((first & 0x7f | second << 7, self.place + 2))
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
                let rest = skip_rare(self.rest(), tag, depth)?;
                self.place = self.bytes.len() - rest.len();
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
    Ok(reader.rest())
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
fn long_tag(bytes: &[u8]) -> Result<(Tag, usize), Fault> {
    let (value, length) = long::<5>(bytes);
    if length == 0 {
        return Err(endless(bytes, 5, Fault::TagTooLong));
    }
    let tag = u32::try_from(value).map_err(|_| Fault::TagTooLong)?;
    Ok((tag, length))
}

/// A length, and how many bytes say it.
#[cold]
#[inline(never)]
fn long_length(bytes: &[u8]) -> Result<(usize, usize), Fault> {
    let (value, length) = long::<5>(bytes);
    if length == 0 {
        return Err(endless(bytes, 5, Fault::LengthTooLong));
    }
    let value = usize::try_from(value).map_err(|_| Fault::LengthPastEnd)?;
    Ok((value, length))
}

/// Not cold: times are such numbers. What it takes and gives fits in registers.
#[inline(never)]
fn long_varint(bytes: &[u8], place: usize) -> (u64, usize) {
    const ENDS: u64 = 0x8080_8080_8080_8080;
    let bytes = bytes.get(place..).unwrap_or_default();
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

#[cold]
#[inline(never)]
fn endless(bytes: &[u8], limit: usize, too_long: Fault) -> Fault {
    if bytes.len() < limit {
        Fault::Truncated
    } else {
        too_long
    }
}

/// A varint of up to `LIMIT` bytes and how many it has: none where it has no end.
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
