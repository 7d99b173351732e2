use super::tag::{Tag, WireType};
use super::varint::{
    length_fault, long_length, long_tag, long_varint, longest_varint, tag_fault, varint_3_to_5,
    varint_fault,
};
use crate::game::runtime::fault::Fault;

/// A cursor over the bytes of one message.
///
/// If a method fails, the cursor stays at the start of the item.
#[derive(Clone, Copy, Debug)]
pub struct Reader<'a> {
    // Not a slice and an index, with which a length takes two comparisons instead of one.
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    /// A cursor at the start of `bytes`.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    /// The bytes that have not been read yet.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn rest(&self) -> &'a [u8] {
        self.rest
    }

    /// Whether everything has been read.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    /// Reads a tag of at most five bytes. It may be invalid, which [`skip`](Self::skip) checks for the tags that
    /// a caller does not know.
    ///
    /// # Errors
    /// [`Fault::Truncated`], [`Fault::TagTooLong`].
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn tag(&mut self) -> Result<Tag, Fault> {
        self.next_tag().ok_or_else(|| tag_fault(self.rest))
    }

    /// Reads a varint of at most ten bytes; bits beyond the 64th in the tenth byte are lost.
    ///
    /// # Errors
    /// [`Fault::Truncated`], [`Fault::VarintTooLong`].
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn varint(&mut self) -> Result<u64, Fault> {
        self.next_varint().ok_or_else(|| varint_fault(self.rest))
    }

    /// Reads eight bytes, little-endian.
    ///
    /// # Errors
    /// [`Fault::Truncated`].
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn fixed64(&mut self) -> Result<u64, Fault> {
        self.next_fixed64().ok_or(Fault::Truncated)
    }

    /// Reads four bytes, little-endian.
    ///
    /// # Errors
    /// [`Fault::Truncated`].
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn fixed32(&mut self) -> Result<u32, Fault> {
        let (value, rest) = self.rest.split_first_chunk().ok_or(Fault::Truncated)?;
        self.rest = rest;
        Ok(u32::from_le_bytes(*value))
    }

    /// Reads a length of at most five bytes, then that many bytes.
    ///
    /// # Errors
    /// [`Fault::Truncated`], [`Fault::LengthTooLong`], [`Fault::LengthPastEnd`].
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn length_delimited(&mut self) -> Result<&'a [u8], Fault> {
        self.next_delimited().ok_or_else(|| length_fault(self.rest))
    }

    // The same without the reason of a failure, which would make each exit of a loop over fields more
    // costly. [`first_fault`](super::first_fault) determines it afterwards.

    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn next_tag(&mut self) -> Option<Tag> {
        let (tag, rest) = match self.short() {
            Some((tag, rest)) => (Tag::from_encoded(tag), rest),
            None => {
                let (tag, length) = long_tag(self.rest)?;
                (tag, self.after(length)?)
            }
        };
        self.rest = rest;
        Some(tag)
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn next_varint(&mut self) -> Option<u64> {
        let (value, rest) = match self.short() {
            Some((value, rest)) => (u64::from(value), rest),
            None => match long_varint(self.rest) {
                (_, 0) => return None,
                (value, length) => (value, self.after(length)?),
            },
        };
        self.rest = rest;
        Some(value)
    }

    /// Reads a varint, inline and without a call if it has up to five bytes: for hot code with numbers that are
    /// often that long.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn next_varint_in_place(&mut self) -> Option<u64> {
        let (value, rest) = match self.short() {
            Some((value, rest)) => (u64::from(value), rest),
            None => {
                let found = varint_3_to_5(self.rest);
                match found.unwrap_or_else(|| longest_varint(self.rest)) {
                    (_, 0) => return None,
                    (value, length) => (value, self.after(length)?),
                }
            }
        };
        self.rest = rest;
        Some(value)
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn next_fixed64(&mut self) -> Option<u64> {
        let (value, rest) = self.rest.split_first_chunk()?;
        self.rest = rest;
        Some(u64::from_le_bytes(*value))
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn next_delimited(&mut self) -> Option<&'a [u8]> {
        let (length, rest) = match self.short() {
            Some((length, rest)) => (length as usize, rest),
            None => match long_length(self.rest) {
                (_, 0) => return None,
                (value, length) => (usize::try_from(value).ok()?, self.after(length)?),
            },
        };
        let (value, rest) = rest.split_at_checked(length)?;
        self.rest = rest;
        Some(value)
    }

    /// Skips this tag if it comes next and takes one byte.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn eat(&mut self, tag: Tag) -> bool {
        let tag = tag.short();
        tag != 0 && self.eat_byte(tag)
    }

    /// Skips this byte if it comes next.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn eat_byte(&mut self, byte: u8) -> bool {
        match self.rest.split_first() {
            Some((first, rest)) if *first == byte => {
                self.rest = rest;
                true
            }
            _ => false,
        }
    }

    /// A varint of one or two bytes, as nearly all are, and the bytes after it.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn short(&self) -> Option<(u32, &'a [u8])> {
        let (first, rest) = self.rest.split_first()?;
        let first = u32::from(*first);
        if first < 0x80 {
            return Some((first, rest));
        }
        let (second, rest) = rest.split_first()?;
        let second = u32::from(*second);
        (second < 0x80).then_some((first & 0x7f | second << 7, rest))
    }

    /// The rest after this many bytes, if there are that many.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn after(&self, length: usize) -> Option<&'a [u8]> {
        self.rest.get(length..)
    }

    /// Skips the value of the field whose tag was just read, including a complete group.
    ///
    /// `depth` is the maximum nesting of groups.
    ///
    /// # Errors
    /// Every [`Fault`] of the encoding, including those of the tag itself.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn skip(&mut self, tag: Tag, depth: u32) -> Result<(), Fault> {
        match tag.wire_type() {
            Some(WireType::LengthDelimited) if tag.field_number() != 0 => {
                self.length_delimited().map(drop)
            }
            Some(WireType::Varint) if tag.field_number() != 0 => self.varint().map(drop),
            _ => {
                self.rest = skip_rare(self.rest, tag, depth)?;
                Ok(())
            }
        }
    }
}

/// Skips a value of a rare wire type, and rejects an invalid tag.
///
/// Takes the reader by value, for the same reason as the functions for long varints.
#[cold]
#[inline(never)]
fn skip_rare(rest: &[u8], tag: Tag, depth: u32) -> Result<&[u8], Fault> {
    let mut reader = Reader::new(rest);
    match tag.wire_type() {
        _ if tag.field_number() == 0 => return Err(Fault::FieldNumberZero),
        Some(WireType::Fixed64) => drop(reader.fixed64()?),
        Some(WireType::Fixed32) => drop(reader.fixed32()?),
        Some(WireType::StartGroup) => skip_group(&mut reader, tag.field_number(), depth)?,
        Some(WireType::EndGroup) => return Err(Fault::EndGroup),
        Some(WireType::Varint | WireType::LengthDelimited) | None => return Err(Fault::WireType),
    }
    Ok(reader.rest())
}

fn skip_group(reader: &mut Reader<'_>, field_number: u32, depth: u32) -> Result<(), Fault> {
    let depth = depth.checked_sub(1).ok_or(Fault::TooDeep)?;
    while !reader.is_empty() {
        let tag = reader.tag()?;
        if tag == Tag::new(field_number, WireType::EndGroup) {
            return Ok(());
        }
        reader.skip(tag, depth)?;
    }
    Err(Fault::Truncated)
}

/// The fault of the first item that cannot be read, and the bytes from there on; for code that has found that there is one.
///
/// `depth` is the maximum nesting of groups.
#[cold]
#[inline(never)]
pub(crate) fn first_fault(bytes: &[u8], depth: u32) -> Option<(Fault, &[u8])> {
    let mut reader = Reader::new(bytes);
    while !reader.is_empty() {
        let read = reader.tag().and_then(|tag| reader.skip(tag, depth));
        if let Err(fault) = read {
            return Some((fault, reader.rest()));
        }
    }
    None
}
