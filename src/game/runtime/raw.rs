//! Fields as they are in the bytes of a message, whether the schema has them or not.

use std::fmt;

use super::fault::{Fault, MAX_DEPTH};
use super::fragments::{FragmentIter, Fragments};
use super::wire::{Reader, WireType};

/// A field that the schema does not have. `Debug` shows its number and size: it may be a secret.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct UnknownField<'a> {
    /// Its number.
    pub number: u32,
    /// Its value, as far as the encoding determines it.
    pub value: UnknownValue<'a>,
    /// The bytes of the field, including its tag.
    pub bytes: &'a [u8],
}

/// The value of an unknown field: one variant for each wire type. `Debug` shows that.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum UnknownValue<'a> {
    /// The encoded value of an integer, a boolean or an enum.
    Varint(u64),
    /// Eight bytes, as a little-endian number.
    Fixed64(u64),
    /// Text, bytes, a message or packed numbers.
    Delimited(&'a [u8]),
    /// The fields of a group.
    Group(&'a [u8]),
    /// Four bytes, as a little-endian number.
    Fixed32(u32),
}

/// All fields of a message that was read before, known and unknown, in the order of its bytes.
#[derive(Clone, Debug)]
pub(crate) struct RawFields<'a> {
    reader: Reader<'a>,
    fragments: FragmentIter<'a>,
}

// === impl UnknownValue ===

impl UnknownValue<'_> {
    pub(crate) fn wire_type(self) -> WireType {
        match self {
            Self::Varint(_) => WireType::Varint,
            Self::Fixed64(_) => WireType::Fixed64,
            Self::Delimited(_) => WireType::LengthDelimited,
            Self::Group(_) => WireType::StartGroup,
            Self::Fixed32(_) => WireType::Fixed32,
        }
    }
}

impl fmt::Debug for UnknownValue<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.wire_type().fmt(f)
    }
}

impl fmt::Debug for UnknownField<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({} bytes)", self.number, self.bytes.len())
    }
}

// === impl RawFields ===

impl<'a> RawFields<'a> {
    pub(crate) fn new(message: Fragments<'a>) -> Self {
        Self { reader: Reader::new(&[]), fragments: message.iter() }
    }
}

impl<'a> Iterator for RawFields<'a> {
    type Item = UnknownField<'a>;

    /// An error cannot occur, since all bytes were read when the message was parsed; it is treated as the end.
    fn next(&mut self) -> Option<UnknownField<'a>> {
        let reader = &mut self.reader;
        while reader.is_empty() {
            *reader = Reader::new(self.fragments.next()?);
        }
        UnknownField::read(reader, MAX_DEPTH).ok()
    }
}

// === impl UnknownField ===

impl<'a> UnknownField<'a> {
    /// Reads any field; `depth` is the maximum nesting of groups. If that fails, the reader is at the start of the
    /// item that cannot be read.
    pub(crate) fn read(reader: &mut Reader<'a>, depth: u32) -> Result<Self, Fault> {
        let start = reader.rest();
        let tag = reader.tag()?;
        let inside = reader.rest();
        let value = match tag.wire_type() {
            _ if tag.field_number() == 0 => return Err(Fault::FieldNumberZero),
            None => return Err(Fault::WireType),
            Some(WireType::Varint) => UnknownValue::Varint(reader.varint()?),
            Some(WireType::Fixed64) => UnknownValue::Fixed64(reader.fixed64()?),
            Some(WireType::LengthDelimited) => UnknownValue::Delimited(reader.length_delimited()?),
            Some(WireType::Fixed32) => UnknownValue::Fixed32(reader.fixed32()?),
            Some(WireType::StartGroup | WireType::EndGroup) => {
                reader.skip(tag, depth)?;
                let group = &inside[..inside.len() - reader.rest().len()];
                UnknownValue::Group(without_end(group))
            }
        };
        Ok(Self {
            number: tag.field_number(),
            value,
            bytes: &start[..start.len() - reader.rest().len()],
        })
    }
}

/// The bytes of a group without its end tag. That tag may be encoded in more bytes than necessary, so the
/// search for it begins at the start.
fn without_end(group: &[u8]) -> &[u8] {
    let mut reader = Reader::new(group);
    loop {
        let before = reader.rest();
        let Ok(tag) = reader.tag() else { return group };
        if reader.is_empty() {
            return &group[..group.len() - before.len()];
        }
        if reader.skip(tag, MAX_DEPTH).is_err() {
            return group;
        }
    }
}
