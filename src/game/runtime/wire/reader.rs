use super::tag::{Tag, WireType};
use super::varint::{long_length, long_tag, long_varint, unterminated};
use crate::game::runtime::error::Fault;

/// A cursor over the bytes of one message.
///
/// A method that fails leaves the cursor where the item begins.
#[derive(Clone, Copy, Debug)]
pub struct Reader<'a> {
    bytes: &'a [u8],
    // An index, not a shrinking slice: reading then changes one register and not two.
    position: usize,
}

impl<'a> Reader<'a> {
    /// A cursor at the start of `bytes`.
    #[inline(always)]
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, position: 0 }
    }

    /// What has not been read yet.
    #[inline(always)]
    pub fn rest(&self) -> &'a [u8] {
        self.bytes.get(self.position..).unwrap_or_default()
    }

    /// Whether everything has been read.
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.position >= self.bytes.len()
    }

    /// A tag of at most five bytes. Whether it makes sense is not checked here:
    /// [`skip`](Self::skip) does, for the tags that a caller does not know.
    ///
    /// # Errors
    /// [`Fault::Truncated`], [`Fault::TagTooLong`].
    #[inline(always)]
    pub fn tag(&mut self) -> Result<Tag, Fault> {
        match self.short() {
            Some((tag, end)) => {
                self.position = end;
                Ok(Tag::from_encoded(tag))
            }
            None => {
                let (tag, length) = long_tag(self.rest())?;
                self.position += length;
                Ok(tag)
            }
        }
    }

    /// Steps over this tag if it comes next and takes one byte.
    #[inline(always)]
    pub(crate) fn eat(&mut self, tag: Tag) -> bool {
        let tag = tag.encoded();
        let found = tag < 0x80 && self.bytes.get(self.position) == Some(&(tag as u8));
        if found {
            self.position += 1;
        }
        found
    }

    /// A varint of at most ten bytes; what exceeds 64 bits in the tenth is lost.
    ///
    /// # Errors
    /// [`Fault::Truncated`], [`Fault::VarintTooLong`].
    #[inline(always)]
    pub fn varint(&mut self) -> Result<u64, Fault> {
        match self.short() {
            Some((value, end)) => {
                self.position = end;
                Ok(u64::from(value))
            }
            None => match long_varint(self.bytes, self.position) {
                (_, 0) => Err(unterminated(self.rest(), 10, Fault::VarintTooLong)),
                (value, length) => {
                    self.position += length;
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
        self.position += 8;
        Ok(u64::from_le_bytes(value))
    }

    /// Four bytes, little-endian.
    ///
    /// # Errors
    /// [`Fault::Truncated`].
    #[inline(always)]
    pub fn fixed32(&mut self) -> Result<u32, Fault> {
        let value = *self.rest().first_chunk().ok_or(Fault::Truncated)?;
        self.position += 4;
        Ok(u32::from_le_bytes(value))
    }

    /// A length of at most five bytes, then that many bytes.
    ///
    /// # Errors
    /// [`Fault::Truncated`], [`Fault::LengthTooLong`], [`Fault::LengthPastEnd`].
    #[inline(always)]
    pub fn length_delimited(&mut self) -> Result<&'a [u8], Fault> {
        let (length, start) = match self.short() {
            Some((length, start)) => (length as usize, start),
            None => {
                let (value, length) = long_length(self.rest())?;
                (value, self.position + length)
            }
        };
        let end = start.wrapping_add(length);
        let value = self.bytes.get(start..end).ok_or(Fault::LengthPastEnd)?;
        self.position = end;
        Ok(value)
    }

    /// A varint of one byte or two, as nearly all are, and the position after it.
    #[inline(always)]
    fn short(&self) -> Option<(u32, usize)> {
        let first = u32::from(*self.bytes.get(self.position)?);
        if first < 0x80 {
            return Some((first, self.position + 1));
        }
        let second = u32::from(*self.bytes.get(self.position + 1)?);
        (second < 0x80).then_some((first & 0x7f | second << 7, self.position + 2))
    }

    /// Steps over the value of the field whose tag was just read, a whole group included.
    ///
    /// `depth` is how many levels of groups may be open at once.
    ///
    /// # Errors
    /// Every [`Fault`] of the encoding, those of the tag itself included.
    #[inline(always)]
    pub fn skip(&mut self, tag: Tag, depth: u32) -> Result<(), Fault> {
        match tag.wire_type() {
            Some(WireType::LengthDelimited) if tag.field_number() != 0 => {
                self.length_delimited().map(drop)
            }
            Some(WireType::Varint) if tag.field_number() != 0 => self.varint().map(drop),
            _ => {
                let rest = skip_rare(self.rest(), tag, depth)?;
                self.position = self.bytes.len() - rest.len();
                Ok(())
            }
        }
    }
}

/// Steps over a value of a rare wire type, and refuses a tag that makes no sense.
///
/// By value for the reason that the long varints are.
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
